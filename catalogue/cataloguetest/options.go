package cataloguetest

import (
	"errors"
	"io/fs"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// Options say what a house holds and how it is reached. The zero value is what
// [New] makes: the sample, in process, over http, and anybody may post.
//
// Of Empty, Catalogue and Fixtures one at most can be chosen.
type Options struct {
	// Empty is a house without records.
	Empty bool

	// Catalogue is served as it is, not forked: what is posted is written to it.
	// Catalogues of the program's own types come in here. Nil: none is given.
	Catalogue *catalogue.Catalogue

	// Fixtures are files that hold all records there are; what no file has
	// stays empty. Every file whose name ends in .json, .ndjson or .jsonl, in
	// the top directory or below, is one of
	//
	//   - a collection, if it is called by a collection's key or path segment
	//     (events.json, item_variants.json, itemVariants.ndjson): an array of
	//     records, a saved answer of the service, whose results are taken, or,
	//     in .ndjson and .jsonl, a record a line;
	//   - several, by any other name: an object of keys (or segments) to arrays.
	//
	// Records are in wire form, each with its id; references are not checked.
	// A bad file fails the test with its name, line, column and member, and so
	// do an unknown collection, one that is given twice, an empty file, and a
	// file system without such files. Nil: no fixtures.
	Fixtures fs.FS

	// Authorizer decides who may post. Nil: anybody.
	Authorizer httpapi.Authorizer

	// Server listens on a loopback port, for what wants an address rather than
	// a client. It is no use inside a synctest bubble.
	Server bool

	// Secure makes the URL an https one. With Server it is served with a
	// certificate that the house's client trusts.
	Secure bool
}

// errSeveral says that options contradict each other.
var errSeveral = errors.New("options: choose one of Empty, Catalogue and Fixtures")

// check finds options that contradict each other.
func (o *Options) check() error {
	chosen := 0
	for _, is := range []bool{o.Empty, o.Catalogue != nil, o.Fixtures != nil} {
		if is {
			chosen++
		}
	}
	if chosen > 1 {
		return errSeveral
	}
	return nil
}

// records gives the catalogue to serve, and what it is before the test begins:
// a state that nobody writes to.
func (o *Options) records() (house, before *catalogue.Catalogue, err error) {
	switch {
	case o.Empty:
		return catalogue.New(), catalogue.New(), nil
	case o.Catalogue != nil:
		return o.Catalogue, o.Catalogue.Clone(), nil
	case o.Fixtures != nil:
		house, err = loadFixtures(o.Fixtures)
		if err != nil {
			return nil, nil, err
		}
		return house, house.Clone(), nil
	}
	before, err = template()
	if err != nil {
		return nil, nil, err
	}
	return before.Clone(), before, nil
}

// authorizer is the one that is in force.
func (o *Options) authorizer() httpapi.Authorizer {
	if o.Authorizer == nil {
		return httpapi.AllowAll
	}
	return o.Authorizer
}

// scheme is that of the URL.
func (o *Options) scheme() string {
	if o.Secure {
		return "https"
	}
	return "http"
}
