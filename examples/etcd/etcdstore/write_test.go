package etcdstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

// TestWaitingWrite delays a transaction until the next write has given up.
func TestWaitingWrite(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := storeDial(t, cluster.Clients[0].Endpoints()...)
	hook := &storeHook{KV: client.KV}
	client.KV = hook
	node := openStore(t, client, storeTimeout(500*time.Millisecond))
	arrived := make(chan bool)
	var first sync.Once
	hook.txn = func(ctx context.Context) error {
		first.Do(func() { close(arrived); <-ctx.Done() })
		return ctx.Err()
	}
	var requests sync.WaitGroup
	requests.Go(func() {
		reply := node.want("write whose transaction is delayed", "POST", "genres/", `{"name":"delayed"}`, http.StatusServiceUnavailable)
		storeSame(t, "Retry-After", "1", reply.RetryAfter)
	})
	<-arrived
	genres := storeCollection(node.Store, "genres")
	_, err := genres.Create(t.Context(), []byte(`{"name":"waiting"}`), schema.Record{})
	if !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("Create that waits = %v, want %v", err, httpapi.ErrUnavailable)
	}
	requests.Wait()
	page := node.await("write after both", "POST", "genres/", `{"name":"later"}`, http.StatusCreated)
	page = node.want("page", "GET", "genres/?ordering=name", "", http.StatusOK)
	storeSame(t, "the waiting write is not stored",
		`{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"later"}]}`, page.Body)
}

// TestConflicts writes through another store before each transaction, which therefore
// fails.
func TestConflicts(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	other := openStore(t, cluster.Clients[0])
	client := storeDial(t, cluster.Clients[0].Endpoints()...)
	hook := &storeHook{KV: client.KV}
	client.KV = hook
	const timeout = time.Second
	node := openStore(t, client, storeTimeout(timeout))
	other.want("first", "POST", "genres/", `{"name":"first"}`, http.StatusCreated)
	var conflicts, limit atomic.Int64
	hook.txn = func(context.Context) error {
		if n := conflicts.Add(1); n <= limit.Load() {
			other.want("other write", "PATCH", "genres/1/", fmt.Sprintf(`{"name":"other%d"}`, n), http.StatusOK)
		}
		return nil
	}
	limit.Store(5)
	storeSame(t, "write after five conflicts", `{"id":2,"name":"second"}`,
		node.want("five conflicts", "POST", "genres/", `{"name":"second"}`, http.StatusCreated).Body)
	storeSame(t, "attempts", 6, conflicts.Load())

	limit.Store(1 << 40)
	start := time.Now()
	node.want("conflicts until the deadline", "POST", "genres/", `{"name":"third"}`, http.StatusConflict)
	if d := time.Since(start); d < timeout {
		t.Errorf("conflict after %v, before the timeout of %v", d, timeout)
	}
	node.requests.await(t, "conflicts", httpapi.ErrConflict)
	limit.Store(0)
	storeSame(t, "write after conflicts", `{"id":3,"name":"fourth"}`,
		node.want("no conflicts", "POST", "genres/", `{"name":"fourth"}`, http.StatusCreated).Body)
}

// TestConditions writes through another store before the first transaction of a write with
// a condition.
func TestConditions(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	other := openStore(t, cluster.Clients[0])
	client := storeDial(t, cluster.Clients[0].Endpoints()...)
	hook := &storeHook{KV: client.KV}
	client.KV = hook
	node := openStore(t, client)
	genres := storeCollection(node.Store, "genres")
	errChanged := errors.New("changed")
	is := func(want string) func([]byte) error {
		return func(record []byte) error {
			if string(record) != want {
				return errChanged
			}
			return nil
		}
	}
	update := func(body string) func(condition func([]byte) error) error {
		return func(condition func([]byte) error) error {
			_, err := genres.Update(t.Context(), "1", catalogue.Edit{Body: []byte(body), Partial: true, Precondition: condition})
			return err
		}
	}
	remove := func(condition func([]byte) error) error {
		return genres.Delete(t.Context(), "1", schema.Filter{}, condition)
	}
	const (
		file    = `{"genres":[{"id":1,"name":"A"},{"id":2,"name":"B"}],"films":[{"id":1,"name":"F","genres":[1,2]}]}`
		film    = `{"id":1,"name":"F","genres":[1,2]}`
		current = `{"id":1,"name":"A"}`
		changed = `{"id":1,"name":"other"}`
	)
	for _, row := range []struct {
		reason    string
		write     func(condition func([]byte) error) error
		condition string // the record for which it is true
		other     string // the path of a record that is changed in between, if there is one
		err       error
		record    string // afterwards; empty if it is deleted
		film      string
	}{
		{"true for an update", update(`{"name":"C"}`), current, "", nil, `{"id":1,"name":"C"}`, film},
		{"true for a deletion", remove, current, "", nil, "", `{"id":1,"name":"F","genres":[2]}`},
		{"false for an update", update(`{"name":"C"}`), changed, "", errChanged, current, film},
		{"false for an invalid update", update(`{"name":7}`), changed, "", errChanged, current, film},
		{"false for a deletion", remove, changed, "", errChanged, current, film},
		{"no longer true for an update", update(`{"name":"C"}`), current, "genres/1/", errChanged, changed, film},
		{"no longer true for a deletion", remove, current, "genres/1/", errChanged, changed, film},
		{"true for an update after a conflict", update(`{"name":"C"}`), current, "genres/2/", nil, `{"id":1,"name":"C"}`, film},
		{"true for a deletion after a conflict", remove, current, "genres/2/", nil, "", `{"id":1,"name":"F","genres":[2]}`},
	} {
		storeMust(t, node.Load(t.Context(), strings.NewReader(file)))
		var once sync.Once
		hook.txn = func(context.Context) error {
			if row.other != "" {
				once.Do(func() { other.want(row.reason, "PATCH", row.other, `{"name":"other"}`, http.StatusOK) })
			}
			return nil
		}
		if err := row.write(is(row.condition)); !errors.Is(err, row.err) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.err)
		}
		hook.txn = nil
		var record string
		if got := other.do("GET", "genres/1/", ""); got.Status == http.StatusOK {
			record = got.Body
		}
		storeSame(t, row.reason+": record", row.record, record)
		storeSame(t, row.reason+": film", row.film, other.do("GET", "films/1/", "").Body)
	}
}

// TestCanceledWrite calls all writes with a context that is done.
func TestCanceledWrite(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	node.want("first", "POST", "genres/", `{"name":"first"}`, http.StatusCreated)
	before := storeKeys(t, client)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for reason, err := range storeWrites(ctx, node) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want %v", reason, err, context.Canceled)
		}
	}
	time.Sleep(100 * time.Millisecond)
	storeSame(t, "keys", before, storeKeys(t, client))
}

// TestClose closes a store while writes run, and calls it later.
func TestClose(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := cluster.Clients[0]
	node := openStore(t, client)
	serializable := openStore(t, client, func(opts *etcdstore.Options) { opts.Serializable = true })
	node.want("first", "POST", "genres/", `{"name":"first"}`, http.StatusCreated)
	page := node.want("page", "GET", "genres/1/", "", http.StatusOK)
	storeSame(t, "serializable", page, serializable.awaitPage("genres/1/", page))
	genres := storeCollection(node.Store, "genres")
	var writers sync.WaitGroup
	var acknowledged atomic.Int64
	started := make(chan bool, 1000)
	for i := range 8 {
		writers.Go(func() {
			for j := 0; ; j++ {
				_, err := genres.Create(t.Context(), fmt.Appendf(nil, `{"name":"%d-%d"}`, i, j), schema.Record{})
				switch {
				case err == nil:
					acknowledged.Add(1)
					select {
					case started <- true:
					default:
					}
				case errors.Is(err, etcdstore.ErrClosed):
					return
				case !errors.Is(err, httpapi.ErrUnavailable):
					t.Errorf("Create during Close = %v, want %v or %v", err, etcdstore.ErrClosed, httpapi.ErrUnavailable)
				}
			}
		})
	}
	for range 20 {
		<-started
	}
	start := time.Now()
	node.Close()
	node.Close() // has no effect
	serializable.Close()
	writers.Wait()
	if d := time.Since(start); d > 8*time.Second { // less than the timeout of a write
		t.Errorf("Close with running writes took %v", d)
	}
	if n := len(storeKeys(t, client)) - 3; n < int(acknowledged.Load()) {
		t.Errorf("%d records, want the %d acknowledged ones", n, acknowledged.Load())
	}
	before := storeKeys(t, client)
	for reason, err := range storeWrites(t.Context(), node) {
		if !errors.Is(err, etcdstore.ErrClosed) {
			t.Errorf("%s after Close = %v, want %v", reason, err, etcdstore.ErrClosed)
		}
	}
	for reason, err := range storeReads(t.Context(), node) {
		if !errors.Is(err, etcdstore.ErrClosed) {
			t.Errorf("%s after Close = %v, want %v", reason, err, etcdstore.ErrClosed)
		}
	}
	storeSame(t, "keys after Close", before, storeKeys(t, client))
	storeSame(t, "serializable read after Close", page, serializable.do("GET", "genres/1/", ""))
}

// TestCloseWithoutMember closes a store that cannot reach etcd.
func TestCloseWithoutMember(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t, storeMember(t).Members[0])
	node := openStore(t, storeDial(t, proxy.Addr))
	proxy.Cut()
	var writer sync.WaitGroup
	writer.Go(func() {
		_, err := storeCollection(node.Store, "genres").Create(t.Context(), []byte(`{"name":"A"}`), schema.Record{})
		if err == nil {
			t.Error("Create succeeds without a member")
		}
	})
	time.Sleep(100 * time.Millisecond)
	start := time.Now()
	node.Close()
	writer.Wait()
	if d := time.Since(start); d > 8*time.Second { // less than the timeout of a write
		t.Errorf("Close took %v", d)
	}
}

// TestDeletedIDs checks that the highest id is not used again after its record was deleted,
// even by a store that is opened later.
func TestDeletedIDs(t *testing.T) {
	for _, row := range []struct{ reason, method, target, body string }{
		{"no other write", "GET", "/api/genres/1/", ""},
		{"a change of another record", "PATCH", "/api/genres/1/", `{"position":7}`},
		{"a deletion of another record", "DELETE", "/api/genres/1/", ""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
			n.load(t, 0, `{"genres":[{"id":1,"name":"a"},{"id":8,"name":"b"}]}`)
			expect(t, n.handlers[1], http.StatusNoContent, "DELETE", "/api/genres/8/", "")
			send(n.handlers[2], row.method, row.target, row.body)
			n.compare(t)
			later, err := n.open(t, 1).NewHandler(httpapi.Options{Authorizer: httpapi.AllowAll})
			if err != nil {
				t.Fatal(err)
			}
			if id := expect(t, later, http.StatusCreated, "POST", "/api/genres/", `{"name":"c"}`); id != 9 {
				t.Errorf("id %d of a new record, want 9", id)
			}
			n.compare(t)
		})
	}
}

// storeTitle is a text whose methods panic for some values.
type storeTitle string

func (s storeTitle) MarshalJSON() ([]byte, error) {
	if s == "marshal" {
		panic("cannot marshal")
	}
	return json.Marshal(string(s))
}

func (s *storeTitle) UnmarshalJSON(text []byte) error {
	if string(text) == `"unmarshal"` {
		panic("cannot unmarshal")
	}
	return json.Unmarshal(text, (*string)(s))
}

type storeBook struct {
	ID    int        `json:"id"`
	Title storeTitle `json:"title"`
}

func withBooks(opts *etcdstore.Options) {
	opts.Definitions = []etcdstore.Definition{etcdstore.Of(catalogue.Define[storeBook]("books", catalogue.Options{}))}
}

// TestPanicInWrite posts values for which methods of the record's type panic.
func TestPanicInWrite(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node, other := openStore(t, client, withBooks), openStore(t, client, withBooks)
	node.want("first", "POST", "books/", `{"title":"first"}`, http.StatusCreated)
	for _, row := range []struct{ reason, method, path, title string }{
		{"UnmarshalJSON in Create", "POST", "books/", "unmarshal"},
		{"UnmarshalJSON in Update", "PATCH", "books/1/", "unmarshal"},
		{"MarshalJSON in Create", "POST", "books/", "marshal"},
		{"MarshalJSON in Update", "PUT", "books/1/", "marshal"},
	} {
		before := storeKeys(t, client)
		node.want(row.reason, row.method, row.path, `{"title":"`+row.title+`"}`, http.StatusInternalServerError)
		node.requests.await(t, row.reason, httpapi.ErrPanic)
		storeSame(t, row.reason+": keys", before, storeKeys(t, client))
		storeSame(t, row.reason, `{"id":1,"title":"first"}`, other.want(row.reason, "GET", "books/1/", "", http.StatusOK).Body)
	}
	storeSame(t, "second", `{"id":2,"title":"second"}`, node.want("second", "POST", "books/", `{"title":"second"}`, http.StatusCreated).Body)
}

// TestPanicInData writes a record for which UnmarshalJSON panics with another client.
func TestPanicInData(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client, withBooks, storeTimeout(500*time.Millisecond))
	node.want("first", "POST", "books/", `{"title":"first"}`, http.StatusCreated)
	page := node.want("page", "GET", "books/", "", http.StatusOK)
	set := func(title string) {
		storeTxn(t, client, []clientv3.Op{
			clientv3.OpPut(storeRecordKey("books", 1), `{"id":1,"title":"`+title+`"}`),
			clientv3.OpPut(storeIDs+"books", "1"),
		})
	}
	set("unmarshal")
	node.await("page", "GET", "books/", "", http.StatusServiceUnavailable) // until the watch has the change
	node.requests.await(t, "page", etcdstore.ErrInvalidData)
	opts := etcdstore.Options{Client: client, Prefix: storePrefix}
	withBooks(&opts)
	_, err := etcdstore.Open(t.Context(), opts)
	if !errors.Is(err, etcdstore.ErrInvalidData) || !strings.Contains(err.Error(), "cannot unmarshal") {
		t.Errorf("Open = %v, want %v with the panic", err, etcdstore.ErrInvalidData)
	}
	set("first")
	storeSame(t, "repaired", page, node.await("repaired", "GET", "books/", "", http.StatusOK))
}
