package etcdstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// storeFile returns a file of n genres with names that begin alike, and a film.
func storeFile(name string, n int) string {
	genres := make([]string, n)
	for i := range genres {
		genres[i] = fmt.Sprintf(`{"id":%d,"name":"%s%d"}`, i+1, name, i)
	}
	return fmt.Sprintf(`{"genres":[%s],"films":[{"id":3,"name":"Vertigo","genres":[1,2]}]}`, strings.Join(genres, ","))
}

// TestLoadAtOneInstant reads pages through two stores while one of them loads files.
func TestLoadAtOneInstant(t *testing.T) {
	t.Parallel()
	const n = 300
	client := storeMember(t).Clients[0]
	node, other := openStore(t, client), openStore(t, client)
	storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile("A", n))))
	pages := map[string]string{}
	for _, name := range []string{"B", "A"} {
		storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile(name, n))))
		pages[name] = node.want("page", "GET", "genres/?limit=1000", "", http.StatusOK).Body
	}
	if diff := cmp.Diff(strings.ReplaceAll(pages["A"], `"A`, `"B`), pages["B"]); diff != "" || strings.Count(pages["A"], `"A`) != n {
		t.Fatalf("page of the first file:\n%.300s", pages["A"])
	}
	ended := make(chan bool)
	var walkers sync.WaitGroup
	var seen [2]atomic.Int64
	for _, reader := range []*storeNode{node, other} {
		walkers.Go(func() {
			for {
				switch got := reader.do("GET", "genres/?limit=1000", "").Body; got {
				case pages["A"]:
					seen[0].Add(1)
				case pages["B"]:
					seen[1].Add(1)
				default:
					t.Errorf("a page of neither file: %.300s", got)
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	for i := range 10 {
		name := "AB"[i%2 : i%2+1]
		storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile(name, n))))
		storeSame(t, "page of another store after Load", pages[name], other.want("page", "GET", "genres/?limit=1000", "", http.StatusOK).Body)
	}
	close(ended)
	walkers.Wait()
	if seen[0].Load() == 0 || seen[1].Load() == 0 {
		t.Errorf("pages of the files: %d and %d, want some of both", seen[0].Load(), seen[1].Load())
	}
	// The version, two highest ids, and the records.
	if keys := storeKeys(t, client); len(keys) != 1+2+n+1 {
		t.Errorf("%d keys are left, want those of one generation", len(keys))
	}
}

// TestLoadConflict writes through another store at different instants of a Load.
func TestLoadConflict(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	writer := openStore(t, cluster.Clients[0])
	storeMust(t, writer.Load(t.Context(), strings.NewReader(storeFile("A", 200))))
	for commit := 1; commit <= 4; commit++ { // two or more of records, of highest ids, of the version
		client := storeDial(t, cluster.Clients[0].Endpoints()...)
		hook := &storeHook{KV: client.KV}
		node := openStore(t, client)
		var commits atomic.Int32
		hook.txn = func(context.Context) error {
			if commits.Add(1) == int32(commit) {
				writer.want("write", "POST", "films/", fmt.Sprintf(`{"name":"F%d","genres":[]}`, commit), http.StatusCreated)
			}
			return nil
		}
		client.KV = hook
		err := node.Load(t.Context(), strings.NewReader(storeFile("B", 200)))
		if !errors.Is(err, httpapi.ErrConflict) {
			t.Errorf("Load with a write before commit %d: %v, want %v", commit, err, httpapi.ErrConflict)
		}
		for _, path := range []string{"genres/?limit=1000", "films/"} {
			storeSame(t, path+" after a conflict", writer.want(path, "GET", path, "", http.StatusOK), node.want(path, "GET", path, "", http.StatusOK))
		}
		storeGenerations(t, cluster.Clients[0], 200+1+commit)
	}
	storeMust(t, writer.Load(t.Context(), strings.NewReader(storeFile("C", 200))))
	storeGenerations(t, cluster.Clients[0], 200+1)
}

// TestLoadInvalid loads files with errors.
func TestLoadInvalid(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile("A", 3))))
	before := storeKeys(t, client)
	for _, row := range []struct{ reason, file string }{
		{"no JSON", "genres"},
		{"no object", "[]"},
		{"ends early", `{"genres":[{"id":1,"name":"B"}`},
		{"unknown collection", `{"genres":[],"movies":[]}`},
		{"repeated key", `{"genres":[],"genres":[]}`},
		{"record with the id 0", `{"genres":[{"id":0,"name":"B"}]}`},
		{"repeated id", `{"genres":[{"id":1,"name":"B"},{"id":1,"name":"C"}]}`},
		{"repeated unique value", `{"genres":[{"id":1,"name":"B"},{"id":2,"name":"B"}]}`},
		{"member of another type", `{"genres":[{"id":1,"name":7}]}`},
		{"second value", `{"genres":[]}{}`},
	} {
		err := node.Load(t.Context(), strings.NewReader(row.file))
		if !errors.Is(err, catalogue.ErrInvalidData) {
			t.Errorf("%s: Load = %v, want %v", row.reason, err, catalogue.ErrInvalidData)
		}
		storeSame(t, row.reason, before, storeKeys(t, client))
	}
}

// TestLoadLastIDs loads files with and without the highest ids, and creates records. As in
// a catalogue, the file determines the ids of the collections that are in it.
func TestLoadLastIDs(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	node := openStore(t, client)
	for i := range 3 {
		node.want("create", "POST", "genres/", fmt.Sprintf(`{"name":"G%d"}`, i), http.StatusCreated)
	}
	node.want("delete the last", "DELETE", "genres/3/", "", http.StatusNoContent)
	for i, row := range []struct {
		reason, file string
		want         int
	}{
		{"no key of the collection", `{"films":[]}`, 4},
		{"an empty collection", `{"genres":[]}`, 1},
		{"a last id", `{"genres":[{"id":1,"name":"A"}],"$lastIds":[{"collection":"genres","id":2}]}`, 3},
		{"a higher last id", `{"genres":[{"id":1,"name":"A"}],"$lastIds":[{"collection":"genres","id":10}]}`, 11},
		{"a higher id", `{"genres":[{"id":20,"name":"A"}]}`, 21},
		{"an empty file", `{}`, 22},
	} {
		storeMust(t, node.Load(t.Context(), strings.NewReader(row.file)))
		creator := node
		if i%2 == 1 {
			creator = openStore(t, client)
		}
		body := fmt.Sprintf(`{"name":"N%d"}`, row.want)
		want := fmt.Sprintf(`{"id":%d,"name":"N%d"}`, row.want, row.want)
		storeSame(t, row.reason, want, creator.want(row.reason, "POST", "genres/", body, http.StatusCreated).Body)
	}
	// A file of Save has them.
	node.want("delete the last", "DELETE", "genres/22/", "", http.StatusNoContent)
	var file bytes.Buffer
	storeMust(t, node.Save(t.Context(), &file))
	fresh := openStore(t, storeMember(t).Clients[0])
	storeMust(t, fresh.Load(t.Context(), &file))
	storeSame(t, "another cluster", `{"id":23,"name":"N23"}`, fresh.want("create", "POST", "genres/", `{"name":"N23"}`, http.StatusCreated).Body)
}

// TestLoadFails cancels a Load, and makes its transactions fail.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	cluster := storeMember(t)
	client := storeDial(t, cluster.Clients[0].Endpoints()...)
	hook := &storeHook{KV: client.KV}
	client.KV = hook
	node := openStore(t, client)
	storeMust(t, node.Load(t.Context(), strings.NewReader(storeFile("A", 200))))
	before := storeKeys(t, client)
	failure := errors.New("failure")
	for commit := int32(1); commit <= 4; commit++ {
		for _, row := range []struct {
			reason string
			want   error
		}{{"canceled", context.Canceled}, {"failed", failure}} {
			ctx, cancel := context.WithCancel(t.Context())
			var commits atomic.Int32
			hook.txn = func(ctx context.Context) error {
				if commits.Add(1) != commit {
					return nil
				}
				if row.want == failure {
					return failure
				}
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}
			err := node.Load(ctx, strings.NewReader(storeFile("B", 200)))
			cancel()
			hook.txn = nil
			if !errors.Is(err, row.want) {
				t.Errorf("%s at commit %d: Load = %v, want %v", row.reason, commit, err, row.want)
			}
			storeSame(t, fmt.Sprintf("%s at commit %d: keys", row.reason, commit), before, storeKeys(t, cluster.Clients[0]))
		}
	}
	node.Close()
	if err := node.Load(t.Context(), strings.NewReader(storeFile("B", 2))); err == nil {
		t.Error("Load after Close succeeds")
	}
	storeSame(t, "keys after Close", before, storeKeys(t, cluster.Clients[0]))
}

// storeGenerations checks that there is one generation with a number of records.
func storeGenerations(t *testing.T, client *clientv3.Client, records int) {
	t.Helper()
	if keys := storeKeys(t, client); len(keys) != 1+2+records {
		t.Errorf("%d keys, want the version, two highest ids and %d records", len(keys), records)
	}
}
