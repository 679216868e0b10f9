package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// TestDateTimeOrder compares the order of date-times with the order of the instants in
// their JSON.
func TestDateTimeOrder(t *testing.T) {
	type record struct {
		At      schema.DateTime  `json:"at"`
		Pointer *schema.DateTime `json:"pointer"`
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	at, _ := fields.Lookup("at")
	pointer, _ := fields.Lookup("pointer")
	start := time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)
	east := time.FixedZone("", 2*3600+17)
	times := []time.Time{
		start, start.Add(1), start.Add(999).In(east), start.Add(1000), start.Add(1999).In(east),
		time.Unix(0, -1), time.Unix(0, 0), time.Unix(0, -1000), time.Unix(0, -1001),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Now(),
	}
	for _, a := range times {
		for _, b := range times {
			// Literals are not normalized until they are marshalled.
			x, y := record{At: schema.DateTime{Time: a}}, record{At: schema.DateTime{Time: b}}
			x.Pointer, y.Pointer = &x.At, &y.At
			want := written(t, x.At).Compare(written(t, y.At))
			for _, f := range []ordering.Field[record]{at, pointer} {
				if got := f.Key(&x).Compare(f.Key(&y)); got != want {
					t.Errorf("%s: keys of %v and %v compare %d, want %d", f.Name, a, b, got, want)
				}
				if got := bytes.Compare(f.Key(&x).Append(nil), f.Key(&y).Append(nil)); got != want {
					t.Errorf("%s: encodings of %v and %v compare %d, want %d", f.Name, a, b, got, want)
				}
			}
		}
	}
}

// written returns the instant in the JSON of a date-time.
func written(t *testing.T, d schema.DateTime) time.Time {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var read time.Time
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}
