package etcdstore_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

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
