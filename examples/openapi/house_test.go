package main

import (
	"bytes"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/openapi/client"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// sampled returns a catalogue with made-up records.
func sampled(t *testing.T, sizes sample.Options) *catalogue.Catalogue {
	t.Helper()
	var file bytes.Buffer
	if err := sample.Write(&file, sizes); err != nil {
		t.Fatal(err)
	}
	house := mustNew()
	if err := house.Load(&file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return house
}

// clientOf serves a catalogue on the loopback interface and returns a client of it.
func clientOf(t *testing.T, house *catalogue.Catalogue) *client.ClientWithResponses {
	t.Helper()
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := client.NewClientWithResponses(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
