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
// follows next links fails ten of them. The client in examples/client passes all of them and
// uses only the standard library. Situations that no client can notice are left out, three of them
// if pages have no count.
//
// For a client of another service, set Catalogue in the [Options] to a catalogue with at least 95
// records, which Records of package resources/sample makes up, and Root. Pages are those of Django
// REST framework, by limit and offset. For a client that counts pages, or follows links with cursors,
// set Pages. For one whose pages are not the framework's, set Codec:
//
//	func TestClientOfGitHub(t *testing.T) {
//		clienttest.VerifyClient(t, issueIDs, clienttest.Options{
//			Catalogue: issues,
//			Root:      "/repos/octocat/hello/",
//			Codec:     cataloguetest.GitHub(),
//		})
//	}
//
// # Scenarios
//
// Real clients also fail in situations that no list contains. [Explore] runs the same
// client through many random scenarios, in which responses are wrong or late, connections
// break, and records are inserted, deleted and changed between two requests. Concurrent requests
// are answered in any order. It reports the smallest scenario in which the client loses or repeats
// a record, never ends, asks again without waiting, or does not return in time, with a Go test that
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
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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
	// "events" or, if there is a Catalogue, its first collection that is suitable.
	Collection string

	// Catalogue, if not nil, has the collections and the records of the services. It is
	// cloned. If nil, the collections are the documented ones, with sample records. Records of
	// package resources/sample makes up those of others.
	Catalogue *catalogue.Catalogue

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Pages is the style of the pages of collections whose descriptions have no other; see
	// [httpapi.Options]. If nil, it is that of the Codec or, without one, pages have a limit and an
	// offset. The sizes of pages are those of the situations and scenarios. What no client can notice
	// does not happen. Pages with numbers or tokens cannot overlap, so there is no load and no second
	// write. Pages without a count, such as those by cursors, have no row-missing,
	// row-repeated-for-another or count-shrinks.
	Pages pagination.Style

	// Codec describes pages that are not the framework's. If nil, they are. What needs a part of a
	// page that the service does not have does not happen, and messages name the parts as the
	// service does. If pages have numbers and no count, there is no deletion either.
	Codec *cataloguetest.Codec

	// Timeout is the synthetic time after which the context of the client ends. If the client
	// waits before it retries, Timeout must be longer. If zero or negative, it is a minute.
	Timeout time.Duration

	// Skip lists what the client is not meant to handle. For VerifyClient, these are names of
	// situations, which its subtests have too. For Explore, they are names of events, which
	// then do not happen:
	//
	//   - responses: status-500, status-404, status-503, status-429,
	//     error-with-status-200, html-with-status-200, no-body-with-status-200,
	//     wrong-content-type, redirect-to-other-host, browsable-api, rate-limit,
	//     rate-limit-date, tokens-expire;
	//   - connections: delay, stall, slow-body, cut-before-header, cut-in-body,
	//     truncated-body;
	//   - wrong pages: next-is-self, next-cycle, next-on-other-host, next-without-tls,
	//     empty-pages-with-next, row-missing, row-repeated, row-repeated-for-another,
	//     count-shrinks;
	//   - writes: insert, delete, swap (two records exchange their contents) and load.
	Skip []string

	// Scenarios is the number of scenarios of Explore. If zero or negative, it is 1000.
	Scenarios int

	// Seed determines the first scenario. The following ones have the following seeds, so
	// Seed: 4711, Scenarios: 1 repeats the scenario of a seed.
	Seed uint64

	// Scenario, if not nil, encodes the only scenario; Scenarios and Seed are not used. Any
	// bytes are a scenario, so a fuzz test can pass its argument.
	Scenario []byte
}

var errNilClient = errors.New("clienttest: nil client")

// checkSkip returns an error if Skip has an unknown name.
func (o *Options) checkSkip(noun string, known []string) error {
	for _, name := range o.Skip {
		if !slices.Contains(known, name) {
			return fmt.Errorf("clienttest: Options.Skip: unknown %s %q; want one of %s", noun, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// A dataset is a collection, and the records that the services of a client have.
type dataset struct {
	key, path string // of the collection
	root      string
	pages     pagination.Style     // of the options
	form                           // of the pages of the collection
	catalogue *catalogue.Catalogue // never written to
	identity  schema.Field         // that identifies a record: its id or its key
	records   [][]byte             // the first of the collection
	ids       []string
}

// newDataset returns a dataset with at least and at most the given numbers of records. Without
// a catalogue, the records are samples, repeated if there are too few of them.
func newDataset(opts Options, least, most int) (*dataset, error) {
	if opts.Codec != nil && opts.Pages == nil {
		opts.Pages = opts.Codec.Pages
	}
	server, err := cataloguetest.Open(cataloguetest.Options{Catalogue: opts.Catalogue, Root: opts.Root, Pages: opts.Pages, Codec: opts.Codec})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if opts.Catalogue == nil {
		opts.Collection = cmp.Or(opts.Collection, "events")
	}
	about, err := choose(server.Catalogue, opts, least)
	if err != nil {
		return nil, fmt.Errorf("clienttest: %w", err)
	}
	d := &dataset{key: about.Key, root: cmp.Or(opts.Root, "/api/"), pages: opts.Pages, identity: about.Identity(), catalogue: server.Catalogue.Clone()}
	d.form = form{cmp.Or[pagination.Style](about.Pages, opts.Pages, pagination.Limits{}), opts.Codec}
	d.path = d.root + about.Segment + "/"
	err = d.read(most)
	for n := len(d.records); err == nil && n > 0 && len(d.records) < least; {
		err = d.repeat(len(d.records) - n)
	}
	if err != nil {
		return nil, fmt.Errorf("clienttest: %w", err)
	}
	return d, nil
}

// choose returns the collection of a dataset, which must be suitable.
func choose(c *catalogue.Catalogue, opts Options, least int) (schema.Description, error) {
	if opts.Catalogue == nil {
		least = 1
	}
	if opts.Collection == "" {
		for _, collection := range c.All() {
			if about := collection.Description(); about.Actions.Has(schema.List) && collection.Count() >= least {
				return about, nil
			}
		}
		return schema.Description{}, fmt.Errorf("Options.Catalogue: no collection is listed and has %d records", least)
	}
	collection, err := c.Collection(opts.Collection)
	if err != nil {
		return schema.Description{}, err
	}
	about := collection.Description()
	switch {
	case !about.Actions.Has(schema.List):
		return about, fmt.Errorf("Options.Collection: %s has no list", about.Key)
	case collection.Count() < least:
		return about, fmt.Errorf("Options.Collection: %s has %d records; want at least %d", about.Key, collection.Count(), least)
	}
	return about, nil
}

// read reads at most the given number of records of the collection.
func (d *dataset) read(most int) error {
	c, err := d.catalogue.Collection(d.key)
	if err != nil {
		return err
	}
	list, err := c.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: most}, Terms: []ordering.Term{ordering.Asc(ordering.Snake(d.identity.Name))}})
	d.records = list.Records
	for _, record := range d.records {
		d.ids = append(d.ids, d.idOf(record))
	}
	return err
}

// repeat adds a sample with another id.
func (d *dataset) repeat(i int) error {
	last, err := strconv.Atoi(d.ids[len(d.ids)-1])
	if err != nil {
		return err
	}
	id := strconv.Itoa(last + 1)
	record, err := d.withID(d.records[i], id)
	d.records, d.ids = append(d.records, record), append(d.ids, id)
	return err
}

// collection returns the description of the collection that is served at one of the paths.
func (d *dataset) collection(paths []string) (about schema.Description, path string, ok bool) {
	for _, c := range d.catalogue.All() {
		about := c.Description()
		if path := d.root + about.Segment + "/"; slices.Contains(paths, path) {
			return about, path, true
		}
	}
	return schema.Description{}, "", false
}

// serve returns a server of a catalogue with pages of the given size, or at most another one if that
// is not 0. It refuses requests that
// write.
func (d *dataset) serve(c *catalogue.Catalogue, limit, most int) (*cataloguetest.Server, error) {
	var list []httpapi.Collection
	for key, collection := range c.All() {
		if list = append(list, collection); key == d.key {
			list[len(list)-1] = sized{collection, pagination.Limits{Default: limit, Max: cmp.Or(most, limit)}, d.style}
		}
	}
	handler, err := httpapi.NewHandler(list, httpapi.Options{Root: d.root})
	if err != nil {
		return nil, err
	}
	return cataloguetest.Open(cataloguetest.Options{
		Catalogue:    c,
		Root:         d.root,
		Pages:        d.pages,
		Codec:        d.codec,
		Secure:       true,
		MaxExchanges: 1,
		Wrap:         func(http.Handler) http.Handler { return handler },
	})
}

// A sized collection has pages of a size.
type sized struct {
	catalogue.AnyCollection
	limits pagination.Limits
	style  pagination.Style
}

func (c sized) Description() schema.Description {
	about := c.AnyCollection.Description()
	switch style := c.style.(type) {
	case pagination.Numbers:
		style.Limits = c.limits
		about.Pages = style
	case pagination.Cursors:
		style.Limits = c.limits
		about.Pages = style
	default:
		about.Pages = c.limits
	}
	return about
}

// write replaces the records of the collection with a state's.
func (d *dataset) write(c *catalogue.Catalogue, s state) error {
	var records [][]byte
	for _, i := range s.indexes(true) {
		record := d.records[i]
		if from := s.contentsOf(i); from != i {
			var err error
			if record, err = d.withID(d.records[from], d.ids[i]); err != nil {
				return err
			}
		}
		records = append(records, record)
	}
	return d.load(c, records)
}

// load replaces the records of the collection.
func (d *dataset) load(c *catalogue.Catalogue, records [][]byte) error {
	list := slices.Concat([]byte("["), bytes.Join(records, []byte(",")), []byte("]"))
	into, err := c.Collection(d.key)
	if err != nil {
		return err
	}
	return into.Load(bytes.NewReader(list), catalogue.LoadOptions{})
}

// idOf returns the id of a record.
func (d *dataset) idOf(record []byte) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(record, &members) // a record is an object
	return textOf(members[d.identity.Name])
}

// withID returns a record with another id.
func (d *dataset) withID(record []byte, id string) ([]byte, error) {
	r, err := schema.ParseKeyed(record)
	switch name := d.identity.Name; {
	case err != nil:
	case d.identity.Key || d.identity.Quoted:
		r, err = r.With(name, id)
	case name != "id":
		r, err = r.With(name, json.Number(id))
	default:
		r, _ = schema.ParseRecord(record)
		r.ID, err = strconv.Atoi(id)
	}
	if err != nil {
		return nil, err
	}
	return r.MarshalJSON()
}
