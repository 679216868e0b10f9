package ordering_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

type (
	stamp  struct{ time.Time }
	held   struct{ *time.Time }
	inner  struct{ stamp }
	behind struct{ *stamp }
	noted  struct {
		time.Time
		Note string
	}
	written struct{ time.Time }
)

// MarshalJSON writes the year alone; the order is that of the instants all the same.
func (w written) MarshalJSON() ([]byte, error) { return json.Marshal(w.Year()) }

// TestTimesCompareByInstant checks every way in which a field can hold a time.
func TestTimesCompareByInstant(t *testing.T) {
	type record struct {
		ID      int
		Plain   time.Time
		Pointer *time.Time
		Twice   **time.Time
		Stamp   stamp
		Held    held
		Inner   inner
		Behind  behind
		Noted   *noted
		Written written
		List    []time.Time
		Array   [1]stamp
		stamp   `json:"own"`
	}
	at := func(id int, instant time.Time) record {
		p := &instant
		s := stamp{instant}
		return record{id, instant, p, &p, s, held{p}, inner{s}, behind{&s}, &noted{instant, "x"}, written{instant},
			[]time.Time{instant}, [1]stamp{s}, s}
	}
	east := time.FixedZone("", 5*3600)
	first := time.Date(2026, 5, 10, 20, 0, 0, 123_456_000, time.UTC)
	want := []record{
		at(1, time.Unix(-1<<40, 0)),                         // beyond the years of JSON
		at(2, time.Unix(-1, 999_999_999)),                   // before 1970
		at(3, first),                                        // a microsecond
		at(4, first.Add(1).In(east)),                        // one nanosecond later, written later in the day
		at(5, first.Add(2)),                                 // two
		at(6, time.Date(2026, 5, 11, 2, 0, 0, 0, east)),     // an hour later
		at(7, time.Date(2300, 1, 1, 0, 0, 0, 1, time.UTC)),  // beyond an int64 of nanoseconds
		at(8, time.Date(20300, 1, 1, 0, 0, 0, 0, time.UTC)), // beyond the years of JSON
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fields.Names() {
		rows := slices.Clone(want)
		slices.Reverse(rows)
		if err := fields.Sort(rows, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range rows {
			got = append(got, r.ID)
		}
		if diff := gocmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
	if n := len(fields.Names()); n != 13 {
		t.Errorf("%d fields, want 13", n)
	}

	null := record{ID: 9, Plain: first, Held: held{nil}, Behind: behind{nil}}
	for _, name := range []string{"pointer", "twice", "held", "behind", "noted", "list"} {
		f, _ := fields.Lookup(name)
		if f.Key(&null).Compare(ordering.Null()) != 0 {
			t.Errorf("%s: nil is not null", name)
		}
	}
}

// The Go types whose methods say how they compare.
type (
	shoe    struct{ Number string } // by value
	rank    string                  // by pointer
	medal   struct{ rank }          // by embedding
	century struct{ time.Time }     // though it is a time
	grade   struct{ json.Number }   // though it has its own JSON
)

func (s shoe) OrderingKey() int64            { return int64(len(s.Number)) }
func (r *rank) OrderingKey() int64           { return -int64(len(*r)) }
func (c century) OrderingKey() int64         { return int64(c.Year() / 100) }
func (g grade) OrderingKey() int64           { n, _ := g.Int64(); return -n }
func (g grade) MarshalJSON() ([]byte, error) { return json.Marshal(g.Number) }

func TestOrderingKey(t *testing.T) {
	type record struct {
		Shoe    shoe
		Rank    rank
		Medal   medal
		Century century
		Grade   grade
		Pointer *rank
		List    []rank
	}
	year := func(y int) century { return century{time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)} }
	long, short := rank("bbb"), rank("a")
	want := []record{
		{shoe{"9"}, long, medal{long}, year(1850), grade{"10"}, &long, []rank{long}},
		{shoe{"10"}, short, medal{short}, year(1950), grade{"9"}, &short, []rank{long, short}},
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fields.Names() {
		rows := []record{want[1], want[0]}
		if err := fields.Sort(rows, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		if rows[0].Shoe != want[0].Shoe {
			t.Errorf("by %s: %+v comes first", name, rows[0])
		}
	}
	f, _ := fields.Lookup("century")
	if got, ok := f.Key(&want[0]).AsInt(); got != 18 || !ok {
		t.Errorf("the key of a century is %d, %v; want 18", got, ok)
	}
	f, _ = fields.Lookup("pointer")
	if f.Key(&record{}).Compare(ordering.Null()) != 0 {
		t.Error("nil is not null")
	}
	if n := testing.AllocsPerRun(100, func() { f.Key(&want[0]) }); n != 0 {
		t.Errorf("%v allocations a key", n)
	}
}

// TestBytesCompareAsBase64 follows the documentation: []byte compares as its JSON,
// in which it is text, padded base64 of the standard alphabet.
func TestBytesCompareAsBase64(t *testing.T) {
	type digit uint8
	type record struct {
		Bytes []byte
		Named []digit
		Array [1]byte // a list of numbers in JSON
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	rows := []record{
		{nil, nil, [1]byte{255}},
		{[]byte{0}, []digit{0}, [1]byte{0}},
		{[]byte{255}, []digit{255}, [1]byte{200}},
		{[]byte{}, []digit{}, [1]byte{10}},
		{[]byte{0, 0}, []digit{0, 0}, [1]byte{9}},
	}
	for name, want := range map[string][]record{
		"bytes": {rows[3], rows[2], rows[1], rows[4], rows[0]}, // "", "/w==", "AA==", "AAA=", null
		"named": {rows[3], rows[2], rows[1], rows[4], rows[0]},
		"array": {rows[1], rows[4], rows[3], rows[2], rows[0]}, // 0, 9, 10, 200, 255
	} {
		got := slices.Clone(rows)
		if err := fields.Sort(got, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
}
