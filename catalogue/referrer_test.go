package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A graph is the records of collections that refer to each other, by collection and id, in which
// brute force finds what a deletion or a new code changes.
type graph struct {
	fields  map[string][]schema.Field
	records map[string]map[int]map[string]any
}

// randomGraph returns some collections with references of all kinds, and records with some to no
// record and with cycles.
func randomGraph(r *rand.Rand) graph {
	g := graph{map[string][]schema.Field{}, map[string]map[int]map[string]any{}}
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		g.fields[key] = []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "code", Kind: schema.Text, Unique: true}}
		g.records[key] = map[int]map[string]any{}
		for i := range 1 + r.IntN(3) {
			f := schema.Field{Name: fmt.Sprintf("f%d", i), Kind: schema.Reference, Refers: keys[r.IntN(3)], Nullable: true, Default: "null"}
			f.By = []string{"", "code"}[r.IntN(2)]
			if r.IntN(4) == 0 {
				f.Kind, f.Nullable, f.Default = schema.References, false, "[]"
			} else if r.IntN(4) > 0 {
				f.OnDelete = []schema.OnDelete{schema.Cascade, schema.SetNull}[r.IntN(2)]
			}
			g.fields[key] = append(g.fields[key], f)
		}
	}
	for _, key := range keys {
		for id := 1; id <= 1+r.IntN(12); id++ {
			record := map[string]any{"id": float64(id), "code": fmt.Sprint(key, id)}
			for _, f := range g.fields[key][2:] {
				var to []any
				for range r.IntN(3) {
					n := 1 + r.IntN(13)
					to = append(to, map[bool]any{true: float64(n), false: fmt.Sprint(f.Refers, n)}[f.By == ""])
				}
				switch {
				case f.Kind == schema.References:
					record[f.Name] = append([]any{}, to...)
				case len(to) > 0:
					record[f.Name] = to[0]
				default:
					record[f.Name] = nil
				}
			}
			g.records[key][id] = record
		}
	}
	return g
}

// each calls f for each field of each record that refers to another one, or for the whole list.
func (g graph) each(f func(key string, id int, field schema.Field, record map[string]any)) {
	for key, records := range g.records {
		for id, record := range records {
			for _, field := range g.fields[key][2:] {
				f(key, id, field, record)
			}
		}
	}
}

// refers reports whether a value refers to a record of the collection of a field.
func (g graph) refers(f schema.Field, value any, to map[string]any) bool {
	return to != nil && value == map[bool]any{true: to["id"], false: to["code"]}[f.By == ""]
}

// A vertex is a record of a graph.
type vertex struct {
	key string
	id  int
}

// remove deletes a record and reports whether nothing protects what would be deleted. It adds to does
// what happens to the other records.
func (g graph) remove(key string, id int, does map[vertex][]schema.OnDelete) bool {
	gone := map[vertex]map[string]any{{key, id}: g.records[key][id]}
	for before := 0; before < len(gone); {
		before = len(gone)
		g.each(func(key string, id int, f schema.Field, record map[string]any) {
			for n, to := range gone {
				if f.OnDelete == schema.Cascade && n.key == f.Refers && g.refers(f, record[f.Name], to) {
					gone[vertex{key, id}] = record
				}
			}
		})
	}
	protected := false
	g.each(func(key string, id int, f schema.Field, record map[string]any) {
		for n, to := range gone {
			if f.Kind == schema.Reference && f.OnDelete == schema.Protect && n.key == f.Refers && g.refers(f, record[f.Name], to) && n != (vertex{key, id}) {
				protected = true
				does[vertex{key, id}] = []schema.OnDelete{schema.Protect}
			}
		}
	})
	for n := range gone {
		if n != (vertex{key, id}) {
			does[n] = append(does[n], schema.Cascade)
		}
		if !protected {
			delete(g.records[n.key], n.id)
		}
	}
	g.each(func(key string, id int, f schema.Field, record map[string]any) {
		for n, to := range gone {
			var left any
			switch list, isList := record[f.Name].([]any); {
			case n.key != f.Refers:
				continue
			case isList:
				rest := slices.DeleteFunc(slices.Clone(list), func(v any) bool { return g.refers(f, v, to) })
				if left = rest; len(rest) == len(list) {
					continue
				}
			case f.OnDelete != schema.SetNull || !g.refers(f, record[f.Name], to):
				continue
			}
			if at := (vertex{key, id}); gone[at] == nil && !slices.Contains(does[at], schema.SetNull) {
				does[at] = append(does[at], schema.SetNull)
			}
			if !protected {
				record[f.Name] = left
			}
		}
	})
	return !protected
}

// rename changes the code of a record.
func (g graph) rename(key string, id int, code string) {
	to := g.records[key][id]
	g.each(func(_ string, _ int, f schema.Field, record map[string]any) {
		if f.Refers != key || f.By == "" {
			return
		}
		list, isList := record[f.Name].([]any)
		for i, v := range list {
			if g.refers(f, v, to) {
				list[i] = code
			}
		}
		if !isList && g.refers(f, record[f.Name], to) {
			record[f.Name] = code
		}
	})
	to["code"] = code
}

// TestReferrersMatchModel deletes and renames random records of random collections by requests.
func TestReferrersMatchModel(t *testing.T) {
	refused, removed := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		g := randomGraph(r)
		var definitions []catalogue.AnyDefinition
		for key := range strings.SplitSeq("a b c", " ") {
			definitions = append(definitions, catalogue.Define[schema.Record](key, catalogue.Options{Description: &schema.Description{Fields: g.fields[key]}}))
		}
		cat := mustCatalogue(t, definitions...)
		load := map[string][]any{}
		for key, records := range g.records {
			for _, record := range records {
				load[key] = append(load[key], record)
			}
		}
		b := mustHave(json.Marshal(load))
		must(t, cat.Load(strings.NewReader(string(b)), catalogue.LoadOptions{}))
		for op := range 12 {
			key := []string{"a", "b", "c"}[r.IntN(3)]
			id := 1 + r.IntN(12)
			if g.records[key][id] == nil {
				continue
			}
			what := fmt.Sprintf("seed %d: record %d of %s", seed, id, key)
			c := collectionOf(t, cat, key)
			want, got := map[vertex][]schema.OnDelete{}, map[vertex][]schema.OnDelete{}
			must(t, c.Dependents(t.Context(), strconv.Itoa(id), func(key, segment string, does schema.OnDelete) {
				id := mustHave(strconv.Atoi(segment))
				got[vertex{key, id}] = append(got[vertex{key, id}], does)
				slices.Sort(got[vertex{key, id}])
			}))
			if r.IntN(3) == 0 {
				code := fmt.Sprint("new", op)
				g.rename(key, id, code)
				must(t, second(c.Update(t.Context(), strconv.Itoa(id), catalogue.Edit{Body: []byte(`{"code":"` + code + `"}`), Partial: true})))
				want = got // which are not of a deletion
			} else if g.remove(key, id, want) {
				removed++
				if err := c.Delete(t.Context(), strconv.Itoa(id), schema.Filter{}, nil); err != nil {
					t.Fatalf("%s: Delete: %v", what, err)
				}
			} else {
				refused++
				if err := c.Delete(t.Context(), strconv.Itoa(id), schema.Filter{}, nil); !errors.Is(err, catalogue.ErrReferenced) {
					t.Fatalf("%s: Delete: %v, want ErrReferenced", what, err)
				}
			}
			if !maps.EqualFunc(want, got, slices.Equal) {
				t.Fatalf("%s: Dependents: %v, want %v", what, got, want)
			}
			for key, want := range g.records {
				list := mustHave(collectionOf(t, cat, key).List(t.Context(), catalogue.Query{}))
				got := map[int]map[string]any{}
				for _, record := range list.Records {
					var members map[string]any
					must(t, json.Unmarshal(record, &members))
					got[int(members["id"].(float64))] = members
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s: records of %s (-want +got):\n%s", what, key, diff)
				}
			}
		}
		must(t, faultOf(cat))
	}
	if refused < 50 || removed < 50 {
		t.Errorf("%d deletions were refused and %d were not", refused, removed)
	}
}

// TestReferencesInside checks references inside objects, lists and maps: a request must have
// those of records that exist, deletions leave them as they are, and Check finds them then.
func TestReferencesInside(t *testing.T) {
	film := schema.Field{Name: "leadFilm", Kind: schema.Reference, Refers: "films", Nullable: true, Default: "null"}
	line := schema.Field{Kind: schema.Object, Required: true, Fields: []schema.Field{
		film, {Name: "films", Kind: schema.References, Refers: "films", Default: "[]"}, {Name: "note", Kind: schema.Text, Default: `"n"`},
	}}
	item := film
	item.Name = ""
	box := line
	box.Name = "box"
	cat := mustCatalogue(t,
		catalogue.Define[schema.Record]("films", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}}}}),
		catalogue.Define[schema.Record]("orders", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{
			{Name: "id", Kind: schema.Integer, ReadOnly: true}, box, {Name: "ofLines", Kind: schema.Array, Item: &line},
			{Name: "byName", Kind: schema.Map, Item: &item, Default: "{}"}, {Name: "deep", Kind: schema.Array, Item: &schema.Field{Kind: schema.Array, Item: &line}, Default: "[]"},
		}}}),
	)
	must(t, cat.Load(strings.NewReader(`{"films":[{"id":1},{"id":2}]}`), catalogue.LoadOptions{}))
	orders := collectionOf(t, cat, "orders")
	const body = `{"box":{"leadFilm":1,"films":[1,2]},"ofLines":[{"leadFilm":2},{"leadFilm":1}],"byName":{"a":1,"b":null},"deep":[[],[{"films":[1]}]]}`
	_, err := orders.Create(t.Context(), []byte(strings.Replace(body, `"a":1`, `"a":3`, 1)), schema.Record{})
	if invalid := (schema.FieldErrors{}); !errors.As(err, &invalid) || !strings.Contains(err.Error(), `Invalid pk "3"`) {
		t.Errorf("a reference to no record: %v", err)
	}
	created := mustHave(orders.Create(t.Context(), []byte(body), schema.Record{}))
	must(t, cat.Check())
	must(t, collectionOf(t, cat, "films").Delete(t.Context(), "1", schema.Filter{}, nil))
	if after, err := orders.Get(t.Context(), "1", schema.Filter{}); err != nil || string(after) != string(created) {
		t.Errorf("after the deletion: %s, %v, want %s", after, err, created)
	}
	var found catalogue.Violations
	if err := cat.Check(); !errors.As(err, &found) {
		t.Fatalf("Check: %v, want Violations", err)
	}
	var got []string
	for _, v := range found {
		got = append(got, fmt.Sprintf("%s %v %s: %v", v.Collection, v.Identity, v.Field, v.Err))
	}
	const dangling = ": reference to no record: 1 of films"
	want := []string{
		"orders 1 box__lead_film" + dangling, "orders 1 box__films" + dangling, "orders 1 of_lines__1__lead_film" + dangling,
		"orders 1 by_name__a" + dangling, "orders 1 deep__1__0__films" + dangling,
	}
	equal(t, "violations", want, got)
	type genre struct {
		Code string `json:"code" backlist:"key"`
	}
	genres := catalogue.DefineBare[genre]("genres", catalogue.Options{})
	for to, want := range map[string]string{
		"flims":  "field leadFilm refers to",
		"genres": "field leadFilm, inside another one, refers to ids, which records of genres do not have",
	} {
		line.Fields[0].Refers, line.Fields[1].Refers = to, to
		_, err = catalogue.New(genres, catalogue.Define[schema.Record]("orders", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{
			{Name: "ofLines", Kind: schema.Array, Item: &line},
		}}}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a reference to %s: %v, want %s", to, err, want)
		}
	}
}

// Check lists values that have become invalid, where Options.Validate is set.
func TestCheckValidates(t *testing.T) {
	for _, validates := range []bool{true, false} {
		closed := false
		about := schema.Description{Fields: []schema.Field{
			{Name: "name", Kind: schema.Text, Check: func(string) error {
				if closed {
					return errors.New("Closed.")
				}
				return nil
			}},
			{Name: "next", Kind: schema.Reference, Refers: "steps", Nullable: true},
		}}
		steps := catalogue.Define[schema.Record]("steps", catalogue.Options{Description: &about, Validate: validates})
		cat := mustCatalogue(t, steps)
		must(t, mustIn(steps, cat).Load(strings.NewReader(`[{"id":1,"name":"a","next":null},{"id":2,"name":"b","next":7}]`), catalogue.LoadOptions{}))
		closed = true
		var found catalogue.Violations
		if err := cat.Check(); !errors.As(err, &found) || errors.Is(err, catalogue.ErrInvalid) != validates {
			t.Errorf("Check: %v", err)
		}
		var got []string
		for _, v := range found {
			got = append(got, fmt.Sprintf("%v %s %t", v.Identity, v.Field, errors.Is(v.Err, catalogue.ErrDangling)))
		}
		want := []string{"1 name false", "2 name false", "2 next true"}
		if !validates {
			want = want[2:]
		}
		equal(t, fmt.Sprintf("validates %t", validates), want, got)
	}
}
