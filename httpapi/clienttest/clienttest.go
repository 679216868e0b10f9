// Package clienttest tests clients of a paginated service.
//
//	func TestClient(t *testing.T) {
//		clienttest.VerifyClient(t, eventIDs, clienttest.Options{Collection: "events"})
//	}
//
// The client under test is a function, a [Fetch], here eventIDs. It reads all records of a
// collection with the program's own code and returns their ids, of any type that is text or a
// number in JSON.
//
// # Situations
//
// [VerifyClient] runs a client through 37 situations. In each of them the client must end,
// close the response bodies, and return either all records or an error. A client that only
// follows next links fails some ten of them. The client in examples/client passes all of them and
// uses only the standard library. Situations that no client can notice are left out, three of them
// if pages have no count.
//
// For a client of another service, set Catalogue in the [Options] to a catalogue with at least 95
// records, which Records of package resources/sample makes up, and Root. Pages are those of Django
// REST framework, by limit and offset. For a client that counts pages, or follows links with cursors,
// set Pages.
//
// # Scenarios
//
// Real clients also fail in situations that no list contains. [Explore] runs the same
// client through many random scenarios, in which responses are wrong or late, connections
// break, and records are inserted and deleted between two requests. Concurrent requests
// are answered in any order. It reports the smallest scenario in which the client loses or repeats
// a record, never ends, asks again without waiting, or does not return in time, with the seed that
// repeats it.
//
//	func TestClientExplored(t *testing.T) {
//		clienttest.Explore(t, eventIDs, clienttest.Options{Collection: "events"})
//	}
//
// The servers are made by package cataloguetest. To make one situation by hand, inject faults
// there.
package clienttest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A Fetch is a client under test. It fetches all records of one collection and
// returns their ids in any order. A test implements it with the program's own code:
//
//	func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
//		events, err := myclient.New(client, baseURL).AllEvents(ctx)
//		return idsOf(events), err
//	}
//
// An id is what identifies a record, as the service shows it: its id, or its key, such as a slug
// or a UUID. The type of the ids is the client's: an integer, a string, a [json.Number], or any
// type whose JSON is text or a number, such as most types of UUIDs. A number and the text of its
// digits are the same id; 7 and "007" are not.
//
// It must send its requests with client, or with another client that has the same
// Transport, and must begin at baseURL (the events are at baseURL + "/api/events/", unless
// Options.Root is set).
// It is called once for each situation or scenario, sequentially, each time with another
// service. It should keep no state between calls.
type Fetch[ID comparable] func(ctx context.Context, client *http.Client, baseURL string) (ids []ID, err error)

// A textFetch returns the ids as texts.
type textFetch func(ctx context.Context, client *http.Client, baseURL string) (ids []string, err error)

// texts returns a client that returns the same ids as texts. It returns an error if they can have
// none.
func (fetch Fetch[ID]) texts() (textFetch, error) {
	if fetch == nil {
		return nil, errNilClient
	}
	var zero ID
	if text, err := json.Marshal(zero); err != nil || !isScalar(text) {
		return nil, fmt.Errorf("clienttest: ids of type %T are neither text nor numbers in JSON", zero)
	}
	return func(ctx context.Context, client *http.Client, baseURL string) (texts []string, err error) {
		ids, err := fetch(ctx, client, baseURL)
		for _, id := range ids {
			text, _ := json.Marshal(id) // if it fails, the text is that of no record
			texts = append(texts, textOf(text))
		}
		return texts, err
	}, nil
}

// isScalar reports whether JSON is text or a number.
func isScalar(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

// textOf returns the text of an id in JSON.
func textOf(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// Options configures [VerifyClient] and [Explore]. The zero value is the default.
type Options struct {
	// Collection is the key of the collection that the client fetches. If empty, it is
	// "events" or the first of the Catalogue.
	Collection string

	// Catalogue, if not nil, has the collections and the records of the services. It is
	// cloned. If nil, the collections are the documented ones, with sample records. Records of
	// package resources/sample makes up those of others.
	Catalogue *catalogue.Catalogue

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Pages is the style of the pages of collections whose descriptions have no other; see
	// [httpapi.Options]. If nil, pages have a limit and an
	// offset. The sizes of pages are those of the situations and scenarios. Faults that a client
	// cannot detect are left out, such as a second write between numbered pages, which cannot
	// overlap. Pages without a count, such as those by cursors, have no row-missing,
	// row-repeated-for-another or count-shrinks. With [pagination.Whole], a list is one response, and
	// situations that need another page or a link are left out.
	Pages pagination.Style

	// Timeout is the synthetic time after which the context of the client ends. If the client
	// waits before it retries, Timeout must be longer. If zero or negative, it is a minute.
	Timeout time.Duration

	// Skip lists what the client is not meant to handle. For VerifyClient, these are names of
	// situations, which its subtests have too. For Explore, they are names of events, which
	// then do not happen:
	//
	//   - responses: status-500, status-404, status-503, status-429,
	//     error-with-status-200, html-with-status-200, no-body-with-status-200,
	//     wrong-content-type, redirect-to-other-host, rate-limit;
	//   - connections: delay, stall, cut-before-header, cut-in-body, truncated-body;
	//   - wrong pages: next-is-self, next-cycle, next-on-other-host, next-without-tls,
	//     empty-pages-with-next, row-missing, row-repeated, row-repeated-for-another,
	//     count-shrinks;
	//   - writes: insert and delete.
	Skip []string

	// Ignored are names in requests that nothing reads and that the client means to send; see
	// [cataloguetest.Options]. Others, such as a mistyped filter or order, fail the test, since the
	// service ignores them.
	Ignored []string

	// Scenarios is the number of scenarios of Explore. If zero or negative, it is 1000.
	Scenarios int

	// Seed determines the first scenario. The following ones have the following seeds, so
	// Seed: 4711, Scenarios: 1 repeats the scenario of a seed.
	Seed uint64
}

var errNilClient = errors.New("clienttest: nil client")

// noticed returns those of all whose names neither Skip nor unnoticed has. It returns an error if Skip has
// an unknown name.
func noticed[T any](o Options, noun string, all []T, name func(T) string, unnoticed []string) ([]T, error) {
	var known []string
	for _, item := range all {
		known = append(known, name(item))
	}
	for _, name := range o.Skip {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("clienttest: Options.Skip: unknown %s %q; want one of %s", noun, name, strings.Join(known, ", "))
		}
	}
	skip := append(unnoticed, o.Skip...)
	return slices.DeleteFunc(all, func(item T) bool { return slices.Contains(skip, name(item)) }), nil
}

// A form is what a client can know of the pages of a service.
type form struct{ pagination.Traits }

// counts reports whether pages have the number of all records.
func (f form) counts() bool { return slices.Contains(f.Members, "count") }

// apart reports whether pages have places that depend on the number of records before them, and
// cannot overlap.
func (f form) apart() bool { return f.Counted && !f.Anywhere }

// unnoticed returns the names of kinds that no client can notice: what a page does not have cannot be
// wrong.
func (f form) unnoticed() (kinds []string) {
	if !f.counts() {
		kinds = append(kinds, "row-missing", "row-repeated-for-another", "count-shrinks")
	}
	if f.Members == nil {
		kinds = append(kinds, "next-on-other-host", "next-without-tls", "next-is-self", "next-cycle", "empty-pages-with-next")
	}
	return kinds
}

// needPages returns the names of situations that a list without pages cannot have.
func (f form) needPages() []string {
	if f.Members != nil {
		return nil
	}
	return []string{"status-500-from-second-page", "status-503-from-second-page", "status-429-from-second-page", "many-pages", "full-pages", "one-full-page", "record-deleted"}
}

// words replaces what remedies say in braces by what the service has.
func (f form) words() *strings.Replacer {
	next, count := "next", "count"
	if f.Members == nil {
		next = "a page"
	}
	if !f.counts() {
		count = "the number of records"
	}
	return strings.NewReplacer("{next}", next, "{count}", count)
}

// The sizes of the pages of a server. Clients need not handle smaller ones.
const (
	leastLimit = 2
	mostLimit  = 10
)

// A dataset is a collection, and the records that the services of a client have.
type dataset struct {
	form                           // of the pages of the collection
	about     schema.Description   // of the collection, with the style of its pages
	opts      Options              // has its key
	catalogue *catalogue.Catalogue // never written to
	records   [][]byte             // the first of the collection
	ids       []string
	ignored   map[string]string // messages by the names that nothing reads; written during one scenario at a time
}

// newDataset returns a dataset with at least and at most the given numbers of records.
func newDataset(opts Options, least, most int) (*dataset, error) {
	d := &dataset{opts: opts, catalogue: opts.Catalogue, ignored: map[string]string{}}
	if opts.Catalogue == nil {
		d.opts.Collection = cmp.Or(opts.Collection, "events")
		var err error
		if d.catalogue, err = samples(d.opts.Collection, most); err != nil {
			return nil, fmt.Errorf("clienttest: %w", err)
		}
	}
	for key := range d.catalogue.All() {
		d.opts.Collection = cmp.Or(d.opts.Collection, key)
	}
	err := d.read(least, most)
	if err == nil {
		var server *cataloguetest.Server
		if server, err = d.serve(d.catalogue.Clone(), mostLimit); err == nil {
			server.Close() // the options are valid
		}
	}
	if err != nil {
		return nil, fmt.Errorf("clienttest: %w", err)
	}
	return d, nil
}

// samples returns a catalogue of the documented collections with the given number of samples in one.
func samples(key string, n int) (*catalogue.Catalogue, error) {
	c, err := resources.New()
	if err != nil {
		return nil, err
	}
	if _, err := c.Collection(key); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{Sizes: map[string]int{key: n}}); err != nil {
		return nil, err
	}
	return c, c.Load(&file, catalogue.LoadOptions{})
}

// read reads at least and at most the given numbers of records of the collection.
func (d *dataset) read(least, most int) error {
	c, err := d.catalogue.Collection(d.opts.Collection)
	if err != nil {
		return err
	}
	d.about = c.Description()
	d.about.Pages = cmp.Or(d.about.Pages, d.opts.Pages)
	d.form = form{pagination.TraitsOf(d.about.Pages)}
	switch {
	case !d.about.Actions.Has(schema.List):
		return fmt.Errorf("Options.Collection: %s has no list", d.about.Key)
	case c.Count() < least:
		return fmt.Errorf("Options.Collection: %s has %d records; want at least %d, as Records of package resources/sample makes them up", d.about.Key, c.Count(), least)
	}
	list, err := c.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: most}, Terms: []ordering.Term{ordering.Asc(ordering.Snake(d.about.Identity().Name))}})
	d.records = list.Records
	for _, record := range d.records {
		d.ids = append(d.ids, d.idOf(record))
	}
	return err
}

// serve returns a server of a catalogue with pages of the given size.
func (d *dataset) serve(c *catalogue.Catalogue, limit int) (*cataloguetest.Server, error) {
	var list []httpapi.Collection
	for key, collection := range c.All() {
		if list = append(list, collection); key == d.about.Key {
			if d.Members == nil {
				limit = len(d.records) // of a list without pages, which is never cut
			}
			list[len(list)-1] = sized{collection, pagination.Bounded(d.about.Pages, pagination.Limits{Default: limit, Max: limit})}
		}
	}
	handler, err := httpapi.NewHandler(list, httpapi.Options{Root: d.opts.Root, OnError: func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL, err) }})
	if err != nil {
		return nil, err
	}
	return cataloguetest.Open(cataloguetest.Options{
		Catalogue:    c,
		Root:         d.opts.Root,
		Pages:        d.opts.Pages,
		Secure:       true,
		MaxExchanges: 1,
		Ignored:      d.opts.Ignored,
		OnIgnored: func(r *http.Request, name, hint string) {
			d.ignored[name] = fmt.Sprintf("the client sent %s %s, of which nothing reads %s: %s", r.Method, r.URL.RequestURI(), name, hint)
		},
		Wrap: func(http.Handler) http.Handler { return handler },
	})
}

// reportIgnored fails the test for each name in requests that nothing reads.
func (d *dataset) reportIgnored(tb testing.TB) {
	tb.Helper()
	for _, message := range slices.Sorted(maps.Values(d.ignored)) {
		tb.Errorf("%s", message)
	}
}

// A sized collection has pages of a size. It refuses requests that write.
type sized struct {
	catalogue.AnyCollection
	pages pagination.Style
}

func (c sized) Description() schema.Description {
	about := c.AnyCollection.Description()
	about.Pages = c.pages
	return about
}

// write replaces the records of the collection with a state's.
func (d *dataset) write(c *catalogue.Catalogue, s state) error {
	var records [][]byte
	for _, i := range s.indexes(true) {
		records = append(records, d.records[i])
	}
	list := slices.Concat([]byte("["), bytes.Join(records, []byte(",")), []byte("]"))
	into, err := c.Collection(d.about.Key)
	if err != nil {
		return err
	}
	return into.Load(bytes.NewReader(list), catalogue.LoadOptions{})
}

// idOf returns the id of a record.
func (d *dataset) idOf(record []byte) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(record, &members) // a record is an object
	return textOf(members[d.about.Identity().Name])
}

// A state is the state of a collection in a scenario: which records of the dataset exist. It is never
// changed.
type state []bool

// newState returns the state with n records: every second one of the dataset, so that others can be
// inserted between them, or the first n if the dataset has fewer than twice as many.
func newState(of, n int) state {
	s := make(state, of)
	for i := range n {
		if 2*n <= of {
			i = 2*i + 1
		}
		s[i] = true
	}
	return s
}

// indexes returns the indexes of the records that are present or, if present is false, absent.
func (s state) indexes(present bool) (list []int) {
	for i, is := range s {
		if is == present {
			list = append(list, i)
		}
	}
	return list
}

// insert and delete return the state after a write. The argument chooses the record.

func (s state) insert(arg int) state { return s.toggle(false, arg) }
func (s state) delete(arg int) state { return s.toggle(true, arg) }

func (s state) toggle(present bool, arg int) state {
	after := slices.Clone(s)
	if of := s.indexes(present); len(of) > 0 {
		after[of[arg%len(of)]] = !present
	}
	return after
}
