package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// maxExchanges is the number of exchanges that are kept.
const maxExchanges = 1000

// serveControl serves a request at the address of -control.
func (p *program) serveControl(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/reset/" || r.Method != http.MethodPost {
		p.current.Load().control.ServeHTTP(w, r)
		return
	}
	if err := p.reset(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// newControl returns the handler of the collections faults and exchanges, and injects the
// faults of the flags.
func newControl(fake *cataloguetest.Server, flags []fault) (*httpapi.Handler, error) {
	applied := catalogue.Define[appliedFault]("faults", catalogue.Options{Description: &schema.Description{
		Actions: schema.List | schema.Create | schema.Destroy,
	}})
	log := catalogue.Define[exchange]("exchanges", catalogue.Options{Description: &schema.Description{
		Actions: schema.List,
		Filters: []string{"method", "url", "url__startswith", "status", "aborted"},
		Search:  []string{"url", "body", "answer"},
	}})
	cat, err := catalogue.New(applied, log)
	if err != nil {
		return nil, err
	}
	f, e := &faults{fake: fake, injected: map[int]*cataloguetest.Injection{}}, &exchanges{fake: fake}
	if f.records, err = applied.In(cat); err != nil {
		return nil, err
	}
	if e.records, err = log.In(cat); err != nil {
		return nil, err
	}
	if f.AnyCollection, err = cat.Collection("faults"); err != nil {
		return nil, err
	}
	if e.AnyCollection, err = cat.Collection("exchanges"); err != nil {
		return nil, err
	}
	for _, flag := range flags {
		id, err := f.records.Insert(appliedFault{Fault: flag.text})
		if err == nil {
			err = f.inject(id, flag)
		}
		if err != nil {
			return nil, fmt.Errorf("fault %q: %w", flag.text, err)
		}
	}
	return httpapi.NewHandler([]httpapi.Collection{f, e}, httpapi.Options{
		Root:       "/",
		Authorizer: httpapi.AllowAll,
		Limits:     pagination.Limits{Default: maxExchanges, Max: maxExchanges},
	})
}

// An appliedFault is a fault that is applied to requests.
type appliedFault struct {
	ID      int    `json:"id"`
	Fault   string `json:"fault"`                       // as in -fail
	Changed int    `json:"changed" backlist:"readonly"` // responses
}

// faults is the collection of the faults that are applied.
type faults struct {
	catalogue.AnyCollection
	records *catalogue.Collection[appliedFault]
	fake    *cataloguetest.Server

	mu       sync.Mutex
	injected map[int]*cataloguetest.Injection // by id
}

// inject applies the fault of a record.
func (f *faults) inject(id int, parsed fault) error {
	injection, err := f.fake.TryInject(parsed.match, parsed.fault)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "cataloguetest: ")
		return errors.New(strings.TrimPrefix(text, "Match."))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.injected[id] = injection
	return nil
}

// Create applies a fault.
func (f *faults) Create(ctx context.Context, body []byte) ([]byte, error) {
	record, err := f.AnyCollection.Create(ctx, body)
	if err != nil {
		return nil, err
	}
	var a appliedFault
	if err := json.Unmarshal(record, &a); err != nil {
		return nil, err
	}
	parsed, err := parseFault(a.Fault)
	if err == nil {
		err = f.inject(a.ID, parsed)
	}
	if err != nil {
		invalid := schema.FieldErrors{{Field: "fault", Messages: []string{err.Error()}}}
		return nil, errors.Join(invalid, f.records.Delete(a.ID))
	}
	return record, nil
}

// Delete removes a fault.
func (f *faults) Delete(ctx context.Context, segment string, params url.Values, condition func([]byte) error) error {
	if err := f.AnyCollection.Delete(ctx, segment, params, condition); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.injected, func(id int, injection *cataloguetest.Injection) bool {
		removed := !f.records.Has(id)
		if removed {
			injection.Remove()
		}
		return removed
	})
	return nil
}

// List returns the faults with the numbers of responses that they have changed.
func (f *faults) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, injection := range f.injected {
		err := f.records.Update(id, func(a *appliedFault) error {
			a.Changed = injection.Count()
			return nil
		})
		if err != nil && !errors.Is(err, catalogue.ErrNotFound) { // it is being deleted
			return catalogue.List{}, err
		}
	}
	return f.AnyCollection.List(ctx, q)
}

// An exchange is a request with its response.
type exchange struct {
	ID               int               `json:"id"`
	Method           string            `json:"method"`
	URL              string            `json:"url"` // path and query
	Headers          map[string]string `json:"headers"`
	Body             string            `json:"body"`
	Status           *int              `json:"status"` // null: no response
	AnswerHeaders    map[string]string `json:"answerHeaders"`
	Answer           string            `json:"answer"`
	Cut              bool              `json:"cut"`     // the URL, a header or a body is not complete here
	Aborted          bool              `json:"aborted"` // the response ended early
	TookMilliseconds float64           `json:"tookMilliseconds"`
}

// exchanges is the collection of the last exchanges, in the order of their requests.
type exchanges struct {
	catalogue.AnyCollection
	records *catalogue.Collection[exchange]
	fake    *cataloguetest.Server
}

// List reads the log.
func (e *exchanges) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	var all []exchange
	for i, x := range e.fake.Exchanges() {
		all = append(all, exchange{
			ID: i + 1, Method: x.Method, URL: x.URL.RequestURI(), Headers: joined(x.Header), Body: string(x.Body),
			AnswerHeaders: joined(x.ResponseHeader), Answer: string(x.ResponseBody),
			Cut: x.Cut, Aborted: x.Aborted, TookMilliseconds: float64(x.Duration) / float64(time.Millisecond),
		})
		if x.Status != 0 {
			all[i].Status = &x.Status
		}
	}
	if err := e.records.ReplaceAll(slices.Values(all)); err != nil {
		return catalogue.List{}, err
	}
	return e.AnyCollection.List(ctx, q)
}

// joined returns the headers with one value each.
func joined(header http.Header) map[string]string {
	all := map[string]string{}
	for name, values := range header {
		all[name] = strings.Join(values, ", ")
	}
	return all
}

// listenLoopback listens on a loopback address, and refuses others.
func listenLoopback(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	if !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("%q is not a loopback address; want one such as 127.0.0.1:%d", addr, tcp.Port)
	}
	return net.ListenTCP("tcp", tcp)
}

// refusePages returns a handler that refuses requests of web pages: those with an Origin or
// a Sec-Fetch-Site of another page, and those for a host that is not a loopback address,
// which a page can make with a name that leads there (DNS rebinding).
func refusePages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if !isLoopbackHost(r.Host) || r.Header.Get("Origin") != "" || site != "" && site != "none" {
			http.Error(w, "requests of web pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopbackHost reports whether a Host header names a loopback address, with any port.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
