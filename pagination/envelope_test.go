package pagination_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
)

// A pointerMarshaler has MarshalJSON on the pointer. encoding/json calls it for elements
// of slices.
type pointerMarshaler string

func (m *pointerMarshaler) MarshalJSON() ([]byte, error) { return []byte(`"` + *m + `!"`), nil }

func TestEnvelopeMarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		envelope json.Marshaler
		want     string
	}{
		{"zero value", pagination.Envelope[int]{},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"no count", pagination.Envelope[string]{Count: -1, Next: "/c?cursor=bz03", Records: []string{"a"}},
			`{"next":"/c?cursor=bz03","previous":null,"results":["a"]}`},
		{"empty records", pagination.Envelope[int]{Records: []int{}},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"no HTML escapes", pagination.Envelope[string]{60, "/?a=1&b=2", "/?<>", []string{"<em>", "x & y"}},
			`{"count":60,"next":"/?a=1&b=2","previous":"/?<>","results":["<em>","x & y"]}`},
		{"structs", pagination.Envelope[struct {
			ID int `json:"id"`
		}]{Count: 1, Records: []struct {
			ID int `json:"id"`
		}{{7}}}, `{"count":1,"next":null,"previous":null,"results":[{"id":7}]}`},
		{"raw JSON", pagination.Envelope[json.RawMessage]{Count: 1, Records: []json.RawMessage{[]byte(`{"a": "<"}`)}},
			`{"count":1,"next":null,"previous":null,"results":[{"a":"<"}]}`},
		{"nil pointers", pagination.Envelope[*int]{Count: 1, Records: []*int{nil}},
			`{"count":1,"next":null,"previous":null,"results":[null]}`},
		{"bytes", pagination.Envelope[byte]{Count: 2, Records: []byte{1, 2}},
			`{"count":2,"next":null,"previous":null,"results":[1,2]}`},
		{"marshaler on the pointer", pagination.Envelope[pointerMarshaler]{Count: 1, Records: []pointerMarshaler{"a"}},
			`{"count":1,"next":null,"previous":null,"results":["a!"]}`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, err := tt.envelope.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "MarshalJSON", tt.want, string(got))

			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(tt.envelope); err != nil {
				t.Fatal(err)
			}
			equal(t, "Encoder", tt.want+"\n", buf.String())
		})
	}
}

func TestEnvelopeMarshalJSONError(t *testing.T) {
	_, err := pagination.Envelope[chan int]{Records: make([]chan int, 1)}.MarshalJSON()
	var want *json.UnsupportedTypeError
	if !errors.As(err, &want) {
		t.Errorf("err = %v, want an UnsupportedTypeError", err)
	}
}

func TestEnvelopeUnmarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		want         pagination.Envelope[string]
	}{
		{"page", `{"count":60,"next":"/n","previous":"/p","results":["a","b"]}`,
			pagination.Envelope[string]{60, "/n", "/p", []string{"a", "b"}}},
		{"null links and no results", `{"count":0,"next":null,"previous":null,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"absent links", `{"count":0,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"unknown members", `{"page_size":21,"count":1,"results":["a"],"facets":{"count":5}}`,
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
		{"different order and white space", "{ \"results\" : [ \"a\" ],\n\"count\" : 1 }",
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
		{"no count, as in a page by a cursor", `{"next":"/n","previous":null,"results":["a"]}`,
			pagination.Envelope[string]{-1, "/n", "", []string{"a"}}},
		{"null count", `{"count":null,"results":[]}`, pagination.Envelope[string]{Count: -1, Records: []string{}}},
		{"null", "null", pagination.Envelope[string]{99, "old", "old", []string{"old"}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil {
				t.Fatal(err)
			}
			equal(t, "the result", tt.want, got)
		})
	}
}

func TestEnvelopeUnmarshalJSONError(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		notPage      bool
	}{
		{"error document", `{"detail":"Not found."}`, true},
		{"negative count", `{"count":-1,"results":[]}`, true},
		{"no results", `{"count":0}`, true},
		{"no results of a cursor", `{"detail":"Invalid cursor"}`, true},
		{"null results", `{"count":0,"results":null}`, true},
		{"list", `["a"]`, false},
		{"records of the wrong type", `{"count":1,"results":[5]}`, false},
		{"link of the wrong type", `{"count":1,"next":5,"results":[]}`, false},
		{"truncated JSON", `{"count":1`, false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			old := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			got := old
			err := json.Unmarshal([]byte(tt.json), &got)
			if err == nil || strings.Contains(err.Error(), "not a page") != tt.notPage {
				t.Errorf("err = %v, want one of a text that is not a page: %t", err, tt.notPage)
			}
			equal(t, "envelope after the error", old, got)
		})
	}
}
