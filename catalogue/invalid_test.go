package catalogue_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

type (
	// A stamp embeds a time, whose methods it has.
	stamp struct{ time.Time }
	// A unixTime embeds a time and is written as a number.
	unixTime struct{ time.Time }
)

func (s unixTime) MarshalJSON() ([]byte, error) { return json.Marshal(s.Unix()) }

func (s *unixTime) UnmarshalJSON(data []byte) error {
	var n int64
	err := json.Unmarshal(data, &n)
	s.Time = time.Unix(n, 0)
	return err
}

// A time whose zone has seconds, as all had before about 1900, is another instant in JSON.
// Insert refuses it, even if the type of the field writes the same instant.
func TestInsertZoneWithSeconds(t *testing.T) {
	type record struct {
		ID      int                  `json:"id"`
		At      time.Time            `json:"at"`
		Pointer *time.Time           `json:"pointer"`
		List    []time.Time          `json:"list"`
		Map     map[string]time.Time `json:"map"`
		Key     map[time.Time]int    `json:"key"`
		Stamp   stamp                `json:"stamp"`
		Second  unixTime             `json:"second"`
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
		{"struct that embeds a time", record{Stamp: stamp{noon}}, "Stamp"},
		{"the same, whatever its JSON is", record{At: noon.UTC(), Second: unixTime{noon}}, "Second"},
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
