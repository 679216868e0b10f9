package etcdstore_test

import (
	"context"
	"io"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
)

// storeWrites calls all methods that write, and returns their errors.
func storeWrites(ctx context.Context, n *storeNode) map[string]error {
	genres := storeCollection(n.Store, "genres")
	_, create := genres.Create(ctx, []byte(`{"name":"created"}`))
	_, update := genres.Update(ctx, "1", nil, []byte(`{"name":"updated"}`), true, nil)
	return map[string]error{
		"Create": create,
		"Update": update,
		"Delete": genres.Delete(ctx, "1", nil, nil),
		"Insert": n.Insert(ctx, "genres", []byte(`{"id":9000,"name":"inserted"}`)),
		"Load":   n.Load(ctx, strings.NewReader(`{"genres":[]}`)),
	}
}

// storeReads calls all methods that read, and returns their errors.
func storeReads(ctx context.Context, n *storeNode) map[string]error {
	genres := storeCollection(n.Store, "genres")
	_, list := genres.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 1}})
	_, get := genres.Get(ctx, "1", nil)
	_, revision := genres.Revision(ctx)
	return map[string]error{
		"List":     list,
		"Get":      get,
		"Revision": revision,
		"Save":     n.Save(ctx, io.Discard),
	}
}
