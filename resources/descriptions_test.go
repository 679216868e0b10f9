package resources_test

import (
	"os"
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
