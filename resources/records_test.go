package resources_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestDatasetRoundTrip loads the records of the data set and wants the same bytes, except
// for the line separators, which are unescaped in the data set.
func TestDatasetRoundTrip(t *testing.T) {
	wire := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)
	data, err := os.ReadFile("../catalogue/schema/testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var set map[string][]json.RawMessage
	if err := json.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(strings.NewReader(string(data)), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	for key, coll := range c.All() {
		list, err := coll.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: math.MaxInt}})
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]bool{}
		for _, text := range list.Records {
			texts[string(text)] = true
		}
		if len(texts) != len(set[key]) {
			t.Errorf("%s: %d records, want %d", key, len(texts), len(set[key]))
		}
		for _, text := range set[key] {
			if want := wire.Replace(string(text)); !texts[want] {
				t.Errorf("%s: no record %s in %q", key, want, list.Records)
			}
		}
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
	text, err := encoded.Get(t.Context(), strconv.Itoa(id), nil)
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

func TestNoEscapesForHTML(t *testing.T) {
	for _, text := range []string{
		insert(t, resources.Events, resources.Event{Name: "<&>\u2028"}),
		insert(t, resources.Labels, resources.Label{Name: "<&>\u2028"}),
		insert(t, resources.SocialLinks, resources.SocialLink{Title: "<&>\u2028"}),
	} {
		if !strings.Contains(text, `"<&>\u2028"`) {
			t.Errorf("%s has other escapes", text)
		}
	}
}

// TestFieldsMatchTags checks that the fields are the tags of the structs in order, with
// kinds that fit the Go types.
func TestFieldsMatchTags(t *testing.T) {
	kinds := map[string][]schema.Kind{
		"int": {schema.Integer, schema.Reference}, "string": {schema.Text, schema.Slug, schema.URL}, "*string": {schema.URL}, "bool": {schema.Boolean},
		"[]int": {schema.References}, "[]string": {schema.TextList}, "json.RawMessage": {schema.JSON}, "schema.DateTime": {schema.Timestamp},
	}
	byKey := map[string]schema.Description{}
	for _, d := range descriptions(t) {
		byKey[d.Key] = d
	}
	for key, record := range map[string]any{"events": resources.Event{}, "labels": resources.Label{}, "social-links": resources.SocialLink{}} {
		var tags, names []string
		typ := reflect.TypeOf(record)
		fields := byKey[key].Fields
		for _, f := range fields {
			names = append(names, f.Name)
		}
		for i := range typ.NumField() {
			field := typ.Field(i)
			tags = append(tags, field.Tag.Get("json"))
			goType := field.Type.String()
			if i < len(fields) && !slices.Contains(kinds[goType], fields[i].Kind) {
				t.Errorf("%s: %s has kind %d and type %s", key, fields[i].Name, fields[i].Kind, goType)
			}
			nullable := goType[0] == '*' || goType == "json.RawMessage"
			if i < len(fields) && fields[i].Nullable != nullable {
				t.Errorf("%s: %s has Nullable %v and type %s", key, fields[i].Name, fields[i].Nullable, goType)
			}
		}
		if diff := cmp.Diff(tags, names); diff != "" {
			t.Errorf("%s (-tags +fields):\n%s", key, diff)
		}
	}
}

// TestLoadIsStrict checks the errors for records that the service would not send.
func TestLoadIsStrict(t *testing.T) {
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ key, text, inside, reason string }{
		{"events", `{"name":null}`, "name", "null"},
		{"events", `{"startDate":null}`, "startDate", "null"},
		{"events", `{"labels":null}`, "labels", "null"},
		{"events", `{"labels":[1,null]}`, "labels", "null in a list"},
		{"events", `{"Name":"x"}`, "Name", "misspelled"},
		{"events", `{"start_date":"2024-01-01T00:00:00Z"}`, "start_date", "misspelled"},
		{"events", `{"zzz":1}`, "zzz", "unknown"},
		{"events", `{"name":"a","na\u006de":"b"}`, "name", "repeated name"},
		{"events", `{"name":"\ud800"}`, "surrogate", "unpaired surrogate"},
		{"events", `{"name":5}`, "name", "wrong type"},
		{"events", `{"id":1.5}`, "id", "wrong type"},
		{"events", `{"published":"true"}`, "published", "wrong type"},
		{"events", `{"endDate":"2024-01-01T00:00:00"}`, "endDate", "no offset"},
		{"events", `{"authors":{}}`, "authors", "wrong type"},
		{"labels", `{"logo":null}`, "logo", "null"},
		{"labels", `{"catchLines":["a",null]}`, "catchLines", "null in a list"},
		{"labels", `{"users":null}`, "users", "null"},
		{"labels", `{"globalMessage":{"a":1,"a":2}}`, `"a" is repeated`, "repeated name in a message"},
		{"labels", `{"featureShop":0}`, "featureShop", "wrong type"},
		{"social-links", `{"author":null}`, "author", "null"},
		{"social-links", `{"logo":5}`, "logo", "wrong type"},
		{"social-links", `{"URL":"x"}`, "URL", "misspelled"},
	} {
		err := c.Load(strings.NewReader(`{"`+test.key+`":[`+test.text+`]}`), catalogue.LoadOptions{})
		if !errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), test.inside) {
			t.Errorf("%s %s (%s): error %v, want one with %s", test.key, test.text, test.reason, err, test.inside)
		}
	}
}

func TestMessages(t *testing.T) {
	for _, test := range []struct{ text, want, reason string }{
		{`null`, `null`, "null"},
		{`"<a>"`, `"<a>"`, "string"},
		{`{ "b" : [ 1.0 , null ] }`, `{"b":[1.0,null]}`, "digits, order and white space"},
	} {
		text := insert(t, resources.Labels, resources.Label{GlobalMessage: json.RawMessage(test.text)})
		if want := `"globalMessage":` + test.want + `,"checkoutMessage":null,`; !strings.Contains(text, want) {
			t.Errorf("%s (%s): got %s, want %s", test.text, test.reason, text, want)
		}
	}
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	labels, err := resources.Labels.In(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{`, `nul`, "\"\xff\"", `"\ud800"`, strings.Repeat("[", 200) + strings.Repeat("]", 200)} {
		if _, err := labels.Insert(resources.Label{CheckoutMessage: json.RawMessage(text)}); !errors.Is(err, catalogue.ErrInvalid) || !strings.Contains(err.Error(), "CheckoutMessage") {
			t.Errorf("%.20s: error %v, want ErrInvalid with the name", text, err)
		}
	}
}

func TestYearOutOfRange(t *testing.T) {
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	events, err := resources.Events.In(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, year := range []int{-1, 0, 10000} {
		e := resources.Event{StartDate: schema.At(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))}
		if _, err := events.Insert(e); !errors.Is(err, catalogue.ErrInvalid) {
			t.Errorf("year %d: error %v, want ErrInvalid", year, err)
		}
	}
}
