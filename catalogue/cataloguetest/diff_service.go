package cataloguetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/client"
)

// ErrDiffers says that two catalogues are not the same.
var ErrDiffers = errors.New("cataloguetest: catalogues differ")

// DiffService compares a catalogue with a live service, or with what was recorded of
// one: the collections with these keys, or all that the source has. The report is
// that of [Diff]; the error is nil if all was read and nothing differs, else it
// matches [ErrDiffers] and has the report in it, or is that of [client.Import] for
// what could not be read, or both.
//
//	service, err := client.New(client.Options{BaseURL: "https://shop.example"})
//	…
//	report, err := cataloguetest.DiffService(ctx, house.Catalogue, service)
//
// Records of the service are read as those of want, so with a type of their own if
// want has one, and compared in the form in which they would be saved. want is
// taken as it is now, and not written to. Of the service each collection is read
// whole and proven, page by page, in the client's pace; what was written meanwhile
// may be in one page and not in another, see the documentation of package client.
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
