package linearizability_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// These are the names of the environment variables.
const (
	timeVariable = "BACKLIST_LINEARIZABILITY"      // duration of all tests in shares
	seedVariable = "BACKLIST_LINEARIZABILITY_SEED" // seed of the operations
	htmlVariable = "BACKLIST_LINEARIZABILITY_HTML" // file for the diagram of a history
	keysVariable = "BACKLIST_LINEARIZABILITY_KEYS" // "text" or "uuid" for keys of films in place of ids
)

var errNotLinearizable = errors.New("not linearizable")

// shares holds the relative duration of each test.
var shares = map[string]int{
	"TestNoStalePage":       5,
	"TestNoStaleSelection":  5,
	"TestNoLostCondition":   2,
	"TestNoDuplicate":       4,
	"TestNoLostUpdate":      3,
	"TestNoTornBatch":       4,
	"TestNoMixedSnapshot":   4,
	"TestNoMissingChange":   5,
	"TestNoTornLoad":        4,
	"TestNoMixedCatalogue":  3,
	"TestNoTornTogether":    5,
	"TestNoBrokenReference": 2,
	"TestNoStaleResponse":   4,
}

// A mix for a test has all kinds of operations, but more of those that the test is about.
const (
	everything = `insert insert insert upsert upsert update update update update delete delete get get len count first
		position page page page page view view batch snapshot all clone held updateall deleteall `

	forPages      = everything + "page page page page page page view view get get len len "
	forSelections = everything + "selection selection selection selection selection selection count first position "
	forUpdates    = everything + "update update update update update update update update update update upsert get "
	forBatches    = everything + "batch batch batch batch batch batch batch page page len nothing "
	forSnapshots  = everything + "snapshot snapshot snapshot snapshot all all all held held held clone clone "
	forHistory    = everything + "since since since since since since since since batch batch nothing snapshot "
	forLoads      = everything + "load load load load load load save save save page page page "
	forCatalogues = everything + "save save save save save snapshot snapshot snapshot clone clone "
	forTogether   = everything + "together together together together together together page page page page load save "
	forUnique     = everything + "insert insert insert insert upsert upsert upsert update update update batch batch batch "
	forRequests   = everything + "together together page page page page page page page page page page "
	onlyRequests  = `insert insert insert update update update delete delete get count first
		page page page page page page page page page page `
)

func TestNoStalePage(t *testing.T)      { test(t, kindsOfRecords(forPages)...) }
func TestNoStaleSelection(t *testing.T) { test(t, kindsOfRecords(forSelections)...) }
func TestNoLostUpdate(t *testing.T) {
	test(t, append(kindsOfRecords(forUpdates), keys[string]("text keys", forUpdates, 0))...)
}
func TestNoTornBatch(t *testing.T)     { test(t, kindsOfRecords(forBatches)...) }
func TestNoMixedSnapshot(t *testing.T) { test(t, kindsOfRecords(forSnapshots)...) }

func TestNoMissingChange(t *testing.T) {
	test(t, append(kindsOfRecords(forHistory, history(40)), typed("long history", forHistory, 0, history(1000)))...)
}

func TestNoTornLoad(t *testing.T) {
	test(t,
		inCatalogue(typed("typed", forLoads, 0, history(40))),
		inCatalogue(typed("typed, many records", forLoads, 150, history(40))),
		inCatalogue(open("open", forLoads, 0, history(40))))
}

// TestNoDuplicate has collections with unique fields of different types. Some may be null in
// many records.
func TestNoDuplicate(t *testing.T) {
	test(t,
		typed("typed", forUnique, 0, unique("barcode")),
		typed("typed, many records", forUnique, 150, unique("tagline")),
		custom("methods", forUnique, 60, unique("director", "barcode")),
		open("open", forUnique, 0, unique("price")),
		keys[play.UUID]("UUIDs", forUnique, 0, unique("barcode")),
		typed("sets", forUnique, 60, unique("director,color", "rating,tagline")),
		inCatalogue(typed("loads", forUnique+"load load load save ", 60, unique("director", "price"), history(40))))
}

func TestNoMixedCatalogue(t *testing.T) { test(t, films(forCatalogues, 0), films(forCatalogues, 100)) }

// TestNoTornTogether makes batches of two or three collections. Clients read one collection
// after the other.
func TestNoTornTogether(t *testing.T) {
	test(t, films(forTogether, 0), films(forTogether, 60), films(forTogether, 0, history(40)))
}

// history and unique return functions that change a model.
func history(n int) func(*model.Config) { return func(c *model.Config) { c.History = n } }

// unique makes sets of fields, joined by commas, unique and adds values, so that not every write
// fails.
func unique(sets ...string) func(*model.Config) {
	return func(c *model.Config) {
		for _, set := range sets {
			c.Unique = append(c.Unique, strings.Split(set, ","))
		}
		for i, f := range c.Fields {
			for n := range 200 {
				format := map[string]string{"barcode": "%d", "tagline": `"Tagline %d"`, "director": `"Name %d"`, "price": `"%d.0"`}[f.Name]
				if format != "" {
					c.Fields[i].Values = append(c.Fields[i].Values, fmt.Sprintf(format, n))
				}
			}
		}
	}
}

// typed, custom and open return workloads with one collection.
func typed(name, mix string, size int, changes ...func(*model.Config)) workload {
	switch os.Getenv(keysVariable) {
	case "text":
		return keys[string](name, mix, size, changes...)
	case "uuid":
		return keys[play.UUID](name, mix, size, changes...)
	}
	return one[play.Film](name, mix, size, changed(play.Films(), "-color,price", changes))
}

// keys returns a workload with keys in place of ids.
func keys[K any](name, mix string, size int, changes ...func(*model.Config)) workload {
	c := changed(play.Films(), "-color,price", changes)
	c.Keyed = true
	return one[play.Keyed[K]](name, mix, size, c)
}

func custom(name, mix string, size int, changes ...func(*model.Config)) workload {
	return one[film](name, mix, size, changed(play.Films(), "genre", changes))
}

func open(name, mix string, size int, changes ...func(*model.Config)) workload {
	return one[schema.Record](name, mix, size, changed(play.OpenFilms(), "x,-title", changes))
}

func changed(c *model.Config, order string, changes []func(*model.Config)) *model.Config {
	c.Order = order
	for _, change := range changes {
		change(c)
	}
	return c
}

func one[T any](name, mix string, size int, c *model.Config) workload {
	return workload{name: name, models: []*model.Config{c}, mix: mix, size: size, play: func() (*play.Player, error) {
		if c.Key != "" {
			return play.NewCatalogue(play.Of[T](c, nil))
		}
		return play.New[T](c)
	}}
}

// inCatalogue puts the collection of a workload into a catalogue.
func inCatalogue(w workload) workload {
	keyed(w.models[0], "films")
	return w
}

// keyed makes a model that of a collection in a catalogue, where structs have empty lists
// and maps instead of null.
func keyed(c *model.Config, key string) *model.Config {
	c.Key = key
	for i, f := range c.Fields {
		if f.Zero != "" && (f.Like == "[]" || f.Like == "{}") {
			c.Fields[i].Zero = f.Like
			c.Fields[i].Values = slices.DeleteFunc(f.Values, func(s string) bool { return s == "null" })
		}
	}
	return c
}

// films returns a workload with three collections of a catalogue.
func films(mix string, size int, changes ...func(*model.Config)) workload {
	typed, open, custom := keyed(play.Films(), "films"), keyed(play.OpenFilms(), "reels"), keyed(play.Films(), "shorts")
	all := []*model.Config{typed, open, custom}
	for _, c := range all {
		for _, change := range changes {
			change(c)
		}
	}
	return workload{name: fmt.Sprint(size, " records, history ", typed.History), models: all, mix: mix, size: size,
		play: func() (*play.Player, error) {
			return play.NewCatalogue(play.Of[play.Film](typed, nil), play.Of[schema.Record](open, nil),
				play.Of[film](custom, nil))
		}}
}

// kindsOfRecords returns the workloads of most tests, which have different kinds of records.
func kindsOfRecords(mix string, changes ...func(*model.Config)) []workload {
	return []workload{
		typed("typed", mix, 0, changes...),
		typed("typed, many records", mix, 300, changes...),
		custom("methods", mix, 60, changes...),
		open("open", mix, 0, changes...),
	}
}

// test runs each workload for an equal part of the duration of the test.
func test(t *testing.T, workloads ...workload) {
	each := share(t) / time.Duration(len(workloads))
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			seed := seedOf(t)
			r, err := w.runFor(each, seed)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if r != nil {
				t.Logf("seed %d: %d rounds, %d operations, %d rounds not checked in time", seed, r.rounds, r.calls, r.unknown)
			}
		})
	}
}

// share returns the duration of a test.
func share(t *testing.T) time.Duration {
	total := 0
	for _, n := range shares {
		total += n
	}
	return totalTime(t) * time.Duration(shares[t.Name()]) / time.Duration(total)
}

// runFor runs rounds until the time has passed or a round fails.
func (w *workload) runFor(d time.Duration, seed uint64) (*run, error) {
	r, err := w.begin(rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, err
	}
	for err == nil && (r.rounds == 0 || time.Since(r.start) < d) {
		err = r.round()
	}
	return r, err
}

// totalTime returns the duration of all tests.
func totalTime(t *testing.T) time.Duration {
	text := os.Getenv(timeVariable)
	if text == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", timeVariable, err)
	}
	return d
}

// seedOf returns the seed of the operations.
func seedOf(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}
