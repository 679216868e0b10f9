// Shop serves the collections of a small shop, as Django REST framework serves them: with
// nested objects, rules, references by name, and records that are addressed by a slug or a UUID.
//
//	go run ./examples/shop -open &
//	curl 'http://127.0.0.1:8080/api/products/?category__name__icontains=home&ordering=-price'
//
// Package collections has the collections, and records.json the records. The flag -data loads others from a
// file. Writes are refused without -open or -token. With -now, new records are created at that
// time, for tests. With -framework 3.18, responses are those of version 3.18 of the framework.
// README.md is a tour.
package main

import (
	_ "embed"

	"github.com/gobacklist/backlist/examples/internal/service"
	"github.com/gobacklist/backlist/examples/shop/collections"
)

// records are those to begin with.
//
//go:embed records.json
var records string

// program is the shop with the flags of its kind.
var program = service.Service{Title: "Shop", New: collections.New, Records: records}

func main() { program.Main() }
