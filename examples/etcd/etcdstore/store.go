package etcdstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/httpapi"
)

// Options configures a [Store].
type Options struct {
	// Client is the client of the cluster. It is required. [Store.Close] does not close it.
	Client *clientv3.Client

	// Prefix is the beginning of all keys. Stores with the same prefix have the same
	// records. If empty, it is "backlist/".
	Prefix string

	// Definitions are the collections. If there are none, they are the 39 documented ones.
	// All stores with the same prefix must have the same definitions.
	Definitions []Definition

	// Serializable makes reads return what this process has, without asking the cluster.
	// They then succeed without a quorum and may miss writes: in general those of the last
	// milliseconds, and without a connection all since it broke. They include all writes
	// that this Store has acknowledged, and never go back in time. If false, reads are
	// linearizable.
	Serializable bool

	// Timeout limits each read and write of a request. If 0, it is 5 seconds.
	Timeout time.Duration

	// OnError is called with errors that keep the Store from following the writes of
	// others. It then tries again, and linearizable reads fail in the meantime. OnError
	// must return quickly. If nil, the errors are discarded.
	OnError func(error)
}

// A Store is a catalogue whose records are in etcd. It is safe for concurrent use.
type Store struct {
	opts   Options
	client *clientv3.Client
	keys   layout
	order  []string // keys of the collections
	tagKey string

	pageSize int64 // keys in a request while all are read

	mu       sync.Mutex // held while a write is applied to the replica
	replica  atomic.Pointer[replica]
	progress *progress
	turn     chan struct{} // a semaphore for writes

	closing context.Context
	close   context.CancelFunc
	running sync.WaitGroup
}

// Open reads all records and returns a Store that follows the writes of all stores with
// the same prefix. It waits until the cluster can be reached or ctx is done. The error
// wraps [ErrInvalidOptions], [ErrInvalidData] or that of ctx.
func Open(ctx context.Context, opts Options) (*Store, error) {
	if opts.Client == nil {
		return nil, fmt.Errorf("%w: Client is nil", ErrInvalidOptions)
	}
	opts.Prefix = cmp.Or(opts.Prefix, "backlist/")
	opts.Timeout = cmp.Or(opts.Timeout, 5*time.Second)
	if !strings.HasSuffix(opts.Prefix, "/") {
		return nil, fmt.Errorf("%w: Prefix %q does not end with a slash", ErrInvalidOptions, opts.Prefix)
	}
	if opts.Timeout < 0 {
		return nil, fmt.Errorf("%w: Timeout is negative", ErrInvalidOptions)
	}
	for i, d := range opts.Definitions {
		if d.definition == nil {
			return nil, fmt.Errorf("%w: Definitions[%d] is not a result of Of", ErrInvalidOptions, i)
		}
	}
	if len(opts.Definitions) == 0 {
		var err error
		if opts.Definitions, err = documented(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalidOptions, err)
		}
	}
	cat, _, err := newCatalogue(opts.Definitions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidOptions, err)
	}
	s := &Store{
		opts:     opts,
		client:   opts.Client,
		keys:     layout(opts.Prefix),
		progress: newProgress(),
		turn:     make(chan struct{}, 1),
		pageSize: 5000,
	}
	for key := range cat.All() {
		s.order = append(s.order, key)
	}
	s.closing, s.close = context.WithCancel(context.Background())
	if err := s.start(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// start reads the records and starts to follow and to write.
func (s *Store) start(ctx context.Context) error {
	for {
		next, err := s.read(ctx)
		if err == nil {
			s.running.Go(func() { s.follow(s.closing, next) })
			return nil
		}
		if errors.Is(err, ErrInvalidData) {
			return err
		}
		s.report(err)
		if !pause(ctx, firstPause) {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// Time between attempts to reach etcd or to read all records. The latter doubles.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 2 * time.Second
)

// pause waits before the next attempt and reports whether ctx is not done.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (s *Store) report(err error) {
	if s.opts.OnError != nil {
		s.opts.OnError(err)
	}
}

// Close stops the Store. Methods that are called later fail, except for serializable
// reads.
func (s *Store) Close() {
	s.close()
	s.running.Wait()
}

// Collections returns the collections in the order of their definitions. They implement all
// interfaces of package httpapi.
func (s *Store) Collections() []httpapi.Collection {
	all := make([]httpapi.Collection, len(s.order))
	for i, key := range s.order {
		all[i] = &collection{s, key}
	}
	return all
}

// NewHandler returns a handler of the collections. If Options.ETagKey is empty, it is a key
// that is the same for all stores with the same prefix in the same cluster.
func (s *Store) NewHandler(opts httpapi.Options) (*httpapi.Handler, error) {
	opts.ETagKey = cmp.Or(opts.ETagKey, s.tagKey)
	return httpapi.NewHandler(s.Collections(), opts)
}

// layout has the names of a Store's keys, all of which begin with its prefix:
//
//	version                  the current generation; every write writes it again
//	0/ids/films              the highest id ever used in a collection of generation 0
//	0/records/films/00…7     the JSON of a record, under its id
//	0/records/tags/x%20y     the same under its key, if records have one in place of an id
//
// [Store.Load] writes a new generation and makes it the current one.
type layout string

func (prefix layout) version() string { return string(prefix) + "version" }

func (prefix layout) generation(g string) string { return string(prefix) + g + "/" }

func (prefix layout) ids(g, collection string) string {
	return prefix.generation(g) + "ids/" + collection
}

func (prefix layout) record(g, collection, name string) string {
	return prefix.generation(g) + "records/" + collection + "/" + name
}

// numbered returns the name of the record with an id.
func numbered(id int) string { return fmt.Sprintf("%019d", id) }

// parseName returns the id in the name of a record, or its key if records have one, the member by.
func parseName(name, by string) (id int, key string, ok bool) {
	if by != "" {
		key, err := url.PathUnescape(name)
		return 0, key, err == nil && url.PathEscape(key) == name
	}
	id, err := strconv.Atoi(name)
	return id, "", err == nil && id > 0 && numbered(id) == name
}

// A place is what a key of a generation names: a record, or the highest id of a
// collection if name is empty.
type place struct{ collection, name string }

// place returns what a key names. ok is false if the key is not one of the generation.
func (prefix layout) place(g, key string) (p place, ok bool, err error) {
	rest, ok := strings.CutPrefix(key, prefix.generation(g))
	if !ok {
		return p, false, nil
	}
	if collection, ok := strings.CutPrefix(rest, "ids/"); ok {
		return place{collection, ""}, true, nil
	}
	if rest, ok := strings.CutPrefix(rest, "records/"); ok {
		if i := strings.LastIndexByte(rest, '/'); i >= 0 && i+1 < len(rest) {
			return place{rest[:i], rest[i+1:]}, true, nil
		}
	}
	return p, true, fmt.Errorf("%w: unexpected key %q", ErrInvalidData, key)
}
