package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
)

// A note is a record that can be created, changed and deleted.
type note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

func definitions() []etcdstore.Definition {
	return []etcdstore.Definition{etcdstore.Of(catalogue.Define[note]("notes", catalogue.Options{}))}
}
