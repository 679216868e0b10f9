package main

import (
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

func compareStart(a, b *record) int {
	if c := a.event.StartDate.Compare(b.event.StartDate.Time); c != 0 {
		return c
	}
	return a.event.ID - b.event.ID
}

func compareName(a, b *record) int {
	if c := strings.Compare(a.event.Name, b.event.Name); c != 0 {
		return c
	}
	return a.event.ID - b.event.ID
}

// pointers implements ids for stores that keep pointers to records.
type pointers struct{}

func (pointers) ids(p *pageBuffer) []int { return idsOf(p.records) }

func cloned(page []*record) []resources.Event {
	events := make([]resources.Event, len(page))
	for i, r := range page {
		events[i] = cloneOf(r.event)
	}
	return events
}

// cloneOf returns a deep copy of an event.
func cloneOf(e resources.Event) resources.Event {
	e.Labels, e.Authors = slices.Clone(e.Labels), slices.Clone(e.Authors)
	return e
}
