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
// [VerifyClient] runs a client through 39 situations. In each of them the client must end,
// close the response bodies, and return either all records or an error. A client that only
// follows next links fails some ten of them. The client in examples/client passes all of them and
// uses only the standard library. Situations that no client can notice are left out, one of them
// if pages have numbers, and four if they have no count.
//
// For a client of another service, set Catalogue in the [Options] to a catalogue with at least 95
// records, which Records of package resources/sample makes up, and Root. Pages are those of Django
// REST framework, by limit and offset. For a client that counts pages, or follows links with cursors,
// set Pages.
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
// It is called once for each situation, sequentially, each time with another service. It should keep no state between calls.
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
	if text, err := json.Marshal(zero); err != nil || strings.IndexByte(`"-0123456789`, text[0]) < 0 {
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

// textOf returns the text of an id in JSON.
func textOf(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// Options configures [VerifyClient]. The zero value is the default.
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
	// offset. The sizes of pages are those of the situations. Faults that a client
	// cannot detect are left out, such as a second write between numbered pages, which cannot
	// overlap. Pages without a count, such as those by cursors, have no row-missing,
	// row-repeated-for-another, count-shrinks or record-replaced. With [pagination.Whole], a list is one response, and
	// situations that need another page or a link are left out.
	Pages pagination.Style

	// Timeout is the synthetic time after which the context of the client ends. If the client
	// waits before it retries, Timeout must be longer. If zero or negative, it is a minute.
	Timeout time.Duration

	// Skip lists the names of situations that the client is not meant to handle, which the
	// subtests have too.
	Skip []string

	// Ignored are names in requests that nothing reads and that the client means to send; see
	// [cataloguetest.Options]. Others, such as a mistyped filter or order, fail the test, since the
	// service ignores them.
	Ignored []string
}

var errNilClient = errors.New("clienttest: nil client")

// A dataset is a collection, and the records that the services of a client have.
type dataset struct {
	form                           // of the pages of the collection
	about     schema.Description   // of the collection, with the style of its pages
	opts      Options              // has its key
	catalogue *catalogue.Catalogue // never written to
	records   [][]byte             // the first of the collection
	ids       []string
	ignored   map[string]string // messages by the names that nothing reads; written during one situation at a time
}

// newDataset returns a dataset with mostRecords records.
func newDataset(opts Options) (*dataset, error) {
	d := &dataset{opts: opts, catalogue: opts.Catalogue, ignored: map[string]string{}}
	if opts.Catalogue == nil {
		d.opts.Collection = cmp.Or(opts.Collection, "events")
		var err error
		if d.catalogue, err = samples(d.opts.Collection, mostRecords); err != nil {
			return nil, fmt.Errorf("clienttest: %w", err)
		}
	}
	for key := range d.catalogue.All() {
		d.opts.Collection = cmp.Or(d.opts.Collection, key)
	}
	err := d.read()
	if err == nil {
		var server *cataloguetest.Server
		if server, err = d.serve(d.catalogue.Clone()); err == nil {
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

// read reads the first records of the collection.
func (d *dataset) read() error {
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
	case c.Count() < mostRecords:
		return fmt.Errorf("Options.Collection: %s has %d records; want at least %d, as Records of package resources/sample makes them up", d.about.Key, c.Count(), mostRecords)
	}
	list, err := c.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: mostRecords}, Terms: []ordering.Term{ordering.Asc(ordering.Snake(d.about.Identity().Name))}})
	d.records = list.Records
	for _, record := range d.records {
		d.ids = append(d.ids, d.idOf(record))
	}
	return err
}

// serve returns a server of a catalogue.
func (d *dataset) serve(c *catalogue.Catalogue) (*cataloguetest.Server, error) {
	var list []httpapi.Collection
	for key, collection := range c.All() {
		if list = append(list, collection); key == d.about.Key {
			limit := pageSize
			if d.Members == nil {
				limit = len(d.records) // of a list without pages, which is never cut
			}
			about := d.about
			about.Pages = pagination.Bounded(about.Pages, pagination.Limits{Default: limit, Max: limit})
			list[len(list)-1] = httpapi.Describe(collection, about)
		}
	}
	handler, err := httpapi.NewHandler(list, httpapi.Options{Root: d.opts.Root, OnError: func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL, err) }})
	if err != nil {
		return nil, err
	}
	return cataloguetest.Open(cataloguetest.Options{
		Catalogue:    c,
		Handler:      httpapi.Options{Root: d.opts.Root, Pages: d.opts.Pages},
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

// write replaces the records of the collection with those that have some indexes.
func (d *dataset) write(c *catalogue.Catalogue, indexes []int) error {
	var records [][]byte
	for _, i := range indexes {
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
