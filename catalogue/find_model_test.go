package catalogue_test

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// findQueries returns the number of queries of TestFindModel.
func findQueries(t *testing.T) int { return stepsFrom(t, "BACKLIST_FIND_QUERIES", 30_000) }

// A findCase is a collection for a part of TestFindModel.
type findCase struct {
	name  string
	share int // of 100 queries
	run   func(t *testing.T, n int, seed uint64) findMix
}

var findCases = []findCase{
	{"typed", 39, findEditions(catalogue.Options{}, randomEdition, editionFinds, 30, 60)},
	{"typed, with a default order", 15, findEditions(catalogue.Options{Ordering: terms("-status,pages")}, randomEdition, editionFinds, 30, 60)},
	{"typed, many records", 1, findEditions(catalogue.Options{}, randomEdition, editionFinds, 600, 60)},
	{"typed, keys too large for an index", 3, findEditions(catalogue.Options{}, longTopics, often(editionFinds, "topics"), 30, 6)},
	{"open", 32, findRecords(catalogue.Options{}, randomFindOpen, openFinds, 30, 60)},
	{"open, with a default order", 8, findRecords(catalogue.Options{Ordering: terms("seldom_set,-x")}, randomFindOpen, openFinds, 30, 60)},
	{"open, keys too large for an index", 2, findRecords(catalogue.Options{}, longOpen, often(openFinds, "x"), 30, 6)},
}

// TestFindModel makes random queries with conditions of collections, snapshots and
// batches, and compares their results with those of a slice. BACKLIST_FIND_QUERIES sets
// the number of queries and BACKLIST_MODEL_SEED repeats a run.
func TestFindModel(t *testing.T) {
	queries, seed := findQueries(t), modelSeed(t)
	mixes := make([]findMix, len(findCases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range findCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				mixes[i] = c.run(t, queries*c.share/100, seed)
			})
		}
	})
	mix := findMix{}
	for _, m := range mixes {
		for kind, n := range m {
			mix[kind] += n
		}
	}
	t.Logf("BACKLIST_MODEL_SEED=%d%v", seed, mix)
	if err := mix.check(); err != nil && !t.Failed() {
		t.Error(err)
	}
}

// findEditions returns a test of editions. queries is the average number between two
// states.
func findEditions(opts catalogue.Options, random func(*rand.Rand) edition, fields []findField, size, queries int) func(*testing.T, int, uint64) findMix {
	opts.Keys = editionKeys()
	typ := editionType
	typ.random = random
	return func(t *testing.T, n int, seed uint64) findMix {
		return runFind(t, &findRun[edition]{typ: &typ, fields: fields, size: size, queries: queries, left: n}, opts, seed)
	}
}

// findRecords is like findEditions for open records.
func findRecords(opts catalogue.Options, random func(*rand.Rand) schema.Record, fields []findField, size, queries int) func(*testing.T, int, uint64) findMix {
	opts.Keys = openKeys()
	typ := findOpen
	typ.random = random
	return func(t *testing.T, n int, seed uint64) findMix {
		return runFind(t, &findRun[schema.Record]{typ: &typ, fields: fields, size: size, queries: queries, left: n}, opts, seed)
	}
}

// often returns fields of which half are the one with the name.
func often(fields []findField, name string) []findField {
	list := slices.Clone(fields)
	i := slices.IndexFunc(fields, func(f findField) bool { return f.name == name })
	for range fields {
		list = append(list, fields[i])
	}
	return list
}

func runFind[T any](t *testing.T, fr *findRun[T], opts catalogue.Options, seed uint64) findMix {
	t.Helper()
	c, err := catalogue.NewCollection[T](opts)
	must(t, err)
	fr.c, fr.m, fr.mix = c, &model[T]{typ: fr.typ, ordered: opts.Ordering}, findMix{}
	fr.unique, fr.rng = opts.Unique, rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(t.Name())))))
	queries := fr.left
	if err := fr.run(); err != nil {
		t.Fatalf("BACKLIST_MODEL_SEED=%d, after %d of %d queries: %v", seed, queries-fr.left, queries, err)
	}
	return fr.mix
}

// longTopics returns an edition whose topics are too long for an index.
func longTopics(rng *rand.Rand) edition {
	e := randomEdition(rng)
	e.Topics = append(slices.Clone(e.Topics), strings.Repeat("x", 600+rng.IntN(3)))
	return e
}

// longOpen returns a record with text that is too long for an index.
func longOpen(rng *rand.Rand) schema.Record {
	r := randomFindOpen(rng)
	if rng.IntN(4) > 0 {
		r, _ = r.With("x", strings.Repeat("a", 900+rng.IntN(3)))
	}
	return r
}
