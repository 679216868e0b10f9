package cataloguetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// An explorer runs a client through stories.
type explorer struct {
	subject
	own      bool // the catalogue is that of the program
	script   script
	data     *dataset
	timeout  time.Duration
	grace    time.Duration // synthetic time to return after the context has ended
	patience time.Duration // real time that a story may take

	houses map[int]*catalogue.Catalogue // by number of records; never written to
	bases  map[baseKey]*storyService
}

var (
	errNilClient = errors.New("cataloguetest: Explore: nil client")
	errExploring = errors.New("cataloguetest: Explore is called inside a synctest bubble; it makes a bubble for each story itself")
)

func newExplorer(opts Exploration, s subject) (*explorer, error) {
	switch {
	case s.call == nil:
		return nil, errNilClient
	case inBubble():
		return nil, errExploring
	}
	for _, name := range opts.Except {
		if !slices.ContainsFunc(s.kinds, func(k kind) bool { return k.name == name }) {
			return nil, fmt.Errorf("cataloguetest: Exploration.Except: unknown event %q; want one of %s", name, strings.Join(kindNames(s.kinds), ", "))
		}
	}
	if opts.Collection == "" && opts.Catalogue == nil {
		opts.Collection = "events"
	}
	if opts.Timeout <= 0 {
		opts.Timeout = time.Minute
	}
	house := opts.Catalogue
	if house == nil {
		var err error
		if house, err = sampleCatalogue(); err != nil {
			return nil, fmt.Errorf("cataloguetest: %w", err)
		}
	}
	data, err := datasetOf(house.Clone(), opts.Root, chosen{"Exploration", opts.Collection, leastOf}, mostOf)
	if err != nil {
		return nil, err
	}
	kinds := slices.DeleteFunc(s.kinds, func(k kind) bool { return slices.Contains(opts.Except, k.name) })
	return &explorer{
		subject:  s,
		own:      opts.Catalogue != nil,
		script:   script{kinds, len(data.ids) / 2},
		data:     data,
		timeout:  opts.Timeout + time.Nanosecond, // not at the instant at which a wait of the client ends
		grace:    2 * time.Second,
		patience: 30 * time.Second,
		houses:   map[int]*catalogue.Catalogue{},
		bases:    map[baseKey]*storyService{},
	}, nil
}

func kindNames(kinds []kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// A finding is a story in which the client makes a mistake.
type finding struct {
	*ended
	of      string // names the story that was found, by its seed
	stories int    // that were run before it was found
	runs    int    // stories that were tried to reduce it
}

// A mistake tells findings apart: it is the kind of a problem with the event that causes it.
type mistake struct {
	kind  problemKind
	event string // empty: the client makes the mistake without any
}

func (e *ended) mistake() mistake {
	m := mistake{kind: e.problem.kind}
	if cause := e.cause(); cause != nil {
		m.event = cause.name
	}
	return m
}

// search returns the findings, each mistake once, and at most the given number.
func (x *explorer) search(t *testing.T, opts Exploration, most int) (found []*finding) {
	t.Helper()
	known := map[mistake]bool{}
	if opts.Story != nil {
		if f := x.try(t, opts.Story, finding{}, known); f != nil {
			found = append(found, f)
		}
		return found
	}
	if opts.Stories <= 0 {
		opts.Stories = defaultStories
	}
	for n := 0; n < opts.Stories && len(found) < most; n++ {
		seed := opts.Seed + uint64(n)
		f := x.try(t, x.script.generate(seed), finding{of: fmt.Sprintf(" of seed %d", seed), stories: n}, known)
		if f == nil {
			continue
		}
		found = append(found, f)
		if f.problem.kind == stuck || f.cause() == nil { // it would be again, or other mistakes follow from it
			break
		}
	}
	return found
}

// try runs one story. If the client makes a mistake that is not known, it returns f with the
// smallest story in which the client makes the same. The mistake is known then.
func (x *explorer) try(t *testing.T, text []byte, f finding, known map[mistake]bool) *finding {
	t.Helper()
	f.ended = x.run(t, x.script.decode(text))
	if f.problem.kind == "" || known[f.mistake()] {
		return nil
	}
	known[f.mistake()] = true
	if f.problem.kind == stuck {
		return &f
	}
	before := f.mistake()
	f.ended, f.runs = x.shrink(t, f.ended)
	if after := f.mistake(); after != before && known[after] {
		return nil
	}
	known[f.mistake()] = true
	return &f
}
