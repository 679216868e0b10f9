package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Insert refuses a record that cannot be written as JSON or not be read again. It would
// break every page that contains it.
func TestInsertInvalidRecord(t *testing.T) {
	cat := newPublisher()
	checkAtEnd(t, cat)
	for _, raw := range []string{`{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `nul`, strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
		if _, err := mustIn(definedLabels, cat).Insert(label{GlobalMessage: json.RawMessage(raw)}); !errors.Is(err, ErrInvalid) {
			t.Errorf("message %.20s: error %v, want ErrInvalid", raw, err)
		}
	}
	far := time.FixedZone("", 14*60*60)
	for _, at := range []time.Time{
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 6, 1, 0, 0, 0, 0, time.UTC),
	} {
		if _, err := mustIn(definedEvents, cat).Insert(event{StartDate: schema.DateTime{Time: at.In(far)}}); !errors.Is(err, ErrInvalid) {
			t.Errorf("start date %v: error %v, want ErrInvalid", at, err)
		}
	}
	type record struct {
		ID     int         `json:"id"`
		Number json.Number `json:"number"`
		When   time.Time   `json:"when"`
	}
	c, err := NewCollection[record](Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	for _, r := range []record{
		{Number: "abc", When: time.Unix(0, 0)},
		{When: time.Date(2026, 5, 10, 0, 0, 0, 0, time.FixedZone("", 25*60*60))},
	} {
		if _, err := c.Insert(r); !errors.Is(err, ErrInvalid) {
			t.Errorf("record %v: error %v, want ErrInvalid", r, err)
		}
	}
	if n := mustIn(definedLabels, cat).Count() + mustIn(definedEvents, cat).Count() + c.Count(); n != 0 {
		t.Errorf("%d records were stored", n)
	}
}

type (
	// A stamp embeds a time, whose methods it has.
	stamp struct{ time.Time }
	// A second embeds a time and is written as a number.
	second struct{ time.Time }
)

func (s second) MarshalJSON() ([]byte, error) { return json.Marshal(s.Unix()) }

func (s *second) UnmarshalJSON(data []byte) error {
	var n int64
	err := json.Unmarshal(data, &n)
	s.Time = time.Unix(n, 0)
	return err
}

// A time whose zone has seconds, as all had before about 1900, is another instant in JSON.
// Insert refuses it, unless the type of the field writes the same instant.
func TestInsertZoneWithSeconds(t *testing.T) {
	type record struct {
		ID      int                  `json:"id"`
		At      time.Time            `json:"at"`
		Pointer *time.Time           `json:"pointer"`
		List    []time.Time          `json:"list"`
		Map     map[string]time.Time `json:"map"`
		Key     map[time.Time]int    `json:"key"`
		Stamp   stamp                `json:"stamp"`
		Second  second               `json:"second"`
		Date    schema.DateTime      `json:"date"`
		Hidden  time.Time            `json:"-"`
	}
	c, err := NewCollection[record](Options{Unique: []string{"at"}})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
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
		{"the same, written as another JSON", record{At: noon.UTC(), Second: second{noon}}, ""},
		{"DateTime, which rounds the offset", record{At: noon.UTC().Add(1), Date: schema.DateTime{Time: noon}}, ""},
		{"not in the JSON", record{At: noon.UTC().Add(2), Hidden: noon}, ""},
		{"minutes only", record{At: noon.In(time.FixedZone("", 540)).Add(3)}, ""},
	} {
		switch _, err := c.Insert(row.record); {
		case row.field == "" && err != nil:
			t.Errorf("%s: %v", row.reason, err)
		case row.field != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "field "+row.field+": ")):
			t.Errorf("%s: %v, want ErrInvalid with field %s", row.reason, err, row.field)
		}
	}
}

// NewCollection refuses types that it cannot copy safely, even in fields outside the JSON:
// cyclic types, interfaces and map keys that are pointers. It also refuses the option
// string in a tag.
func TestNewCollectionInvalidType(t *testing.T) {
	type node struct {
		ID     int     `json:"id"`
		Kids   []*node `json:"kids"`
		Parent *node   `json:"-"`
	}
	type dynamic struct {
		ID    int `json:"id"`
		Extra any `json:"-"`
	}
	type quoted struct {
		ID int `json:"id"`
		N  int `json:"n,string"`
	}
	type keyed struct {
		ID int `json:"id"`
		M  map[*key]int
	}
	for name, err := range map[string]error{
		"Parent": newCollectionError[node](),
		"Extra":  newCollectionError[dynamic](),
		"N":      newCollectionError[quoted](),
		"M":      newCollectionError[keyed](),
	} {
		if !errors.Is(err, ErrInvalidType) || !strings.Contains(err.Error(), "field "+name) {
			t.Errorf("field %s: error %v, want ErrInvalidType", name, err)
		}
	}
	type sum struct {
		ID  int `json:"id"`
		sum [32]byte
	}
	if err := newCollectionError[sum](); err != nil {
		t.Errorf("an unexported array without references: %v", err)
	}
	_ = sum{}.sum
}

type key struct{ n int }

func (k *key) MarshalText() ([]byte, error) { return fmt.Append(nil, k.n), nil }

func newCollectionError[T any]() error {
	_, err := NewCollection[T](Options{})
	return err
}

func TestLoadNullInList(t *testing.T) {
	cat := newPublisher()
	checkAtEnd(t, cat)
	err := cat.Load(strings.NewReader(`{"events":[{"id":1,"name":"n","slug":"s","startDate":"2026-05-10T18:00:00Z",
		"endDate":"2026-05-10T18:00:00Z","labels":[1,null]}]}`), LoadOptions{})
	var invalid *RecordError
	if !errors.As(err, &invalid) || invalid.Field != "labels" {
		t.Errorf("error %v, want a RecordError for labels", err)
	}
}
