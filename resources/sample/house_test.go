package sample_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// text returns the output of WriteTo for a house.
func text(t *testing.T, opts sample.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := sample.New(opts).WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo = %d, %v; wrote %d bytes", n, err, b.Len())
	}
	return b.Bytes()
}

// A record is a record of any collection, as encoding/json decodes it.
type record map[string]any

// read returns the output of WriteTo for a house, decoded by encoding/json.
func read(t *testing.T, opts sample.Options) map[string][]record {
	t.Helper()
	var house map[string][]record
	if err := json.Unmarshal(text(t, opts), &house); err != nil {
		t.Fatal(err)
	}
	return house
}

// defaults returns the default sizes according to the documentation of Options.
func defaults() map[string]int {
	sizes := map[string]int{}
	for _, d := range schema.Descriptions() {
		sizes[d.Key] = 12
	}
	maps.Copy(sizes, map[string]int{"events": 300, "labels": 24, "authors": 60, "social-links": 80, "books": 200})
	return sizes
}

func TestSizes(t *testing.T) {
	tests := []struct {
		reason string
		opts   sample.Options
		want   map[string]int // sizes other than the default
	}{
		{"zero value", sample.Options{}, nil},
		{"explicit sizes", sample.Options{Events: 1, Labels: 2, Authors: 3, SocialLinks: 4, Books: 5},
			map[string]int{"events": 1, "labels": 2, "authors": 3, "social-links": 4, "books": 5}},
		{"negative sizes", sample.Options{Events: -1, Labels: -2, Books: -100},
			map[string]int{"events": 0, "labels": 0, "books": 0}},
		{"no links without authors", sample.Options{Authors: -1, SocialLinks: 5},
			map[string]int{"authors": 0, "social-links": 0}},
	}
	for _, tt := range tests {
		want := defaults()
		maps.Copy(want, tt.want)
		got := map[string]int{}
		for key, records := range read(t, tt.opts) {
			got[key] = len(records)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestSizeOfOthers(t *testing.T) {
	named := []string{"events", "labels", "authors", "social-links", "books"}
	for size, want := range map[int]int{3: 3, 0: 12, -1: 0} {
		others := 0
		for key, records := range read(t, sample.Options{Others: size}) {
			if slices.Contains(named, key) {
				continue
			}
			others++
			if len(records) != want {
				t.Errorf("Others = %d: got %d %s, want %d", size, len(records), key, want)
			}
		}
		if others != 34 {
			t.Errorf("%d other collections, want 34", others)
		}
	}
}

func TestIDsAreAscendingWithGaps(t *testing.T) {
	for key, records := range read(t, sample.Options{}) {
		last := 0.0
		for _, r := range records {
			id, ok := r["id"].(float64)
			if !ok || id <= last {
				t.Fatalf("%s: id %v after %v", key, r["id"], last)
			}
			last = id
		}
		if int(last) == len(records) {
			t.Errorf("%s: the ids of %d records have no gap", key, len(records))
		}
	}
}

// TestWriteToRoundTrip checks that the written records decode, strictly, to those of the
// house.
func TestWriteToRoundTrip(t *testing.T) {
	house := sample.New(sample.Options{Seed: 3})
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text(t, sample.Options{Seed: 3}), &file); err != nil {
		t.Fatal(err)
	}
	compare(t, "events", file["events"], house.Events)
	compare(t, "labels", file["labels"], house.Labels)
	compare(t, "social-links", file["social-links"], house.SocialLinks)
	for _, d := range schema.Descriptions() {
		if d.Fields == nil {
			compare(t, d.Key, file[d.Key], house.Records(d.Key))
		}
	}
}

func compare[T any](t *testing.T, key string, file []byte, want []T) {
	t.Helper()
	var got []T
	if err := json.Unmarshal(file, &got); err != nil {
		t.Errorf("%s: %v", key, err)
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-house +file):\n%s", key, diff)
	}
}

func TestRecordsOfOtherKeys(t *testing.T) {
	house := sample.New(sample.Options{Books: -1})
	for _, key := range []string{"events", "labels", "social-links", "item_variants", "magazines", "", "books"} {
		if got := house.Records(key); got != nil {
			t.Errorf("Records(%q) returned %d records, want nil", key, len(got))
		}
	}
}

func TestModifyingAHouseDoesNotAffectOthers(t *testing.T) {
	house := sample.New(sample.Options{})
	house.Records("books")[0] = schema.Record{}
	house.Events[0].Authors = append(house.Events[0].Authors[:0], 99)
	*house.Labels[0].LogoFooter = "changed"
	if diff := cmp.Diff(sample.New(sample.Options{}).Records("books"), house.Records("books")); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
	if again := sample.New(sample.Options{}); again.Events[0].Authors[0] == 99 || *again.Labels[0].LogoFooter == "changed" {
		t.Error("modifying a house changed a later one")
	}
}

func TestLoadIntoCatalogue(t *testing.T) {
	for _, opts := range []sample.Options{{}, {Seed: 1<<64 - 1, Events: 40}, {Others: -1, Authors: -1}, {Events: 1, Labels: 1, Authors: 1, SocialLinks: 1, Books: 1, Others: 1}} {
		written := text(t, opts)
		house := catalogue.New()
		if err := house.Load(bytes.NewReader(written)); err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		if err := house.Check(); err != nil {
			t.Errorf("%+v: %v", opts, err)
		}
		var saved bytes.Buffer
		if err := house.Save(&saved); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(compact(t, written), compact(t, saved.Bytes())); diff != "" {
			t.Errorf("%+v (-written +saved):\n%s", opts, diff)
		}
	}
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEventsAndLinksAreValid checks that the records are what the service would store if
// they were posted.
func TestEventsAndLinksAreValid(t *testing.T) {
	house := read(t, sample.Options{Seed: 2})
	exists := func(key string, id int) bool {
		return slices.ContainsFunc(house[key], func(r record) bool { return r["id"] == float64(id) })
	}
	for _, key := range []string{"events", "social-links"} {
		about, _ := schema.Lookup(key)
		for _, want := range house[key] {
			body, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			posted, err := about.Validate(body, schema.Checks{Exists: exists})
			if err != nil {
				t.Errorf("%s %v: %v", key, want["id"], err)
				continue
			}
			var got record
			if err := json.Unmarshal(posted.AppendJSON(nil), &got); err != nil {
				t.Fatal(err)
			}
			got["id"] = want["id"]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %v (-sample +posted):\n%s", key, want["id"], diff)
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, seed := range []uint64{0, 1, 2, 1 << 32, 1<<64 - 1} {
		house := sample.New(sample.Options{Seed: seed})
		for _, key := range []string{"books", "authors", "carts"} {
			list := fmt.Sprint(house.Records(key))
			if other, twice := seen[list]; twice {
				t.Errorf("%s of seed %d equal those of %s", key, seed, other)
			}
			seen[list] = fmt.Sprintf("seed %d", seed)
		}
	}
}

func TestSizeDoesNotAffectOtherCollections(t *testing.T) {
	small, large := sample.New(sample.Options{}), sample.New(sample.Options{Events: 900})
	if diff := cmp.Diff(small.Events, large.Events[:len(small.Events)]); diff != "" {
		t.Errorf("first 300 of 900 events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(small.Labels, large.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(small.Records("books"), large.Records("books")); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
}
