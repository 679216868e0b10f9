package resources_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

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
