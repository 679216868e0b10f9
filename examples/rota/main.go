// Rota serves the collections of a rota, as Django REST framework serves them: shifts with choices,
// times, durations and many-to-many relations to workers and tags.
//
//	go run ./examples/rota -open &
//	curl 'http://127.0.0.1:8080/api/shifts/?priority__gte=1&ordering=-seats'
//
// Package collections has the collections. The flags are those of examples/shop.
package main

import (
	"github.com/gobacklist/backlist/examples/internal/service"
	"github.com/gobacklist/backlist/examples/rota/collections"
)

// program is the rota with the flags of its kind.
var program = service.Service{Title: "Rota", New: collections.New, Forms: true}

func main() { program.Main() }
