package etcdstore_test

import (
	"context"
	"log"
	"net/http"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

// A program serves its own collections. It needs a running cluster, so the example is
// compiled but not run.
func Example() {
	type Director struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	type Film struct {
		ID       int    `json:"id"`
		Title    string `json:"title"`
		Director int    `json:"director" backlist:"refers=directors"`
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store, err := etcdstore.Open(context.Background(), etcdstore.Options{
		Client: client,
		Definitions: []etcdstore.Definition{
			etcdstore.Of(catalogue.Define[Director]("directors", catalogue.Options{})),
			etcdstore.Of(catalogue.Define[Film]("films", catalogue.Options{})),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	handler, err := store.NewHandler(httpapi.Options{Root: "/v1/", ETags: true})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", store.ReadOnce(handler)))
}
