package linearizability_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestNoStaleResponse reads and writes listings and the studios to which they refer by
// requests, beside other operations on the same catalogue.
func TestNoStaleResponse(t *testing.T) {
	test(t,
		overHTTP[playhttp.Listing]("typed", forRequests, 0, nil),
		overHTTP[playhttp.Listing]("typed, many records", forRequests, 100, nil),
		overHTTP[schema.Record]("open", onlyRequests, 0, nil)) // in Go their values have other types
}

// overHTTP returns a workload of requests. If wrap is not nil, it wraps the handler.
func overHTTP[T any](name, mix string, size int, wrap func(http.Handler) http.Handler) workload {
	listings, studios := playhttp.Models()
	return workload{
		name: name, models: []*model.Config{listings, studios}, mix: mix, size: size, requests: true,
		play: func() (*play.Player, error) {
			about, err := schema.DescriptionOf[playhttp.Listing]("listings")
			if err != nil {
				return nil, err
			}
			about.Filters = playhttp.Filters()
			return play.NewCatalogue(play.Of[T](listings, &about), play.Of[playhttp.Studio](studios, nil))
		},
		perform: func(_ *workload, p *play.Player) (performer, error) {
			h, err := handlerOf(p.Catalogue())
			if wrap != nil {
				h = wrap(h)
			}
			return &requester{p, playhttp.Player{Handler: h}}, err
		},
	}
}

func handlerOf(cat *catalogue.Catalogue) (http.Handler, error) {
	return httpapi.New(cat, httpapi.Options{ETags: true, Authorizer: httpapi.AllowAll})
}

// A requester performs as requests what requests can do.
type requester struct {
	*play.Player
	http playhttp.Player
}

func (r *requester) Start(op model.Op) func() string {
	if isRequest(op) && (op.How == "checked" || !isWrite(op)) {
		return r.http.Start(op)
	}
	return r.Player.Start(op)
}

func isWrite(op model.Op) bool {
	return op.Verb == "insert" || op.Verb == "update" || op.Verb == "delete"
}

// isRequest reports whether there is a request for an operation.
func isRequest(op model.Op) bool {
	return op.On == "" && (isWrite(op) || slices.Contains([]string{"get", "page", "count", "first"}, op.Verb))
}
