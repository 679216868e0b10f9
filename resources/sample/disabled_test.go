package sample_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/resources/sample"
)

// A houseOf holds the records of a house, as encoding/json decodes them.
type houseOf = map[string][]record

// An oddity specifies an Oddity according to its documentation, independently of the
// implementation.
type oddity struct {
	name string
	bit  sample.Oddity
	// changes are the members, by collection, that may change when the oddity is
	// disabled: of all records if all is true, otherwise of those that have it.
	changes map[string][]string
	all     bool
	// of returns the names of the records that have the oddity.
	of func(house houseOf) map[string]bool
}

func oddities() []oddity {
	return []oddity{
		{"shared slugs", sample.SharedSlugs, map[string][]string{"events": {"slug"}}, true, func(h houseOf) map[string]bool {
			return shared(h, "events", "slug")
		}},
		{"shared links", sample.SharedLinks, map[string][]string{"social-links": {"url"}}, true, func(h houseOf) map[string]bool {
			return shared(h, "social-links", "url", "author")
		}},
		{"repeated catch lines", sample.RepeatedCatchLines, map[string][]string{"labels": {"catchLines"}}, false, repeats},
		{"null logos", sample.NullLogos, map[string][]string{
			"social-links": {"logo"}, "labels": {"logoFooter", "logoFooterWebp"},
		}, false, nullLogos},
		{"later ends", sample.LaterEnds, map[string][]string{"events": {"endDate"}}, false, laterEnds},
		{"midnights", sample.Midnights, times(), false, func(h houseOf) map[string]bool {
			return timed(h, func(t time.Time, _ string) bool { return t.Format("15:04:05.000000") == "00:00:00.000000" })
		}},
		{"clock changes", sample.ClockChanges, times(), false, func(h houseOf) map[string]bool { return timed(h, clocksChange) }},
	}
}

// times returns the members that hold date-times.
func times() map[string][]string {
	return map[string][]string{
		"events": {"startDate", "endDate"}, "carts": {"createdAt"}, "contributions": {"createdAt"},
		"news": {"publishedAt"}, "proposals": {"submittedAt"}, "reshipments": {"requestedAt"},
		"shipments": {"shippedAt", "deliveredAt"}, "wires": {"receivedAt"},
	}
}

func name(key string, r record) string { return fmt.Sprint(key, " ", r["id"]) }

// shared returns the records of a collection whose given members equal those of another
// record.
func shared(h houseOf, key string, members ...string) map[string]bool {
	found, first := map[string]bool{}, map[string]string{}
	for _, r := range h[key] {
		var values []any
		for _, m := range members {
			values = append(values, r[m])
		}
		same := fmt.Sprintf("%q", values)
		if other, ok := first[same]; ok {
			found[other], found[name(key, r)] = true, true
		} else {
			first[same] = name(key, r)
		}
	}
	return found
}

func repeats(h houseOf) map[string]bool {
	found := map[string]bool{}
	for _, r := range h["labels"] {
		seen := map[any]bool{}
		for _, line := range r["catchLines"].([]any) {
			if seen[line] {
				found[name("labels", r)] = true
			}
			seen[line] = true
		}
	}
	return found
}

func nullLogos(h houseOf) map[string]bool {
	found := map[string]bool{}
	for key, records := range h {
		for _, r := range records {
			for member, value := range r {
				if strings.Contains(strings.ToLower(member), "logo") && value == nil {
					found[name(key, r)] = true
				}
			}
		}
	}
	return found
}

// laterEnds compares the days as they are written.
func laterEnds(h houseOf) map[string]bool {
	found := map[string]bool{}
	for _, r := range h["events"] {
		if r["endDate"].(string)[:10] > r["startDate"].(string)[:10] {
			found[name("events", r)] = true
		}
	}
	return found
}

// timed returns the records with a date-time for which has returns true. The zone is
// that of the venue of an event, and otherwise that of the house.
func timed(h houseOf, has func(t time.Time, zone string) bool) map[string]bool {
	found := map[string]bool{}
	for key, records := range h {
		for _, r := range records {
			zone := "Europe/Rome"
			if key == "events" {
				zone, _ = zoneOf(r["location"].(string))
			}
			for _, value := range r {
				s, _ := value.(string)
				if len(s) < 11 || s[4] != '-' || s[10] != 'T' {
					continue
				}
				if t, err := time.Parse(time.RFC3339, s); err != nil || has(t, zone) {
					found[name(key, r)] = true
				}
			}
		}
	}
	return found
}

// clocksChange reports whether clocks change within one hour of t, according to the time
// zone database.
func clocksChange(t time.Time, zone string) bool {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return true
	}
	_, before := t.Add(-time.Hour).In(place).Zone()
	_, after := t.Add(time.Hour).In(place).Zone()
	return before != after
}

// houses returns options for houses that have all oddities. The smallest such house has
// 31 events, because there are 30 different slugs.
func houses() []sample.Options {
	all := []sample.Options{{}}
	for _, seed := range seeds() {
		all = append(all, sample.Options{Seed: seed, Events: 31, Labels: 1, Authors: 1, SocialLinks: 5, Books: -1, Others: -1})
	}
	return append(all,
		// This seed has an event at midnight in London and a shipment, both within an
		// hour of a change of clocks.
		sample.Options{Seed: 14, Events: 200, Labels: 60, Books: -1, Others: 60},
		// More links than networks.
		sample.Options{Seed: 4, Events: 60, Labels: 1, Authors: 1, SocialLinks: 50, Books: 1, Others: 1},
	)
}

// TestDisablingAnOddityChangesNothingElse also checks that each oddity is present unless
// it is disabled.
func TestDisablingAnOddityChangesNothingElse(t *testing.T) {
	for _, opts := range houses() {
		on := read(t, opts)
		for _, o := range oddities() {
			where := fmt.Sprintf("%+v, %s", opts, o.name)
			odd := o.of(on)
			if len(odd) == 0 {
				t.Errorf("%s: absent, want present", where)
			}
			opts.Without = o.bit
			off := read(t, opts)
			if left := o.of(off); len(left) > 0 {
				t.Errorf("%s: present in %v after disabling it", where, slices.Collect(maps.Keys(left)))
			}
			if o.all {
				odd = nil
			}
			checkChanges(t, where, on, off, o.changes, odd)
		}
	}
}

// checkChanges checks that two houses differ at most in the given members of the odd
// records, or of all records if odd is nil.
func checkChanges(t *testing.T, where string, on, off houseOf, changes map[string][]string, odd map[string]bool) {
	t.Helper()
	for key, records := range on {
		if len(records) != len(off[key]) {
			t.Errorf("%s: got %d %s, want %d", where, len(off[key]), key, len(records))
			continue
		}
		for i, want := range records {
			got := off[key][i]
			if odd == nil || odd[name(key, want)] {
				got = maps.Clone(got)
				for _, member := range changes[key] {
					if value, ok := want[member]; ok {
						got[member] = value
					}
				}
			}
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: %s (-on +off):\n%s", where, name(key, want), cmp.Diff(want, got))
			}
		}
	}
}

func TestSmallestHouseWithAllOddities(t *testing.T) {
	for seed := range uint64(50) {
		house := read(t, sample.Options{Seed: seed, Events: 31, Labels: 1, Authors: 1, SocialLinks: 5, Books: -1, Others: -1})
		for _, o := range oddities() {
			if len(o.of(house)) == 0 {
				t.Errorf("seed %d: no %s", seed, o.name)
			}
		}
	}
}

func TestDisablingEverySetOfOddities(t *testing.T) {
	for set := range sample.AllOddities + 1 { // 128
		opts := sample.Options{Seed: uint64(set), Events: 60, Labels: 1, Authors: 3, SocialLinks: 10, Books: -1, Others: -1, Without: set}
		house := read(t, opts)
		for _, o := range oddities() {
			switch odd := o.of(house); {
			case set&o.bit != 0 && len(odd) > 0:
				t.Errorf("%+v: %s in %v", opts, o.name, slices.Collect(maps.Keys(odd)))
			case set&o.bit == 0 && len(odd) == 0:
				t.Errorf("%+v: no %s", opts, o.name)
			}
		}
		for _, e := range sample.New(opts).Events {
			if !e.EndDate.After(e.StartDate.Time) {
				t.Errorf("%+v: event %d: begins %v, ends %v", opts, e.ID, e.StartDate, e.EndDate)
			}
		}
	}
}

// TestOddityBits checks that oddities have distinct bits and that unknown bits are
// ignored.
func TestOddityBits(t *testing.T) {
	all := sample.Oddity(0)
	for _, o := range oddities() {
		if o.bit == 0 || all&o.bit != 0 {
			t.Errorf("%s = %b, which overlaps %b", o.name, o.bit, all)
		}
		all |= o.bit
	}
	if all != sample.AllOddities {
		t.Errorf("AllOddities = %b, want %b", sample.AllOddities, all)
	}
	unknown := ^sample.AllOddities
	if diff := cmp.Diff(string(text(t, sample.Options{})), string(text(t, sample.Options{Without: unknown}))); diff != "" {
		t.Errorf("unknown bits (-without +with):\n%s", diff)
	}
}

// TestTimesWithoutOddities checks the offsets and the lengths of events.
func TestTimesWithoutOddities(t *testing.T) {
	for _, e := range sample.New(sample.Options{Seed: 5, Events: 3000, Without: sample.AllOddities}).Events {
		name, _ := zoneOf(e.Location)
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []time.Time{e.StartDate.Time, e.EndDate.Time} {
			if want := d.In(zone).Format(time.RFC3339); d.Format(time.RFC3339) != want {
				t.Errorf("event %d in %s: %s, want %s", e.ID, name, d.Format(time.RFC3339), want)
			}
		}
		if length := e.EndDate.Sub(e.StartDate.Time); length < time.Hour || length > 14*time.Hour {
			t.Errorf("event %d lasts %v", e.ID, length)
		}
	}
}
