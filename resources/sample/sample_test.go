package sample_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
	"github.com/google/go-cmp/cmp"
)

func write(t testing.TB, opts sample.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sample.Write(&b, opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A record is a record of any collection, as encoding/json decodes it.
type record map[string]any

// read returns the output of Write, decoded by encoding/json.
func read(t testing.TB, opts sample.Options) map[string][]record {
	t.Helper()
	var all map[string][]record
	if err := json.Unmarshal(write(t, opts), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// typed returns the records of the three collections that are described in detail.
func typed(t testing.TB, opts sample.Options) (all struct {
	Events      []resources.Event
	SocialLinks []resources.SocialLink `json:"social-links"`
}) {
	t.Helper()
	if err := json.Unmarshal(write(t, opts), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// documented returns the descriptions of the documented collections.
func documented(t testing.TB) (list []schema.Description) {
	t.Helper()
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, collection := range c.All() {
		list = append(list, collection.Description())
	}
	return list
}

// TestGolden checks that the same options always generate the same bytes. The hash is that
// of the package's own output, so the test does not check that the bytes are correct.
func TestGolden(t *testing.T) {
	const want = "5d3f739fc2c04283064d75ab2b4782d1b80eb1133c8b843852d02e2a841a4e4b"
	sum := sha256.Sum256(write(t, sample.Options{}))
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("SHA-256 %s, want %s", got, want)
	}
}

func TestSizes(t *testing.T) {
	five := map[string]int{"events": 300, "labels": 24, "authors": 60, "social-links": 80, "books": 200}
	for _, row := range []struct {
		reason string
		sizes  map[string]int
		want   map[string]int // sizes other than the default
	}{
		{"default", nil, nil},
		{"sizes", map[string]int{"events": 1, "labels": 2, "authors": 3, "social-links": 4, "books": 5, "faqs": 6},
			map[string]int{"events": 1, "labels": 2, "authors": 3, "social-links": 4, "books": 5, "faqs": 6}},
		{"none", map[string]int{"events": 0, "labels": -2, "faqs": 0}, map[string]int{"events": 0, "labels": 0, "faqs": 0}},
		{"no links without authors", map[string]int{"authors": 0, "social-links": 5}, map[string]int{"authors": 0, "social-links": 0}},
	} {
		want, got := map[string]int{}, map[string]int{}
		for _, d := range documented(t) {
			want[d.Key] = 12
		}
		maps.Copy(want, five)
		maps.Copy(want, row.want)
		for key, records := range read(t, sample.Options{Sizes: row.sizes}) {
			got[key] = len(records)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	err := sample.Write(io.Discard, sample.Options{Sizes: map[string]int{"magazines": 3}})
	if err == nil || !strings.HasPrefix(err.Error(), "sample: magazines: ") {
		t.Errorf("a size of an unknown collection: error %v", err)
	}
	opts := sample.Options{Sizes: map[string]int{"events": 3, "books": 3}}
	full := write(t, opts)
	for _, room := range []int{0, 1, 4095, 4096, 5000, len(full) - 1} {
		w := &limitedWriter{room: room}
		if err := sample.Write(w, opts); !errors.Is(err, errFull) || !bytes.HasPrefix(full, w.got) {
			t.Errorf("room for %d bytes: error %v, %d bytes written", room, err, len(w.got))
		}
	}
}

var errFull = errors.New("full")

// A limitedWriter fails after room bytes.
type limitedWriter struct {
	room int
	got  []byte
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room-len(w.got))
	w.got = append(w.got, p[:n]...)
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestLoadIntoCatalogue also checks that the records are valid, and the order of collections and of
// records, which Save determines.
func TestLoadIntoCatalogue(t *testing.T) {
	for _, opts := range []sample.Options{
		{}, {Seed: 1<<64 - 1, Sizes: map[string]int{"events": 40}}, {Sizes: map[string]int{"authors": 0, "faqs": 0}},
		{Sizes: map[string]int{"events": 1, "labels": 1, "authors": 1, "social-links": 1, "books": 1, "carts": 1, "items": 1}},
	} {
		written := write(t, opts)
		cat, err := resources.New()
		if err != nil {
			t.Fatal(err)
		}
		if err := cat.Load(bytes.NewReader(written), catalogue.LoadOptions{Validate: true, References: true}); err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		var saved bytes.Buffer
		if err := cat.Save(&saved); err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		if err := errors.Join(json.Compact(&want, written), json.Compact(&got, saved.Bytes())); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Errorf("%+v (-written +saved):\n%s", opts, diff)
		}
	}
}

// TestSeedsAndSizes checks that another seed generates other records, and that the size of
// a collection does not affect other records.
func TestSeedsAndSizes(t *testing.T) {
	base := read(t, sample.Options{})
	seen := map[string]uint64{}
	for _, seed := range []uint64{0, 1, 2, 1 << 32, 1<<64 - 1} {
		all := read(t, sample.Options{Seed: seed})
		for _, key := range []string{"books", "authors", "carts"} {
			list := fmt.Sprint(all[key])
			if other, twice := seen[list]; twice {
				t.Errorf("%s of seed %d equal those of seed %d", key, seed, other)
			}
			seen[list] = seed
		}
	}
	larger := read(t, sample.Options{Sizes: map[string]int{"events": 900}})
	larger["events"] = larger["events"][:300]
	delete(base, "direct-sales") // which refer to events
	delete(larger, "direct-sales")
	if diff := cmp.Diff(base, larger); diff != "" {
		t.Errorf("with more events (-want +got):\n%s", diff)
	}
}

// references returns the collections that members refer to.
func references() map[string]map[string]string {
	return map[string]map[string]string{
		"attributes":            {"type": "attribute-types"},
		"bookshop-sales":        {"book": "books"},
		"books":                 {"author": "authors", "label": "labels"},
		"carts":                 {"items": "items", "voucher": "vouchers"},
		"collaborator-invoices": {"collaborator": "collaborators"},
		"commissions":           {"collaborator": "collaborators", "project": "projects"},
		"compensations":         {"author": "authors", "book": "books"},
		"contributions":         {"crowdfunding": "crowdfundings"},
		"credit-note-lines":     {"creditNote": "credit-notes", "book": "books"},
		"crowdfundings":         {"project": "projects"},
		"direct-debit-payments": {"directDebit": "direct-debits"},
		"direct-sales":          {"book": "books", "event": "events"},
		"events":                {"labels": "labels", "authors": "authors"},
		"expenses":              {"project": "projects"},
		"inventories":           {"book": "books"},
		"itemVariants":          {"variant": "variants"},
		"items":                 {"itemVariant": "itemVariants"},
		"news":                  {"label": "labels"},
		"products":              {"label": "labels", "book": "books"},
		"projects":              {"label": "labels", "authors": "authors"},
		"reshipments":           {"shipment": "shipments"},
		"restockings":           {"supplier": "suppliers", "book": "books"},
		"shipments":             {"cart": "carts"},
		"social-links":          {"author": "authors"},
		"tieins":                {"book": "books"},
		"variants":              {"product": "products", "attributes": "attributes"},
		"wires":                 {"cart": "carts"},
	}
}

func TestReferencesResolve(t *testing.T) {
	for _, opts := range []sample.Options{
		{}, {Seed: 9, Sizes: map[string]int{"books": 3, "authors": 2, "labels": 1}}, {Sizes: map[string]int{"books": 0}},
		{Sizes: map[string]int{"authors": 0, "labels": 0, "carts": 2, "items": 1}},
	} {
		cat := read(t, opts)
		for key, members := range references() {
			for member, target := range members {
				ids := map[any]bool{}
				for _, r := range cat[target] {
					ids[r["id"]] = true
				}
				found := 0
				for _, r := range cat[key] {
					value, ok := r[member]
					if !ok {
						t.Fatalf("%s %v has no %s", key, r["id"], member)
					}
					found += resolve(t, ids, value, key+"."+member)
				}
				if found == 0 && len(ids) > 10 && len(cat[key]) > 10 {
					t.Errorf("%+v: all %s are null or empty, want references to %s", opts, key+"."+member, target)
				}
			}
		}
	}
}

// resolve checks a reference or a list of references and returns the number of ids.
func resolve(t *testing.T, ids map[any]bool, value any, where string) int {
	t.Helper()
	switch value := value.(type) {
	case nil:
		return 0
	case []any:
		found := 0
		last := 0.0
		for _, id := range value {
			if n, ok := id.(float64); !ok || n <= last {
				t.Errorf("%s = %v, want ascending ids without duplicates", where, value)
			} else {
				last = n
			}
			found += resolve(t, ids, id, where)
		}
		return found
	}
	if !ids[value] {
		t.Errorf("%s = %v, which does not exist", where, value)
	}
	return 1
}

// seeds returns the seeds that the tests use.
func seeds() []uint64 { return []uint64{0, 1, 2, 77, 1<<64 - 1} }

// An oddity is a property that some record has.
type oddity[T any] struct {
	name string
	has  func(T) bool
}

func checkOddities[T any](t *testing.T, seed uint64, records []T, oddities []oddity[T]) {
	t.Helper()
	for _, o := range oddities {
		if !slices.ContainsFunc(records, o.has) {
			t.Errorf("seed %d: no %T %s", seed, *new(T), o.name)
		}
	}
}

func TestEventOddities(t *testing.T) {
	type event = resources.Event
	for _, seed := range seeds() {
		events := typed(t, sample.Options{Seed: seed}).Events
		slugs, starts := map[string]int{}, map[int64]map[int]bool{}
		for _, e := range events {
			slugs[e.Slug]++
			_, offset := e.StartDate.Zone()
			at := e.StartDate.Unix()
			if starts[at] == nil {
				starts[at] = map[int]bool{}
			}
			starts[at][offset] = true
		}
		checkOddities(t, seed, events, []oddity[event]{
			{"shares a slug", func(e event) bool { return slugs[e.Slug] > 1 }},
			{"begins at the same instant as another, in another offset", func(e event) bool { return len(starts[e.StartDate.Unix()]) > 1 }},
			{"ends on a later day", func(e event) bool { return e.EndDate.Format(time.DateOnly) > e.StartDate.Format(time.DateOnly) }},
			{"lasts several days", func(e event) bool { return e.EndDate.Sub(e.StartDate.Time) > 24*time.Hour }},
			{"begins at midnight", func(e event) bool { return e.StartDate.Format(time.TimeOnly) == "00:00:00" }},
			{"is in UTC", func(e event) bool { _, offset := e.StartDate.Zone(); return offset == 0 }},
			{"is west of UTC", func(e event) bool { _, offset := e.StartDate.Zone(); return offset < 0 }},
			{"has an offset that is not a whole hour", func(e event) bool { _, offset := e.StartDate.Zone(); return offset%3600 != 0 }},
			{"is not published", func(e event) bool { return !e.Published }},
			{"has no poster", func(e event) bool { return e.Poster == "" && e.PosterWebp == "" }},
			{"has several authors", func(e event) bool { return len(e.Authors) > 1 }},
			{"has no author", func(e event) bool { return len(e.Authors) == 0 }},
			{"has no label", func(e event) bool { return len(e.Labels) == 0 }},
			{"contains an HTML entity", func(e event) bool { return strings.Contains(e.Description, "&amp;") }},
			{"has no ASCII vowels in its name", func(e event) bool { return !strings.ContainsAny(e.Name, "aeiou") }},
		})
		from, to := time.Date(2025, 11, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
		for _, e := range events {
			if e.StartDate.Before(from) || e.EndDate.Before(e.StartDate.Time) || e.EndDate.After(to) {
				t.Errorf("seed %d: event %d is from %v to %v", seed, e.ID, e.StartDate, e.EndDate)
			}
		}
		checkOddities(t, seed, typed(t, sample.Options{Seed: seed}).SocialLinks, []oddity[resources.SocialLink]{
			{"has no logo", func(l resources.SocialLink) bool { return l.Logo == nil }},
			{"has a logo", func(l resources.SocialLink) bool { return l.Logo != nil }},
		})
		if slices.IsSortedFunc(events, func(a, b event) int { return a.StartDate.Compare(b.StartDate.Time) }) {
			t.Errorf("seed %d: events by id are ordered by start date", seed)
		}
	}
}

// Open records have values of mixed kinds, which matter for ordering.
func TestMixedKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, r := range read(t, sample.Options{Sizes: map[string]int{"attributes": 100}})["attributes"] {
		kinds[fmt.Sprintf("%T", r["value"])] = true
	}
	want := map[string]bool{"float64": true, "string": true, "[]interface {}": true, "map[string]interface {}": true}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("types of the values of attributes (-want +got):\n%s", diff)
	}
}
