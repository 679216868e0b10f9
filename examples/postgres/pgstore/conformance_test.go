package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/httpapitest"
)

// TestConformance tests each described collection and an open one.
func TestConformance(t *testing.T) {
	for key, body := range map[string]string{
		"events":       `{"name":"Reading","slug":"reading","startDate":"2026-05-01T18:00:00+02:00","endDate":"2026-05-01T20:00:00+02:00"}`,
		"labels":       "",
		"social-links": `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`,
		"books":        "",
	} {
		t.Run(key, func(t *testing.T) {
			dsn := newDSN(t)
			store := open(t, pgstore.Options{Primary: dsn, Timeout: time.Minute}) // for slow machines
			if err := store.Load(t.Context(), strings.NewReader(`{"authors":[{"id":1}]}`)); err != nil {
				t.Fatal(err)
			}
			db := connect(t, dsn)
			httpapitest.TestCollection(t, httpapitest.Implementation{
				Description: described(key),
				New: func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
					if err := resetLastID(ctx, db, key); err != nil {
						return nil, err
					}
					err := store.Load(ctx, bytes.NewReader(file(key, records)))
					return collectionOf(store, key), err
				},
				Insert: func(ctx context.Context, _ httpapi.Collection, record []byte) error {
					return store.Insert(ctx, key, record)
				},
				Body: body,
			})
		})
	}
}

// resetLastID resets the highest id of a collection, which one of the checks raises to
// the largest int.
func resetLastID(ctx context.Context, db *sql.DB, key string) error {
	_, err := db.ExecContext(ctx, `UPDATE collections SET last_id = 0 WHERE key = $1`, key)
	return err
}

// file returns a file of one collection for Load.
func file(key string, records [][]byte) []byte {
	return []byte(`{"` + key + `":[` + string(bytes.Join(records, []byte(","))) + `]}`)
}
