package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// roundTrip unmarshals and marshals each record and wants the same bytes, except for the
// line separators, which are unescaped in the data set.
func roundTrip[T any](t *testing.T, key string) {
	t.Helper()
	wire := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)
	records := dataset(t)[key]
	if len(records) == 0 {
		t.Fatalf("no %s in the data set", key)
	}
	for _, text := range records {
		var record T
		if err := json.Unmarshal(text, &record); err != nil {
			t.Errorf("%s %s: %v", key, text, err)
			continue
		}
		got, err := encode(record)
		if err != nil {
			t.Errorf("%s %s: %v", key, text, err)
		}
		if diff := cmp.Diff(wire.Replace(string(text)), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestDatasetRoundTrip(t *testing.T) {
	roundTrip[Event](t, "events")
	roundTrip[Label](t, "labels")
	roundTrip[SocialLink](t, "social-links")
	for key := range dataset(t) {
		roundTrip[Record](t, key)
	}
}

// TestFieldsMatchTags checks that the fields are the tags of the structs in order, with
// kinds that fit the Go types.
func TestFieldsMatchTags(t *testing.T) {
	kinds := map[string][]Kind{
		"int": {Integer, Reference}, "string": {Text, Slug, URL}, "*string": {URL}, "bool": {Boolean},
		"[]int": {References}, "[]string": {TextList}, "json.RawMessage": {JSON}, "schema.DateTime": {Timestamp},
	}
	for key, record := range map[string]any{"events": Event{}, "labels": Label{}, "social-links": SocialLink{}} {
		var tags, names []string
		typ := reflect.TypeOf(record)
		fields := must(t, key).Fields
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

func TestMarshalZeroRecords(t *testing.T) {
	tests := []struct {
		record any
		want   string
	}{
		{Event{}, `{"id":0,"name":"","slug":"","summary":"","description":"","location":"",` +
			`"startDate":"0001-01-01T00:00:00Z","endDate":"0001-01-01T00:00:00Z","published":false,` +
			`"poster":"","posterWebp":"","labels":[],"authors":[]}`},
		{Label{}, `{"id":0,"name":"","slug":"","enabled":false,"catchPhrase":"","description":"",` +
			`"catchLines":[],"users":[],"logo":"","logoBig":"","emblem":"","logoFooter":null,"logoWebp":"",` +
			`"logoBigWebp":"","emblemWebp":"","logoFooterWebp":null,"facebookPage":null,"blueskyPage":null,` +
			`"linkedinPage":null,"instagramPage":null,"globalMessage":null,"checkoutMessage":null,` +
			`"featureCrowdfunding":false,"featureProjects":false,"featureLibrary":false,"featureExternals":false,` +
			`"featureShop":false,"featureAuthors":false,"featureAbout":false,"featureCart":false,` +
			`"featureBookseller":false,"featureEvents":false}`},
		{SocialLink{}, `{"id":0,"title":"","url":"","logo":null,"type":"","author":0}`},
		{Record{}, `{}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(test.record)
		if err != nil || string(got) != test.want {
			t.Errorf("%T: got %s, %v, want %s", test.record, got, err, test.want)
		}
	}
}

func TestMarshalDoesNotEscapeForHTML(t *testing.T) {
	for _, record := range []json.Marshaler{
		Event{Name: "<&>\u2028"}, Label{Name: "<&>\u2028"}, SocialLink{Title: "<&>\u2028"},
	} {
		text, err := record.MarshalJSON()
		if err != nil || !strings.Contains(string(text), `"<&>\u2028"`) {
			t.Errorf("%T: %s, %v", record, text, err)
		}
	}
}

func TestUnmarshalIsStrict(t *testing.T) {
	tests := []struct {
		into         json.Unmarshaler
		text, inside string
		reason       string
	}{
		{new(Event), `{"name":null}`, "name", "null"},
		{new(Event), `{"startDate":null}`, "startDate", "null"},
		{new(Event), `{"labels":null}`, "labels", "null"},
		{new(Event), `{"labels":[1,null]}`, "labels", "null in a list"},
		{new(Event), `{"Name":"x"}`, "Name", "misspelled"},
		{new(Event), `{"start_date":"2024-01-01T00:00:00Z"}`, "start_date", "misspelled"},
		{new(Event), `{"zzz":1}`, "zzz", "unknown"},
		{new(Event), `{"name":"a","na\u006de":"b"}`, "name", "repeated name"},
		{new(Event), `{"name":"\ud800"}`, "surrogate", "unpaired surrogate"},
		{new(Event), `{"name":5}`, "name", "wrong type"},
		{new(Event), `{"id":1.5}`, "id", "wrong type"},
		{new(Event), `{"published":"true"}`, "published", "wrong type"},
		{new(Event), `{"endDate":"2024-01-01T00:00:00"}`, "endDate", "no offset"},
		{new(Event), `{"authors":{}}`, "authors", "wrong type"},
		{new(Event), `[]`, "object", "not an object"},
		{new(Event), `null`, "object", "not an object"},
		{new(Event), `{"name":`, "line 1 column 9", "incomplete"},
		{new(Label), `{"logo":null}`, "logo", "null"},
		{new(Label), `{"catchLines":["a",null]}`, "catchLines", "null in a list"},
		{new(Label), `{"users":null}`, "users", "null"},
		{new(Label), `{"globalMessage":{"a":1,"a":2}}`, `"a" is repeated`, "repeated name in a message"},
		{new(Label), `{"featureShop":0}`, "featureShop", "wrong type"},
		{new(SocialLink), `{"author":null}`, "author", "null"},
		{new(SocialLink), `{"logo":5}`, "logo", "wrong type"},
		{new(SocialLink), `{"URL":"x"}`, "URL", "misspelled"},
	}
	for _, test := range tests {
		err := test.into.UnmarshalJSON([]byte(test.text))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), test.inside) {
			t.Errorf("%T %s (%s): error %v, want one with %s", test.into, test.text, test.reason, err, test.inside)
		}
		if !reflect.ValueOf(test.into).Elem().IsZero() {
			t.Errorf("%T %s (%s): record is %+v after the error", test.into, test.text, test.reason, test.into)
		}
	}
}

func TestUnmarshalKeepsAbsentMembers(t *testing.T) {
	e := Event{ID: 3, Name: "a", Labels: []int{1, 2}}
	labels := e.Labels
	if err := json.Unmarshal([]byte(` { "slug" : "s", "labels" : [ 9 ] } `), &e); err != nil {
		t.Fatal(err)
	}
	if e.ID != 3 || e.Name != "a" || e.Slug != "s" || !cmp.Equal(e.Labels, []int{9}) {
		t.Errorf("got %+v", e)
	}
	if labels[0] != 1 {
		t.Error("Unmarshal modified the old list")
	}
}

func TestCloneIsDeep(t *testing.T) {
	footer := "f"
	label := Label{
		CatchLines: []string{"a"}, Users: []int{1}, LogoFooter: &footer, LogoFooterWebp: &footer,
		FacebookPage: &footer, BlueskyPage: &footer, LinkedinPage: &footer, InstagramPage: &footer,
		GlobalMessage: json.RawMessage(`"g"`), CheckoutMessage: json.RawMessage(`"c"`),
	}
	event := Event{Labels: []int{1}, Authors: []int{2}}
	link := SocialLink{Logo: &footer}
	for _, pair := range [][2]any{{label, label.Clone()}, {event, event.Clone()}, {link, link.Clone()}} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%T.Clone (-want +got):\n%s", pair[0], diff)
		}
		original, clone := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
		for i := range original.NumField() {
			switch f := original.Field(i); f.Kind() {
			case reflect.Pointer, reflect.Slice:
				if f.Pointer() == clone.Field(i).Pointer() {
					t.Errorf("%T.Clone shares %s", pair[0], original.Type().Field(i).Name)
				}
			}
		}
	}
	if e := (Event{}).Clone(); e.Labels == nil || e.Authors == nil {
		t.Error("Event{}.Clone() has nil lists")
	}
	if l := (Label{}).Clone(); l.CatchLines == nil || l.Users == nil || l.LogoFooter != nil || l.GlobalMessage != nil {
		t.Errorf("Label{}.Clone() = %+v", l)
	}
}

func TestMarshalMessages(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{`null`, `null`, "null"},
		{``, `null`, "empty"},
		{`"<a>"`, `"<a>"`, "string"},
		{"\"\u2028\"", `"\u2028"`, "escapes of the service"},
		{`{ "b" : [ 1.0 , null ] }`, `{"b":[1.0,null]}`, "digits, order and white space"},
		{` null `, `null`, "white space around null"},
	}
	for _, test := range tests {
		label := Label{GlobalMessage: json.RawMessage(test.text)}
		text, err := label.MarshalJSON()
		if want := `"globalMessage":` + test.want + `,"checkoutMessage":null,`; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s (%s): got %s, %v, want %s", test.text, test.reason, text, err, want)
			continue
		}
		var read Label
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if got := string(read.GlobalMessage); got != test.want && (test.want != "null" || read.GlobalMessage != nil) {
			t.Errorf("%s (%s): unmarshalled %s", test.text, test.reason, got)
		}
	}
	for _, text := range []string{`{`, `nul`, "\"\xff\"", `"\ud800"`, strings.Repeat("[", 200) + strings.Repeat("]", 200)} {
		label := Label{CheckoutMessage: json.RawMessage(text)}
		if _, err := label.MarshalJSON(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "checkoutMessage") {
			t.Errorf("%s: error %v, want ErrInvalid with the name", excerpt(text), err)
		}
	}
}

func TestMarshalYearOutOfRange(t *testing.T) {
	for _, year := range []int{-1, 0, 10000} {
		e := Event{StartDate: At(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))}
		if _, err := e.MarshalJSON(); !errors.Is(err, ErrInvalid) {
			t.Errorf("year %d: error %v, want ErrInvalid", year, err)
		}
	}
}
