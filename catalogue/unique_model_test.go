package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestUniqueModel makes random writes to collections with unique fields, many of which
// are refused, and compares the errors and the records with those of a slice.
// BACKLIST_FIND_QUERIES and BACKLIST_MODEL_SEED are those of TestFindModel.
func TestUniqueModel(t *testing.T) {
	n, seed := findQueries(t)/40, modelSeed(t)
	t.Run("typed", func(t *testing.T) {
		t.Parallel()
		typ := editionType
		typ.random = uniqueEdition
		opts := catalogue.Options{Unique: []string{"barcode", "author", "volume", "price"}, Keys: editionKeys(), History: 50}
		fr := &findRun[edition]{typ: &typ, fields: editionFinds, size: 20, queries: 5, left: n}
		runUnique(t, fr, opts, seed)
	})
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		typ := findOpen
		typ.random = uniqueOpen
		opts := catalogue.Options{Unique: []string{"list_price", "id", "seldom_set", "published_on"}, Keys: openKeys(), History: 50}
		fr := &findRun[schema.Record]{typ: &typ, fields: openFinds, size: 20, queries: 5, left: n}
		runUnique(t, fr, opts, seed)
	})
}

func runUnique[T any](t *testing.T, fr *findRun[T], opts catalogue.Options, seed uint64) {
	t.Helper()
	mix := runFind(t, fr, opts, seed)
	t.Logf("BACKLIST_MODEL_SEED=%d%v", seed, mix)
	for _, kind := range []string{"writes refused", "writes made", "batches refused", "batches made", "replacements refused", "replacements made"} {
		if mix[kind] < mix["in all"]/1000 {
			t.Errorf("only %d %s", mix[kind], kind)
		}
	}
}

// uniqueEdition returns an edition whose unique fields have one of some hundred values.
func uniqueEdition(rng *rand.Rand) edition {
	e := randomEdition(rng)
	e.Barcode += uint64(rng.IntN(50)) // may wrap
	e.Author += fmt.Sprint(" ", rng.IntN(40))
	if rng.IntN(2) == 0 {
		e.Author = strings.ToUpper(e.Author)
	}
	if e.Volume != nil {
		*e.Volume = rng.IntN(200)
	}
	e.Price = fmt.Sprintf(pick(rng, "%d", "%d.0", " %d.00", "0%d", "%de0"), rng.IntN(200))
	return e
}

// uniqueOpen returns a record whose price, if it is not null, has one of some hundred
// values.
func uniqueOpen(rng *rand.Rand) schema.Record {
	r := randomFindOpen(rng).Without("publishedOn").Without("published_on")
	if rng.IntN(3) > 0 {
		r, _ = r.With(pick(rng, "publishedOn", "published_on"), rng.IntN(100))
	}
	if text, ok := r.Get("listPrice"); ok && text != "null" {
		price := rng.IntN(100)
		r, _ = r.With("listPrice", pick[any](rng, price, fmt.Sprintf("%d.0", price), fmt.Sprint("no ", price)))
	}
	return r
}
