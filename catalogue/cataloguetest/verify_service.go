package cataloguetest

import (
	"io"
	"log"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// pageSize is the default and maximum limit of a page.
const pageSize = 10

// A service is the service of one pathology.
type service struct {
	url       string
	transport http.RoundTripper
	close     func()    // cuts all connections
	deletion  *deletion // nil if no record is deleted
}

// deleted returns the id of the deleted record, or 0 if there is none.
func (s *service) deleted() int {
	if s.deletion == nil {
		return 0
	}
	return s.deletion.deleted()
}

// start starts the service of a pathology.
func (v *verification) start(p pathology) (*service, error) {
	house, err := v.data.catalogue(p.records)
	if err != nil {
		return nil, err
	}
	limits := pagination.Limits{Default: pageSize, Max: pageSize}
	handler, err := httpapi.New(house, httpapi.Options{Root: v.data.paths.root, Limits: limits})
	if err != nil {
		return nil, err
	}
	f := faults{paths: v.data.paths, limits: limits}
	for _, b := range p.breaks {
		b.where.Collection = v.data.key
		if _, err := f.add(b.where, b.fault); err != nil {
			return nil, err
		}
	}
	if !p.deletes {
		return serve(f.wrap(handler))
	}
	d := &deletion{data: v.data, house: house, records: p.records}
	s, err := serve(f.wrap(d.wrap(handler)))
	if err != nil {
		return nil, err
	}
	s.deletion = d
	return s, nil
}

// serve serves a handler in process, over https like the real service.
func serve(h http.Handler) (*service, error) {
	url, client, end, err := serveInProcess(h, "https", log.New(io.Discard, "", 0))
	if err != nil {
		return nil, err
	}
	return &service{url: url, transport: client.Transport, close: end}, nil
}
