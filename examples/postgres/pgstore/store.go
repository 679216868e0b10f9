package pgstore

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// Options say where the databases are. Primary must be given. Connections have
// plan_cache_mode=force_custom_plan and jit=off, and keep 64 prepared statements, unless
// the DSN says otherwise; of the two parameters one that it gives as empty is not sent.
type Options struct {
	Primary string // URL or keywords, as psql takes them: what is written goes there
	Replica string // the same for a standby that is read from; empty: there is none

	MaxConns int           // connections to each of the two at most; 0: 8
	Timeout  time.Duration // for each call of a handler, and for Insert; 0: 5 s, less than 0: none
}

// ErrOptions is what [Open] returns, wrapped with the field, for options that
// cannot be used.
var ErrOptions = errors.New("pgstore: bad options")

// Store is a house in a database. Its methods may be called by any number of
// goroutines at once.
type Store struct {
	primary *sql.DB
	replica *sql.DB // nil: none
	resting rest    // of the replica, since it could not answer
	timeout time.Duration
	tables  []*table // in the order of the document
}

// Open makes a Store. It does not connect: a database that is away is no error
// of Open's but, as long as it is away, of each call.
func Open(opts Options) (*Store, error) {
	if opts.MaxConns < 0 {
		return nil, fmt.Errorf("%w: MaxConns is %d", ErrOptions, opts.MaxConns)
	}
	s := &Store{timeout: opts.Timeout}
	if s.timeout == 0 {
		s.timeout = 5 * time.Second
	}
	var err error
	if s.primary, err = connect("Primary", opts.Primary, opts); err != nil {
		return nil, err
	}
	if opts.Replica != "" {
		if s.replica, err = connect("Replica", opts.Replica, opts); err != nil {
			s.primary.Close()
			return nil, err
		}
	}
	for _, about := range resources.Descriptions() {
		s.tables = append(s.tables, newTable(s, about))
	}
	return s, nil
}

// pgxStatements is how many prepared statements a connection keeps where the DSN
// says nothing. Each ordering is one and takes the server some 60 kB, and strangers
// may ask for as many as they like.
const pgxStatements = 512

// connect makes the pool of one server.
func connect(field, dsn string, opts Options) (*sql.DB, error) {
	if dsn == "" {
		return nil, fmt.Errorf("%w: %s is empty", ErrOptions, field)
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrOptions, field, err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	// How many rows are skipped is a parameter, and the plan depends on it.
	setDefault(config.RuntimeParams, "plan_cache_mode", "force_custom_plan")
	// Compiling a plan takes longer than any that is asked here.
	setDefault(config.RuntimeParams, "jit", "off")
	if config.StatementCacheCapacity == pgxStatements {
		config.StatementCacheCapacity = 64
	}
	db := stdlib.OpenDB(*config)
	conns := opts.MaxConns
	if conns == 0 {
		conns = 8
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that who moves behind a name is found
	return db, nil
}

// setDefault sends a parameter that the DSN does not give; one that it gives as
// empty is not sent at all, since not every server has it.
func setDefault(params map[string]string, name, value string) {
	switch given, ok := params[name]; {
	case !ok:
		params[name] = value
	case given == "":
		delete(params, name)
	}
}

// Close closes all connections, those in use as soon as they are not. What is asked
// after it fails.
func (s *Store) Close() error {
	err := s.primary.Close()
	if s.replica != nil {
		err = errors.Join(err, s.replica.Close())
	}
	return err
}

// Collections are what [httpapi.NewHandler] takes, by their documented keys. The
// map is the caller's.
func (s *Store) Collections() map[string]httpapi.Collection {
	all := make(map[string]httpapi.Collection, len(s.tables))
	for _, t := range s.tables {
		all[t.about.Key] = t
	}
	return all
}

// ErrCollection says that there is no collection of a key.
var ErrCollection = errors.New("pgstore: unknown collection")

func (s *Store) table(key string) (*table, error) {
	for _, t := range s.tables {
		if t.about.Key == key {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrCollection, key)
}
