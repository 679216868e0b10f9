package sample_test

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // to check the offsets

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// seeds returns the seeds that the tests use.
func seeds() []uint64 { return []uint64{0, 1, 2, 77, 1<<64 - 1} }

func TestEventOddities(t *testing.T) {
	type event = schema.Event
	for _, seed := range seeds() {
		events := sample.New(sample.Options{Seed: seed}).Events
		slugs, starts := map[string]int{}, map[int64]map[int]bool{}
		for _, e := range events {
			slugs[e.Slug]++
			_, offset := e.StartDate.Zone()
			at := e.StartDate.Unix()
			if starts[at] == nil {
				starts[at] = map[int]bool{}
			}
			starts[at][offset] = true
		}
		tests := []struct {
			oddity string
			has    func(e event) bool
		}{
			{"shares a slug", func(e event) bool { return slugs[e.Slug] > 1 }},
			{"begins at the same instant as another, in another offset", func(e event) bool { return len(starts[e.StartDate.Unix()]) > 1 }},
			{"ends on a later day", func(e event) bool { return e.EndDate.Format(time.DateOnly) > e.StartDate.Format(time.DateOnly) }},
			{"lasts several days", func(e event) bool { return e.EndDate.Sub(e.StartDate.Time) > 24*time.Hour }},
			{"begins at midnight", func(e event) bool { return e.StartDate.Format(time.TimeOnly) == "00:00:00" }},
			{"is in UTC", func(e event) bool { _, offset := e.StartDate.Zone(); return offset == 0 }},
			{"is west of UTC", func(e event) bool { _, offset := e.StartDate.Zone(); return offset < 0 }},
			{"has an offset that is not a whole hour", func(e event) bool { _, offset := e.StartDate.Zone(); return offset%3600 != 0 }},
			{"spans a change of clocks", func(e event) bool {
				_, before := e.StartDate.Zone()
				_, after := e.EndDate.Zone()
				return before != after
			}},
			{"begins in the second occurrence of a repeated hour", func(e event) bool { return e.StartDate.Format(time.RFC3339) == "2026-10-25T02:30:00+01:00" }},
			{"begins in the first occurrence of a repeated hour", func(e event) bool { return e.StartDate.Format(time.RFC3339) == "2026-10-25T02:30:00+02:00" }},
			{"begins right after a skipped hour", func(e event) bool { return e.StartDate.Format(time.RFC3339) == "2026-03-29T03:00:00+02:00" }},
			{"is not published", func(e event) bool { return !e.Published }},
			{"has no poster", func(e event) bool { return e.Poster == "" && e.PosterWebp == "" }},
			{"has several authors", func(e event) bool { return len(e.Authors) > 1 }},
			{"has no author", func(e event) bool { return len(e.Authors) == 0 }},
			{"has no label", func(e event) bool { return len(e.Labels) == 0 }},
			{"contains an HTML entity", func(e event) bool { return strings.Contains(e.Description, "&amp;") }},
			{"has no ASCII vowels in its name", func(e event) bool { return !strings.ContainsAny(e.Name, "aeiou") }},
		}
		for _, tt := range tests {
			if !slices.ContainsFunc(events, tt.has) {
				t.Errorf("seed %d: no event %s", seed, tt.oddity)
			}
		}
		if slices.IsSortedFunc(events, func(a, b event) int { return a.StartDate.Compare(b.StartDate.Time) }) {
			t.Errorf("seed %d: events by id are ordered by start date", seed)
		}
	}
}

func TestLabelOddities(t *testing.T) {
	type label = schema.Label
	tests := []struct {
		oddity string
		has    func(l label) bool
	}{
		{"repeats a catch line", func(l label) bool {
			return len(slices.Compact(slices.Sorted(slices.Values(l.CatchLines)))) < len(l.CatchLines)
		}},
		{"has no footer logo", func(l label) bool { return l.LogoFooter == nil && l.LogoFooterWebp == nil }},
		{"has a footer logo", func(l label) bool { return l.LogoFooter != nil && l.LogoFooterWebp != nil }},
		{"lacks a page", func(l label) bool { return l.BlueskyPage == nil }},
		{"has a message", func(l label) bool { return l.GlobalMessage != nil }},
		{"has a checkout message", func(l label) bool { return l.CheckoutMessage != nil }},
		{"has no message", func(l label) bool { return l.GlobalMessage == nil && l.CheckoutMessage == nil }},
		{"is not enabled", func(l label) bool { return !l.Enabled }},
		{"has no users", func(l label) bool { return len(l.Users) == 0 }},
		{"features authors", func(l label) bool { return l.FeatureAuthors }},
		{"does not feature authors", func(l label) bool { return !l.FeatureAuthors }},
	}
	for _, seed := range seeds() {
		labels := sample.New(sample.Options{Seed: seed}).Labels
		for _, tt := range tests {
			if !slices.ContainsFunc(labels, tt.has) {
				t.Errorf("seed %d: no label %s", seed, tt.oddity)
			}
		}
		for _, l := range labels {
			if (l.LogoFooter == nil) != (l.LogoFooterWebp == nil) {
				t.Errorf("seed %d: label %d has only one of the two footer logos", seed, l.ID)
			}
		}
	}
}

func TestLinkOddities(t *testing.T) {
	for _, seed := range seeds() {
		type destination struct {
			url    string
			author int
		}
		count := map[destination]int{}
		logos, types := map[bool]int{}, map[string]int{}
		for _, l := range sample.New(sample.Options{Seed: seed}).SocialLinks {
			count[destination{l.URL, l.Author}]++
			logos[l.Logo == nil]++
			types[l.Type]++
		}
		shared := false
		for _, n := range count {
			shared = shared || n > 1
		}
		if !shared {
			t.Errorf("seed %d: no two links have the same url and author", seed)
		}
		if len(logos) != 2 {
			t.Errorf("seed %d: logos are all null or all present: %v", seed, logos)
		}
		if types["instagram"] == 0 || len(types) < 3 {
			t.Errorf("seed %d: types %v, want instagram and at least two others", seed, types)
		}
	}
}

// TestOpenRecordOddities checks that open records have values of mixed kinds and optional
// members, which matter for ordering.
func TestOpenRecordOddities(t *testing.T) {
	house := read(t, sample.Options{})
	kinds := map[string]bool{}
	for _, r := range house["attributes"] {
		switch r["value"].(type) {
		case nil:
			kinds["null"] = true
		case bool:
			kinds["boolean"] = true
		case float64:
			kinds["number"] = true
		case string:
			kinds["text"] = true
		case []any:
			kinds["list"] = true
		}
	}
	if len(kinds) != 5 {
		t.Errorf("attributes have values of kinds %v, want five kinds", kinds)
	}
	with := 0
	for _, r := range house["wires"] {
		if _, ok := r["note"]; ok {
			with++
		}
	}
	if with == 0 || with == len(house["wires"]) {
		t.Errorf("%d of %d wires have a note, want some", with, len(house["wires"]))
	}
}

// zones returns the time zones of the venues by city.
func zones() map[string]string {
	return map[string]string{
		"Genova": "Europe/Rome", "Torino": "Europe/Rome", "Palermo": "Europe/Rome",
		"London": "Europe/London", "Dublin": "Europe/Dublin", "Besançon": "Europe/Paris",
		"Köln": "Europe/Berlin", "A Coruña": "Europe/Madrid", "Łódź": "Europe/Warsaw",
		"Buenos Aires": "America/Argentina/Buenos_Aires", "Brooklyn": "America/New_York",
		"Kolkata": "Asia/Kolkata", "東京": "Asia/Tokyo", "عمّان": "Asia/Amman", "online": "UTC",
	}
}

func TestOffsetsMatchTimeZoneDatabase(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range sample.New(sample.Options{Events: 3000}).Events {
		name, ok := zoneOf(e.Location)
		if !ok {
			t.Fatalf("no time zone for %q", e.Location)
		}
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []schema.DateTime{e.StartDate, e.EndDate} {
			if want := d.In(zone).Format(time.RFC3339); d.Format(time.RFC3339) != want {
				t.Errorf("event %d in %s: %s, want %s", e.ID, name, d.Format(time.RFC3339), want)
			}
		}
		seen[name] = true
	}
	if len(seen) < 12 {
		t.Errorf("events in %d zones, want at least 12: %v", len(seen), seen)
	}
}

// zoneOf returns the time zone of a venue, whose name ends in its city.
func zoneOf(location string) (string, bool) {
	for city, zone := range zones() {
		if strings.HasSuffix(location, city) {
			return zone, true
		}
	}
	return "", false
}

func TestDatesAreWithinHalfAYear(t *testing.T) {
	from, to := time.Date(2025, 11, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
	for _, seed := range seeds() {
		for key, records := range read(t, sample.Options{Seed: seed, Books: -1, Others: 50}) {
			for _, r := range records {
				for name, value := range r {
					s, _ := value.(string)
					if len(s) < 10 || name == "publishedOn" {
						continue
					}
					if d, err := time.Parse(time.DateOnly, s[:10]); err == nil && (d.Before(from) || d.After(to)) {
						t.Errorf("seed %d: %s %v: %s = %s, want within half a year", seed, key, r["id"], name, s)
					}
				}
			}
		}
	}
}

func TestEventsEndAfterTheyBegin(t *testing.T) {
	for _, e := range sample.New(sample.Options{Events: 3000}).Events {
		if !e.EndDate.After(e.StartDate.Time) {
			t.Errorf("event %d: begins %v, ends %v", e.ID, e.StartDate, e.EndDate)
		}
	}
}

// TestDescriptionsAreWellFormed checks that tags are closed and text is escaped.
func TestDescriptionsAreWellFormed(t *testing.T) {
	for key, records := range read(t, sample.Options{}) {
		for _, r := range records {
			for _, name := range []string{"description", "bio", "body", "answer"} {
				fragment, ok := r[name].(string)
				if !ok {
					continue
				}
				if !strings.HasPrefix(fragment, "<p>") {
					t.Errorf("%s %v: %s = %q, want a paragraph", key, r["id"], name, fragment)
				}
				d := xml.NewDecoder(strings.NewReader("<div>" + fragment + "</div>"))
				for {
					if _, err := d.Token(); err == io.EOF {
						break
					} else if err != nil {
						t.Errorf("%s %v: %s %q: %v", key, r["id"], name, fragment, err)
						break
					}
				}
			}
		}
	}
}
