package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// Options configures a [Store]. DSN is required. Connections have the parameters
// plan_cache_mode=force_custom_plan and jit=off and cache 64 prepared statements,
// unless the DSN sets other values.
type Options struct {
	// DSN is the connection string of the database, a URL or keywords as in psql.
	DSN string

	// Definitions are the collections. If there are none, they are the 39 documented ones.
	// Fields are ordered by their kind, not by keys of the program's own. No field may be named
	// record or served. Definitions by [catalogue.Show] or [catalogue.ShowInLists] are refused.
	Definitions []catalogue.AnyDefinition

	// Catalogue, if not nil, is an empty catalogue with the collections, in place of Definitions.
	Catalogue *catalogue.Catalogue

	// MaxConns is the largest number of connections. The default is 8.
	MaxConns int

	// Timeout limits each call of a handler. The default is 5 seconds, and
	// negative means no limit.
	Timeout time.Duration
}

// ErrOptions is returned by [Open], wrapped with the field, for invalid options.
var ErrOptions = errors.New("pgstore: invalid options")

// A Store is a catalogue in a database. It is safe for concurrent use.
type Store struct {
	db       *sql.DB
	timeout  time.Duration
	decimals []string
	empty    *catalogue.Catalogue // decodes and encodes records
	tables   []*table             // in the order of the definitions
}

// Open returns a Store. It does not connect to the database. While the database is
// unavailable, each call returns an error.
func Open(opts Options) (*Store, error) {
	if opts.MaxConns < 0 {
		return nil, fmt.Errorf("%w: MaxConns is %d", ErrOptions, opts.MaxConns)
	}
	s := &Store{timeout: cmp.Or(opts.Timeout, 5*time.Second)}
	if s.timeout < 0 {
		s.timeout = math.MaxInt64
	}
	var err error
	if opts.Catalogue != nil {
		s.empty = opts.Catalogue.Clone()
	} else if len(opts.Definitions) == 0 {
		s.decimals = []string{"amount", "price", "raised", "total"} // those of resources.Records
		s.empty, err = resources.New()
	} else {
		s.empty, err = catalogue.New(opts.Definitions...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: Definitions: %w", ErrOptions, err)
	}
	used := map[string]bool{"collections": true, "members": true} // tables of every Store
	for _, c := range s.empty.All() {
		t, err := newTable(s, c)
		if err != nil {
			return nil, err
		}
		if c.Count() > 0 {
			return nil, fmt.Errorf("%w: Catalogue: %s has records: use Load", ErrOptions, t.about.Key)
		}
		if used[t.plainName] {
			return nil, fmt.Errorf("%w: Definitions: there are two tables %s", ErrOptions, t.plainName)
		}
		used[t.plainName] = true
		s.tables = append(s.tables, t)
	}
	for _, t := range s.tables {
		t.referrers = s.referrersOf(t)
		for _, path := range t.foldedPaths() {
			t.addUpper(path)
		}
	}
	if s.db, err = connect(opts); err != nil {
		return nil, err
	}
	return s, nil
}

// connect returns the connection pool.
func connect(opts Options) (*sql.DB, error) {
	if opts.DSN == "" {
		return nil, fmt.Errorf("%w: DSN is empty", ErrOptions)
	}
	config, err := pgx.ParseConfig(opts.DSN)
	if err != nil {
		return nil, fmt.Errorf("%w: DSN: %w", ErrOptions, err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range map[string]string{
		"plan_cache_mode": "force_custom_plan", // the plan depends on the number of skipped rows, a parameter
		"jit":             "off",               // compiling a plan takes longer than executing it
	} {
		config.RuntimeParams[name] = cmp.Or(config.RuntimeParams[name], value)
	}
	// Each ordering is one statement, takes about 60 kB on the server, and may be chosen by
	// any client.
	const pgxDefault = 512
	if config.StatementCacheCapacity == pgxDefault {
		config.StatementCacheCapacity = 64
	}
	db := stdlib.OpenDB(*config)
	conns := cmp.Or(opts.MaxConns, 8)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that a changed address is noticed
	return db, nil
}

// Options of transactions: of those that see one snapshot, and of those that write.
var (
	snapshot = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	writing  = &sql.TxOptions{Isolation: sql.LevelReadCommitted}
)

// transaction runs f in a transaction of a connection, which can COPY, unlike the transaction.
func (s *Store) transaction(ctx context.Context, opts *sql.TxOptions, f func(conn *sql.Conn, tx *sql.Tx) error) error {
	var conn *sql.Conn
	var tx *sql.Tx
	err := s.fresh(func() (err error) {
		if conn, err = s.db.Conn(ctx); err != nil {
			return err
		}
		if tx, err = conn.BeginTx(ctx, opts); err != nil {
			conn.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	defer tx.Rollback() // has no effect after Commit
	if err := f(conn, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// fresh calls f, and again while it loses its connection. Those of the pool may have ended since
// their last use, all of them if the server was restarted.
func (s *Store) fresh(f func() error) error {
	for lost := 0; ; lost++ {
		if err := f(); !isLost(err) || lost == s.db.Stats().MaxOpenConnections {
			return err
		}
	}
}

// each calls f for each row of a query, whose values are in targets.
func each(ctx context.Context, tx querier, query string, args []any, f func() error, targets ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close closes all connections, those in use when their call returns. Later calls of
// the Store's methods fail.
func (s *Store) Close() error { return s.db.Close() }

// Collections returns the collections in the order of their definitions, for
// [httpapi.NewHandler]. The caller may modify the slice. The descriptions of open records
// have the names of their members, which are read from the database.
func (s *Store) Collections() []httpapi.Collection {
	all := make([]httpapi.Collection, len(s.tables))
	for i, t := range s.tables {
		all[i] = t
	}
	return all
}

func (s *Store) table(key string) (*table, error) {
	for _, t := range s.tables {
		if t.about.Key == key {
			return t, nil
		}
	}
	return nil, fmt.Errorf("pgstore: %w: %q", catalogue.ErrUnknownCollection, key)
}
