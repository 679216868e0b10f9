package openapi

import (
	"database/sql"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/httpapi"
)

// objectSchema holds the parts of an object's schema that tests check.
type objectSchema struct {
	Properties           map[string]json.RawMessage
	Required             []string
	AdditionalProperties json.RawMessage
}

func (d parsedDocument) object(t *testing.T, name string) (s objectSchema) {
	t.Helper()
	if err := json.Unmarshal(d.Components.Schemas[name], &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// Rare attributes of fields, each described for a POST.
func TestPostedFields(t *testing.T) {
	for _, tt := range []struct {
		reason string
		field  schema.Field
		want   string
	}{
		{"nullable choice", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Nullable: true},
			`{"oneOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`},
		{"choice of integers", schema.Field{Kind: schema.Integer, Choices: []string{"-1", "2"}, Nullable: true},
			`{"oneOf":[{"type":"integer","enum":[-1,2]},{"type":"null"}]}`},
		{"time", schema.Field{Kind: schema.TimeOfDay}, `{"type":"string","pattern":"^[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{6})?$"}`},
		{"duration", schema.Field{Kind: schema.Interval}, `{"description":"Days, if any, and a time.","type":"string","pattern":"^(-?[0-9]+ )?[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{6})?$"}`},
		{"choice that may be empty", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Blank: true},
			`{"type":"string","enum":["a",""]}`},
		{"choice that may be empty or null", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Blank: true, Nullable: true},
			`{"oneOf":[{"type":"string","enum":["a",""]},{"type":"null"}]}`},
		{"choice that is empty", schema.Field{Kind: schema.Choice, Choices: []string{"", "a"}, Blank: true}, `{"type":"string","enum":["","a"]}`},
		{"slug that may be empty", schema.Field{Kind: schema.Slug, Blank: true}, `{"type":"string","pattern":"^[-a-zA-Z0-9_]*$"}`},
		{"slug", schema.Field{Kind: schema.Slug}, `{"type":"string","pattern":"^[-a-zA-Z0-9_]+$","minLength":1}`},
		{"decimal below 1", schema.Field{Kind: schema.Decimal, Digits: 3, Places: 3},
			`{"description":"A number with at most 3 digits, 3 of them after the point.","type":"string","pattern":"^-?0(\\.[0-9]{1,3})?$"}`},
		{"decimal without places", schema.Field{Kind: schema.Decimal, Digits: 4},
			`{"description":"A number with at most 4 digits, 0 of them after the point.","type":"string","pattern":"^-?[0-9]{1,4}$"}`},
		{"unique reference", schema.Field{Kind: schema.Reference, Refers: "films", Unique: true},
			`{"description":"The id of a record of the collection films. No two records have the same value.","type":"integer","format":"int64"}`},
		{"reference by text", schema.Field{Kind: schema.Reference, Refers: "films", By: "slug"},
			`{"description":"The slug of a record of the collection films.","type":"string"}`},
		{"references by text", schema.Field{Kind: schema.References, Refers: "films", By: "slug"},
			`{"description":"Each element is the slug of a record of the collection films.","type":"array","items":{"type":"string"}}`},
		{"unique URL that may be empty", schema.Field{Kind: schema.URL, Blank: true, Unique: true},
			`{"description":"A URL, or empty. No two records have the same value.","type":"string","maxLength":2048}`},
		{"text with a length", schema.Field{Kind: schema.Text, MinLength: 2, MaxLength: 40}, `{"type":"string","minLength":2,"maxLength":40}`},
		{"text with a length that may be empty", schema.Field{Kind: schema.Text, MinLength: 2, Blank: true}, `{"type":"string"}`},
		{"pattern", schema.Field{Kind: schema.Regex, Pattern: regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)}, `{"type":"string","pattern":"^[A-Z]{3}-[0-9]{4}$","minLength":1}`},
		{"pattern of a text that may be empty", schema.Field{Kind: schema.Text, Blank: true, Pattern: regexp.MustCompile(`^[0-9]+$`)}, `{"type":"string","pattern":"^$|^[0-9]+$"}`},
		{"pattern that accepts empty text", schema.Field{Kind: schema.Text, Blank: true, Pattern: regexp.MustCompile(`^\+?[0-9 ]*$`)}, `{"type":"string","pattern":"^\\+?[0-9 ]*$"}`},
		{"pattern of Go", schema.Field{Kind: schema.Text, Pattern: regexp.MustCompile(`(?i)^a`)}, `{"description":"Matches the pattern (?i)^a","type":"string","minLength":1}`},
		{"two patterns", schema.Field{Kind: schema.Slug, Pattern: regexp.MustCompile(`^a`)},
			`{"description":"Matches the pattern ^a","type":"string","pattern":"^[-a-zA-Z0-9_]+$","minLength":1}`},
		{"slug of any script", schema.Field{Kind: schema.UnicodeSlug, MaxLength: 30},
			`{"description":"Letters and numbers of any script, hyphens and underscores.","type":"string","minLength":1,"maxLength":30}`},
		{"e-mail", schema.Field{Kind: schema.Email, MaxLength: 60}, `{"type":"string","format":"email","minLength":1,"maxLength":60}`},
		{"e-mail that may be empty", schema.Field{Kind: schema.Email, Blank: true}, `{"description":"An e-mail address, or empty.","type":"string"}`},
		{"short URL", schema.Field{Kind: schema.URL, MaxLength: 60}, `{"type":"string","format":"uri","minLength":1,"maxLength":60}`},
		{"UUID", schema.Field{Kind: schema.UUID, Nullable: true}, `{"oneOf":[{"type":"string","format":"uuid"},{"type":"null"}]}`},
		{"bounds of a float", schema.Field{Kind: schema.Float, Min: "0.001", Max: "5000"}, `{"type":"number","format":"double","minimum":0.001,"maximum":5000}`},
		{"bounds of a decimal", schema.Field{Kind: schema.Decimal, Digits: 2, Min: "1", Max: "20"},
			`{"description":"A number with at most 2 digits, 0 of them after the point. At least 1. At most 20.","type":"string","pattern":"^-?[0-9]{1,2}$"}`},
		{"minimum of a decimal", schema.Field{Kind: schema.Decimal, Digits: 2, Min: "1"},
			`{"description":"A number with at most 2 digits, 0 of them after the point. At least 1.","type":"string","pattern":"^-?[0-9]{1,2}$"}`},
		{"maximum of a decimal", schema.Field{Kind: schema.Decimal, Digits: 2, Max: "20"},
			`{"description":"A number with at most 2 digits, 0 of them after the point. At most 20.","type":"string","pattern":"^-?[0-9]{1,2}$"}`},
		{"list", schema.Field{Kind: schema.Array, MinLength: 1, MaxLength: 5, Item: &schema.Field{Kind: schema.Text, MaxLength: 10, Nullable: true}},
			`{"type":"array","items":{"oneOf":[{"type":"string","minLength":1,"maxLength":10},{"type":"null"}]},"minItems":1,"maxItems":5}`},
		{"map", schema.Field{Kind: schema.Map, Item: &schema.Field{Kind: schema.Boolean}}, `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{"object", schema.Field{Kind: schema.Object, Nullable: true, Fields: []schema.Field{
			{Name: "city", Kind: schema.Text, Required: true}, {Name: "country", Kind: schema.Text, Default: `"IT"`}, {Name: "seen", Kind: schema.Integer, ReadOnly: true},
		}}, `{"oneOf":[{"type":"object","properties":{"city":{"type":"string","minLength":1},` +
			`"country":{"description":"The default is \"IT\".","type":"string","minLength":1}},"required":["city"]},{"type":"null"}]}`},
	} {
		got := postedField(tt.field, schema.Create)
		equal(t, tt.reason, tt.want, compact(t, got))
	}
}

type account struct {
	ID       int     `json:"id"`
	Password string  `json:"password" backlist:"hidden,minlength=8"`
	Channel  string  `json:"channel" backlist:"hidden,readonly,default=api"`
	Home     address `json:"home"`
}

type address struct {
	City string            `json:"city" backlist:"minlength=2"`
	Geo  *geo              `json:"geo"`
	Tags []string          `json:"tags"`
	More map[string][]int8 `json:"more,omitempty"`
}

type geo struct {
	Lat float64 `json:"lat"`
}

type greeting struct {
	Greeting string   `json:"greeting"`
	Visits   int      `json:"visits"`
	Rate     *float32 `json:"rate"`
	Known    bool     `json:"known,omitempty"`
}

func (account) Computed() greeting { return greeting{} }

// Hidden fields are in bodies and computed ones in records only, and fields that are hidden and
// read-only in neither. Lists inside objects may be null, since a catalogue does not replace nil.
func TestHiddenComputed(t *testing.T) {
	about, err := schema.DescriptionOf[account]("accounts")
	must(t, err)
	const password = `"password":{"type":"string","writeOnly":true,"minLength":8}`
	const home = `"home":{"type":"object","properties":{"city":{"type":"string","minLength":2},` +
		`"geo":{"description":"The default is null.","oneOf":[{"type":"object","properties":{"lat":{"type":"number","format":"double"}},"required":["lat"]},{"type":"null"}]},` +
		`"tags":{"description":"The default is [].","type":"array","items":{"type":"string","minLength":1}},` +
		`"more":{"description":"The default is {}.","type":"object","additionalProperties":{"type":"array","items":{"type":"integer","format":"int64","minimum":-128,"maximum":127}}}},"required":["city"]}`
	patched := strings.ReplaceAll(strings.ReplaceAll(home, `,"required":["city"]`, ""), "The default is", "")
	for reason, action := range map[string]schema.Actions{"POST": schema.Create, "PUT": schema.Update} {
		got := compact(t, posted(about.Fields, action, schema.Create))
		want := `{"type":"object","properties":{` + password + `,` + home + `},"required":["password","home"]}`
		equal(t, reason, want, got)
	}
	for _, text := range []string{`"description":" null.",`, `"description":" [].",`, `"description":" {}.",`} {
		patched = strings.Replace(patched, text, "", 1)
	}
	got := compact(t, posted(about.Fields, schema.PartialUpdate, schema.PartialUpdate))
	if diff := cmp.Diff(`{"type":"object","properties":{`+password+`,`+patched+`}}`, got); diff != "" {
		t.Errorf("PATCH, which requires members of objects in objects only (-want +got):\n%s", diff)
	}
	record := stored(about.Fields, reflect.TypeFor[account](), true)
	const want = `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"home":{"type":"object","properties":{"city":{"type":"string"},` +
		`"geo":{"oneOf":[{"type":"object","properties":{"lat":{"type":"number","format":"double"}},"required":["lat"]},{"type":"null"}]},` +
		`"tags":{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},` +
		`"more":{"type":"object","additionalProperties":{"oneOf":[{"type":"array","items":{"type":"integer","format":"int64"}},{"type":"null"}]}}},"required":["city","geo","tags"]},` +
		`"greeting":{"type":"string","readOnly":true},"visits":{"type":"integer","format":"int64","readOnly":true},` +
		`"rate":{"readOnly":true,"oneOf":[{"type":"number","format":"double"},{"type":"null"}]},"known":{"type":"boolean","readOnly":true}},` +
		`"required":["id","home","greeting","visits","rate"]}`
	equal(t, "records", want, compact(t, record))
}

// The Go type of a described record determines which members may be absent and which pointers
// may be null. Lists and maps are never null, because a catalogue stores empty ones for nil.
func TestDescribedStruct(t *testing.T) {
	type credit struct {
		Role string `json:"role"`
	}
	type Extra struct {
		Trailer string `json:"trailer" backlist:"url"`
	}
	type play struct {
		*Extra
		ID      int            `json:"id"`
		Note    string         `json:"note,omitempty" backlist:"blank"`
		Tags    []string       `json:"tags"`
		Names   []string       `json:"names,omitempty"`
		Credits []credit       `json:"credits"`
		Free    map[string]int `json:"free,omitempty"`
		Based   *play          `json:"based"`
		Size    [2]int         `json:"size"`
		More    any            `json:"more" backlist:"readonly"`
	}
	cat, err := catalogue.New(catalogue.Define[play]("plays", catalogue.Options{}))
	must(t, err)
	s := documentOf(t, cat, httpapi.Options{}, Options{}).object(t, "Play")
	equal(t, "required members", []string{"id", "tags", "credits", "based", "size", "more"}, s.Required)
	for name, want := range map[string]string{
		"trailer": `{"description":"Of the form uri, or empty.","type":"string"}`, // others of the embedded struct may be sent without it
		"note":    `{"type":"string"}`,
		"tags":    `{"type":"array","items":{"type":"string"}}`,
		"names":   `{"type":"array","items":{"type":"string"}}`,
		"credits": `{"type":"array","items":{"type":"object","properties":{"role":{"type":"string"}},"required":["role"]}}`,
		"free":    `{"type":"object","additionalProperties":{"type":"integer","format":"int64"}}`,
		"size":    `{"type":"array","items":{}}`,
		"more":    `{}`,
		"based":   `{"oneOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]}`,
	} {
		equal(t, name, want, compactJSON(t, s.Properties[name]))
	}
}

// Records of programs that know nothing of this library: the id is never null or absent, numbers in
// text are text, and a null of package sql is optional.
func TestDescribedShapes(t *testing.T) {
	type shape struct {
		Number *int64         `json:"number,omitempty"`
		Flags  int32          `json:"flags,string"`
		Share  *float64       `json:"share,string"`
		Away   bool           `json:"away,string"`
		Bio    sql.NullString `json:"bio"`
	}
	defined := catalogue.Define[shape]("shapes", catalogue.Options{ID: "number"})
	cat, err := catalogue.New(defined)
	must(t, err)
	d := documentOf(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll}, Options{})
	s, posted := d.object(t, "Shape"), d.object(t, "NewShape")
	equal(t, "required members", []string{"number", "flags", "share", "away", "bio"}, s.Required)
	equal(t, "required members of a POST", []string{"flags"}, posted.Required)
	for name, want := range map[string]string{
		"number": `{"type":"integer","format":"int64"}`,
		"flags":  `{"description":"A text with the integer.","type":"string"}`,
		"share":  `{"description":"A text with the number.","oneOf":[{"type":"string"},{"type":"null"}]}`,
		"away":   `{"description":"A text with the boolean.","type":"string"}`,
		"bio":    `{"type":"object","properties":{"String":{"type":"string"},"Valid":{"type":"boolean"}},"required":["String","Valid"]}`,
	} {
		equal(t, name, want, compactJSON(t, s.Properties[name]))
	}
	equal(t, "a POST", `{"description":"A text with the boolean. The default is \"false\".","type":"string"}`, compactJSON(t, posted.Properties["away"]))
	type instance struct {
		InstanceId *string `json:",omitempty"`
		ImageId    *string
	}
	others, err := catalogue.New(catalogue.Define[instance]("instances", catalogue.Options{}))
	must(t, err)
	s = documentOf(t, others, httpapi.Options{Authorizer: httpapi.AllowAll}, Options{}).object(t, "Instance")
	equal(t, "required members of a record with a pointer as its key", []string{"InstanceId", "ImageId"}, s.Required)
	equal(t, "the key", `{"description":"No two records have the same value.","type":"string"}`, compactJSON(t, s.Properties["InstanceId"]))
	c, _ := cat.Collection("shapes")
	maker := values.Maker{Choose: func(n int) int { return n - 1 }, Odd: true}
	for range 3 {
		if _, err := c.Create(t.Context(), []byte(maker.Object(c.Description().Fields)), schema.Record{}); err != nil {
			t.Error(err)
		}
	}
}

// The values of each kind satisfy the schema of its values in a request.
func TestKinds(t *testing.T) {
	m := values.Maker{Choose: rand.New(rand.NewPCG(1, 2)).IntN}
	for _, f := range values.Fields() {
		s := postedField(f, schema.Create)
		for range 100 {
			value := m.Value(f)
			var parsed any
			must(t, json.Unmarshal([]byte(value), &parsed))
			is := map[string]bool{"": true}
			switch parsed := parsed.(type) {
			case string:
				is["string"] = regexp.MustCompile(s.Pattern).MatchString(parsed)
			case float64:
				is["number"], is["integer"] = true, parsed == math.Trunc(parsed)
			case bool:
				is["boolean"] = true
			case []any:
				is["array"] = true
			case map[string]any:
				is["object"] = true
			}
			if !is[s.Type] {
				t.Fatalf("%v, kind %d: %s is not of the schema %s", f.Kind, f.Kind, value, compact(t, s))
			}
		}
	}
}
