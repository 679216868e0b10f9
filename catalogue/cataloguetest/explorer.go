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

// search returns the first finding, or nil if the client makes no mistake.
func (x *explorer) search(t *testing.T, opts Exploration) *finding {
	t.Helper()
	if opts.Story != nil {
		return x.try(t, opts.Story, finding{})
	}
	if opts.Stories <= 0 {
		opts.Stories = defaultStories
	}
	for n := range opts.Stories {
		seed := opts.Seed + uint64(n)
		if f := x.try(t, x.script.generate(seed), finding{of: fmt.Sprintf(" of seed %d", seed), stories: n}); f != nil {
			return f
		}
	}
	return nil
}

// try runs one story. If the client makes a mistake, it returns f with the smallest story
// in which the client makes the same.
func (x *explorer) try(t *testing.T, text []byte, f finding) *finding {
	t.Helper()
	f.ended = x.run(t, x.script.decode(text))
	switch f.problem.kind {
	case "":
		return nil
	case stuck: // and would be again
	default:
		f.ended, f.runs = x.shrink(t, f.ended)
	}
	return &f
}
