package pgstore_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// A nested record refers to others in all ways.
type nested struct {
	Code    string  `json:"code" backlist:"key"`
	Page    int     `json:"page" backlist:"min=1"`
	Friend  *string `json:"friend" backlist:"refers=nested"`
	Best    string  `json:"best" backlist:"refers=named.name"`
	Authors []int   `json:"authors" backlist:"refers=named"`
}

type named struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

func loadDefinitions() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[nested]("nested", catalogue.Options{}),
		catalogue.Define[named]("named", catalogue.Options{Unique: [][]string{{"id", "name"}}}),
		catalogue.Define[schema.Record]("notes", catalogue.Options{}),
	}
}

// many returns records from one id to another, a line each.
func many(from, to int) string {
	var b strings.Builder
	for id := from; id <= to; id++ {
		fmt.Fprintf(&b, "{\"id\":%d,\"name\":\"n%d\"},\n", id, id)
	}
	return b.String()
}

// TestLoadErrors compares errors with those of a load into memory. A file is one in which something
// is wrong, or nothing. Nothing changes after an error.
func TestLoadErrors(t *testing.T) {
	store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: loadDefinitions(), Timeout: time.Minute})
	const good = `{"named":[{"id":1,"name":"Kira"}],"nested":[{"code":"a","page":1,"best":"Kira"}],"notes":[{"id":7}]}`
	load(t, store, good)
	before := all(t, store)
	far := many(1, 1_500) // more than a batch
	for _, row := range []struct {
		reason, file string
		opts         catalogue.LoadOptions
	}{
		{"empty", "", catalogue.LoadOptions{}},
		{"only a mark", "\ufeff", catalogue.LoadOptions{}},
		{"no JSON", " nothing", catalogue.LoadOptions{}},
		{"a list", "[]", catalogue.LoadOptions{}},
		{"an object that does not begin", "\n ]", catalogue.LoadOptions{}},
		{"a name without quotes", `{named:[]}`, catalogue.LoadOptions{}},
		{"a number as a name", "{\n 1:[]}", catalogue.LoadOptions{}},
		{"no colon", `{"named" []}`, catalogue.LoadOptions{}},
		{"a comma at the end of the object", `{"named":[],}`, catalogue.LoadOptions{}},
		{"a comma at the end of a list", `{"named":[{"id":1},]}`, catalogue.LoadOptions{}},
		{"no comma in a list", "{\"named\":[{\"id\":1}\n {\"id\":2}]}", catalogue.LoadOptions{}},
		{"no comma in the object", `{"named":[] "nested":[]}`, catalogue.LoadOptions{}},
		{"another bracket", `{"named":[{"id":1}}}`, catalogue.LoadOptions{}},
		{"another bracket in a record", `{"named":[{"id":[1}]}`, catalogue.LoadOptions{}},
		{"cut after a record", `{"named":[{"id":1}`, catalogue.LoadOptions{}},
		{"cut in a record", `{"named":[{"id":1,"name":"é`, catalogue.LoadOptions{}},
		{"cut after a list", `{"named":[{"id":1}]`, catalogue.LoadOptions{}},
		{"text after the object", good + "\n\n é {}", catalogue.LoadOptions{}},
		{"a syntax error far away", "{\"named\":[\n" + far + `{"id":2000,"name":"é" "x"}]}`, catalogue.LoadOptions{}},
		{"a control character", "{\"named\":[{\"id\":1,\"name\":\"a\nb\"}]}", catalogue.LoadOptions{}},
		{"no UTF-8", "{\"notes\":[{\"id\":1,\"name\":\"\xff\"}]}", catalogue.LoadOptions{}},
		{"no UTF-8 in a key", "{\"no\xfftes\":[{\"id\":1}]}", catalogue.LoadOptions{}},
		{"half a surrogate pair", `{"notes":[{"id":1,"a":"\ud800"}]}`, catalogue.LoadOptions{}},
		{"deep", `{"notes":[` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `]}`, catalogue.LoadOptions{}},
		{"an unknown key", `{"named":[],"name":[{"id":1}]}`, catalogue.LoadOptions{}},
		{"an unknown key that is skipped", `{"named":[],"name":[{"id":1}],"other":{"a":[1]}}`, catalogue.LoadOptions{SkipUnknown: true}},
		{"an unknown key of unusual letters", "{\"\\u0001\x7f\\\"é\":[]}", catalogue.LoadOptions{}},
		{"a key twice", `{"named":[],"named":[]}`, catalogue.LoadOptions{}},
		{"a skipped key twice", `{"name":[],"name":[]}`, catalogue.LoadOptions{SkipUnknown: true}},
		{"an object of records", `{"named":{"id":1}}`, catalogue.LoadOptions{}},
		{"null", `{"named":null}`, catalogue.LoadOptions{}},
		{"numbers as records", "{\"named\":[\n1, 2]}", catalogue.LoadOptions{}},
		{"highest ids that are no list", `{"$lastIds":{"named":1}}`, catalogue.LoadOptions{}},
		{"a highest id of no collection", `{"$lastIds":[{"collection":"name","id":1}]}`, catalogue.LoadOptions{}},
		{"a highest id of no collection, skipped", `{"$lastIds":[{"collection":"name","id":1}],"named":[{"name":"a"}]}`, catalogue.LoadOptions{SkipUnknown: true}},
		{"a highest id of 0", `{"$lastIds":[{"collection":"named","id":0}]}`, catalogue.LoadOptions{}},
		{"an unknown member", "{\"named\":[{\"id\":1},\n{\"id\":2,\"names\":\"a\"}]}", catalogue.LoadOptions{}},
		{"an unknown member, skipped", `{"named":[{"id":1,"names":"a"}]}`, catalogue.LoadOptions{SkipUnknown: true}},
		{"a bad record", "\ufeff{\"named\":[\n\n{\"id\":1,\n\"name\":[]}]}", catalogue.LoadOptions{}},
		{"a bad record far away", "{\"nested\":[],\"named\":[\n" + far + "{\"id\":2000,\"name\":1}]}", catalogue.LoadOptions{}},
		{"an id twice", "{\"named\":[{\"id\":2,\"name\":\"a\"},\n{\"id\":1,\"name\":\"b\"},\n{\"id\":2,\"name\":\"c\"}]}", catalogue.LoadOptions{}},
		{"a key twice, as the identity", `{"nested":[{"code":"a"},{"code":"b"},{"code":"a"}]}`, catalogue.LoadOptions{}},
		{"a unique value twice", `{"named":[{"id":2,"name":"a"},{"id":1,"name":"a"}]}`, catalogue.LoadOptions{}},
		{"no key", `{"nested":[{"page":1}]}`, catalogue.LoadOptions{}},
		{"not valid", `{"nested":[{"code":"a","page":0,"best":"x"},{"code":"b","page":-1}]}`, catalogue.LoadOptions{Validate: true}},
		{"not valid, but not asked", `{"nested":[{"code":"a","page":0,"best":"x"}]}`, catalogue.LoadOptions{}},
		{"references", `{"nested":[{"code":"b","friend":"a","best":"Kira","authors":[1,2]},{"code":"a","friend":"c","best":"kira"}]}`,
			catalogue.LoadOptions{References: true}},
		{"references to later records", `{"nested":[{"code":"b","friend":"a","best":"Nora","authors":[2]},{"code":"a","best":"Kira"}],` +
			`"named":[{"id":1,"name":"Kira"},{"name":"Nora"}]}`, catalogue.LoadOptions{References: true}},
		{"references of records that are not loaded", `{"named":[]}`, catalogue.LoadOptions{References: true}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			memory, err := catalogue.New(loadDefinitions()...)
			if err != nil {
				t.Fatal(err)
			}
			if err := memory.Load(strings.NewReader(before), catalogue.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
			want := memory.Load(strings.NewReader(row.file), row.opts)
			got := store.Load(t.Context(), iotest.HalfReader(strings.NewReader(row.file)), pgstore.LoadOptions{LoadOptions: row.opts})
			if diff := diff.Diff(textOf(want), textOf(got)); diff != "" {
				t.Errorf("-memory +postgres\n%s", diff)
			}
			if diff := diff.Diff(saved(t, memory.Save), all(t, store)); diff != "" {
				t.Errorf("records: -memory +postgres\n%s", diff)
			}
			load(t, store, before)
		})
	}
}

// textOf returns the text of an error. The lines of references are not known, and they are in the
// order of the keys.
func textOf(err error) string {
	var list catalogue.Violations
	if !errors.As(err, &list) || !errors.Is(err, catalogue.ErrDangling) {
		return fmt.Sprint(err)
	}
	for i := range list {
		list[i].Line = 0
	}
	slices.SortStableFunc(list, func(a, b catalogue.RecordError) int { return cmp.Compare(a.Identity.Key, b.Identity.Key) })
	return list.Error()
}

// TestLoadTwice checks the errors of values that records of different batches have.
func TestLoadTwice(t *testing.T) {
	store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: loadDefinitions(), Timeout: time.Minute})
	file := func(last string) string { return "{\"named\":[\n" + many(1, 1_500) + last + "\n]}" }
	for _, row := range []struct {
		reason, last string
		want         catalogue.RecordError
		cause        error
	}{
		{"id", `{"id":7,"name":"new"}`, catalogue.RecordError{Collection: "named", Index: 1500, Line: 1502, Identity: schema.Identity{ID: 7}, Field: "id"}, catalogue.ErrExists},
		{"id in the same batch", `{"id":1499,"name":"new"}`, catalogue.RecordError{Collection: "named", Index: 1500, Line: 1502, Identity: schema.Identity{ID: 1499}, Field: "id"}, catalogue.ErrExists},
		{"unique value", `{"id":2000,"name":"n7"}`, catalogue.RecordError{Collection: "named", Index: 1500, Line: 1502, Identity: schema.Identity{ID: 2000}, Field: "name"}, catalogue.ErrDuplicate},
		{"unique value without an id", `{"name":"n7"}`, catalogue.RecordError{Collection: "named", Index: 1500, Line: 1502, Identity: schema.Identity{ID: 1501}, Field: "name"}, catalogue.ErrDuplicate},
	} {
		for _, opts := range []catalogue.LoadOptions{{}, {Validate: true}} {
			err := store.Load(t.Context(), strings.NewReader(file(row.last)), pgstore.LoadOptions{LoadOptions: opts})
			var one *catalogue.RecordError
			var list catalogue.Violations
			if errors.As(err, &list) && len(list) == 1 {
				one = &list[0]
			}
			if one == nil && !errors.As(err, &one) || !errors.Is(err, catalogue.ErrInvalidData) || !errors.Is(err, row.cause) || opts.Validate != (list != nil) {
				t.Errorf("%s: Load = %v, want %v", row.reason, err, row.cause)
				continue
			}
			row.want.Err = one.Err
			if diff := diff.Diff(fmt.Sprintf("%+v", row.want), fmt.Sprintf("%+v", *one)); diff != "" {
				t.Errorf("%s: -want +got\n%s", row.reason, diff)
			}
		}
	}
}

// TestLoadProgress also loads records without ids between others, in several batches.
func TestLoadProgress(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	var b strings.Builder
	for i := range 2_500 {
		fmt.Fprintf(&b, `{"a":%d},`, i)
	}
	file := `{"books":[` + b.String() + `{"id":9000}],"news":[{"id":3}]}`
	var got []string
	opts := pgstore.LoadOptions{Progress: func(stored, total int) { got = append(got, fmt.Sprint(stored, "/", total)) }}
	if err := store.Load(t.Context(), strings.NewReader(file), opts); err != nil {
		t.Fatal(err)
	}
	if diff := diff.Diff("1000/2502 2000/2502 2501/2502 2502/2502", strings.Join(got, " ")); diff != "" {
		t.Errorf("progress: -want +got\n%s", diff)
	}
	memory := mustNew()
	if err := memory.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if want, got := saved(t, memory.Save), all(t, store); want != got {
		t.Errorf("-memory +postgres\n%s", diff.Diff(want, got))
	}
}

// TestLoadMemory checks that what a load holds in memory does not depend on the number of records.
func TestLoadMemory(t *testing.T) {
	store := open(t, pgstore.Options{DSN: newDSN(t)})
	most := func(records int) (live uint64) {
		measure := func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			live = max(live, m.HeapAlloc)
		}
		r := &generated{records: records, measure: measure}
		opts := pgstore.LoadOptions{Progress: func(stored, total int) {
			if stored%10_000 == 0 {
				measure()
			}
		}}
		if err := store.Load(t.Context(), r, opts); err != nil {
			t.Fatal(err)
		}
		return live
	}
	most(10_000) // makes what stays
	few, many := most(10_000), most(100_000)
	t.Logf("%d and %d bytes", few, many)
	if many > few+2<<20 { // 100,000 records have 27 MB
		t.Errorf("%d bytes are live while 10,000 records are loaded, and %d with 100,000", few, many)
	}
	most(1) // since the check at the end runs a statement for each record
}

// generated reads a file of books, which it makes meanwhile.
type generated struct {
	records, made int
	measure       func()
	ahead         string
}

func (g *generated) Read(p []byte) (int, error) {
	for ; g.ahead == "" && g.made <= g.records; g.made++ {
		switch g.made {
		case 0:
			g.ahead = `{"books":[{"id":1000000}`
		case g.records:
			g.ahead = `]}`
		default:
			g.ahead = fmt.Sprintf(`,{"id":%d,"name":"%0250d"}`, g.made, g.made)
		}
		if g.made%10_000 == 0 {
			g.measure()
		}
	}
	n := copy(p, g.ahead)
	g.ahead = g.ahead[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
