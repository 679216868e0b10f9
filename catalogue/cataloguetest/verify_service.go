package cataloguetest

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// pageSize is how many records a page has, by default and at most.
const pageSize = 10

// service is what a client is led to in one pathology.
type service struct {
	url       string
	transport http.RoundTripper
	close     func()    // also cuts what is still being answered
	deletion  *deletion // nil: none
}

// deleted is the id of the record that was taken away meanwhile, 0 for none.
func (s *service) deleted() int {
	if s.deletion == nil {
		return 0
	}
	return s.deletion.deleted()
}

// open makes the service of a pathology.
func (v *verification) open(p pathology) (*service, error) {
	house, err := v.stock.fork(p.records)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(house, httpapi.Options{
		Limits: pagination.Limits{Default: pageSize, Max: pageSize},
	})
	if err != nil {
		return nil, err
	}
	var broken faults
	for _, b := range p.breaks {
		b.where.Collection = v.stock.key
		if _, err := broken.add(b.where, b.fault); err != nil {
			return nil, err
		}
	}
	if !p.deletes {
		return serve(broken.wrap(handler)), nil
	}
	d := &deletion{stock: v.stock, house: house, records: p.records}
	s := serve(broken.wrap(d.wrap(handler)))
	s.deletion = d
	return s, nil
}

// serve serves over a loopback connection, by https as the service does.
func serve(h http.Handler) *service {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not speak TLS
	server.StartTLS()
	return &service{
		url:       server.URL,
		transport: server.Client().Transport,
		close: func() {
			server.CloseClientConnections()
			server.Close()
		},
	}
}
