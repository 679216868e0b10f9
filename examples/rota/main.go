// Rota serves the collections of a rota, as Django REST framework serves them: shifts with choices,
// times, durations and many-to-many relations to workers and tags.
//
//	go run ./examples/rota -open &
//	curl 'http://127.0.0.1:8080/api/shifts/?priority__gte=1&ordering=-seats'
//
// Package collections has the collections, and records.json the records. The flags are those of
// examples/shop. README.md is a tour.
package main

import (
	_ "embed"

	"github.com/gobacklist/backlist/examples/internal/service"
	"github.com/gobacklist/backlist/examples/rota/collections"
)

// records are those to begin with.
//
//go:embed records.json
var records string

// program is the rota with the flags of its kind.
var program = service.Service{Title: "Rota", New: collections.New, Records: records, Forms: true}

func main() { program.Main() }
