package etcdstore_test

import (
	"net/http"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
)

type storeUser struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Password string `json:"password" backlist:"hidden,minlength=8"`
}

func (u storeUser) Computed() struct {
	Greeting string `json:"greeting"`
} {
	return struct {
		Greeting string `json:"greeting"`
	}{"Dear " + u.Name}
}

// TestHiddenFields checks that etcd has what is hidden and not what is computed, that other stores
// keep it, and that a tag from before a change of it is outdated on each node.
func TestHiddenFields(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	users := func(opts *etcdstore.Options) {
		opts.Definitions = []etcdstore.Definition{etcdstore.Of(catalogue.Define[storeUser]("users", catalogue.Options{}))}
	}
	a, b := openStore(t, client, users), openStore(t, client, users)
	stored := func() string {
		t.Helper()
		got, err := client.Get(t.Context(), storePrefix, clientv3.WithPrefix())
		storeMust(t, err)
		for _, kv := range got.Kvs {
			if strings.HasPrefix(string(kv.Value), "{") {
				return string(kv.Value)
			}
		}
		return ""
	}
	const served = `{"id":1,"name":"Ann","greeting":"Dear Ann"}`
	storeSame(t, "the response to a POST", served, a.want("POST", "POST", "users/", `{"name":"Ann","password":"12345678"}`, http.StatusCreated).Body)
	storeSame(t, "what is stored", `{"id":1,"name":"Ann","password":"12345678"}`, stored())
	storeSame(t, "on another node", served, b.want("GET", "GET", "users/1/", "", http.StatusOK).Body)
	b.want("PATCH on another node", "PATCH", "users/1/", `{"name":"Bea"}`, http.StatusOK)
	storeSame(t, "what is stored after a PATCH", `{"id":1,"name":"Bea","password":"12345678"}`, stored())
	storeMust(t, b.Load(t.Context(), strings.NewReader(`{"users":[{"id":1,"name":"Cid","password":"abcdefgh"}]}`)))
	storeSame(t, "what is stored after a load", `{"id":1,"name":"Cid","password":"abcdefgh"}`, stored())

	ifMatch := func(n *storeNode, tag string) int {
		r, err := http.NewRequestWithContext(t.Context(), "PATCH", n.server.URL+"/api/users/1/", strings.NewReader(`{"name":"Dan"}`))
		storeMust(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("If-Match", tag)
		w, err := http.DefaultClient.Do(r)
		storeMust(t, err)
		defer w.Body.Close()
		return w.StatusCode
	}
	w, err := http.Get(a.server.URL + "/api/users/1/")
	storeMust(t, err)
	defer w.Body.Close()
	tag := w.Header.Get("ETag")
	b.want("a new password", "PATCH", "users/1/", `{"password":"87654321"}`, http.StatusOK)
	for reason, n := range map[string]*storeNode{"the node of the tag": a, "the node of the change": b} {
		if status := ifMatch(n, tag); tag == "" || status != http.StatusPreconditionFailed {
			t.Errorf("%s: If-Match with the tag %q of before: %d, want 412", reason, tag, status)
		}
	}
	w, err = http.Get(a.server.URL + "/api/users/1/")
	storeMust(t, err)
	defer w.Body.Close()
	if status := ifMatch(b, w.Header.Get("ETag")); status != http.StatusOK {
		t.Errorf("If-Match with the current tag of another node: %d, want 200", status)
	}
}
