package main

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/openapi/client"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// TestAllPages reads every page of every collection with the generated client and
// compares the ids with those of the catalogue.
func TestAllPages(t *testing.T) {
	house := sampled(t, sample.Options{})
	c := clientOf(t, house)
	pages := 0
	for key, stored := range house.All() {
		ids, n := walk(t, c, key)
		if diff := cmp.Diff(idsOf(t, stored), ids); diff != "" {
			t.Errorf("%s (-stored +read):\n%s", key, diff)
		}
		pages += n
	}
	if pages < 2*39 {
		t.Errorf("%d pages, want at least two for each collection", pages)
	}
}

// walk reads all pages of a collection with the generated method that lists it.
func walk(t *testing.T, c *client.ClientWithResponses, key string) (ids []int, pages int) {
	t.Helper()
	about, _ := resources.Lookup(key)
	list := reflect.ValueOf(c).MethodByName("List" + pascal(about.Segment) + "WithResponse")
	if !list.IsValid() {
		t.Fatalf("the client has no method for %s", key)
	}
	limit := 10 // the smallest collections have 12 records
	for offset := 0; ; pages++ {
		params := reflect.New(list.Type().In(1).Elem())
		params.Elem().FieldByName("Limit").Set(reflect.ValueOf(&limit))
		params.Elem().FieldByName("Offset").Set(reflect.ValueOf(&offset))
		out := list.Call([]reflect.Value{reflect.ValueOf(context.Background()), params})
		if err, _ := out[1].Interface().(error); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		page := out[0].Elem().FieldByName("JSON200")
		if page.IsNil() {
			t.Fatalf("%s: %s", key, out[0].Elem().FieldByName("Body").Bytes())
		}
		results := page.Elem().FieldByName("Results")
		for i := range results.Len() {
			ids = append(ids, int(results.Index(i).FieldByName("Id").Int()))
		}
		if got := page.Elem().FieldByName("Next").IsNil(); got != (len(ids) == int(page.Elem().FieldByName("Count").Int())) {
			t.Fatalf("%s: next is null = %v after %d of %d records", key, got, len(ids), page.Elem().FieldByName("Count").Int())
		}
		if page.Elem().FieldByName("Next").IsNil() {
			return ids, pages + 1
		}
		offset = len(ids)
	}
}

// pascal returns a name in Go's spelling, such as ItemVariants for item_variants.
func pascal(segment string) string {
	var name string
	for word := range strings.FieldsFuncSeq(segment, func(r rune) bool { return r == '-' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// idsOf returns the ids of a collection in its default order.
func idsOf(t *testing.T, c catalogue.Encoded) (ids []int) {
	t.Helper()
	_, records, err := c.Page(context.Background(), pagination.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range records {
		var record struct{ ID int }
		if err := json.Unmarshal(text, &record); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, record.ID)
	}
	return ids
}
