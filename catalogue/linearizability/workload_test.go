package linearizability_test

import (
	"math/rand/v2"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// A mix for a test has all kinds of operations, but more of those that the test is
// about.
var (
	everything = mix{insert: 3, upsert: 2, update: 4, remove: 3, get: 2, count: 1, page: 6, burst: 1, batch: 1,
		snapshot: 1, iterate: 1, reread: 1, clone: 1, selectPage: 1, selectCount: 1, selectFirst: 1, position: 1}

	forPages      = everything.with(map[kind]int{page: 14, get: 4, count: 3})
	forUpdates    = everything.with(map[kind]int{update: 16, upsert: 4, get: 4})
	forBatches    = everything.with(map[kind]int{batch: 8, page: 8, count: 3})
	forSnapshots  = everything.with(map[kind]int{snapshot: 6, iterate: 4, reread: 4, clone: 3})
	forHistory    = everything.with(map[kind]int{since: 10, batch: 4, snapshot: 3})
	forLoads      = everything.with(map[kind]int{load: 3, save: 3, page: 10, since: 3})
	forCatalogues = mix{insert: 3, upsert: 2, update: 5, remove: 2, page: 1, batch: 1, save: 6, clone: 4}
	forSelections = everything.with(map[kind]int{page: 2, selectPage: 8, selectCount: 3, selectFirst: 5, position: 5, batch: 3})
	forUnique     = everything.with(map[kind]int{insert: 8, upsert: 6, update: 8, batch: 5, page: 3})
	forHTTP       = everything.with(map[kind]int{page: 20, burst: 2})
)

// sorted is the default order of standalone collections.
var sorted = []term{{2, true}, {0, false}}

// structs, custom and openRecords return workloads with a standalone collection.
func structs(name string, m mix, size, history int) workload {
	return standalone(name, m, plainCodec(), size, collectionModel{defaultOrder: sorted, history: history})
}

func custom(name string, m mix, size, history int) workload {
	return standalone(name, m, customCodec(), size, collectionModel{defaultOrder: sorted, history: history})
}

func openRecords(name string, m mix, size, history int) workload {
	return standalone(name, m, openCodec(), size, collectionModel{defaultOrder: sorted, history: history, open: true})
}

// kindsOfRecords returns the workloads of most tests, which have different kinds of
// records.
func kindsOfRecords(m mix, history int) []workload {
	return []workload{
		structs("structs", m, 0, history),
		structs("many structs", m, 1000, history),
		custom("structs with MarshalJSON", m, 60, history),
		openRecords("open records", m, 0, history),
	}
}

// withUniqueFields returns workloads whose records have one or two unique fields of
// different types. The optional field may be null in many records.
func withUniqueFields(m mix) []workload {
	return []workload{
		standalone("structs", m, plainCodec(), 0, collectionModel{unique: []int{2}, defaultOrder: sorted}),
		standalone("many structs", m, plainCodec(), 300, collectionModel{unique: []int{optional}}),
		standalone("structs with MarshalJSON", m, customCodec(), 60, collectionModel{unique: []int{3, 4}, defaultOrder: sorted}),
		standalone("open records", m, openCodec(), 0, collectionModel{unique: []int{optional}, open: true}),
		catalogueWorkload("loads", m.with(map[kind]int{load: 3, save: 2}), plainCodec(), 60, collectionModel{unique: []int{1, 4}, history: 40}),
	}
}

// standalone returns a workload with a standalone collection, whose base has a size.
func standalone[T any](name string, m mix, k *codec[T], size int, t collectionModel) workload {
	t.base, t.texts = newBase(size, false, t.unique...), k.texts()
	return workload{name: name, mix: m, collections: []collectionModel{t}, newTarget: func() (target, error) {
		c, err := catalogue.NewCollection[T](catalogue.Options{Name: name, Ordering: k.terms(t.defaultOrder), History: t.history, Unique: k.fields(t.unique)})
		return standaloneTarget(&records[T]{codec: k, c: c, base: t.base}), err
	}}
}

// loadable returns workloads whose collections can be loaded and saved.
func loadable(m mix) []workload {
	return []workload{
		catalogueWorkload("structs", m, plainCodec(), 0, collectionModel{history: 40}),
		catalogueWorkload("many structs", m, plainCodec(), 300, collectionModel{history: 40}),
		catalogueWorkload("open records", m, openCodec(), 0, collectionModel{history: 40, open: true}),
	}
}

// catalogueWorkload returns a workload with one collection of a catalogue, whose base
// has a size.
func catalogueWorkload[T any](name string, m mix, k *codec[T], size int, t collectionModel) workload {
	t.base, t.texts = newBase(size, false, t.unique...), k.texts()
	return workload{name: name, mix: m, collections: []collectionModel{t}, newTarget: func() (target, error) {
		cat, books, err := booksIn(k, t)
		return catalogueTarget(emptyFor(k, t), cat, books), err
	}}
}

// emptyFor returns a function that returns an empty catalogue whose books have the
// record type of a codec.
func emptyFor[T any](k *codec[T], t collectionModel) func() (*catalogue.Catalogue, error) {
	return func() (*catalogue.Catalogue, error) {
		return resources.New(catalogue.Define[T]("books", catalogue.Options{History: t.history, Unique: k.fields(t.unique)}))
	}
}

// booksIn returns a new catalogue and its books.
func booksIn[T any](k *codec[T], t collectionModel) (*catalogue.Catalogue, *records[T], error) {
	cat, err := emptyFor(k, t)()
	if err != nil {
		return nil, nil, err
	}
	books, err := catalogue.Define[T]("books", catalogue.Options{}).In(cat)
	return cat, &records[T]{codec: k, c: books, cat: cat, key: "books", base: t.base}, err
}

func emptyCatalogue() (*catalogue.Catalogue, error) { return mustNew(), nil }

// eventModel returns the model of the events of a catalogue.
func eventModel(size int) collectionModel {
	return collectionModel{base: newBase(size, true), defaultOrder: []term{{field: 4}}}
}

// eventsIn returns the events of a catalogue.
func eventsIn(cat *catalogue.Catalogue, t collectionModel) *records[resources.Event] {
	return &records[resources.Event]{codec: eventCodec(), c: mustIn(resources.Events, cat), cat: cat, key: "events", base: t.base}
}

// twoCollections returns a workload with the authors and events of one catalogue.
func twoCollections(name string, size int) workload {
	authors, events := collectionModel{base: newBase(size, true), open: true}, eventModel(size)
	return workload{name: name, mix: forCatalogues, collections: []collectionModel{authors, events}, required: true, newTarget: func() (target, error) {
		cat := mustNew()
		c, err := resources.Records("authors").In(cat)
		if err != nil {
			return target{}, err
		}
		coll := &records[schema.Record]{codec: openCodec(), c: c, cat: cat, key: "authors", base: authors.base}
		return catalogueTarget(emptyCatalogue, cat, coll, eventsIn(cat, events)), nil
	}}
}

// newBase returns a base of n records.
func newBase(n int, required bool, unique ...int) *base {
	w := &workload{required: required, collections: []collectionModel{{base: new(base)}}}
	p := planner{workload: w, rng: rand.New(rand.NewPCG(1, uint64(n)))}
	b := &base{}
	for id := range n {
		r := p.row(0, id+1)
		for _, field := range unique {
			if r.F[field] != absent {
				r.F[field] = baseValue + id
			}
		}
		b.rows = append(b.rows, r)
	}
	return b
}
