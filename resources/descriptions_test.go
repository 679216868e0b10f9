package resources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// descriptions returns the descriptions of all documented collections.
func descriptions(t *testing.T) (list []schema.Description) {
	t.Helper()
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, coll := range c.All() {
		list = append(list, coll.Description())
	}
	return list
}

// documentedTitles lists the keys of the document with their titles according to drf.md.
const documentedTitles = `
attribute-types       Attribute Type List
attributes            Attribute List
authors               Author List
collaborators         Collaborator List
direct-sales          Direct Sale List
books                 Book List
bookshop-sales        Bookshop Sale List
carts                 Cart List
commissions           Commission List
compensations         Compensation List
collaborator-invoices Collaborator Invoice List
contributions         Contribution List
credit-notes          Credit Note List
crowdfundings         Crowdfunding List
direct-debit-payments Direct Debit Payment List
credit-note-lines     Credit Note Line List
restockings           Restocking List
direct-debits         Direct Debit List
events                Event List
expenses              Expense List
inventories           Inventory List
items                 Item List
itemVariants          Item Variant List
labels                Label List
products              Product List
projects              Project List
proposals             Proposal List
reshipments           Reshipment List
services              Service List
shipments             Shipment List
social-links          Social Link List
tieins                Tiein List
vouchers              Voucher List
variants              Variant List
wires                 Wire List
publishers            Publisher List
suppliers             Supplier List
news                  News List
faqs                  Faq List`

func TestKeysAndNames(t *testing.T) {
	var got, want []string
	for _, d := range descriptions(t) {
		got = append(got, d.Key+" "+d.Name)
	}
	for _, line := range strings.Split(strings.TrimSpace(documentedTitles), "\n") {
		key, title, _ := strings.Cut(strings.Join(strings.Fields(line), " "), " ")
		want = append(want, key+" "+strings.ToLower(strings.TrimSuffix(title, " List")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDescriptions(t *testing.T) {
	for _, d := range descriptions(t) {
		segment, creatable, vary, term := d.Key, false, "Accept", "id"
		switch d.Key {
		case "itemVariants":
			segment = "item_variants"
		case "events":
			creatable, vary, term = true, "Authorization, Accept", "start_date"
		case "social-links":
			creatable = true
		}
		if actions := schema.List | schema.Create; !actions.Has(d.Actions) || !d.Actions.Has(schema.List) {
			t.Errorf("%s: actions %b, want List, and Create at most", d.Key, d.Actions)
		}
		if d.Segment != segment || d.Actions.Has(schema.Create) != creatable || d.Vary != vary {
			t.Errorf("%s: segment %s, creatable %v, vary %s, want %s, %v, %s",
				d.Key, d.Segment, d.Actions.Has(schema.Create), d.Vary, segment, creatable, vary)
		}
		if diff := cmp.Diff([]ordering.Term{{Field: term}}, d.Ordering); diff != "" {
			t.Errorf("%s: ordering (-want +got):\n%s", d.Key, diff)
		}
		if shown := d.Key == "events" || d.Key == "labels" || d.Key == "social-links"; shown != (d.Fields != nil) {
			t.Errorf("%s: fields %v", d.Key, d.Fields)
		}
	}
}

// documentedFields lists the fields of the collections that the document shows, in order.
const documentedFields = `
events id integer read-only
events name text required
events slug slug required
events summary text blank default ""
events description text blank default ""
events location text blank default ""
events startDate timestamp required
events endDate timestamp required
events published boolean default false
events poster URL blank default ""
events posterWebp URL blank default ""
events labels references to labels default []
events authors references to authors default []
labels id integer read-only
labels name text read-only
labels slug slug read-only
labels enabled boolean read-only
labels catchPhrase text blank read-only
labels description text blank read-only
labels catchLines text-list read-only
labels users references read-only
labels logo URL read-only
labels logoBig URL read-only
labels emblem URL read-only
labels logoFooter URL null read-only
labels logoWebp URL read-only
labels logoBigWebp URL read-only
labels emblemWebp URL read-only
labels logoFooterWebp URL null read-only
labels facebookPage URL null read-only
labels blueskyPage URL null read-only
labels linkedinPage URL null read-only
labels instagramPage URL null read-only
labels globalMessage JSON null read-only
labels checkoutMessage JSON null read-only
labels featureCrowdfunding boolean read-only
labels featureProjects boolean read-only
labels featureLibrary boolean read-only
labels featureExternals boolean read-only
labels featureShop boolean read-only
labels featureAuthors boolean read-only
labels featureAbout boolean read-only
labels featureCart boolean read-only
labels featureBookseller boolean read-only
labels featureEvents boolean read-only
social-links id integer read-only
social-links title text required
social-links url URL required
social-links logo URL null blank default null
social-links type text required
social-links author reference to authors required`

func TestDocumentedFields(t *testing.T) {
	kinds := map[schema.Kind]string{schema.Integer: "integer", schema.Text: "text", schema.Slug: "slug", schema.Timestamp: "timestamp",
		schema.Boolean: "boolean", schema.URL: "URL", schema.Reference: "reference", schema.References: "references",
		schema.TextList: "text-list", schema.JSON: "JSON"}
	var got []string
	for _, d := range descriptions(t) {
		for _, f := range d.Fields {
			line := d.Key + " " + f.Name + " " + kinds[f.Kind]
			for _, part := range []struct {
				present bool
				text    string
			}{
				{f.Refers != "", " to " + f.Refers}, {f.Nullable, " null"}, {f.Blank, " blank"}, {f.ReadOnly, " read-only"},
				{f.Required, " required"}, {f.Default != "", " default " + f.Default}, {f.Unique, " unique"},
				{f.Created, " created"}, {f.Choices != nil, " choices"}, {f.Min != nil || f.Max != nil, " bounds"},
				{f.Digits != 0 || f.Places != 0, " digits"},
			} {
				if part.present {
					line += part.text
				}
			}
			got = append(got, line)
		}
		if d.Filters != nil || d.Search != nil {
			t.Errorf("%s: filters %v, search %v, want none", d.Key, d.Filters, d.Search)
		}
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(documentedFields), "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
