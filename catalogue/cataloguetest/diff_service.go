package cataloguetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/client"
)

// ErrDiffers is returned by [DiffService] when the catalogue differs from the
// service.
var ErrDiffers = errors.New("cataloguetest: catalogues differ")

// DiffService compares a catalogue with a live service, or with recorded responses
// of one. It compares the collections with the given keys or, if there are none, all
// collections of the source. The report is that of [Diff].
//
//	service, err := client.New(client.Options{BaseURL: "https://shop.example"})
//	…
//	report, err := cataloguetest.DiffService(ctx, house.Catalogue, service)
//
// The error is nil if all collections were read and none differs. If one differs,
// the error wraps [ErrDiffers] and contains the report. If one could not be read, it
// wraps the error of [client.Import]. Both may be the case.
//
// DiffService reads want at the start of the call and does not write to it. A nil
// want has the documented collections and no records. Records of the service are decoded
// into the record types of want and compared in the form in which they would be saved.
// Each collection of the service is read and checked in full, page by page, at the rate of
// the client.
// Records that are written meanwhile may be on one page and not on another; see the
// documentation of package client.
func DiffService(ctx context.Context, want *catalogue.Catalogue, service client.Source, keys ...string) (report string, err error) {
	if want == nil {
		want = catalogue.New()
	}
	want = want.Clone()
	got := want.Clone() // what cannot be read does not differ
	_, err = client.Import(ctx, got, service, keys...)
	if report = Diff(want, got); report != "" {
		err = errors.Join(fmt.Errorf("%w:\n%s", ErrDiffers, report), err)
	}
	return report, err
}
