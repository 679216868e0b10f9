-- +goose Up

-- A row for each collection. A write to the collection changes it in the same
-- transaction.
CREATE TABLE collections (
	key      text   COLLATE "C" PRIMARY KEY,
	count    bigint NOT NULL DEFAULT 0 CHECK (count >= 0),
	last_id  bigint NOT NULL DEFAULT 0, -- the highest ever used
	revision bigint NOT NULL DEFAULT 0
);

INSERT INTO collections (key) VALUES
	('attribute-types'), ('attributes'), ('authors'), ('collaborators'), ('direct-sales'), ('books'),
	('bookshop-sales'), ('carts'), ('commissions'), ('compensations'), ('collaborator-invoices'), ('contributions'),
	('credit-notes'), ('crowdfundings'), ('direct-debit-payments'), ('credit-note-lines'), ('restockings'), ('direct-debits'),
	('events'), ('expenses'), ('inventories'), ('items'), ('itemVariants'), ('labels'),
	('products'), ('projects'), ('proposals'), ('reshipments'), ('services'), ('shipments'),
	('social-links'), ('tieins'), ('vouchers'), ('variants'), ('wires'), ('publishers'),
	('suppliers'), ('news'), ('faqs');

-- The members that open records have or had. number is the position of the sort key
-- of a field in keys.
CREATE TABLE members (
	collection text    COLLATE "C" NOT NULL REFERENCES collections,
	digest     bytea   NOT NULL, -- SHA-256 of the name, which can be too long for an index
	name       text    COLLATE "C" NOT NULL, -- in JSON
	field      text    COLLATE "C" NOT NULL, -- in orderings
	number     integer NOT NULL CHECK (number > 0),
	records    bigint  NOT NULL CHECK (records >= 0),
	PRIMARY KEY (collection, digest)
);

-- record is the JSON of a record exactly as it is served. The other columns are for
-- ordering, which compares bytes in any locale of the database.

CREATE TABLE "events" (
	"id"          bigint PRIMARY KEY,
	"record"      text COLLATE "C" NOT NULL,
	"name"        text COLLATE "C" NOT NULL,
	"slug"        text COLLATE "C" NOT NULL,
	"summary"     text COLLATE "C" NOT NULL,
	"description" text COLLATE "C" NOT NULL,
	"location"    text COLLATE "C" NOT NULL,
	"start_date"  timestamp with time zone NOT NULL,
	"end_date"    timestamp with time zone NOT NULL,
	"published"   boolean NOT NULL,
	"poster"      text COLLATE "C" NOT NULL,
	"poster_webp" text COLLATE "C" NOT NULL,
	"labels"      bigint[] NOT NULL,
	"authors"     bigint[] NOT NULL
);

CREATE INDEX events_by_start_date ON events (start_date ASC, id ASC);
CREATE INDEX events_by_name ON events (left(name, 256) ASC); -- longer prefixes may be too long for an index

CREATE TABLE "labels" (
	"id"                   bigint PRIMARY KEY,
	"record"               text COLLATE "C" NOT NULL,
	"name"                 text COLLATE "C" NOT NULL,
	"slug"                 text COLLATE "C" NOT NULL,
	"enabled"              boolean NOT NULL,
	"catch_phrase"         text COLLATE "C" NOT NULL,
	"description"          text COLLATE "C" NOT NULL,
	"catch_lines"          text[] COLLATE "C" NOT NULL,
	"users"                bigint[] NOT NULL,
	"logo"                 text COLLATE "C" NOT NULL,
	"logo_big"             text COLLATE "C" NOT NULL,
	"emblem"               text COLLATE "C" NOT NULL,
	"logo_footer"          text COLLATE "C",
	"logo_webp"            text COLLATE "C" NOT NULL,
	"logo_big_webp"        text COLLATE "C" NOT NULL,
	"emblem_webp"          text COLLATE "C" NOT NULL,
	"logo_footer_webp"     text COLLATE "C",
	"facebook_page"        text COLLATE "C",
	"bluesky_page"         text COLLATE "C",
	"linkedin_page"        text COLLATE "C",
	"instagram_page"       text COLLATE "C",
	"global_message"       bytea,
	"checkout_message"     bytea,
	"feature_crowdfunding" boolean NOT NULL,
	"feature_projects"     boolean NOT NULL,
	"feature_library"      boolean NOT NULL,
	"feature_externals"    boolean NOT NULL,
	"feature_shop"         boolean NOT NULL,
	"feature_authors"      boolean NOT NULL,
	"feature_about"        boolean NOT NULL,
	"feature_cart"         boolean NOT NULL,
	"feature_bookseller"   boolean NOT NULL,
	"feature_events"       boolean NOT NULL
);

CREATE INDEX labels_by_name ON labels (left(name, 256) ASC);
CREATE INDEX labels_by_feature_authors ON labels (feature_authors ASC, id ASC);

CREATE TABLE "social_links" (
	"id"     bigint PRIMARY KEY,
	"record" text COLLATE "C" NOT NULL,
	"title"  text COLLATE "C" NOT NULL,
	"url"    text COLLATE "C" NOT NULL,
	"logo"   text COLLATE "C",
	"type"   text COLLATE "C" NOT NULL,
	"author" bigint NOT NULL
);

CREATE INDEX social_links_by_url ON social_links (left(url, 256) ASC);

CREATE TABLE "attribute_types" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "attributes" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "authors" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "collaborators" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "direct_sales" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "books" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "bookshop_sales" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "carts" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "commissions" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "compensations" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "collaborator_invoices" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "contributions" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "credit_notes" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "crowdfundings" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "direct_debit_payments" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "credit_note_lines" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "restockings" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "direct_debits" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "expenses" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "inventories" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "items" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "item_variants" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "products" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "projects" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "proposals" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "reshipments" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "services" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "shipments" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "tieins" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "vouchers" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "variants" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "wires" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "publishers" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "suppliers" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "news" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);
CREATE TABLE "faqs" ("id" bigint PRIMARY KEY, "record" text COLLATE "C" NOT NULL, "keys" bytea[] NOT NULL);

-- +goose Down

DROP TABLE members, collections,
	"attribute_types", "attributes", "authors", "collaborators", "direct_sales", "books",
	"bookshop_sales", "carts", "commissions", "compensations", "collaborator_invoices",
	"contributions", "credit_notes", "crowdfundings", "direct_debit_payments",
	"credit_note_lines", "restockings", "direct_debits", "events", "expenses", "inventories",
	"items", "item_variants", "labels", "products", "projects", "proposals", "reshipments",
	"services", "shipments", "social_links", "tieins", "vouchers", "variants", "wires",
	"publishers", "suppliers", "news", "faqs";
