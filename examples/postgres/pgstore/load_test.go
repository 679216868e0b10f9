package pgstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

func load(t testing.TB, store *pgstore.Store, file string) {
	t.Helper()
	if err := store.Load(t.Context(), strings.NewReader(file), pgstore.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
}

// loadFrom loads the records of a catalogue.
func loadFrom(t testing.TB, store *pgstore.Store, cat *catalogue.Catalogue) {
	t.Helper()
	load(t, store, saved(t, cat.Save))
}

// saved returns the output of a Save method.
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

// revisions returns the revisions of all collections by key.
func revisions(t testing.TB, store *pgstore.Store) map[string]uint64 {
	t.Helper()
	list := map[string]uint64{}
	for _, d := range descriptions() {
		revision, err := collectionOf(store, d.Key).Revision(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list[d.Key] = revision
	}
	return list
}

// TestLoadSave compares saved records with those of a catalogue in memory and loads
// them again.
func TestLoadSave(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	var plausible bytes.Buffer
	if err := sample.Write(&plausible, sample.Options{Seed: 7}); err != nil {
		t.Fatal(err)
	}
	g := newGenerator(setting(t, "BACKLIST_POSTGRES_SEED", 7))
	var odd []string
	for _, about := range descriptions() {
		odd = append(odd, quoted(about.Key)+":"+g.collection(about, g.IntN(40)))
	}
	var many []string
	for i := range 2_000 {
		many = append(many, fmt.Sprintf(`"member%d":%d`, i, i))
	}
	for _, file := range []struct{ reason, text string }{
		{"all collections", plausible.String()},
		{"unusual records", "{" + strings.Join(odd, ",") + "}"},
		{"no collections", "{}"},
		{"many members and long names", `{"books":[{"id":1,` + strings.Join(many, ",") + `,` + quoted(g.long()) + `:1,` + quoted(g.long()) + `:2}]}`},
		{"empty collection", `{"events":[]}`},
		{"no ids", `{"books":[{"name":"A"},{"id":3},{"name":"B"}],"labels":[]}`},
		{"white space, escapes, digits and order of members", "{ \"books\" : [ {\"b\":1.50e+0, \"id\":3, \"a\":\"\\u00e9\\/\"} ] }"},
	} {
		t.Run(file.reason, func(t *testing.T) {
			before := all(t, store)
			cat := mustNew()
			for _, text := range []string{before, file.text} {
				if err := cat.Load(strings.NewReader(text), catalogue.LoadOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			load(t, store, file.text)
			want, got := saved(t, cat.Save), all(t, store)
			if want != got {
				t.Errorf("saved: -want +got\n%s", cmp.Diff(want, got))
			}
			load(t, store, got)
			if again := all(t, store); again != got {
				t.Errorf("saved, loaded and saved: -first +second\n%s", cmp.Diff(got, again))
			}
		})
	}
}

const event = `{"id":%d,"name":%s,"slug":"s","summary":"","description":"","location":"","startDate":"2026-05-01T18:00:00Z",` +
	`"endDate":"2026-05-01T18:00:00Z","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]}`

// TestLoadInvalidInput also checks that nothing changes in any collection.
func TestLoadInvalidInput(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	load(t, store, `{"authors":[{"id":1,"name":"Old"}],"books":[{"id":5}],"events":[`+fmt.Sprintf(event, 1, `"Old"`)+`]}`)
	before, revisionsBefore := all(t, store), revisions(t, store)
	good := `"authors":[{"id":2,"name":"New","age":1}]`
	for _, row := range []struct {
		reason, file string
		want         error
		text         string // in the error
	}{
		{"empty input", ``, catalogue.ErrInvalidData, ""},
		{"array", `[]`, catalogue.ErrInvalidData, ""},
		{"truncated", `{` + good, catalogue.ErrInvalidData, ""},
		{"data after the object", `{` + good + `}{}`, catalogue.ErrInvalidData, ""},
		{"unknown key", `{` + good + `,"nothing":[]}`, catalogue.ErrUnknownCollection, `"nothing"`},
		{"path segment instead of a key", `{` + good + `,"item_variants":[]}`, catalogue.ErrUnknownCollection, `"item_variants"`},
		{"repeated key", `{` + good + `,` + good + `}`, catalogue.ErrInvalidData, "authors"},
		{"object instead of an array", `{` + good + `,"books":{}}`, catalogue.ErrInvalidData, "books"},
		{"null", `{` + good + `,"books":null}`, catalogue.ErrInvalidData, "books"},
		{"two members of one field", `{` + good + `,"books":[{"id":1,"aB":1,"a_b":2}]}`, catalogue.ErrInvalidData, `"a_b"`},
		{"id 0", `{` + good + `,"books":[{"id":0}]}`, catalogue.ErrInvalidData, "id"},
		{"id out of range", `{` + good + `,"books":[{"id":9223372036854775808}]}`, catalogue.ErrInvalidData, "id"},
		{"repeated id", `{` + good + `,"books":[{"id":1},{"id":1}]}`, catalogue.ErrExists, "id"},
		{"repeated member", `{` + good + `,"books":[{"id":1,"a":1,"a":2}]}`, catalogue.ErrInvalidData, "a"},
		{"number for text", `{` + good + `,"events":[` + fmt.Sprintf(event, 1, `1`) + `]}`, catalogue.ErrInvalidData, "name"},
		{"half a surrogate pair", `{` + good + `,"books":[{"id":1,"a":"\ud800"}]}`, catalogue.ErrInvalidData, "a"},
		{"invalid UTF-8", "{" + good + ",\"books\":[{\"id\":1,\"a\":\"\xff\"}]}", catalogue.ErrInvalidData, ""},
		{"U+0000 in described text", `{` + good + `,"events":[` + fmt.Sprintf(event, 1, `"a\u0000b"`) + `]}`, schema.ErrInvalid, `"name"`},
		{"U+0000 in the name of a member", `{` + good + `,"books":[{"id":1,"a\u0000b":1}]}`, schema.ErrInvalid, `"a\x00b"`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			err := store.Load(t.Context(), strings.NewReader(row.file), pgstore.LoadOptions{})
			if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) || errors.Is(err, httpapi.ErrUnavailable) {
				t.Errorf("Load = %v, want %v with %s", err, row.want, row.text)
			}
			if diff := cmp.Diff(before, all(t, store)); diff != "" {
				t.Errorf("records: -before +after\n%s", diff)
			}
			if diff := cmp.Diff(revisionsBefore, revisions(t, store)); diff != "" {
				t.Errorf("revisions: -before +after\n%s", diff)
			}
			if diff := cmp.Diff([]string{"id", "name"}, knownOf(t, store, "authors", "id", "name", "age")); diff != "" {
				t.Errorf("fields: -before +after\n%s", diff)
			}
		})
	}
	t.Run("reader error", func(t *testing.T) {
		failure := errors.New("read error")
		if err := store.Load(t.Context(), io.MultiReader(strings.NewReader("{"), iotest.ErrReader(failure)), pgstore.LoadOptions{}); !errors.Is(err, failure) {
			t.Errorf("Load = %v, want %v", err, failure)
		}
	})
	t.Run("canceled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store.Load(ctx, strings.NewReader(`{`+good+`}`), pgstore.LoadOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Load = %v, want %v", err, context.Canceled)
		}
	})
	if diff := cmp.Diff(before, all(t, store)); diff != "" {
		t.Errorf("records: -before +after\n%s", diff)
	}
}

// TestLoadRevisions checks that Load changes only the collections in the file.
func TestLoadRevisions(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	load(t, store, `{"authors":[{"id":1,"name":"A"}],"books":[{"id":1,"title":"B"}],"news":[{"id":1}]}`)
	before := revisions(t, store)
	load(t, store, `{"books":[{"id":2,"pages":3}],"news":[]}`)
	var moved []string
	for key, revision := range revisions(t, store) {
		if revision < before[key] {
			t.Errorf("revision of %s changed from %d to %d", key, before[key], revision)
		}
		if revision > before[key] {
			moved = append(moved, key)
		}
	}
	slices.Sort(moved)
	if diff := cmp.Diff([]string{"books", "news"}, moved); diff != "" {
		t.Errorf("changed revisions: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"id", "pages"}, knownOf(t, store, "books", "id", "title", "pages")); diff != "" {
		t.Errorf("fields of books: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"id", "name"}, knownOf(t, store, "authors", "id", "name", "age")); diff != "" {
		t.Errorf("fields of authors: -want +got\n%s", diff)
	}
}

// TestLoadWithConcurrentReaders checks that readers see each collection either before
// or after a load.
func TestLoadWithConcurrentReaders(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	keys := []string{"authors", "books", "news"}
	cat := func(generation int) string {
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
	load(t, store, cat(0))
	const generations = 30
	loaded := make(chan struct{})
	errs := make(chan error, len(keys))
	for _, key := range keys {
		go func() { errs <- readGenerations(t.Context(), collectionOf(store, key), loaded, generations) }()
	}
	for generation := range generations {
		load(t, store, cat(generation+1))
	}
	close(loaded)
	for range keys {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// readGenerations reads a collection until done is closed, and then once more.
func readGenerations(ctx context.Context, c httpapi.Collection, done <-chan struct{}, last int) error {
	seen := 0
	for ended := false; ; {
		byGeneration := []ordering.Term{ordering.Desc("generation"), ordering.Desc("id")}
		count, records, err := pageOf(ctx, c, pagination.Window{Limit: 1000}, byGeneration...)
		if err != nil {
			return err
		}
		r, err := schema.ParseRecord(records[0])
		if err != nil {
			return err
		}
		var generation int
		text, _ := r.Get("generation")
		if err := json.Unmarshal([]byte(text), &generation); err != nil {
			return err
		}
		if generation < seen || count != 20+generation%7 || len(records) != count {
			return fmt.Errorf("generation %d after %d, with %d records and a count of %d", generation, seen, len(records), count)
		}
		for i, record := range records {
			if want := fmt.Sprintf(`{"id":%d,"generation":%d}`, count-i, generation); string(record) != want {
				return fmt.Errorf("record %d is %s, want %s", i, record, want)
			}
		}
		seen = generation
		if ended {
			if seen != last {
				return fmt.Errorf("last generation = %d, want %d", seen, last)
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

// TestSaveWriteError checks that an error of the writer does not look like one of the
// database.
func TestSaveWriteError(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	load(t, store, `{"books":[{"id":1,"name":`+quoted(strings.Repeat("n", 10_000))+`}]}`)
	for _, failure := range []error{io.ErrUnexpectedEOF, context.DeadlineExceeded, errors.New("write error")} {
		err := store.Save(t.Context(), writerFunc(func([]byte) (int, error) { return 0, failure }))
		if !errors.Is(err, failure) || errors.Is(err, httpapi.ErrUnavailable) {
			t.Errorf("Save = %v, want %v", err, failure)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestInsertInvalidRecord also checks that nothing is stored.
func TestInsertInvalidRecord(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	load(t, store, `{"books":[{"id":5,"name":"Old"}]}`)
	before, revisionsBefore := all(t, store), revisions(t, store)
	for _, row := range []struct {
		reason, key, record string
		want                error
	}{
		{"no record", "books", ``, catalogue.ErrInvalidData},
		{"white space", "books", ` `, catalogue.ErrInvalidData},
		{"two records", "books", `{"id":6},{"id":7}`, catalogue.ErrInvalidData},
		{"record and end of an array", "books", `{"id":6}],[{"id":7}`, catalogue.ErrInvalidData},
		{"two members of one field", "books", `{"id":6,"new":1,"New":2}`, catalogue.ErrInvalidData},
		{"array", "books", `[{"id":6}]`, catalogue.ErrInvalidData},
		{"null", "books", `null`, catalogue.ErrInvalidData},
		{"id in use", "books", `{"id":5,"new":1}`, httpapi.ErrConflict},
		{"unknown collection", "item_variants", `{"id":6}`, catalogue.ErrUnknownCollection},
		{"U+0000 in described text", "events", fmt.Sprintf(event, 6, `"\u0000"`), schema.ErrInvalid},
		{"U+0000 in the name of a member", "books", `{"id":6,"new\u0000":1}`, schema.ErrInvalid},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if err := store.Insert(t.Context(), row.key, []byte(row.record)); !errors.Is(err, row.want) {
				t.Errorf("Insert = %v, want %v", err, row.want)
			} else if row.want != catalogue.ErrUnknownCollection && !namedOnce(err, row.key) {
				t.Errorf("Insert = %q, want an error that begins with the key and has it once", err)
			}
			if diff := cmp.Diff(before, all(t, store)); diff != "" {
				t.Errorf("records: -before +after\n%s", diff)
			}
			if diff := cmp.Diff(revisionsBefore, revisions(t, store)); diff != "" {
				t.Errorf("revisions: -before +after\n%s", diff)
			}
			if diff := cmp.Diff([]string{"id", "name"}, knownOf(t, store, "books", "id", "name", "new")); diff != "" {
				t.Errorf("fields: -before +after\n%s", diff)
			}
		})
	}
}

// TestInsertAssignsID checks that a record without an id gets the one after the highest ever used.
func TestInsertAssignsID(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	load(t, store, `{"books":[{"id":5}]}`)
	load(t, store, `{"books":[]}`)
	for _, record := range []string{`{"a":1}`, `{"id":9}`, `{"a":2}`} {
		if err := store.Insert(t.Context(), "books", []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	_, records, err := pageOf(t.Context(), collectionOf(store, "books"), pagination.Window{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":6,"a":1} {"id":9} {"id":10,"a":2}`
	if diff := cmp.Diff(want, string(bytes.Join(records, []byte(" ")))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// namedOnce reports whether an error begins with a key and contains it only once.
func namedOnce(err error, key string) bool {
	return strings.HasPrefix(err.Error(), key+": ") && strings.Count(err.Error(), key+": ") == 1
}

// TestListErrors checks that errors of List name the collection once.
func TestListErrors(t *testing.T) {
	dsn := newDSN(t)
	store := openUnchecked(t, pgstore.Options{DSN: dsn})
	events := collectionOf(store, "events")
	exec(t, connect(t, dsn), "UPDATE collections SET count = 1 WHERE key = 'events'")
	_, _, err := pageOf(t.Context(), events, pagination.Window{Limit: 1}, ordering.Asc("id"))
	if !errors.Is(err, pgstore.ErrCount) || !namedOnce(err, "events") {
		t.Errorf("List with a wrong count = %v", err)
	}
	exec(t, connect(t, dsn), "DROP TABLE events")
	_, _, err = pageOf(t.Context(), events, pagination.Window{Limit: 1}, ordering.Asc("id"))
	if err == nil || !namedOnce(err, "events") {
		t.Errorf("List of a dropped table = %v", err)
	}
}

// TestCreateNextIDInUse uses the next id with SQL. The error is not a conflict, because
// the client cannot resolve it.
func TestCreateNextIDInUse(t *testing.T) {
	dsn := newDSN(t)
	store, db := openUnchecked(t, pgstore.Options{DSN: dsn}), connect(t, dsn)
	load(t, store, `{"authors":[{"id":1}]}`)
	exec(t, db, `INSERT INTO social_links (id, record, title, url, type, author) VALUES (1, '{}', '', '', '', 1)`)
	links := collectionOf(store, "social-links")
	const body = `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`
	_, err := links.Create(t.Context(), []byte(body), schema.Record{})
	if !errors.Is(err, pgstore.ErrCount) || errors.Is(err, httpapi.ErrConflict) || !namedOnce(err, "social-links") {
		t.Errorf("Create = %v, want %v", err, pgstore.ErrCount)
	}
	exec(t, db, `UPDATE collections SET count = 1, last_id = 1 WHERE key = 'social-links'`)
	if _, err := links.Create(t.Context(), []byte(body), schema.Record{}); err != nil {
		t.Errorf("Create after correcting the count = %v", err)
	}
}

func TestCreateReadOnly(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	_, err := collectionOf(store, "books").Create(t.Context(), []byte(`{}`), schema.Record{})
	if !errors.Is(err, catalogue.ErrReadOnly) {
		t.Errorf("Create = %v, want %v", err, catalogue.ErrReadOnly)
	}
}
