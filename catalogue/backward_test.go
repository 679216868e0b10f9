package catalogue_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A backTable is a collection of the model: records in a slice, which refer to each other by their indexes.
type backTable struct {
	key     string
	keyed   bool // by code, otherwise by id
	refs    []*backRef
	to      []*backRef // that lead here
	paths   []backPath // for filters and orders
	search  []backPath
	records []backRecord
}

// A backRef is a reference, or a list of them.
type backRef struct {
	name, related string
	from, to      *backTable
	by            string
	list          bool
}

type backRecord struct {
	id   int
	code string
	name *string
	n    *int
	refs map[*backRef][]int // -1 is a record that does not exist
}

// A backStep is one relation of a path.
type backStep struct {
	ref  *backRef
	back bool
}

func (s backStep) name() string {
	if s.back {
		return s.ref.related
	}
	return s.ref.name
}

func (s backStep) target() *backTable {
	if s.back {
		return s.ref.from
	}
	return s.ref.to
}

// A backPath leads to a field: name, n, or the identity.
type backPath struct {
	steps []backStep
	leaf  string
}

func (p backPath) String() (s string) {
	for _, step := range p.steps {
		s += step.name() + "__"
	}
	return s + p.leaf
}

// A backTest is a test of the model.
type backTest struct {
	path   backPath
	lookup string
	values []string
	all    bool
}

func (t backTest) test() schema.Test {
	return schema.Test{Field: t.path.String(), Lookup: t.lookup, Values: t.values, All: t.all}
}

// A backView is which records a request sees. Nil sees all.
type backView map[*backTable][]bool

func (v backView) sees(t *backTable, i int) bool { return v[t] == nil || v[t][i] }

// targets returns the records to which one leads, of those that are seen.
func (v backView) targets(i int, s backStep) (found []int) {
	if !s.back {
		for _, j := range s.ref.from.records[i].refs[s.ref] {
			if j >= 0 && v.sees(s.ref.to, j) {
				found = append(found, j)
			}
		}
		return found
	}
	for j, r := range s.ref.from.records {
		if slices.Contains(r.refs[s.ref], i) && v.sees(s.ref.from, j) {
			found = append(found, j)
		}
	}
	return found
}

// A backValue is a text or a number; nil is null.
type backValue any

func (t *backTable) value(i int, leaf string) backValue {
	switch r := t.records[i]; {
	case leaf == "id":
		return r.id
	case leaf == "code":
		return r.code
	case leaf == "name" && r.name != nil:
		return *r.name
	case leaf == "n" && r.n != nil:
		return *r.n
	}
	return nil
}

// values returns the values at the end of a path. What leads to no record is null.
func (v backView) values(t *backTable, i int, p backPath) (all []backValue) {
	if len(p.steps) == 0 {
		return []backValue{t.value(i, p.leaf)}
	}
	found := v.targets(i, p.steps[0])
	if len(found) == 0 {
		return []backValue{nil}
	}
	for _, j := range found {
		all = append(all, v.values(p.steps[0].target(), j, backPath{p.steps[1:], p.leaf})...)
	}
	return all
}

func (t backTest) holds(v backValue) bool {
	number := func(i int) int {
		n, _ := strconv.Atoi(t.values[i])
		return n
	}
	switch {
	case t.lookup == "isnull":
		return (v == nil) == (t.values[0] == "true")
	case v == nil:
		return false
	case t.lookup == "gte":
		return v.(int) >= number(0)
	case t.lookup == "range":
		return v.(int) >= number(0) && v.(int) <= number(1)
	case t.lookup == "icontains":
		return strings.Contains(strings.ToUpper(v.(string)), strings.ToUpper(t.values[0]))
	}
	return slices.Contains(t.values, fmt.Sprint(v)) // exact has one
}

func (v backView) passes(t *backTable, i int, tests []backTest) bool {
	for _, test := range tests {
		view := v
		if test.all {
			view = nil
		}
		if !slices.ContainsFunc(view.values(t, i, test.path), test.holds) {
			return false
		}
	}
	return true
}

// rows returns the words that each row of a join has, which takes one record by each step of the
// search, or none if there is none.
func (v backView) rows(t *backTable, i int, search []backPath, words []string) map[uint]bool {
	own, next := uint(0), map[backStep][]backPath{}
	for _, p := range search {
		if len(p.steps) > 0 {
			next[p.steps[0]] = append(next[p.steps[0]], backPath{p.steps[1:], p.leaf})
			continue
		}
		for w, word := range words {
			if text, _ := t.value(i, p.leaf).(string); strings.Contains(strings.ToUpper(text), strings.ToUpper(word)) {
				own |= 1 << w
			}
		}
	}
	all := map[uint]bool{own: true}
	for step, rest := range next {
		found := v.targets(i, step)
		if len(found) == 0 {
			continue
		}
		joined := map[uint]bool{}
		for _, j := range found {
			for w := range v.rows(step.target(), j, rest, words) {
				for before := range all {
					joined[before|w] = true
				}
			}
		}
		all = joined
	}
	return all
}

// compareBack compares values. Null is the largest.
func compareBack(a, b backValue) int {
	switch x := a.(type) {
	case int:
		if y, ok := b.(int); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(btoi(a == nil), btoi(b == nil))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A backWorld is some collections that refer to each other.
type backWorld struct {
	*rand.Rand
	tables []*backTable
	cat    *catalogue.Catalogue
	shows  bool
}

func (w *backWorld) one(n int) bool { return w.IntN(n) == 0 }

func oneOf[T any](w *backWorld, list []T) T { return list[w.IntN(len(list))] }

// path returns a path of at most a number of steps with one of some leaves; identity is the table's.
func (w *backWorld) path(t *backTable, most int, leaves ...string) (p backPath) {
	for range w.IntN(most + 1) {
		var steps []backStep
		for _, r := range t.refs {
			steps = append(steps, backStep{r, false})
		}
		for _, r := range t.to {
			if r.related != "" {
				steps = append(steps, backStep{r, true})
			}
		}
		if len(steps) == 0 {
			break
		}
		p.steps = append(p.steps, oneOf(w, steps))
		t = p.steps[len(p.steps)-1].target()
	}
	if p.leaf = oneOf(w, leaves); p.leaf == "identity" {
		p.leaf = t.identity()
	}
	return p
}

func (t *backTable) identity() string {
	if t.keyed {
		return "code"
	}
	return "id"
}

// newBackWorld returns collections with random relations, and a catalogue of them without records.
func newBackWorld(t *testing.T, r *rand.Rand) *backWorld {
	w := &backWorld{Rand: r, shows: r.IntN(8) == 0}
	for i := range 2 + r.IntN(2) {
		w.tables = append(w.tables, &backTable{key: string(rune('a' + i)), keyed: w.one(4)})
	}
	for i := range 2 + r.IntN(4) {
		ref := &backRef{name: fmt.Sprintf("r%c", 'a'+i), from: oneOf(w, w.tables), to: oneOf(w, w.tables), list: w.one(3)}
		if !w.one(5) {
			ref.related = fmt.Sprintf("b%c", 'a'+i)
		}
		if ref.to.keyed || w.one(3) {
			ref.by = "code"
		}
		ref.from.refs, ref.to.to = append(ref.from.refs, ref), append(ref.to.to, ref)
	}
	var definitions []catalogue.AnyDefinition
	for _, table := range w.tables {
		d := schema.Description{Fields: []schema.Field{
			{Name: "code", Kind: schema.Text, Unique: true, Required: true, Key: table.keyed},
			{Name: "name", Kind: schema.Text, Nullable: true, Default: "null"},
			{Name: "n", Kind: schema.Integer, Nullable: true, Default: "null"},
		}, Sortable: []string{"code"}, Filters: []string{"code__gt"}, Actions: schema.AllActions}
		if table.keyed {
			d.Lookup = "code"
		} else {
			d.Fields = append(d.Fields, schema.Field{Name: "id", Kind: schema.Integer, ReadOnly: true})
		}
		for _, ref := range table.refs {
			f := schema.Field{Name: ref.name, Kind: schema.Reference, Nullable: true, Default: "null", Refers: ref.to.key, By: ref.by, Related: ref.related}
			if ref.list {
				f.Kind, f.Nullable, f.Default = schema.References, false, "[]"
			}
			d.Fields = append(d.Fields, f)
		}
		for range 8 {
			p := w.path(table, 5, "name", "n", "identity")
			table.paths = append(table.paths, p)
			if name := p.String(); !slices.Contains(d.Sortable, name) {
				d.Sortable, d.Filters = append(d.Sortable, name), append(d.Filters, name+"__in")
			}
		}
		for range 1 + r.IntN(3) {
			p := w.path(table, 2, "name", "code")
			table.search, d.Search = append(table.search, p), append(d.Search, p.String())
		}
		definition := catalogue.Define[schema.Record](table.key, catalogue.Options{Description: &d})
		if w.shows {
			definition = catalogue.Show(definition, w.shown(table), w.keys()...)
		}
		definitions = append(definitions, definition)
	}
	w.cat = mustCatalogue(t, definitions...)
	return w
}

// A backShown is a record that shows what refers to it: the codes, by the names of references.
type backShown struct {
	Code string              `json:"code"`
	Back map[string][]string `json:"back"`
}

// keys returns definitions that have nothing but the keys of the collections, and their type.
func (w *backWorld) keys() (all []catalogue.AnyDefinition) {
	for _, t := range w.tables {
		all = append(all, catalogue.Define[schema.Record](t.key, catalogue.Options{}))
	}
	return all
}

// shown returns the function that shows the records of a collection. It finds what refers to one by Where,
// except through lists.
func (w *backWorld) shown(t *backTable) func(at *catalogue.Catalogue, r *schema.Record) (backShown, error) {
	return func(at *catalogue.Catalogue, r *schema.Record) (s backShown, err error) {
		text, _ := r.Get("code")
		err = json.Unmarshal([]byte(text), &s.Code)
		s.Back = map[string][]string{}
		for _, ref := range t.to {
			if ref.list {
				continue
			}
			from, err2 := catalogue.Define[schema.Record](ref.from.key, catalogue.Options{}).In(at)
			if err2 != nil {
				return s, err2
			}
			is := ordering.Equal(ref.name, r.ID)
			if ref.by != "" {
				is = ordering.Equal(ref.name, s.Code)
			}
			others, err2 := from.Where(is).All(ordering.Asc("code"))
			if err2 != nil {
				return s, err2
			}
			for other := range others {
				var code string
				text, _ := other.Get("code")
				err = cmp.Or(err, json.Unmarshal([]byte(text), &code))
				s.Back[ref.name] = append(s.Back[ref.name], code)
			}
		}
		return s, err
	}
}

var backNames = []string{"red", "Red Sea", "sea", "blue sky", "sky", "x"}

// fill gives all collections random records.
func (w *backWorld) fill(t *testing.T) {
	large := w.IntN(4) // at most one is so large that few records of it are found alone
	for i, table := range w.tables {
		n, step := w.IntN(9), 1
		if i == large {
			n = 40 + w.IntN(20)
		}
		if w.one(3) {
			step = 1_000_000_007
		}
		table.records = make([]backRecord, n)
		for j := range table.records {
			r := &table.records[j]
			r.id, r.code, r.refs = 1+j*step, fmt.Sprintf("%c%02d", 'z'-byte(i), (j*37+11)%100), map[*backRef][]int{}
			if !w.one(5) {
				name := oneOf(w, backNames)
				r.name = &name
			}
			if !w.one(5) {
				n := w.IntN(4)
				r.n = &n
			}
		}
	}
	for _, table := range w.tables {
		var list strings.Builder
		for j := range table.records {
			r := &table.records[j]
			name, _ := json.Marshal(r.name)
			number, _ := json.Marshal(r.n)
			fmt.Fprintf(&list, `,{"code":%q,"name":%s,"n":%s`, r.code, name, number)
			if !table.keyed {
				fmt.Fprintf(&list, `,"id":%d`, r.id)
			}
			for _, ref := range table.refs {
				fmt.Fprintf(&list, `,%q:%s`, ref.name, w.refer(r, ref))
			}
			list.WriteByte('}')
		}
		text := list.String()
		must(t, collectionOf(t, w.cat, table.key).Load(strings.NewReader("["+text[min(1, len(text)):]+"]"), catalogue.LoadOptions{}))
	}
}

// refer makes a record refer to others. It returns the JSON.
func (w *backWorld) refer(r *backRecord, ref *backRef) string {
	n := 1
	if ref.list {
		n = w.IntN(3)
	} else if w.one(4) {
		return "null"
	}
	var items []string
	for range n {
		j, item := -1, `"gone"`
		if len(ref.to.records) > 0 && !w.one(12) {
			j = w.IntN(len(ref.to.records))
			item = strconv.Quote(ref.to.records[j].code)
		}
		if ref.by == "" {
			item = "999"
			if j >= 0 {
				item = strconv.Itoa(ref.to.records[j].id)
			}
		}
		r.refs[ref], items = append(r.refs[ref], j), append(items, item)
	}
	if !ref.list {
		return items[0]
	}
	return "[" + strings.Join(items, ",") + "]"
}

// test returns a random test of a path.
func (w *backWorld) test(p backPath) (t backTest) {
	t = backTest{path: p, lookup: "isnull", values: []string{oneOf(w, []string{"true", "false"})}, all: w.one(8)}
	if w.one(4) {
		return t
	}
	number := func() string { return strconv.Itoa(w.IntN(4)) }
	switch p.leaf {
	case "name":
		t.lookup = oneOf(w, []string{"exact", "icontains", "in"})
		t.values = []string{oneOf(w, []string{"red", "sea", "Red Sea", "x", "sky"})}
	case "code":
		t.lookup, t.values = oneOf(w, []string{"exact", "icontains"}), []string{fmt.Sprintf("%c%02d", 'z'-byte(w.IntN(3)), w.IntN(100))}
		if t.lookup == "icontains" {
			t.values[0] = t.values[0][1:2]
		}
	case "id":
		t.lookup, t.values = oneOf(w, []string{"exact", "gte"}), []string{strconv.Itoa(1 + w.IntN(60))}
	case "n":
		t.lookup, t.values = oneOf(w, []string{"exact", "gte", "range"}), []string{number()}
		if t.lookup == "range" {
			t.values = append(t.values, number())
		}
	}
	if t.lookup == "in" {
		t.values = append(t.values, oneOf(w, backNames))
	}
	return t
}

// A backQuery is a query of the model.
type backQuery struct {
	tests []backTest
	words []string
	terms []ordering.Term
	paths []backPath // of terms
	view  backView
	rows  map[string][]schema.Test
}

func (w *backWorld) query(t *backTable) (q backQuery) {
	for range w.IntN(3) {
		q.tests = append(q.tests, w.test(oneOf(w, t.paths)))
	}
	if w.one(3) {
		q.words = []string{"red", "sea", "sky", "1"}[w.IntN(3):]
	}
	for range w.IntN(3) {
		p := oneOf(w, t.paths)
		q.paths, q.terms = append(q.paths, p), append(q.terms, ordering.Term{Field: p.String(), Desc: w.one(2)})
	}
	q.paths, q.terms = append(q.paths, backPath{nil, "code"}), append(q.terms, ordering.Asc("code"))
	if w.one(2) {
		return q
	}
	q.view, q.rows = backView{}, map[string][]schema.Test{}
	for _, other := range w.tables {
		if w.one(2) {
			continue
		}
		test := w.test(w.path(other, 1, "name", "n"))
		seen := make([]bool, len(other.records))
		for i := range seen {
			seen[i] = backView(nil).passes(other, i, []backTest{test})
		}
		q.view[other], q.rows[other.key] = seen, []schema.Test{test.test()}
	}
	return q
}

func (q backQuery) filter(t *backTable) (f schema.Filter) {
	f.Rows = q.rows
	for _, test := range q.tests {
		f.Tests = append(f.Tests, test.test())
	}
	for _, word := range q.words {
		var tests []schema.Test
		for _, p := range t.search {
			tests = append(tests, schema.Test{Field: p.String(), Lookup: "icontains", Values: []string{word}})
		}
		f.Search = append(f.Search, tests)
	}
	return f
}

func (q backQuery) selects(t *backTable, i int) bool {
	return q.view.passes(t, i, q.tests) && (len(q.words) == 0 || q.view.rows(t, i, t.search, q.words)[1<<len(q.words)-1])
}

// find returns the codes of the records that the query selects, in its order.
func (q backQuery) find(t *backTable) (codes []string) {
	var found []int
	for i := range t.records {
		if q.selects(t, i) {
			found = append(found, i)
		}
	}
	keys := map[int][]backValue{} // the least value of each path, or the greatest
	for _, i := range found {
		for j, term := range q.terms {
			least := slices.MinFunc[[]backValue]
			if term.Desc {
				least = slices.MaxFunc[[]backValue]
			}
			keys[i] = append(keys[i], least(q.view.values(t, i, q.paths[j]), compareBack))
		}
	}
	slices.SortFunc(found, func(a, b int) int {
		for j, term := range q.terms {
			repeated := slices.ContainsFunc(q.terms[:j], func(t ordering.Term) bool { return t.Field == term.Field }) // has no effect
			if c := compareBack(keys[a][j], keys[b][j]); c != 0 && !repeated {
				return c * (1 - 2*btoi(term.Desc))
			}
		}
		return 0
	})
	for _, i := range found {
		codes = append(codes, t.records[i].code)
	}
	return codes
}

// back returns what refers to a record, as it is shown.
func (t *backTable) back(i int) map[string][]string {
	all := map[string][]string{}
	for _, ref := range t.to {
		for _, r := range ref.from.records {
			if !ref.list && slices.Contains(r.refs[ref], i) {
				all[ref.name] = append(all[ref.name], r.code)
			}
		}
		if slices.Sort(all[ref.name]); all[ref.name] == nil {
			delete(all, ref.name)
		}
	}
	return all
}

// compare compares what a query finds in the catalogue and in the model.
func (w *backWorld) compare(t *testing.T, table *backTable, q backQuery) {
	c := collectionOf(t, w.cat, table.key)
	list := mustHave(c.List(t.Context(), catalogue.Query{Filter: q.filter(table), Terms: q.terms}))
	var got []string
	for _, record := range list.Records {
		var shown backShown
		must(t, json.Unmarshal(record, &shown))
		got = append(got, shown.Code)
		if !w.shows {
			continue
		}
		i := slices.IndexFunc(table.records, func(r backRecord) bool { return r.code == shown.Code })
		if diff := gocmp.Diff(table.back(i), shown.Back); diff != "" {
			t.Fatalf("%s %s shows (-want +got):\n%s", table.key, shown.Code, diff)
		}
	}
	want := q.find(table)
	if !slices.Equal(want, got) || list.Count != len(want) {
		t.Fatalf("%s: %+v by %v, rows %+v: got %v of %d, want %v", table.key, q.filter(table).Tests, q.terms, q.rows, got, list.Count, want)
	}
	if w.one(4) {
		groups := []backTest{w.test(oneOf(w, table.paths)), w.test(oneOf(w, table.paths))}
		counts := mustHave(c.Counts(t.Context(), q.filter(table), [][]schema.Test{{groups[0].test()}, {groups[1].test()}}))
		for g, test := range groups {
			n := 0
			for i := range table.records {
				n += btoi(q.selects(table, i) && q.view.passes(table, i, []backTest{test}))
			}
			if n != counts[g] {
				t.Fatalf("%s: %+v counted by %+v: got %d, want %d", table.key, q.filter(table).Tests, test, counts[g], n)
			}
		}
	}
	if len(table.records) == 0 {
		return
	}
	i := w.IntN(len(table.records))
	segment := strconv.Itoa(table.records[i].id)
	if table.keyed {
		segment = table.records[i].code
	}
	_, err := c.Get(t.Context(), segment, q.filter(table))
	if selects := q.selects(table, i); selects != (err == nil) || err != nil && !errors.Is(err, catalogue.ErrNotFound) {
		t.Fatalf("%s: %+v, rows %+v: Get of %s returns %v, want it found: %v", table.key, q.filter(table).Tests, q.rows, segment, err, selects)
	}
}

// TestBackwardModel compares random queries along relations in both directions, also as users with rows of
// their own, with loops over slices. BACKLIST_MODEL_STEPS is the number of queries, and BACKLIST_MODEL_SEED
// repeats a run.
func TestBackwardModel(t *testing.T) {
	n := scaled(100_000)
	if raceEnabled { // there is only one goroutine
		n /= 8
	}
	steps, seed := int(variable(t, "BACKLIST_MODEL_STEPS", uint64(n))), modelSeed(t)
	for part := range 2 {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(part)))
			for n := 0; n < steps/2; {
				w := newBackWorld(t, r)
				for range 5 {
					w.fill(t)
					for range 20 {
						table := oneOf(w, w.tables)
						w.compare(t, table, w.query(table))
						n++
					}
				}
			}
		})
	}
}
