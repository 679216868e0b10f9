package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
)

type country struct {
	ShortCode string `json:"shortCode" backlist:"key"`
	Rank      int    `json:"rank"`
}

type ticket struct {
	ID      string `json:"id" backlist:"key,uuid,readonly"`
	Subject string `json:"subject"`
}

// newKeyed returns a catalogue of records with keys: countries with codes, and two tickets.
func newKeyed(t testing.TB, codes ...string) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[country]("countries", catalogue.Options{}), catalogue.Define[ticket]("tickets", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var records []string
	for i, code := range codes {
		records = append(records, fmt.Sprintf(`{"shortCode":%q,"rank":%d}`, code, i%2))
	}
	data := `{"countries":[` + strings.Join(records, ",") + `],"tickets":[{"id":"b0000000-0000-4000-8000-000000000000","subject":"S"},{"id":"a0000000-0000-4000-8000-000000000000","subject":"T"}]}`
	if err := cat.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return cat
}

// Records with keys are read in the order of the keys, in each style of pages, if a description
// names the member.
func TestKeys(t *testing.T) {
	cat := newKeyed(t, "x y", "IT", "é", "%25", "it", "<em>", "a+b")
	want := []string{`{"shortCode":"%25","rank":1}`, `{"shortCode":"<em>","rank":1}`, `{"shortCode":"IT","rank":1}`, `{"shortCode":"a+b","rank":0}`,
		`{"shortCode":"it","rank":0}`, `{"shortCode":"x y","rank":0}`, `{"shortCode":"é","rank":0}`}
	for _, style := range []pagination.Style{pagination.Limits{}, pagination.Numbers{Limits: pagination.Limits{Default: 3}}, pagination.Cursors{Limits: pagination.Limits{Default: 1}}} {
		h, err := httpapi.New(cat, httpapi.Options{Pages: style})
		if err != nil {
			t.Fatal(err)
		}
		described := newInProcessClient(t, h, client.Options{Catalogue: cat, Pages: style, PageSize: 3, Rate: -1})
		var got []string
		for record, err := range described.All(t.Context(), "countries") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(record))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", style, diff)
		}
		listed := newRootClient(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{h}}, Pages: style, PageSize: 3, Rate: -1})
		copied := newKeyed(t)
		if _, err := importAll(t.Context(), copied, listed); err != nil {
			t.Errorf("%T: %v", style, err)
		}
		if diff := cmp.Diff(save(t, cat), save(t, copied)); diff != "" {
			t.Errorf("%T: the copy (-want +got):\n%s", style, diff)
		}
		for key, text := range map[string]string{"countries": "record 0: no id: if records have a key of text, the Catalogue must describe it", "tickets": `member "id": want a positive integer, got "a0000000`} {
			for _, err := range listed.All(t.Context(), key) {
				if !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), text) {
					t.Errorf("%T: %s without a description: error %v, want ErrInvalidPage with %s", style, key, err, text)
				}
			}
		}
	}
}

// A page whose keys do not continue the page before is an error that names them.
func TestKeysInvalid(t *testing.T) {
	const page = `{"count":%d,"next":%s,"previous":%s,"results":[%s]}`
	const url = `"http://catalogue.test/api/countries/?limit=2&%sordering=short_code"`
	next := fmt.Sprintf(page, 3, fmt.Sprintf(url, "offset=2&"), "null", `{"shortCode":"a"},{"shortCode":"b"}`)
	for _, c := range []struct {
		reason string
		pages  []string
		want   error
		text   string
	}{
		{"a number", []string{fmt.Sprintf(page, 1, "null", "null", `{"shortCode":7}`)}, client.ErrInvalidPage, "record 0: its shortCode is not a text"},
		{"no key", []string{fmt.Sprintf(page, 1, "null", "null", `{"id":7}`)}, client.ErrInvalidPage, "record 0: its shortCode is not a text"},
		{"an empty key", []string{fmt.Sprintf(page, 1, "null", "null", `{"shortCode":""}`)}, client.ErrInvalidPage, "record 0: its shortCode is not a text"},
		{"another order", []string{fmt.Sprintf(page, 2, "null", "null", `{"shortCode":"b"},{"shortCode":"B"}`)}, client.ErrInconsistent, `not ordered by shortCode: record "B" after "b"`},
		{"a repeated key", []string{fmt.Sprintf(page, 2, "null", "null", `{"shortCode":"b"},{"shortCode":"b"}`)}, client.ErrInconsistent, `duplicate: record "b"`},
		{"a deletion", []string{next, fmt.Sprintf(page, 3, "null", "null", `{"shortCode":"c"},{"shortCode":"d"}`)}, client.ErrInconsistent, `gap: record "c" in place of "b"`},
		{"an insertion", []string{next, fmt.Sprintf(page, 3, "null", "null", `{"shortCode":"ab"},{"shortCode":"b"}`)}, client.ErrInconsistent, `duplicate: record "ab" in place of "b"`},
	} {
		served := 0
		service := newInProcessClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(c.pages[served]))
			served++
		}), client.Options{Catalogue: newKeyed(t), PageSize: 2, Rate: -1})
		var got error
		for _, err := range service.All(t.Context(), "countries") {
			got = err
		}
		if !errors.Is(got, c.want) || !strings.Contains(got.Error(), c.text) {
			t.Errorf("%s: error %v, want %v with %s", c.reason, got, c.want, c.text)
		}
	}
}
