package etcdstore_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
)

// A tag has a key, a place an id and a path by its slug, and a ticket a key that the store makes.
type storeTag struct {
	Text string `json:"text" backlist:"key"`
	Uses int    `json:"uses"`
}

type storePlace struct {
	ID   int    `json:"id"`
	Slug string `json:"slug" backlist:"unique"`
}

type storeTicket struct {
	ID  string `json:"id" backlist:"key,uuid,optional"`
	Tag string `json:"tag" backlist:"refers=tags.text,ondelete=cascade"`
}

func withKeys(opts *etcdstore.Options) {
	n := 0
	newKey := func() string { n++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	opts.Definitions = []etcdstore.Definition{
		etcdstore.Of(catalogue.Define[storeTag]("tags", catalogue.Options{})),
		etcdstore.Of(catalogue.Define[storePlace]("places", catalogue.Options{Description: &schema.Description{Lookup: "slug"}})),
		etcdstore.Of(catalogue.Define[storeTicket]("tickets", catalogue.Options{NewKey: newKey})),
	}
}

// TestKeys writes records with keys, and others whose paths have a text, through one store, and
// reads them through another, and through a third one that reads all keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node, other := openStore(t, client, withKeys), openStore(t, client, withKeys)
	var tags, places []string
	for i, text := range []string{"%25", "01", "<em>", "a+b", "x y", "é"} { // sorted
		segment := []string{"%2525", "01", "%3Cem%3E", "a+b", "x%20y", "%C3%A9"}[i]
		tag, place := fmt.Sprintf(`{"text":%q,"uses":1}`, text), fmt.Sprintf(`{"id":%d,"slug":%q}`, i+1, text)
		tags, places = append(tags, strings.Replace(tag, "1}", "2}", 1)), append(places, place)
		node.want("a tag", "POST", "tags/", tag, http.StatusCreated)
		other.want("the same key", "POST", "tags/", tag, http.StatusBadRequest)
		other.want("a change", "PATCH", "tags/"+segment+"/", `{"uses":2}`, http.StatusOK)
		storeSame(t, "the tag", tags[i], node.want("its path", "GET", "tags/"+segment+"/", "", http.StatusOK).Body)
		node.want("a place", "POST", "places/", place, http.StatusCreated)
		storeSame(t, "the place", place, other.want("its path", "GET", "places/"+segment+"/", "", http.StatusOK).Body)
		other.want("a new slug", "PATCH", "places/"+segment+"/", `{"slug":"moved"}`, http.StatusOK)
		node.want("the path has moved", "GET", "places/"+segment+"/", "", http.StatusNotFound)
		node.want("and back", "PATCH", "places/moved/", place, http.StatusOK)
	}
	node.want("a ticket", "POST", "tickets/", `{"tag":"x y"}`, http.StatusCreated)
	other.want("a key in another form", "POST", "tickets/", `{"id":"1111111111114111811111111111111A","tag":"é"}`, http.StatusCreated)
	node.want("the id finds no place", "GET", "places/1/", "", http.StatusNotFound)
	node.want("a key that no path has", "POST", "tags/", `{"text":"a/b","uses":1}`, http.StatusBadRequest)
	other.want("a tag with its ticket", "DELETE", "tags/x%20y/", "", http.StatusNoContent)
	tags = append(tags[:4], tags[5])
	third := openStore(t, client, withKeys)
	const list = `{"count":%d,"next":null,"previous":null,"results":[%s]}`
	check := func(n *storeNode) {
		t.Helper()
		storeSame(t, "tags", fmt.Sprintf(list, 5, strings.Join(tags, ",")), n.want("tags", "GET", "tags/", "", http.StatusOK).Body)
		storeSame(t, "places", fmt.Sprintf(list, 6, strings.Join(places, ",")), n.want("places", "GET", "places/", "", http.StatusOK).Body)
		storeSame(t, "tickets", fmt.Sprintf(list, 1, `{"id":"11111111-1111-4111-8111-11111111111a","tag":"é"}`), n.want("tickets", "GET", "tickets/", "", http.StatusOK).Body)
	}
	for _, n := range []*storeNode{node, other, third} {
		check(n)
	}
	var saved bytes.Buffer
	storeMust(t, third.Save(t.Context(), &saved))
	storeMust(t, node.Load(t.Context(), strings.NewReader(`{"tags":[{"text":"A/B","uses":7}],"places":[],"tickets":[]}`)))
	storeSame(t, "a loaded tag", fmt.Sprintf(list, 1, `{"text":"A/B","uses":7}`), other.want("tags", "GET", "tags/", "", http.StatusOK).Body)
	storeMust(t, other.Load(t.Context(), &saved))
	check(node)
}

// TestKeysInvalid puts records under names that are not their keys.
func TestKeysInvalid(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client, withKeys)
	node.want("a tag", "POST", "tags/", `{"text":"x y","uses":1}`, http.StatusCreated)
	for _, row := range []struct{ reason, name, record string }{
		{"another key", "x%20y", `{"text":"x","uses":1}`},
		{"a name that is not escaped", "x y", `{"text":"x y","uses":1}`},
		{"a name that is not escaped as it must be", "x%2By", `{"text":"x+y","uses":1}`},
		{"no name", "", `{"text":"","uses":1}`},
	} {
		key := storePrefix + "0/records/tags/" + row.name
		put, ids := clientv3.OpPut(key, row.record), clientv3.OpPut(storePrefix+"0/ids/tags", "0")
		_, err := client.Txn(t.Context()).Then(put, ids).Commit()
		storeMust(t, err)
		node.following.await(t, row.reason, etcdstore.ErrInvalidData)
		repair := clientv3.OpDelete(key)
		if row.name == "x%20y" {
			repair = clientv3.OpPut(key, `{"text":"x y","uses":1}`)
		}
		_, err = client.Txn(t.Context()).Then(repair, ids).Commit()
		storeMust(t, err)
		node.await(row.reason, "GET", "tags/x%20y/", "", http.StatusOK)
	}
}
