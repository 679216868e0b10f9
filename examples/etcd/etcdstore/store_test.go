package etcdstore_test

import (
	"errors"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
)

// TestInvalidOptions opens stores with arguments that are wrong. No request is made.
func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	client := clientv3.NewCtxClient(t.Context()) // has no KV
	genres := storeDefinitions()[0]
	for _, row := range []struct {
		reason string
		opts   etcdstore.Options
		text   string
	}{
		{"no client", etcdstore.Options{}, "Client is nil"},
		{"prefix without a slash", etcdstore.Options{Client: client, Prefix: "house"}, `"house" does not end with a slash`},
		{"negative timeout", etcdstore.Options{Client: client, Timeout: -1}, "Timeout"},
		{"repeated key", etcdstore.Options{Client: client, Definitions: []etcdstore.Definition{genres, genres}}, "genres"},
		{"zero definition", etcdstore.Options{Client: client, Definitions: []etcdstore.Definition{{}}}, "Definition"},
		{"reference to no collection", etcdstore.Options{Client: client, Definitions: storeDefinitions()[1:]}, "genres"},
		{"invalid key", etcdstore.Options{Client: client, Definitions: []etcdstore.Definition{
			etcdstore.Of(catalogue.Define[storeGenre]("", catalogue.Options{})),
		}}, "key"},
		{"invalid filter", etcdstore.Options{Client: client, Definitions: []etcdstore.Definition{
			etcdstore.Of(catalogue.Define[storeGenre]("genres", catalogue.Options{Description: &schema.Description{Filters: []string{"title"}}})),
		}}, "title"},
	} {
		_, err := etcdstore.Open(t.Context(), row.opts)
		if !errors.Is(err, etcdstore.ErrInvalidOptions) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: Open = %v, want %v with %q", row.reason, err, etcdstore.ErrInvalidOptions, row.text)
		}
	}
}
