package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A program is a run of backlist.
type program struct {
	config
	errorLog *log.Logger
	ignored  ignored
	serving  sync.Mutex              // held while current is replaced
	current  atomic.Pointer[service] // of the records since the last reset, or since the file changed
}

// A source is where the records of a service come from.
type source struct {
	read  *infer.File          // nil unless the collections are those of a file
	start *catalogue.Catalogue // never written to
	stamp string               // of the file, before it was read
	saved []byte               // digest of the file of -save when it was read or written
}

// newProgram loads the records. Its errors are those of the flags and of the files, and
// errors of an import, which wrap errImport.
func newProgram(ctx context.Context, c config, errorLog *log.Logger) (*program, error) {
	p := &program{config: c, errorLog: errorLog}
	_, err := os.Stat(c.save)
	var from source
	switch exists := c.save != "" && err == nil; {
	case exists && c.file != "" && !c.back:
		return nil, fmt.Errorf("-save: %s exists; to continue with its records, serve it, with -save alone", c.save)
	case exists && c.file == "" && c.data == "":
		return nil, fmt.Errorf("-save: %s exists; to continue with its records, add -data %[1]s", c.save)
	case c.file != "":
		shown := progress.Loading(errorLog.Writer(), c.file)
		from, err = p.readFile()
		shown.Stop()
	default:
		from.start, err = load(ctx, c, errorLog.Writer())
	}
	if err != nil {
		return nil, err
	}
	if c.save != "" && !c.back {
		if err = from.save(c.save, from.start); err == nil {
			from.saved, err = digest(c.save)
		}
		if err != nil {
			return nil, fmt.Errorf("-save: %w", err)
		}
	}
	return p, p.serve(from)
}

// readFile reads the collections of the file.
func (p *program) readFile() (from source, err error) {
	from.stamp = p.stamp()
	from.saved, _ = digest(p.save) // before it is read: a change in between is one, and an error is that of reading
	file, err := os.Open(p.file)
	if err != nil {
		return from, fmt.Errorf("%s: %w: want a JSON file", p.file, errors.Unwrap(err))
	}
	defer file.Close()
	name := strings.TrimSuffix(filepath.Base(p.file), ".gz")
	from.read, err = infer.Read(file, infer.Options{Name: strings.TrimSuffix(name, filepath.Ext(name)), ID: p.id, Refers: p.refers})
	if reading := (*fs.PathError)(nil); errors.As(err, &reading) {
		err = fmt.Errorf("%w: want a JSON file", reading.Err)
	}
	if err != nil {
		return from, fmt.Errorf("%s: %w", p.file, err)
	}
	from.start = from.read.Catalogue
	return from, nil
}

// load returns a catalogue with the records of the file or of the service, or with generated
// ones. It shows its progress on output if that is a terminal.
func load(ctx context.Context, c config, output io.Writer) (*catalogue.Catalogue, error) {
	cat, err := resources.New(stories()...)
	if err != nil {
		return nil, err
	}
	if c.data != "" {
		shown := progress.Loading(output, c.data)
		defer shown.Stop()
		return cat, cat.LoadFile(c.data, catalogue.LoadOptions{})
	}
	if c.from != "" {
		return cat, importRecords(ctx, cat, c.from, output)
	}
	opts, total := sample.Options{Seed: c.seed, Sizes: map[string]int{}}, 0
	for key, collection := range cat.All() {
		size, ok := c.sizes[key]
		if !ok && !slices.Contains(sizeFlags[:], key) {
			size, ok = c.sizes["others"]
		}
		if ok && documented(collection) {
			opts.Sizes[key], total = size, total+size
		}
	}
	if err := generate(cat, opts, total, output); err != nil {
		return nil, err
	}
	return cat, generateStories(cat, c.seed)
}

// generate replaces the records of /api/ by generated ones. total is the sum of the sizes in opts.
func generate(cat *catalogue.Catalogue, opts sample.Options, total int, output io.Writer) error {
	shown := progress.Start(output, fmt.Sprintf("generating %d records", total), int64(total))
	var records bytes.Buffer
	err := sample.Write(io.MultiWriter(&records, lineCounter{shown}), opts)
	shown.Stop()
	if err != nil {
		return err
	}
	shown = progress.Start(output, fmt.Sprintf("loading %d records (%.1f MB)", total, float64(records.Len())/1e6), 0)
	defer shown.Stop()
	return cat.Load(&records, catalogue.LoadOptions{})
}

// A lineCounter adds the lines that are written, each with a record, to a meter.
type lineCounter struct{ shown *progress.Meter }

func (c lineCounter) Write(p []byte) (int, error) {
	c.shown.Add(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// reset restores the records and faults of the start and empties the log, at one instant.
// Requests that have arrived are served to their end, and write to the old records.
func (p *program) reset() error { return p.serve(p.current.Load().source) }

// serve makes the records of a source those that are served, with the faults of the start.
func (p *program) serve(from source) error {
	p.serving.Lock()
	defer p.serving.Unlock()
	s, err := p.newService(from)
	if err != nil {
		return err
	}
	if old := p.current.Swap(s); old != nil {
		old.fake.Close()
	}
	return nil
}

// ServeHTTP serves a request of the service.
func (p *program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.current.Load().fake.Handler.ServeHTTP(w, r)
}

// A service is the fake until the next reset.
type service struct {
	source
	records  *catalogue.Catalogue
	document *openapi.Document
	fake     *cataloguetest.Server
	faults   *faults
}

// newService returns a service with the faults of the flags.
func (p *program) newService(from source) (*service, error) {
	records := from.start.Clone()
	var house, all []httpapi.Collection
	for _, collection := range records.All() {
		if from.read != nil {
			house = append(house, embedding{withoutQuery{collection}, collection.Description(), records})
			continue
		}
		if documented(collection) {
			house = append(house, collection)
		}
		all = append(all, withoutQuery{collection})
	}
	handler, api, err := p.newHandler("/api/", house)
	if err != nil {
		return nil, err
	}
	s := &service{source: from, records: records}
	_, scheme, _ := p.writes()
	about, first, demo := openapi.Options{Title: filepath.Base(p.file), Scheme: scheme}, "api/", http.NotFoundHandler()
	if from.read == nil {
		if _, demo, err = p.newHandler("/v1/", slices.Concat(all[len(house):], all[:len(house)])); err != nil {
			return nil, err
		}
		about.Title, first = "Catalogue of a publishing house", "v1/"
	}
	if s.document, err = openapi.New(handler, about); err != nil {
		return nil, err
	}
	style, err := p.pages()
	if err != nil {
		return nil, err
	}
	if from.read != nil {
		api = embedded(api, records, func(r *http.Request, name string) {
			p.ignored.print(p.errorLog, records, style, r, name, "")
		})
	}
	kept := 1 // nothing reads the log, and 0 would keep everything
	if p.control != "" {
		kept = maxExchanges
	}
	s.fake, err = cataloguetest.Open(cataloguetest.Options{
		Catalogue:    records,
		Handler:      httpapi.Options{Pages: style, Framework: p.version},
		MaxExchanges: kept,
		Ignored:      []string{"_embed", "_expand"}, // embedding reads them, and prints those that add nothing
		OnIgnored: func(r *http.Request, name, hint string) {
			p.ignored.print(p.errorLog, records, style, r, name, hint)
		},
		Wrap: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/openapi.json":
					s.document.ServeHTTP(w, r)
				case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
					w.Header().Set("Location", first) // relative to the URL of the request, which may have a prefix
					w.WriteHeader(http.StatusFound)
				case from.read == nil && (r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/")):
					demo.ServeHTTP(w, r)
				default:
					api.ServeHTTP(w, r)
				}
			})
		},
	})
	if err != nil {
		return nil, err
	}
	paths := slices.Concat([]string{"/", "/openapi.json"}, pathsOf("/api/", house), pathsOf("/v1/", all))
	s.faults = &faults{fake: s.fake, paths: paths}
	for _, text := range p.faults {
		if err := s.faults.add(text); err != nil {
			return nil, fmt.Errorf("fault %q: %w", text, err)
		}
	}
	return s, nil
}

// newHandler returns the handler of collections, itself and with pages for browsers.
func (p *program) newHandler(root string, list []httpapi.Collection) (*httpapi.Handler, http.Handler, error) {
	authorizer, scheme, _ := p.writes()
	style, err := p.pages()
	if err != nil {
		return nil, nil, err
	}
	h, err := httpapi.NewHandler(list, httpapi.Options{
		Root:       root,
		Authorizer: authorizer,
		BaseURL:    p.baseURL,
		Pages:      style,
		Framework:  p.version,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			p.errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
	if err != nil || !p.browse {
		return h, h, err
	}
	about := browse.Options{Title: "Backlist", OpenAPI: "../openapi.json", Scheme: scheme, CrossOrigin: trusting(p.cors, p.token)}
	pages, err := browse.New(h, about)
	if err != nil || p.token == "" {
		return h, pages, err
	}
	return h, sendingToken(h, pages), nil
}

// documented reports whether a collection is one of /api/, whose links have format=api.
func documented(c catalogue.AnyCollection) bool { return c.Description().Query != "" }

// withoutQuery is a collection whose link in the root listing has no query.
type withoutQuery struct{ catalogue.AnyCollection }

func (c withoutQuery) Description() schema.Description {
	d := c.AnyCollection.Description()
	d.Query = ""
	return d
}

func (c withoutQuery) Revision(context.Context) (uint64, error) {
	return c.AnyCollection.Revision(), nil
}
