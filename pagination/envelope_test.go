package pagination_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// shout has its method on the pointer, which encoding/json finds in slices.
type shout string

func (s *shout) MarshalJSON() ([]byte, error) { return []byte(`"` + *s + `!"`), nil }

type marshaler interface{ MarshalJSON() ([]byte, error) }

func TestEnvelopeMarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		envelope marshaler
		want     string
	}{
		{"an empty collection, as documented", pagination.Envelope[int]{},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"no records, not nil", pagination.Envelope[int]{Records: []int{}},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"all members, and nothing escaped", pagination.Envelope[string]{60, "/?a=1&b=2", "/?<>", []string{"<em>", "x & y"}},
			`{"count":60,"next":"/?a=1&b=2","previous":"/?<>","results":["<em>","x & y"]}`},
		{"structs by their tags", pagination.Envelope[struct {
			ID int `json:"id"`
		}]{Count: 1, Records: []struct {
			ID int `json:"id"`
		}{{7}}}, `{"count":1,"next":null,"previous":null,"results":[{"id":7}]}`},
		{"records that are JSON already", pagination.Envelope[json.RawMessage]{Count: 1, Records: []json.RawMessage{[]byte(`{"a": "<"}`)}},
			`{"count":1,"next":null,"previous":null,"results":[{"a":"<"}]}`},
		{"nil records", pagination.Envelope[*int]{Count: 1, Records: []*int{nil}},
			`{"count":1,"next":null,"previous":null,"results":[null]}`},
		{"bytes are numbers", pagination.Envelope[byte]{Count: 2, Records: []byte{1, 2}},
			`{"count":2,"next":null,"previous":null,"results":[1,2]}`},
		{"methods on the pointer", pagination.Envelope[shout]{Count: 1, Records: []shout{"hey"}},
			`{"count":1,"next":null,"previous":null,"results":["hey!"]}`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, err := tt.envelope.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("MarshalJSON (-want +got):\n%s", diff)
			}

			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(tt.envelope); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", buf.String()); diff != "" {
				t.Errorf("Encoder (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvelopeMarshalJSONError(t *testing.T) {
	_, err := pagination.Envelope[chan int]{Records: make([]chan int, 1)}.MarshalJSON()
	var want *json.UnsupportedTypeError
	if !errors.As(err, &want) {
		t.Errorf("error is %v, want an UnsupportedTypeError", err)
	}
}

func TestEnvelopeUnmarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		want         pagination.Envelope[string]
	}{
		{"a page", `{"count":60,"next":"/n","previous":"/p","results":["a","b"]}`,
			pagination.Envelope[string]{60, "/n", "/p", []string{"a", "b"}}},
		{"null links are empty, and results are not nil", `{"count":0,"next":null,"previous":null,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"absent links are empty", `{"count":0,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"other members are ignored", `{"page_size":21,"count":1,"results":["a"],"facets":{"count":5}}`,
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
		{"another order and white space", "{ \"results\" : [ \"a\" ],\n\"count\" : 1 }",
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvelopeUnmarshalJSONError(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		notPage      bool
	}{
		{"an error document", `{"detail":"Not found."}`, true},
		{"no count", `{"results":[]}`, true},
		{"null count", `{"count":null,"results":[]}`, true},
		{"count below zero", `{"count":-1,"results":[]}`, true},
		{"no results", `{"count":0}`, true},
		{"null results", `{"count":0,"results":null}`, true},
		{"a list", `["a"]`, false},
		{"records of another type", `{"count":1,"results":[5]}`, false},
		{"a link that is no text", `{"count":1,"next":5,"results":[]}`, false},
		{"half a page", `{"count":1`, false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			old := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			got := old
			err := json.Unmarshal([]byte(tt.json), &got)
			if err == nil || errors.Is(err, pagination.ErrNotPage) != tt.notPage {
				t.Errorf("error is %v", err)
			}
			if diff := cmp.Diff(old, got); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvelopeUnmarshalNull(t *testing.T) {
	want := pagination.Envelope[string]{1, "n", "p", []string{"r"}}
	got := want
	if err := json.Unmarshal([]byte("null"), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
