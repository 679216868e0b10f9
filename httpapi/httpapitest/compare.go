package httpapitest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/requests"
	"github.com/gobacklist/backlist/ordering"
)

// Options configures [Compare]. The zero value sends about 1000 requests to handlers that permit
// all of them.
type Options struct {
	// Handler are the options of both handlers. If Authorizer is nil, all requests are permitted, and if
	// OnError is nil, a panic fails the test. A
	// description or Handler.Pages selects the style of pages: compare once with each style that is
	// served.
	Handler httpapi.Options

	// Requests is the number of random requests. If zero, it is 1000. Those that follow from the
	// descriptions are sent first and not counted.
	Requests int

	// Seed determines the random requests. If zero, each run has another seed, which a
	// difference names.
	Seed uint64

	// Saved, if not nil, returns what is stored, as [catalogue.Catalogue.Save] writes it. It is
	// compared at the end. If nil, what the lists show is compared.
	Saved func(ctx context.Context) ([]byte, error)
}

// Compare compares collections with those of a catalogue that have the same definitions. The
// function open replaces all stored records by those of a file that [catalogue.Catalogue.Load]
// reads, and returns the collections in the order of the catalogue. Compare calls it many times,
// and uses no collection after the next call. The file has the records of the catalogue, which is
// not changed; without records in it, those that requests create are compared.
//
// A response must have the status, the headers and the body of the catalogue's. Entity tags and
// the tokens in cursors may differ; Compare follows the links with them. An implementation therefore
// assigns ids as a catalogue does. Fields that are [schema.Field].Created and rules that read
// a clock need one that stands still; see [catalogue.Options].Now.
//
// The first difference ends the test. It is reported with the last requests before it and the seed, which
// repeats all of them. ctx is canceled when Compare returns. Compare must not be called concurrently
// for collections that share their records.
func Compare(t testing.TB, cat *catalogue.Catalogue, open func(ctx context.Context, file []byte) ([]httpapi.Collection, error), opts Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opts.Seed = cmp.Or(opts.Seed, rand.Uint64())
	opts.Handler.ETags = true
	if opts.Handler.Authorizer == nil {
		opts.Handler.Authorizer = httpapi.AllowAll
	}
	if opts.Handler.OnError == nil {
		var once sync.Once
		opts.Handler.OnError = func(r *http.Request, err error) {
			if errors.Is(err, httpapi.ErrPanic) {
				once.Do(func() { t.Errorf("%s %s: %v", r.Method, r.URL, err) })
			}
		}
	}
	if opts.Handler.Assign == nil {
		opts.Handler.Assign = assigned
	}
	p := &pair{TB: t, ctx: ctx, cat: cat, open: open, opts: opts, seed: opts.Seed}
	p.reset()
	p.checkDescriptions()
	p.compareRequests()
	p.checkCalls()
}

// assigned returns the values in the header Assigned, with which some requests are sent.
func assigned(r *http.Request, _ string, _ schema.Actions) (schema.Record, error) {
	if text := r.Header.Get("Assigned"); text != "" {
		return schema.ParseKeyed([]byte(text))
	}
	return schema.Record{}, nil
}

// A pair is a catalogue and the collections that are compared with it.
type pair struct {
	testing.TB
	ctx  context.Context
	cat  *catalogue.Catalogue // not changed
	open func(ctx context.Context, file []byte) ([]httpapi.Collection, error)
	opts Options

	ref      *catalogue.Catalogue // a clone of cat
	own      []httpapi.Collection
	handlers [2]http.Handler
	seed     uint64               // of the last generator
	links    [2][2]string         // of the last page, to the next and the previous one
	tags     map[string][2]string // the last entity tags of a target
}

// reset replaces the records of both by those of the catalogue.
func (p *pair) reset() {
	p.Helper()
	var file bytes.Buffer
	p.ref = p.cat.Clone()
	err := p.ref.Save(&file)
	if err == nil {
		p.own, err = p.open(p.ctx, file.Bytes())
	}
	if err != nil {
		p.Fatalf("opening the collections: %v", err)
	}
	want, err1 := httpapi.New(p.ref, p.opts.Handler)
	got, err2 := httpapi.NewHandler(p.own, p.opts.Handler)
	if err := cmp.Or(err1, err2); err != nil {
		p.Fatalf("%v", err)
	}
	p.handlers, p.links, p.tags = [2]http.Handler{want, got}, [2][2]string{}, map[string][2]string{}
}

// A message is a request to both handlers.
type message struct {
	requests.Request
	follow      int    // link of the last response to follow: 1 is the next page, 2 the previous one
	conditional string // name of the header with the last entity tag of the target, or ""
}

func (m message) String() string {
	text := m.Method + " " + m.Target
	if m.follow > 0 {
		text = "GET of the " + linkNames[m.follow-1] + " page"
	}
	if m.conditional != "" {
		text += " with " + m.conditional + " of the last response"
	}
	if a := m.Header.Get("Assigned"); a != "" {
		text += " with the assigned values " + a
	}
	return strings.TrimSpace(text + " " + m.Body)
}

// untilReset is the number of requests after which the records are replaced: deletions leave few.
const untilReset = 300

// compareRequests sends the requests of descriptions and random ones, and compares what is stored.
func (p *pair) compareRequests() {
	g, sent := p.start()
	for r := range g.Systematic() {
		p.compare(g, &sent, message{Request: r})
		for _, link := range []int{1, 1, 2} {
			if p.hasLink(link) {
				p.compare(g, &sent, message{Request: requests.Request{Collection: r.Collection}, follow: link})
			}
		}
		if len(sent) >= untilReset {
			g, sent = p.start()
		}
	}
	for range cmp.Or(p.opts.Requests, 1000) {
		if len(sent) >= untilReset {
			p.compareStored(sent)
			g, sent = p.start()
		}
		p.compare(g, &sent, p.random(g))
	}
	p.compareStored(sent)
}

var linkNames = [2]string{"next", "previous"}

// hasLink reports whether both of the last responses have a link.
func (p *pair) hasLink(link int) bool { return p.links[0][link-1] != "" && p.links[1][link-1] != "" }

// start replaces the records by those of the catalogue and creates some more. It returns a generator
// that knows them, and the messages that it has sent.
func (p *pair) start() (g *requests.Generator, sent []message) {
	p.reset()
	root := cmp.Or(p.opts.Handler.Root, "/api/")
	var abouts []schema.Description
	for _, c := range p.ref.All() {
		abouts = append(abouts, c.Description())
	}
	p.seed++
	g = requests.New(p.seed, root, abouts)
	for _, about := range abouts {
		g.Learn(about.Key, p.send(0, message{Request: requests.Request{Method: "GET", Target: root + about.Segment + "/?limit=50"}}).Body.Bytes())
	}
	for r := range g.Creations() {
		p.compare(g, &sent, message{Request: r})
	}
	return g, sent
}

// random returns a random message.
func (p *pair) random(g *requests.Generator) message {
	m := message{Request: g.Request()}
	switch n := g.IntN(12); {
	case n < 3 && p.hasLink(1+n%2):
		return message{Request: requests.Request{Collection: m.Collection}, follow: 1 + n%2}
	case (n == 4 || n == 5) && len(p.tags) > 0:
		targets := slices.Sorted(maps.Keys(p.tags))
		m = message{Request: requests.Request{Method: "GET", Target: targets[g.IntN(len(targets))]}, conditional: "If-None-Match"}
		if n == 5 {
			m.conditional, m.Method = "If-Match", [...]string{"GET", "DELETE"}[g.IntN(2)]
		}
	case n == 6 && m.Body != "":
		m.Header = maps.Clone(m.Header)
		m.Header.Set("Assigned", g.Assigned(m.Collection))
	}
	return m
}

// compare sends a message to both, and ends the test if the responses differ.
func (p *pair) compare(g *requests.Generator, sent *[]message, m message) {
	*sent = append(*sent, m)
	want, diff := p.ask(m)
	if diff != "" {
		p.report("responses to the last of", *sent, diff)
	}
	if want.Code < 300 {
		g.Learn(m.Collection, want.Body.Bytes())
	}
}

// send sends a message to a handler.
func (p *pair) send(i int, m message) *httptest.ResponseRecorder {
	r := &http.Request{Method: m.Method, Host: "service.example", Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	target := m.Target
	if m.follow > 0 {
		r.Method, target = "GET", p.links[i][m.follow-1]
	}
	path, query, _ := strings.Cut(target, "?")
	unescaped, err := url.PathUnescape(path)
	if err != nil {
		unescaped = path
	}
	r.RequestURI, r.URL = target, &url.URL{Path: unescaped, RawPath: path, RawQuery: query}
	maps.Copy(r.Header, m.Header)
	if tags, ok := p.tags[m.Target]; ok && m.conditional != "" {
		r.Header.Set(m.conditional, tags[i])
	}
	if m.Body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(m.Body)), int64(len(m.Body))
	}
	w := httptest.NewRecorder()
	p.handlers[i].ServeHTTP(w, r)
	return w
}

var (
	nextLink     = regexp.MustCompile(`"next":"http://service\.example([^"]*)"`)
	previousLink = regexp.MustCompile(`"previous":"http://service\.example([^"]*)"`)
	cursors      = regexp.MustCompile(`cursor=[^&"]*`)
)

// ask sends a message to both. It returns the response of the catalogue and how the other differs.
func (p *pair) ask(m message) (want *httptest.ResponseRecorder, diff string) {
	var responses [2]*httptest.ResponseRecorder
	var tags [2]string
	var links [2][2]string
	for i := range responses {
		w := p.send(i, m)
		tags[i] = w.Header().Get("Etag")
		w.Header().Del("Etag")
		w.Header().Del("Cache-Control") // depends on the tag
		if cursors.MatchString(w.Body.String()) {
			w.Header().Del("Content-Length") // depends on the tokens
		}
		for to, link := range [2]*regexp.Regexp{nextLink, previousLink} {
			if found := link.FindStringSubmatch(w.Body.String()); found != nil {
				links[i][to] = found[1]
			}
		}
		responses[i] = w
	}
	if p.links = links; tags[0] != "" && tags[1] != "" {
		p.tags[m.Target] = tags
	}
	want, got := responses[0], responses[1]
	if want.Code != got.Code || !maps.EqualFunc(want.Header(), got.Header(), slices.Equal) {
		diff = gocmp.Diff(want.Code, got.Code) + gocmp.Diff(want.Header(), got.Header())
	}
	a, b := cursors.ReplaceAllString(want.Body.String(), "cursor="), cursors.ReplaceAllString(got.Body.String(), "cursor=")
	if a != b {
		diff += gocmp.Diff(a, b)
	}
	return want, diff
}

// compareStored compares what is stored after some messages.
func (p *pair) compareStored(sent []message) {
	if diff := p.storedDiff(); diff != "" {
		p.report("stored records after", sent, diff)
	}
}

// report ends the test with a difference after some messages.
func (p *pair) report(what string, sent []message, diff string) {
	p.Helper()
	const most = 10
	last := sent[max(len(sent)-most, 0):]
	var list strings.Builder
	for _, m := range last {
		list.WriteString("\t" + m.String() + "\n")
	}
	p.Fatalf("the %s these requests differ, the last %d of %d, of seed %d (-catalogue +collections):\n%s%s", what, len(last), len(sent), p.opts.Seed, list.String(), diff)
}

// storedDiff returns how the stored records differ, or "".
func (p *pair) storedDiff() string {
	p.Helper()
	if p.opts.Saved != nil {
		var want bytes.Buffer
		err := p.ref.Save(&want)
		got, err2 := p.opts.Saved(p.ctx)
		if err = cmp.Or(err, err2); err != nil {
			p.Fatalf("saving: %v", err)
		}
		return gocmp.Diff(want.String(), string(got))
	}
	diff, i := "", 0
	for key, c := range p.ref.All() {
		q := everything(ordering.Asc(ordering.Snake(c.Description().Identity().Name)))
		want, err := c.List(p.ctx, q)
		got, err2 := p.own[i].List(p.ctx, q)
		if err = cmp.Or(err, err2); err != nil {
			p.Fatalf("%s: List: %v", key, err)
		}
		diff += gocmp.Diff(string(bytes.Join(want.Records, []byte("\n"))), string(bytes.Join(got.Records, []byte("\n"))))
		i++
	}
	return diff
}
