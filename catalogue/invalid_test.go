package catalogue_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A time whose zone has seconds, as all had before about 1900, is another instant in JSON.
// Insert refuses it.
func TestInsertZoneWithSeconds(t *testing.T) {
	type record struct {
		ID      int                  `json:"id"`
		At      time.Time            `json:"at"`
		Pointer *time.Time           `json:"pointer"`
		List    []time.Time          `json:"list"`
		Map     map[string]time.Time `json:"map"`
		Key     map[time.Time]int    `json:"key"`
		Date    schema.DateTime      `json:"date"`
		Hidden  time.Time            `json:"-"`
	}
	c := mustCollection[record](t, catalogue.Options{Unique: [][]string{{"at"}}})
	noon := time.Date(1900, 1, 1, 12, 0, 0, 0, time.FixedZone("LMT", 561)) // Paris
	for _, row := range []struct {
		reason string
		record record
		field  string // that is named in the error
	}{
		{"time", record{At: noon}, "At"},
		{"west of Greenwich", record{At: noon.In(time.FixedZone("LMT", -561))}, "At"},
		{"pointer", record{Pointer: &noon}, "Pointer"},
		{"list", record{List: []time.Time{{}, noon}}, "List: element 1"},
		{"map", record{Map: map[string]time.Time{"x": noon}}, "Map: key x"},
		{"key of a map", record{Key: map[time.Time]int{noon: 1}}, "Key"},
		{"DateTime, which rounds the offset", record{At: noon.UTC().Add(1 * time.Microsecond), Date: schema.DateTime{Time: noon}}, ""},
		{"not in the JSON", record{At: noon.UTC().Add(2 * time.Microsecond), Hidden: noon}, ""},
		{"minutes only", record{At: noon.In(time.FixedZone("", 540)).Add(3 * time.Microsecond)}, ""},
	} {
		switch _, err := c.Insert(row.record); {
		case row.field == "" && err != nil:
			t.Errorf("%s: %v", row.reason, err)
		case row.field != "" && (!errors.Is(err, catalogue.ErrInvalid) || !strings.Contains(err.Error(), "field "+row.field+": ")):
			t.Errorf("%s: %v, want ErrInvalid with field %s", row.reason, err, row.field)
		}
	}
}
