package sample_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

func pointer(n int) *int { return &n }

// cinema returns descriptions with fields of all kinds.
func cinema() []schema.Description {
	id := schema.Field{Name: "id", Kind: schema.Integer, ReadOnly: true}
	return []schema.Description{
		{Key: "films", Segment: "films", Name: "film", Fields: []schema.Field{
			id,
			{Name: "title", Kind: schema.Text, Required: true},
			{Name: "slug", Kind: schema.Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: schema.Text, Blank: true, Default: `""`},
			{Name: "released", Kind: schema.Date, Nullable: true, Default: "null"},
			{Name: "premiereAt", Kind: schema.Timestamp, Nullable: true, Default: "null"},
			{Name: "minutes", Kind: schema.Integer, Required: true, Min: pointer(1), Max: pointer(240)},
			{Name: "rating", Kind: schema.Float, Nullable: true, Default: "null"},
			{Name: "price", Kind: schema.Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "released"}, Default: `"announced"`},
			{Name: "published", Kind: schema.Boolean, Default: "false"},
			{Name: "website", Kind: schema.URL, Blank: true, Nullable: true, Default: "null"},
			{Name: "director", Kind: schema.Reference, Required: true, Refers: "directors"},
			{Name: "sequelOf", Kind: schema.Reference, Nullable: true, Default: "null", Refers: "films"},
			{Name: "genres", Kind: schema.References, Default: "[]", Refers: "genres"},
			{Name: "tags", Kind: schema.TextList, Default: "[]"},
			{Name: "extra", Kind: schema.JSON, Default: "0"},
			{Name: "createdAt", Kind: schema.Timestamp, ReadOnly: true, Created: true},
		}},
		{Key: "directors", Segment: "directors", Name: "director", Fields: []schema.Field{
			id,
			{Name: "name", Kind: schema.Text, Required: true, Unique: true},
			{Name: "born", Kind: schema.Date, Required: true, Unique: true},
			{Name: "award", Kind: schema.Choice, Nullable: true, Unique: true, Choices: []string{"gold", "silver"}, Default: "null"},
			{Name: "mentor", Kind: schema.Reference, Nullable: true, Unique: true, Refers: "directors", Default: "null"},
		}},
		{Key: "genres", Segment: "genres", Name: "genre", Fields: []schema.Field{
			id,
			{Name: "position", Kind: schema.Integer, Required: true, Unique: true, Min: pointer(-4), Max: pointer(15)},
			{Name: "share", Kind: schema.Decimal, Required: true, Unique: true, Digits: 3, Places: 3},
			{Name: "weight", Kind: schema.Float, Required: true, Unique: true},
			{Name: "since", Kind: schema.Timestamp, Required: true, Unique: true},
			{Name: "page", Kind: schema.URL, Required: true, Unique: true},
			{Name: "words", Kind: schema.TextList, Required: true, Unique: true},
			{Name: "note", Kind: schema.JSON, Required: true, Unique: true},
			{Name: "leader", Kind: schema.Reference, Required: true, Unique: true, Refers: "directors"},
		}},
	}
}

func records(t *testing.T, seed uint64, sizes map[string]int, descriptions ...schema.Description) map[string][]schema.Record {
	t.Helper()
	all, err := sample.Records(seed, sizes, descriptions...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRecordsAreValid posts every record to Validate, which must return the same values.
func TestRecordsAreValid(t *testing.T) {
	for seed := range uint64(3) {
		all := records(t, seed, map[string]int{"films": 100, "directors": 30, "genres": 20}, cinema()...)
		exists := func(key string, id int) bool {
			return slices.ContainsFunc(all[key], func(r schema.Record) bool { return r.ID == id })
		}
		for _, d := range cinema() {
			for _, r := range all[d.Key] {
				want := r.Without("id")
				for _, f := range d.Fields {
					if f.ReadOnly {
						want = want.Without(f.Name)
					}
				}
				got, err := d.Validate(want.AppendJSON(nil), schema.Checks{Exists: exists})
				if err != nil {
					t.Fatalf("%s %d: %v", d.Key, r.ID, err)
				}
				got = got.Without("createdAt") // Validate sets the time of the post
				if diff := cmp.Diff(want.String(), got.String()); diff != "" {
					t.Fatalf("%s %d (-made +validated):\n%s", d.Key, r.ID, diff)
				}
			}
		}
	}
}

func TestRecordsIDs(t *testing.T) {
	tests := []struct {
		reason string
		size   int
		want   []int
	}{
		{"every eighth id is missing", 9, []int{1, 2, 3, 4, 5, 6, 7, 9, 10}},
		{"default", 0, []int{1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13}},
		{"negative", -1, nil},
	}
	for _, tt := range tests {
		d := schema.Description{Key: "a", Segment: "a", Name: "a", Fields: []schema.Field{{Name: "id", Kind: schema.Integer}}}
		all := records(t, 1, map[string]int{"a": tt.size}, d)["a"]
		var got []int
		for _, r := range all {
			got = append(got, r.ID)
			if r.Len() != 1 {
				t.Errorf("%s: record %s, want only an id", tt.reason, r)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || all == nil {
			t.Errorf("%s (-want +got):\n%s\n%v", tt.reason, diff, all)
		}
	}
}

// TestRecordsSelfReferences checks that references to the same collection form no cycle.
func TestRecordsSelfReferences(t *testing.T) {
	all := records(t, 5, map[string]int{"films": 60, "directors": 60}, cinema()...)
	for key, member := range map[string]string{"films": "sequelOf", "directors": "mentor"} {
		some := false
		for _, r := range all[key] {
			var id *int
			if err := r.Decode(member, &id); err != nil {
				t.Fatal(err)
			}
			if id != nil && *id >= r.ID {
				t.Errorf("%s %d: %s is %d, want a lower id", key, r.ID, member, *id)
			}
			some = some || id != nil
		}
		if !some {
			t.Errorf("all %s of %s are null", member, key)
		}
	}
}

func TestRecordsCreated(t *testing.T) {
	last := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, r := range records(t, 5, map[string]int{"films": 500}, cinema()...)["films"] {
		var at time.Time
		if err := r.Decode("createdAt", &at); err != nil {
			t.Fatal(err)
		}
		if !at.After(last) || at.Year() > 2025 {
			t.Fatalf("film %d was created at %v, want a time after %v and before 2026", r.ID, at, last)
		}
		last = at
	}
}

// TestRecordsDependOnLittle checks that a change elsewhere leaves a record unchanged.
func TestRecordsDependOnLittle(t *testing.T) {
	before := records(t, 7, nil, cinema()...)
	descriptions := cinema()
	films := &descriptions[0]
	films.Fields = slices.Insert(films.Fields, 3, schema.Field{Name: "added", Kind: schema.Text})
	slices.Reverse(descriptions)
	after := records(t, 7, map[string]int{"films": 20}, descriptions...)
	for key, list := range before {
		for i, want := range list {
			if got := after[key][i].Without("added"); key != "films" && !got.Equal(want) {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
		}
	}
	for i, film := range before["films"] { // fields that are not unique
		for _, name := range []string{"title", "minutes", "price", "director", "genres"} {
			want, _ := film.Get(name)
			if got, _ := after["films"][i].Get(name); got != want {
				t.Errorf("film %d: %s is %s, want %s", film.ID, name, got, want)
			}
		}
	}
}

// TestRecordsOfVersion1 checks that version 1 always generates the same bytes. The hash is
// that of the package's own output, so the test does not check that the bytes are correct.
func TestRecordsOfVersion1(t *testing.T) {
	const want = "ecbeeccedff36c798c83a85f314c5b31a597430e76b63a386a2697beee3c1b87"
	sizes := map[string]int{"films": 200, "directors": 20}
	text, err := json.Marshal(records(t, 1<<63, sizes, cinema()...))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("SHA-256 %s, want %s", got, want)
	}
	if other, err := json.Marshal(records(t, 1, sizes, cinema()...)); err != nil || bytes.Equal(text, other) {
		t.Errorf("another seed generates the same records: %v", err)
	}
	if !maps.Equal(sizes, map[string]int{"films": 200, "directors": 20}) {
		t.Errorf("Records modified the sizes: %v", sizes)
	}
}
