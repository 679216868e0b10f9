package resources_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

type book struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

func described(t *testing.T, c *catalogue.Catalogue, key string) schema.Description {
	t.Helper()
	coll, err := c.Collection(key)
	if err != nil {
		t.Fatal(err)
	}
	return coll.Description()
}

// TestNewReplaces checks the descriptions of definitions that replace documented ones.
func TestNewReplaces(t *testing.T) {
	own := schema.Description{Name: "volume", Search: []string{"title"}}
	fields := func(d schema.Description, err error) []schema.Field {
		if err != nil {
			t.Fatal(err)
		}
		return d.Fields
	}(schema.DescriptionOf[book]("books"))
	documented := schema.Description{Key: "books", Segment: "books", Name: "book", Actions: schema.List, Vary: "Accept",
		Query: "format=api", Ordering: []ordering.Term{ordering.Asc("id")}, Positions: true}
	typed, replaced := documented, documented
	typed.Fields = fields
	replaced.Name, replaced.Actions, replaced.Query, replaced.Search, replaced.Fields = "volume", schema.AllActions, "", own.Search, fields
	for _, row := range []struct {
		reason string
		books  catalogue.AnyDefinition
		want   schema.Description
	}{
		{"the documented definition", resources.Records("books"), documented},
		{"open records take over the description", catalogue.Define[schema.Record]("books", catalogue.Options{}), documented},
		{"so does a struct, with its fields", catalogue.Define[book]("books", catalogue.Options{}), typed},
		{"a definition keeps its own description", catalogue.Define[book]("books", catalogue.Options{Description: &own}), replaced},
	} {
		c, err := resources.New(row.books)
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if diff := cmp.Diff(row.want, described(t, c, "books")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestNewAdds(t *testing.T) {
	c, err := resources.New(catalogue.Define[book]("films", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range c.All() {
		keys = append(keys, key)
	}
	if len(keys) != 40 || keys[0] != "attribute-types" || keys[38] != "faqs" || keys[39] != "films" {
		t.Errorf("keys %q, want the 39 and films", keys)
	}
}

func TestNewRefuses(t *testing.T) {
	books := catalogue.Define[book]("books", catalogue.Options{})
	for _, row := range []struct {
		reason      string
		definitions []catalogue.AnyDefinition
		want        error
	}{
		{"nil", []catalogue.AnyDefinition{nil}, catalogue.ErrInvalidType},
		{"a nil pointer", []catalogue.AnyDefinition{(*catalogue.Definition[book])(nil)}, catalogue.ErrInvalidType},
		{"the zero definition", []catalogue.AnyDefinition{catalogue.Definition[book]{}}, catalogue.ErrUnknownCollection},
		{"a documented key twice", []catalogue.AnyDefinition{books, books}, catalogue.ErrInvalidType},
		{"a type without the documented fields", []catalogue.AnyDefinition{catalogue.Define[book]("events", catalogue.Options{})}, ordering.ErrUnknownField},
	} {
		if c, err := resources.New(row.definitions...); c != nil || !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		}
	}
}

// TestAmounts checks that open records order amounts by value.
func TestAmounts(t *testing.T) {
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(strings.NewReader(`{"carts":[{"id":1,"total":"9.50"},{"id":2,"total":"10.00"}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	carts, err := resources.Records("carts").In(c)
	if err != nil {
		t.Fatal(err)
	}
	first, err := carts.Where().First(ordering.Asc("total"))
	if err != nil || first.ID != 1 {
		t.Errorf("first %v, %v, want id 1", first, err)
	}
}

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

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestKeysAndNames compares the keys and names with testdata/titles.txt: the keys of the
// document with their titles according to drf.md.
func TestKeysAndNames(t *testing.T) {
	var got, want []string
	for _, d := range descriptions(t) {
		got = append(got, d.Key+" "+d.Name)
	}
	for _, line := range lines(t, "titles.txt") {
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

// TestDocumentedFields compares the fields with testdata/fields.txt: those that the document
// shows, in order.
func TestDocumentedFields(t *testing.T) {
	kinds := map[schema.Kind]string{schema.Integer: "integer", schema.Text: "text", schema.Slug: "slug", schema.Timestamp: "timestamp",
		schema.Boolean: "boolean", schema.URL: "URL", schema.Reference: "reference", schema.References: "references",
		schema.JSON: "JSON"}
	var got []string
	for _, d := range descriptions(t) {
		for _, f := range d.Fields {
			kind := kinds[f.Kind]
			if f.Kind == schema.Array {
				kind = kinds[f.Item.Kind] + "-list"
			}
			line := d.Key + " " + f.Name + " " + kind
			for _, part := range []struct {
				present bool
				text    string
			}{
				{f.Refers != "", " to " + f.Refers}, {f.Nullable, " null"}, {f.Blank, " blank"}, {f.ReadOnly, " read-only"},
				{f.Required, " required"}, {f.Default != "" && !f.ReadOnly, " default " + f.Default}, {f.Unique, " unique"},
				{f.Created, " created"}, {f.Choices != nil, " choices"}, {f.Min != "" || f.Max != "", " bounds"},
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
	if diff := cmp.Diff(lines(t, "fields.txt"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// insert inserts a record into a new catalogue and returns its JSON.
func insert[T any](t *testing.T, d catalogue.Definition[T], record T) string {
	t.Helper()
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	coll, err := d.In(c)
	if err != nil {
		t.Fatal(err)
	}
	id, err := coll.Insert(record)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := c.Collection(d.Key())
	if err != nil {
		t.Fatal(err)
	}
	text, err := encoded.Get(t.Context(), strconv.Itoa(id), schema.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestZeroRecords(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{insert(t, resources.Events, resources.Event{}), `{"id":1,"name":"","slug":"","summary":"","description":"","location":"",` +
			`"startDate":"0001-01-01T00:00:00Z","endDate":"0001-01-01T00:00:00Z","published":false,` +
			`"poster":"","posterWebp":"","labels":[],"authors":[]}`},
		{insert(t, resources.Labels, resources.Label{}), `{"id":1,"name":"","slug":"","enabled":false,"catchPhrase":"","description":"",` +
			`"catchLines":[],"users":[],"logo":"","logoBig":"","emblem":"","logoFooter":null,"logoWebp":"",` +
			`"logoBigWebp":"","emblemWebp":"","logoFooterWebp":null,"facebookPage":null,"blueskyPage":null,` +
			`"linkedinPage":null,"instagramPage":null,"globalMessage":null,"checkoutMessage":null,` +
			`"featureCrowdfunding":false,"featureProjects":false,"featureLibrary":false,"featureExternals":false,` +
			`"featureShop":false,"featureAuthors":false,"featureAbout":false,"featureCart":false,` +
			`"featureBookseller":false,"featureEvents":false}`},
		{insert(t, resources.SocialLinks, resources.SocialLink{}), `{"id":1,"title":"","url":"","logo":null,"type":"","author":0}`},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestLoadIsStrict checks the errors for records that the service would not send: members that
// are unknown or of another type.
func TestLoadIsStrict(t *testing.T) {
	const dates = `"startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"`
	const event = `"id":1,"name":"a","slug":"a",` + dates
	const link = `"id":1,"title":"a","url":"https://a.example","type":"a"`
	for _, test := range []struct{ reason, key, members, want string }{
		{"an event", "events", event, ""},
		{"a null name", "events", `"id":1,"name":null,"slug":"a",` + dates, `name: must not be null`},
		{"a misspelled name", "events", `"id":1,"Name":"a","slug":"a",` + dates, `Name: is unknown: did you mean name?`},
		{"null in labels", "events", event + `,"labels":[1,null]`, `labels: `},
		{"an object as authors", "events", event + `,"authors":{}`, "authors"},
		{"snake_case", "events", event + `,"start_date":"2024-01-01T00:00:00Z"`, "start_date"},
		{"an unknown member", "events", event + `,"zzz":1`, "zzz"},
		{"a repeated name", "events", event + `,"na\u006de":"b"`, "name"},
		{"an unpaired surrogate", "events", event + `,"summary":"\ud800"`, "surrogate"},
		{"a number as text", "events", event + `,"summary":5`, "summary"},
		{"a fraction as id", "events", `"id":1.5,"name":"a","slug":"a",` + dates, "id"},
		{"text as a boolean", "events", event + `,"published":"true"`, "published"},
		{"a date-time without offset", "events", `"id":1,"name":"a","slug":"a","startDate":"2024-01-01T00:00:00"`, "startDate"},
		{"a label, whose members are not posted", "labels", `"id":1`, ""},
		{"nulls of a label", "labels", `"id":1,"logoFooter":null,"globalMessage":null`, ""},
		{"a null logo", "labels", `"id":1,"logo":null`, `logo: must not be null`},
		{"null in a list of text", "labels", `"id":1,"catchLines":["a",null]`, "catchLines"},
		{"a repeated name in a message", "labels", `"id":1,"globalMessage":{"a":1,"a":2}`, `"a" is repeated`},
		{"a link", "social-links", link + `,"logo":null,"author":1`, ""},
		{"a null author", "social-links", link + `,"author":null`, "author"},
		{"a number as logo", "social-links", link + `,"author":1,"logo":5`, "logo"},
		{"capitals", "social-links", link + `,"author":1,"URL":"x"`, "URL"},
	} {
		c, err := resources.New()
		if err != nil {
			t.Fatal(err)
		}
		err = c.Load(strings.NewReader(`{"`+test.key+`":[{`+test.members+`}]}`), catalogue.LoadOptions{})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.reason, err)
		case test.want != "" && (!errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want one with %s", test.reason, err, test.want)
		}
	}
}
