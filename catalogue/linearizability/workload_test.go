package linearizability_test

import (
	"math/rand/v2"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// Mixes of operations. Each has all that a collection can do, and more of what
// the property is about.
var (
	everything = mix{insert: 3, upsert: 2, modify: 4, remove: 3, get: 2, count: 1, page: 6, burst: 1, update: 1,
		snapshot: 1, iterate: 1, reread: 1, clone: 1}

	forPages      = everything.with(map[kind]int{page: 14, get: 4, count: 3})
	forUpdates    = everything.with(map[kind]int{modify: 16, upsert: 4, get: 4})
	forBatches    = everything.with(map[kind]int{update: 8, page: 8, count: 3})
	forSnapshots  = everything.with(map[kind]int{snapshot: 6, iterate: 4, reread: 4, clone: 3})
	forHistory    = everything.with(map[kind]int{since: 10, update: 4, snapshot: 3})
	forLoads      = everything.with(map[kind]int{load: 3, save: 3, page: 10, since: 3})
	forCatalogues = mix{insert: 3, upsert: 2, modify: 5, remove: 2, page: 1, update: 1, save: 6, clone: 4}
	forAnswers    = everything.with(map[kind]int{page: 20, burst: 2})
)

// sorted is a default order of collections of a program's own.
var sorted = []term{{2, true}, {0, false}}

// structs, coded and open are collections of no catalogue.
func structs(name string, m mix, size, history int) workload {
	return standalone(name, m, plainCodec(), traits{base: newBase(size, false), standard: sorted, history: history})
}

func coded(name string, m mix, size, history int) workload {
	return standalone(name, m, gradedCodec(), traits{base: newBase(size, false), standard: sorted, history: history})
}

func open(name string, m mix, size, history int) workload {
	return standalone(name, m, openCodec(), traits{base: newBase(size, false), standard: sorted, history: history, open: true})
}

// kindsOfRecords are the four workloads that most properties are tested with.
func kindsOfRecords(m mix, history int) []workload {
	return []workload{
		structs("structs", m, 0, history),
		structs("many structs", m, 1000, history),
		coded("structs with MarshalJSON", m, 60, history),
		open("open records", m, 0, history),
	}
}

func standalone[T any](name string, m mix, k *codec[T], t traits) workload {
	return workload{name: name, mix: m, of: []traits{t}, open: func() (target, error) {
		c, err := catalogue.NewCollection[T](catalogue.Options{Name: name, Ordering: k.terms(t.standard), History: t.history})
		return standaloneTarget(&records[T]{codec: k, c: c, base: t.base}), err
	}}
}

// loadable are collections of a catalogue: they can be loaded and saved.
func loadable(m mix) []workload {
	return []workload{
		book("structs", m, plainCodec(), traits{base: newBase(0, false), history: 40}),
		book("many structs", m, plainCodec(), traits{base: newBase(300, false), history: 40}),
		book("open records", m, openCodec(), traits{base: newBase(0, false), history: 40, open: true}),
	}
}

// book is a collection of a catalogue.
func book[T any](name string, m mix, k *codec[T], t traits) workload {
	return workload{name: name, mix: m, of: []traits{t}, open: func() (target, error) {
		house, books, err := bookIn(k, t)
		return catalogueTarget(emptyFor(k, t), house, books), err
	}}
}

// emptyFor returns a func that makes a catalogue whose books have the type of a codec.
func emptyFor[T any](_ *codec[T], t traits) func() (*catalogue.Catalogue, error) {
	return func() (*catalogue.Catalogue, error) {
		return catalogue.NewWith(catalogue.Define[T]("books", catalogue.Options{History: t.history}))
	}
}

func bookIn[T any](k *codec[T], t traits) (*catalogue.Catalogue, *records[T], error) {
	house, err := emptyFor(k, t)()
	if err != nil {
		return nil, nil, err
	}
	books, err := catalogue.Define[T]("books", catalogue.Options{}).In(house)
	return house, &records[T]{codec: k, c: books, house: house, key: "books", base: t.base}, err
}

func emptyCatalogue() (*catalogue.Catalogue, error) { return catalogue.New(), nil }

// eventTraits are those of the events of a catalogue.
func eventTraits(size int) traits {
	return traits{base: newBase(size, true), standard: []term{{field: 4}}}
}

func eventsIn(house *catalogue.Catalogue, t traits) *records[resources.Event] {
	return &records[resources.Event]{codec: eventCodec(), c: house.Events(), house: house, key: "events", base: t.base}
}

// twoCollections are authors and events of one catalogue.
func twoCollections(name string, size int) workload {
	authors, events := traits{base: newBase(size, true), open: true}, eventTraits(size)
	return workload{name: name, mix: forCatalogues, of: []traits{authors, events}, required: true, open: func() (target, error) {
		house := catalogue.New()
		c, err := house.Records("authors")
		if err != nil {
			return target{}, err
		}
		of := &records[resources.Record]{codec: openCodec(), c: c, house: house, key: "authors", base: authors.base}
		return catalogueTarget(emptyCatalogue, house, of, eventsIn(house, events)), nil
	}}
}

// newBase returns n constant records.
func newBase(n int, required bool) *base {
	p := planner{workload: &workload{required: required}, rng: rand.New(rand.NewPCG(1, uint64(n)))}
	b := &base{}
	for id := range n {
		b.rows = append(b.rows, p.row(id+1))
	}
	return b
}
