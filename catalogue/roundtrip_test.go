package catalogue_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// FuzzRoundTrip checks that loaded records are saved with the members that
// encoding/json decodes, that the saved text loads as the same catalogue, and that so
// do the records when they are inserted into another catalogue.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{
		goodEvent, goodLink, `{"id":1}`, `{"id":3,"a":[1.0,-0,1e400,{"b":"\u003c\u2028\ud83d\ude42"}]},{"a":null,"id":2}`,
		`{"id":7,"name":"x","globalMessage":{"a":[1.50]},"users":[3,1,3],"catchLines":["","a"],"logoFooter":null}`,
		`{"":0,"id":9,"Id":1," id":"\u0000\"\\"}`, `{"a":1,"a":2,"id":1}`, `{"id":1},{"id":1}`, ``,
		replaceMember(goodEvent, `2024-05-10T18:00:00+02:00`, `2024-05-10T18:00:00.1234567-09:30`),
	} {
		f.Add([]byte(seed))
	}
	empty := mustNew()
	f.Fuzz(func(t *testing.T, data []byte) {
		list := "[" + string(data) + "]"
		roundTrip(t, empty.Clone(), list, resources.Records("books"))
		roundTrip(t, empty.Clone(), list, resources.Events)
		roundTrip(t, empty.Clone(), list, resources.Labels)
		roundTrip(t, empty.Clone(), list, resources.SocialLinks)
	})
}

func roundTrip[T any](t *testing.T, cat *catalogue.Catalogue, list string, d catalogue.Definition[T]) {
	key := d.Key()
	err := cat.Load(strings.NewReader(`{"`+key+`":`+list+`}`), catalogue.LoadOptions{})
	if err != nil {
		if !errors.Is(err, catalogue.ErrInvalidData) || mustIn(d, cat).Count() != 0 {
			t.Fatalf("%s: %d records loaded, error %v, want none and ErrInvalidData", key, mustIn(d, cat).Count(), err)
		}
		return
	}
	first := saved(t, cat)
	compareMembers(t, key, list, split(t, first)[key])

	loaded, inserted := mustNew(), mustNew()
	if err := loaded.Load(strings.NewReader(first), catalogue.LoadOptions{}); err != nil {
		t.Fatalf("%s: Load of the saved text: %v\n%s", key, err, first)
	}
	for record := range mustIn(d, cat).All() {
		if _, err := mustIn(d, inserted).Insert(record); err != nil {
			t.Fatalf("%s: Insert of a loaded record: %v", key, err)
		}
	}
	for what, other := range map[string]*catalogue.Catalogue{"loaded again": loaded, "inserted": inserted} {
		if diff := gocmp.Diff(first, saved(t, other)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", key, what, diff)
		}
		compareOrders(t, key, cat, other)
		if err := other.Check(); err != nil {
			t.Errorf("%s %s: %v", key, what, err)
		}
	}
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}

// compareOrders checks that pages of a and b ordered by the first few fields are equal.
func compareOrders(t *testing.T, key string, a, b *catalogue.Catalogue) {
	t.Helper()
	ctx := context.Background()
	x, errX := a.Collection(key)
	y, errY := b.Collection(key)
	if err := errors.Join(errX, errY); err != nil {
		t.Fatal(err)
	}
	var names []string
	if coll, err := a.Collection(key); err != nil {
		t.Fatal(err)
	} else if names = coll.Description().Sortable; names == nil {
		for _, f := range coll.Description().Fields {
			names = append(names, ordering.Snake(f.Name))
		}
	}
	for _, name := range names[:min(len(names), 5)] {
		by := []ordering.Term{ordering.Desc(name)}
		_, want, errX := listed(x.List(ctx, catalogue.Query{Window: whole, Terms: by}))
		_, got, errY := listed(y.List(ctx, catalogue.Query{Window: whole, Terms: by}))
		if err := errors.Join(errX, errY); err != nil || !slices.EqualFunc(want, got, bytes.Equal) {
			t.Errorf("%s by %q: %s, %v, want %s", key, name, got, err, want)
		}
	}
}

// compareMembers checks that the saved records, which are sorted by id, have all members
// of the loaded list. Open records have no other members and keep the digits of numbers.
func compareMembers(t *testing.T, key, list string, records []string) {
	t.Helper()
	decode := func(text string, into any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			t.Fatalf("%s: %q: %v", key, text, err)
		}
	}
	var in []map[string]any
	decode(list, &in)
	if len(in) != len(records) {
		t.Fatalf("%s: %d records loaded, %d saved", key, len(in), len(records))
	}
	id := func(r map[string]any) *big.Int {
		n, _ := r["id"].(json.Number)
		i, _ := new(big.Int).SetString(n.String(), 10)
		return cmp.Or(i, new(big.Int))
	}
	slices.SortFunc(in, func(a, b map[string]any) int { return id(a).Cmp(id(b)) })
	for i, record := range in {
		var out map[string]any
		decode(records[i], &out)
		if key == "books" {
			if diff := gocmp.Diff(record, out); diff != "" {
				t.Errorf("%s %d (-loaded +saved):\n%s", key, i, diff)
			}
			continue
		}
		for name, value := range record {
			if got, ok := out[name]; !ok || !sameValue(value, got) {
				t.Errorf("%s %d: member %q saved as %#v, want %#v", key, i, name, got, value)
			}
		}
	}
}

// sameValue reports whether a and b are equal. It compares numbers by value and
// date-times to the microsecond.
func sameValue(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, _ := b.(json.Number)
		r, okX := new(big.Rat).SetString(x.String())
		s, okY := new(big.Rat).SetString(y.String())
		return x == y || okX && okY && r.Cmp(s) == 0
	}
	x, _ := a.(string)
	y, _ := b.(string)
	saved, err := time.Parse(time.RFC3339, y)
	if err != nil || x == y {
		return gocmp.Equal(a, b)
	}
	// Package resources tests the formats other than RFC 3339.
	loaded, err := time.Parse(time.RFC3339, x)
	return err != nil || loaded.Truncate(time.Microsecond).Equal(saved)
}
