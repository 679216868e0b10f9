package etcdstore_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/namespace"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

// Keys of a house into which nothing was loaded.
const (
	storeVersion = storePrefix + "version"
	storeIDs     = storePrefix + "0/ids/"
	storeRecords = storePrefix + "0/records/"
)

func storeRecordKey(collection string, id int) string {
	return fmt.Sprintf("%s%s/%019d", storeRecords, collection, id)
}

// TestInvalidData writes keys that no Store writes. Stores answer no linearizable read until
// they are repaired.
func TestInvalidData(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	first := storeRecordKey("genres", 1)
	const noir = `{"id":1,"name":"Noir"}`
	put, remove := clientv3.OpPut, clientv3.OpDelete
	for _, row := range []struct {
		reason string
		damage []clientv3.Op
		repair []clientv3.Op
		text   string // of the error, if it is not the same for all
	}{
		{"invalid JSON",
			[]clientv3.Op{put(first, `{"id":1,`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "records"},
		{"two records in a key",
			[]clientv3.Op{put(first, noir+`,{"id":3,"name":"X"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "genres"},
		{"no record",
			[]clientv3.Op{put(first, ""), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "genres"},
		{"member of another type",
			[]clientv3.Op{put(first, `{"id":1,"name":7}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "name"},
		{"repeated unique value",
			[]clientv3.Op{put(first, `{"id":1,"name":"Western"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "name"},
		{"record under the key of another id",
			[]clientv3.Op{put(first, `{"id":7,"name":"Noir"}`), put(storeIDs+"genres", "7")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "id 7"},
		{"record without an id",
			[]clientv3.Op{put(first, `{"name":"Noir"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "id"},
		{"record of an unknown collection",
			[]clientv3.Op{put(storeRecordKey("movies", 1), noir), put(storeIDs+"movies", "1")},
			[]clientv3.Op{remove(storeRecordKey("movies", 1)), remove(storeIDs + "movies")}, `"movies"`},
		{"record of an unknown collection alone",
			[]clientv3.Op{put(storeRecordKey("movies", 1), noir)},
			[]clientv3.Op{remove(storeRecordKey("movies", 1))}, "movies"},
		{"record without the highest id",
			[]clientv3.Op{put(first, `{"id":1,"name":"Musical"}`)},
			[]clientv3.Op{put(first, noir), put(storeIDs+"genres", "2")}, "highest id"},
		{"record above the highest id",
			[]clientv3.Op{put(storeRecordKey("genres", 3), `{"id":3,"name":"Musical"}`), put(storeIDs+"genres", "2")},
			[]clientv3.Op{remove(storeRecordKey("genres", 3)), put(storeIDs+"genres", "2")}, "highest id"},
		{"highest id that is no number",
			[]clientv3.Op{put(storeIDs+"genres", "two")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, `"two"`},
		{"negative highest id",
			[]clientv3.Op{put(storeIDs+"genres", "-2")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, `"-2"`},
		{"no highest id",
			[]clientv3.Op{remove(storeIDs + "genres")},
			[]clientv3.Op{put(storeIDs+"genres", "2")}, "highest id"},
		{"unknown key below the generation",
			[]clientv3.Op{put(storePrefix+"0/other", "x")},
			[]clientv3.Op{remove(storePrefix + "0/other")}, "0/other"},
		{"record key without a number",
			[]clientv3.Op{put(storeRecords+"genres/one", noir)},
			[]clientv3.Op{remove(storeRecords + "genres/one")}, "genres/one"},
		{"record key with another number of digits",
			[]clientv3.Op{put(storeRecords+"genres/1", noir), put(storeIDs+"genres", "2")},
			[]clientv3.Op{remove(storeRecords + "genres/1"), put(storeIDs+"genres", "2")}, "genres/1"},
		{"record key with id 0",
			[]clientv3.Op{put(storeRecordKey("genres", 0), noir)},
			[]clientv3.Op{remove(storeRecordKey("genres", 0))}, "000"},
		{"no version",
			[]clientv3.Op{remove(storeVersion)},
			[]clientv3.Op{put(storeVersion, "0")}, "version"},
		{"version of a generation without keys",
			[]clientv3.Op{put(storeVersion, "7")},
			[]clientv3.Op{put(storeVersion, "0")}, `"7"`},
		{"empty version",
			[]clientv3.Op{put(storeVersion, "")},
			[]clientv3.Op{put(storeVersion, "0")}, `""`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Parallel()
			client := storeNamespace(client, row.reason+"/")
			node := openStore(t, client, storeTimeout(500*time.Millisecond))
			serializable := openStore(t, client, func(opts *etcdstore.Options) { opts.Serializable = true })
			node.want("first", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
			node.want("second", "POST", "genres/", `{"name":"Western"}`, http.StatusCreated)
			page := node.want("page", "GET", "genres/", "", http.StatusOK)
			storeSame(t, "serializable page", page, serializable.awaitPage("genres/", page))

			storeTxn(t, client, row.damage)
			for _, n := range []*storeNode{node, serializable} {
				n.following.await(t, "following", etcdstore.ErrInvalidData)
			}
			node.want("page", "GET", "genres/", "", http.StatusServiceUnavailable)
			node.want("other page", "GET", "films/", "", http.StatusServiceUnavailable)
			node.requests.await(t, "page", etcdstore.ErrInvalidData)
			node.want("write", "POST", "genres/", `{"name":"Musical"}`, http.StatusServiceUnavailable)
			node.requests.await(t, "write", etcdstore.ErrInvalidData)
			storeSame(t, "serializable page of invalid data", page, serializable.do("GET", "genres/", ""))
			_, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: storePrefix, Definitions: storeDefinitions()})
			if !errors.Is(err, etcdstore.ErrInvalidData) || !strings.Contains(err.Error(), row.text) {
				t.Errorf("Open = %v, want %v with %q", err, etcdstore.ErrInvalidData, row.text)
			}

			storeTxn(t, client, row.repair)
			storeSame(t, "repaired page", page, node.await("repaired", "GET", "genres/", "", http.StatusOK))
			storeSame(t, "repaired highest id", `{"id":3,"name":"Musical"}`,
				node.await("repaired", "POST", "genres/", `{"name":"Musical"}`, http.StatusCreated).Body)
			page = node.want("page", "GET", "genres/", "", http.StatusOK)
			storeSame(t, "serializable page after the repair", page, serializable.awaitPage("genres/", page))
			storeSame(t, "page of a store opened later", page, openStore(t, client).want("page", "GET", "genres/", "", http.StatusOK))
		})
	}
}

// TestOtherKeys writes keys that are not of the house.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	node.want("first", "POST", "genres/", `{"name":"Noir"}`, http.StatusCreated)
	for _, key := range []string{"house", "house0", "other/version", storePrefix + "7/ids/genres", storePrefix + "7/other", storePrefix + "notes"} {
		_, err := client.Put(t.Context(), key, "x")
		storeMust(t, err)
		storeSame(t, key, `{"id":1,"name":"Noir"}`, node.want(key, "GET", "genres/1/", "", http.StatusOK).Body)
		storeSame(t, key, `{"id":1,"name":"Noir"}`, openStore(t, client).want(key, "GET", "genres/1/", "", http.StatusOK).Body)
	}
	if errs := node.following.all(); len(errs) > 0 {
		t.Errorf("OnError was called with %v", errs)
	}
}

// TestDeletedVersionOfLoaded deletes the version after a Load. An empty house would be
// wrong.
func TestDeletedVersionOfLoaded(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client, storeTimeout(500*time.Millisecond))
	storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile("A", 3))))
	page := node.want("page", "GET", "genres/", "", http.StatusOK)
	version := storeKeys(t, client)[storeVersion]
	storeTxn(t, client, []clientv3.Op{clientv3.OpDelete(storeVersion)})
	node.following.await(t, "following", etcdstore.ErrInvalidData)
	node.want("page without a version", "GET", "genres/", "", http.StatusServiceUnavailable)
	node.requests.await(t, "page without a version", httpapi.ErrUnavailable)
	storeTxn(t, client, []clientv3.Op{clientv3.OpPut(storeVersion, version)})
	storeSame(t, "repaired", page, node.await("repaired", "GET", "genres/", "", http.StatusOK))
}

// storeNamespace returns a client whose keys have a prefix.
func storeNamespace(client *clientv3.Client, prefix string) *clientv3.Client {
	with := clientv3.NewCtxClient(client.Ctx())
	with.KV, with.Watcher = namespace.NewKV(client.KV, prefix), namespace.NewWatcher(client.Watcher, prefix)
	return with
}

// storeTxn writes keys at one revision.
func storeTxn(t *testing.T, client *clientv3.Client, ops []clientv3.Op) {
	t.Helper()
	_, err := client.Txn(t.Context()).Then(ops...).Commit()
	storeMust(t, err)
}
