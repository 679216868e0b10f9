package main

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/openapi/client"
	"github.com/gobacklist/backlist/resources"
)

// TestLatest uses constants of the generated client for the terms of an ordering.
func TestLatest(t *testing.T) {
	house := mustNew()
	for day, name := range []string{"oldest, not shown", "fifth", "third", "second", "first", "fourth"} {
		if name == "third" || name == "fourth" {
			day = 3 // as second; the name breaks the tie
		}
		start := schema.At(time.Date(2026, 5, 1+day, 18, 0, 0, 0, time.UTC))
		if _, err := mustIn(resources.Events, house).Insert(resources.Event{Name: name, StartDate: start, EndDate: start}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := latest(context.Background(), &out, clientOf(t, house)); err != nil {
		t.Fatal(err)
	}
	want := "2026-05-05 first\n2026-05-04 fourth\n2026-05-04 second\n2026-05-04 third\n2026-05-02 fifth\nof 6\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// TestPost creates an event, and posts an invalid link.
func TestPost(t *testing.T) {
	house := mustNew()
	c := clientOf(t, house)
	start := time.Date(2026, 5, 10, 18, 0, 0, 0, time.UTC)
	made, err := c.CreateEventWithResponse(context.Background(), nil, client.NewEvent{
		Name: "A reading", Slug: "reading", StartDate: start, EndDate: start.Add(time.Hour),
	})
	if err != nil || made.JSON201 == nil {
		t.Fatalf("%v, %s", err, made.Body)
	}
	stored, err := mustIn(resources.Events, house).Get(int(made.JSON201.Id))
	if err != nil || stored.Name != "A reading" || !stored.StartDate.Equal(start) {
		t.Errorf("stored %+v, %v", stored, err)
	}
	refused, err := c.CreateSocialLinkWithResponse(context.Background(), nil, client.NewSocialLink{
		Title: "A link", Type: "instagram", Url: "nowhere", Author: 7,
	})
	if err != nil || refused.StatusCode() != http.StatusBadRequest || refused.JSON400 == nil {
		t.Fatalf("%v, %s", err, refused.Body)
	}
	want := client.FieldErrors{AdditionalProperties: map[string][]string{
		"url": {"Enter a valid URL."}, "author": {`Invalid pk "7" - object does not exist.`},
	}}
	if diff := cmp.Diff(&want, refused.JSON400); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
