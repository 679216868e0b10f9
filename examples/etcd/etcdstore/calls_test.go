package etcdstore_test

import (
	"context"
	"io"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// storeWrites calls all methods that write, and returns their errors.
func storeWrites(ctx context.Context, n *storeNode) map[string]error {
	genres := n.Collections()["genres"]
	_, create := genres.(httpapi.Creator).Create(ctx, []byte(`{"name":"created"}`))
	_, update := genres.(httpapi.Updater).Update(ctx, 1, nil, []byte(`{"name":"updated"}`), true)
	return map[string]error{
		"Create": create,
		"Update": update,
		"Delete": genres.(httpapi.Deleter).Delete(ctx, 1, nil),
		"Insert": n.Insert(ctx, "genres", []byte(`{"id":9000,"name":"inserted"}`)),
		"Load":   n.Load(ctx, strings.NewReader(`{"genres":[]}`)),
	}
}

// storeReads calls all methods that read, and returns their errors.
func storeReads(ctx context.Context, n *storeNode) map[string]error {
	genres := n.Collections()["genres"]
	window, terms := pagination.Window{Limit: 1}, []ordering.Term{ordering.Asc("id")}
	_, fields := genres.Fields(ctx)
	_, _, page := genres.Page(ctx, window, terms)
	_, _, lenient := genres.(httpapi.LenientPager).PageLenient(ctx, window, terms)
	_, _, where := genres.(httpapi.Filterer).PageWhere(ctx, nil, window, terms)
	_, get := genres.(httpapi.Retriever).Get(ctx, 1, nil)
	_, revision := genres.(httpapi.Revisioned).Revision(ctx)
	return map[string]error{
		"Fields":      fields,
		"Page":        page,
		"PageLenient": lenient,
		"PageWhere":   where,
		"Get":         get,
		"Revision":    revision,
		"Save":        n.Save(ctx, io.Discard),
	}
}
