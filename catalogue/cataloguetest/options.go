package cataloguetest

import (
	"errors"
	"io/fs"
	"net/http"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// Options configures a [House]. The zero value serves the sample records in
// process, over http, and permits every write.
//
// At most one of Empty, Catalogue and Fixtures may be set, and not both Catalogue and
// Definitions.
type Options struct {
	// Definitions, if not empty, are the collections of the house, which has no others;
	// see [catalogue.NewOnly]. There are no sample records for them: the house is empty
	// unless there are Fixtures. If empty, the house has the 39 documented collections.
	Definitions []catalogue.AnyDefinition

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Limits are the sizes of pages; see [httpapi.Options]. The zero Limits are those of
	// the documented service. If Wrap returns a handler with pages of other sizes, Limits
	// must be theirs, since faults and [House.WalkedOnce] use them.
	Limits pagination.Limits

	// Empty selects a house without records.
	Empty bool

	// Catalogue, if not nil, is served itself and not cloned: records that are
	// posted are written to it. It may hold types of the program.
	Catalogue *catalogue.Catalogue

	// Fixtures, if not nil, is a file system whose files hold all records of the
	// house. A collection that has no file is empty. Each file whose name ends in
	// .json, .ndjson or .jsonl, in the root or below, is one of the following:
	//
	//   - A collection, if the name before the extension is a collection's key or
	//     path segment (events.json, item_variants.json, itemVariants.ndjson). A
	//     .json file holds an array of records, or a saved response of the service,
	//     whose results are used. An .ndjson or .jsonl file holds one record per
	//     line.
	//   - Several collections, if a .json file has any other name: an object that
	//     maps keys or path segments to arrays of records.
	//
	// Records are in wire form, each with its id. References are not checked. An
	// invalid file fails the test with its name, line, column and member. So does
	// an unknown collection, a collection that occurs twice, an empty file, and a
	// file system without fixtures.
	Fixtures fs.FS

	// Authorizer decides which writes are permitted. If nil, all are.
	Authorizer httpapi.Authorizer

	// Wrap, if not nil, returns a handler for the requests of the house, given the handler
	// of its collections. It adds endpoints of the program's own, such as "/login", and
	// passes all other requests on. A request goes through the log, the faults, the
	// handler that Wrap returns, and the handler of the collections, in this order. So
	// faults apply to the program's endpoints, and assertions such as [House.Asked] and
	// [House.NeverWrote] count their requests. A nil result fails the test.
	Wrap func(http.Handler) http.Handler

	// RequireFaults makes the test fail at its end if a fault of [House.Break] has changed
	// no response, even if the fault was mended. Otherwise such a fault is only logged.
	RequireFaults bool

	// MaxExchanges is the largest number of exchanges that the house keeps. It forgets the
	// oldest ones, so that assertions such as [House.Asked] apply only to those that it
	// keeps. If zero or negative, all are kept.
	MaxExchanges int

	// Server makes the house listen on a loopback port, for code that needs an
	// address instead of a client. It does not work inside a synctest bubble.
	Server bool

	// Secure makes URL an https URL. With Server, the house has a certificate that
	// its client trusts.
	Secure bool
}

var (
	errContradictory = errors.New("options: at most one of Empty, Catalogue and Fixtures may be set")
	errTwoCatalogues = errors.New("options: Catalogue and Definitions may not both be set")
	errNilWrap       = errors.New("options: Wrap returned a nil handler")
	errNoTest        = errors.New("options: RequireFaults needs a test; use NewWith")
)

// check reports options that contradict each other.
func (o *Options) check() error {
	n := 0
	for _, set := range []bool{o.Empty, o.Catalogue != nil, o.Fixtures != nil} {
		if set {
			n++
		}
	}
	if n > 1 {
		return errContradictory
	}
	if o.Catalogue != nil && len(o.Definitions) > 0 {
		return errTwoCatalogues
	}
	return nil
}

// records returns the catalogue to serve and its initial state, which is never
// written to.
func (o *Options) records() (house, initial *catalogue.Catalogue, err error) {
	switch {
	case o.Catalogue != nil:
		return o.Catalogue, o.Catalogue.Clone(), nil
	case !o.Empty && o.Fixtures == nil && len(o.Definitions) == 0:
		initial, err = sampleCatalogue()
		if err != nil {
			return nil, nil, err
		}
		return initial.Clone(), initial, nil
	}
	house, err = o.empty()
	if err == nil && o.Fixtures != nil {
		err = loadFixtures(o.Fixtures, house)
	}
	if err != nil {
		return nil, nil, err
	}
	return house, house.Clone(), nil
}

// empty returns an empty catalogue with the collections of the house.
func (o *Options) empty() (*catalogue.Catalogue, error) {
	if len(o.Definitions) > 0 {
		return catalogue.NewOnly(o.Definitions...)
	}
	return newCatalogue()
}

func (o *Options) authorizer() httpapi.Authorizer {
	if o.Authorizer == nil {
		return httpapi.AllowAll
	}
	return o.Authorizer
}

// wrap returns the handler for the requests of the house.
func (o *Options) wrap(collections http.Handler) http.Handler {
	if o.Wrap == nil {
		return collections
	}
	return o.Wrap(collections)
}

func (o *Options) scheme() string {
	if o.Secure {
		return "https"
	}
	return "http"
}
