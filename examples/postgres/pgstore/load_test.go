package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// load reads a file of records.
func load(t testing.TB, store *pgstore.Store, file string) {
	t.Helper()
	if err := store.Load(t.Context(), strings.NewReader(file)); err != nil {
		t.Fatal(err)
	}
}

// saved is all that a store, or a house in memory, holds.
func saved(t testing.TB, save func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func all(t testing.TB, store *pgstore.Store) string {
	t.Helper()
	return saved(t, func(w io.Writer) error { return store.Save(t.Context(), w) })
}

// revisions are those of all collections, by key.
func revisions(t testing.TB, store *pgstore.Store) map[string]uint64 {
	t.Helper()
	list := map[string]uint64{}
	for key, c := range store.Collections() {
		revision, err := c.(interface {
			Revision(context.Context) (uint64, error)
		}).Revision(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list[key] = revision
	}
	return list
}

// fields are those that a collection can be ordered by.
func fields(t testing.TB, store *pgstore.Store, key string) []string {
	t.Helper()
	list, err := store.Collections()[key].Fields(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is loaded is saved as the catalogue in memory saves it, and can be loaded
// again.
func TestLoadSave(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	var plausible bytes.Buffer
	if _, err := sample.New(sample.Options{Seed: 7}).WriteTo(&plausible); err != nil {
		t.Fatal(err)
	}
	d := newDice(setting(t, "BACKLIST_POSTGRES_SEED", 7))
	var odd []string
	for _, about := range resources.Descriptions() {
		odd = append(odd, quoted(about.Key)+":"+d.collection(about, d.IntN(40)))
	}
	var many []string
	for i := range 2_000 {
		many = append(many, fmt.Sprintf(`"member%d":%d`, i, i))
	}
	for _, file := range []struct{ reason, text string }{
		{"a whole house", plausible.String()},
		{"records of all kinds in the place of those", "{" + strings.Join(odd, ",") + "}"},
		{"nothing is no change", "{}"},
		{"members of any number, with names of any length", `{"books":[{"id":1,` + strings.Join(many, ",") + `,` + quoted(d.long()) + `:1,` + quoted(d.long()) + `:2}]}`},
		{"one becomes empty", `{"events":[]}`},
		{"white space and escapes are not kept, digits and the order of members are", "{ \"books\" : [ {\"b\":1.50e+0, \"id\":3, \"a\":\"\\u00e9\\/\"} ] }"},
	} {
		t.Run(file.reason, func(t *testing.T) {
			before := all(t, store)
			house := catalogue.New()
			for _, text := range []string{before, file.text} {
				if err := house.Load(strings.NewReader(text)); err != nil {
					t.Fatal(err)
				}
			}
			load(t, store, file.text)
			want, got := saved(t, house.Save), all(t, store)
			if want != got {
				t.Errorf("saved: -want +got\n%s", cmp.Diff(want, got))
			}
			load(t, store, got)
			if again := all(t, store); again != got {
				t.Errorf("saved, loaded and saved: -first +second\n%s", cmp.Diff(got, again))
			}
			if err := store.LoadFrom(t.Context(), house); err != nil {
				t.Fatal(err)
			}
			if again := all(t, store); again != got {
				t.Errorf("loaded from memory: -want +got\n%s", cmp.Diff(got, again))
			}
		})
	}
}

const event = `{"id":%d,"name":%s,"slug":"s","summary":"","description":"","location":"","startDate":"2026-05-01T18:00:00Z",` +
	`"endDate":"2026-05-01T18:00:00Z","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]}`

// What cannot be loaded changes nothing, of no collection.
func TestLoadBadInput(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	load(t, store, `{"authors":[{"id":1,"name":"Old"}],"books":[{"id":5}],"events":[`+fmt.Sprintf(event, 1, `"Old"`)+`]}`)
	before, revisionsBefore := all(t, store), revisions(t, store)
	good := `"authors":[{"id":2,"name":"New","age":1}]`
	for _, row := range []struct {
		reason, file string
		want         error
		names        string // what the error tells
	}{
		{"nothing at all", ``, catalogue.ErrInvalidData, ""},
		{"an array", `[]`, catalogue.ErrInvalidData, ""},
		{"broken off", `{` + good, catalogue.ErrInvalidData, ""},
		{"more behind it", `{` + good + `}{}`, catalogue.ErrInvalidData, ""},
		{"an unknown key", `{` + good + `,"nothing":[]}`, catalogue.ErrUnknownCollection, `"nothing"`},
		{"a path segment is no key", `{` + good + `,"item_variants":[]}`, catalogue.ErrUnknownCollection, `"item_variants"`},
		{"a key twice", `{` + good + `,` + good + `}`, catalogue.ErrInvalidData, "authors"},
		{"no array", `{` + good + `,"books":{}}`, catalogue.ErrInvalidData, "books"},
		{"null", `{` + good + `,"books":null}`, catalogue.ErrInvalidData, "books"},
		{"a record without an id", `{` + good + `,"books":[{}]}`, catalogue.ErrInvalidData, "id"},
		{"an id of 0", `{` + good + `,"books":[{"id":0}]}`, catalogue.ErrInvalidData, "id"},
		{"an id beyond an int64", `{` + good + `,"books":[{"id":9223372036854775808}]}`, catalogue.ErrInvalidData, "id"},
		{"an id twice", `{` + good + `,"books":[{"id":1},{"id":1}]}`, catalogue.ErrExists, "id"},
		{"a member twice", `{` + good + `,"books":[{"id":1,"a":1,"a":2}]}`, catalogue.ErrInvalidData, "a"},
		{"an event without its members", `{` + good + `,"events":[{"id":1}]}`, catalogue.ErrInvalidData, "name"},
		{"a number for text", `{` + good + `,"events":[` + fmt.Sprintf(event, 1, `1`) + `]}`, catalogue.ErrInvalidData, "name"},
		{"half a surrogate pair", `{` + good + `,"books":[{"id":1,"a":"\ud800"}]}`, catalogue.ErrInvalidData, "a"},
		{"bytes that are not UTF-8", "{" + good + ",\"books\":[{\"id\":1,\"a\":\"\xff\"}]}", catalogue.ErrInvalidData, ""},
		{"U+0000 in described text, which PostgreSQL cannot hold", `{` + good + `,"events":[` + fmt.Sprintf(event, 1, `"a\u0000b"`) + `]}`, resources.ErrInvalid, `"name"`},
		{"U+0000 in the name of a member", `{` + good + `,"books":[{"id":1,"a\u0000b":1}]}`, resources.ErrInvalid, `"a\x00b"`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			err := store.Load(t.Context(), strings.NewReader(row.file))
			if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.names) || errors.Is(err, httpapi.ErrUnavailable) {
				t.Errorf("error is %v, want %v that tells %s", err, row.want, row.names)
			}
			if diff := cmp.Diff(before, all(t, store)); diff != "" {
				t.Errorf("records: -before +after\n%s", diff)
			}
			if diff := cmp.Diff(revisionsBefore, revisions(t, store)); diff != "" {
				t.Errorf("revisions: -before +after\n%s", diff)
			}
			if diff := cmp.Diff([]string{"id", "name"}, fields(t, store, "authors")); diff != "" {
				t.Errorf("fields: -before +after\n%s", diff)
			}
		})
	}
	t.Run("a reader that fails", func(t *testing.T) {
		failure := errors.New("the disk is gone")
		if err := store.Load(t.Context(), io.MultiReader(strings.NewReader("{"), iotest.ErrReader(failure))); !errors.Is(err, failure) {
			t.Errorf("error is %v, want %v", err, failure)
		}
	})
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store.Load(ctx, strings.NewReader(`{`+good+`}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want %v", err, context.Canceled)
		}
	})
	if diff := cmp.Diff(before, all(t, store)); diff != "" {
		t.Errorf("records: -before +after\n%s", diff)
	}
}

// A load is of the collections that the file has, and of no other.
func TestLoadRevisions(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	load(t, store, `{"authors":[{"id":1,"name":"A"}],"books":[{"id":1,"title":"B"}],"news":[{"id":1}]}`)
	before := revisions(t, store)
	load(t, store, `{"books":[{"id":2,"pages":3}],"news":[]}`)
	var moved []string
	for key, revision := range revisions(t, store) {
		if revision < before[key] {
			t.Errorf("revision of %s went back from %d to %d", key, before[key], revision)
		}
		if revision > before[key] {
			moved = append(moved, key)
		}
	}
	slices.Sort(moved)
	if diff := cmp.Diff([]string{"books", "news"}, moved); diff != "" {
		t.Errorf("revisions that moved: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"id", "pages"}, fields(t, store, "books")); diff != "" {
		t.Errorf("fields of books: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"id", "name"}, fields(t, store, "authors")); diff != "" {
		t.Errorf("fields of authors: -want +got\n%s", diff)
	}
	byTitle := []ordering.Term{ordering.Asc("title"), ordering.Asc("id")}
	if _, _, err := store.Collections()["books"].Page(t.Context(), pagination.Window{Limit: 1}, byTitle); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("ordered by a member that no book has any more: %v, want %v", err, ordering.ErrUnknownField)
	}
}

// Who reads while several collections are loaded sees each of them old or new, and
// whole.
func TestLoadBesideReaders(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	keys := []string{"authors", "books", "news"}
	house := func(generation int) string {
		var parts []string
		for _, key := range keys {
			var records []string
			for id := range 20 + generation%7 {
				records = append(records, fmt.Sprintf(`{"id":%d,"generation":%d}`, id+1, generation))
			}
			parts = append(parts, quoted(key)+":["+strings.Join(records, ",")+"]")
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	load(t, store, house(0))
	const generations = 30
	loaded := make(chan struct{})
	errs := make(chan error, len(keys))
	for _, key := range keys {
		go func() { errs <- readGenerations(t.Context(), store.Collections()[key], loaded, generations) }()
	}
	for generation := range generations {
		load(t, store, house(generation+1))
	}
	close(loaded)
	for range keys {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// readGenerations reads all of a collection until it is done and has read the
// last.
func readGenerations(ctx context.Context, c httpapi.Collection, done <-chan struct{}, last int) error {
	seen := 0
	for ended := false; ; {
		byGeneration := []ordering.Term{ordering.Desc("generation"), ordering.Desc("id")}
		count, records, err := c.Page(ctx, pagination.Window{Limit: 1000}, byGeneration)
		if err != nil {
			return err
		}
		r, err := resources.ParseRecord(records[0])
		if err != nil {
			return err
		}
		var generation int
		if err := r.Decode("generation", &generation); err != nil {
			return err
		}
		if generation < seen || count != 20+generation%7 || len(records) != count {
			return fmt.Errorf("behind generation %d came %d with %d records and a count of %d", seen, generation, len(records), count)
		}
		for i, record := range records {
			if want := fmt.Sprintf(`{"id":%d,"generation":%d}`, count-i, generation); string(record) != want {
				return fmt.Errorf("record %d is %s, want %s", i, record, want)
			}
		}
		seen = generation
		if ended {
			if seen != last {
				return fmt.Errorf("generation %d is the last that was seen, want %d", seen, last)
			}
			return nil
		}
		select {
		case <-done:
			ended = true
		default:
		}
	}
}

// An error of the writer is not one of the database.
func TestSaveToWriterThatFails(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	load(t, store, `{"books":[{"id":1,"name":`+quoted(strings.Repeat("n", 10_000))+`}]}`)
	for _, failure := range []error{io.ErrUnexpectedEOF, context.DeadlineExceeded, errors.New("the disk is full")} {
		err := store.Save(t.Context(), writerFunc(func([]byte) (int, error) { return 0, failure }))
		if !errors.Is(err, failure) || errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("error is %v, want %v alone", err, failure)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// No house is no empty one: nothing changes.
func TestLoadFromNothing(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	load(t, store, `{"books":[{"id":1}]}`)
	if err := store.LoadFrom(t.Context(), nil); !errors.Is(err, catalogue.ErrInvalidData) {
		t.Errorf("error is %v, want %v", err, catalogue.ErrInvalidData)
	}
	count, _, err := store.Collections()["books"].Page(t.Context(), pagination.Window{Limit: 1}, []ordering.Term{ordering.Asc("id")})
	if err != nil || count != 1 {
		t.Errorf("there are %d books (error %v), want 1", count, err)
	}
}
