package recipes

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A ListRequest is the request of a gRPC method that lists records; see AIP-158.
type ListRequest struct {
	PageSize  int32
	PageToken string
}

// A ListResponse is the response: one page.
type ListResponse[T any] struct {
	Items         []T
	NextPageToken string
}

// List returns the page that a request asks for, of at most 100 records. The gRPC status for an
// error that wraps [catalogue.ErrInvalidToken] is INVALID_ARGUMENT.
func List[T any](all catalogue.Selection[T], r ListRequest, terms ...ordering.Term) (p ListResponse[T], err error) {
	size := 100
	if 0 < r.PageSize && r.PageSize < 100 {
		size = int(r.PageSize)
	}
	p.Items, p.NextPageToken, err = all.PageAfter(r.PageToken, size, terms...)
	return p, err
}
