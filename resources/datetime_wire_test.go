package resources

import (
	"encoding/json"
	"reflect"
	"testing"
)

// readWireAgrees compares readWire with ParseDateTime, which shares no code with
// it: what is read is a wire form, of the same instant in the same location.
func readWireAgrees(t *testing.T, data []byte) (read bool) {
	got, ok := readWire(data)
	if !ok {
		return false
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		t.Fatalf("%q is read and is no JSON: %v", data, err)
	}
	want, err := ParseDateTime(text)
	if err != nil || !isWireForm(text) {
		t.Fatalf("%q is read; a wire form: %v, %v", data, isWireForm(text), err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q: want %#v, got %#v", data, want, got)
	}
	return true
}

func TestReadWire(t *testing.T) {
	for _, row := range []struct {
		text   string
		want   bool
		reason string
	}{
		{`"2024-05-10T18:00:00Z"`, true, "as MarshalJSON writes it"},
		{`"2024-05-10T18:00:00.250000Z"`, true, "with microseconds"},
		{`"2024-05-10T18:00:00+02:00"`, true, "with an offset"},
		{`"2024-05-10T18:00:00.000001-09:30"`, true, "with both"},
		{`"2024-05-10T18:00:00-00:00"`, true, "offset zero is UTC"},
		{`"2024-05-10T18:00:00+23:59"`, true, "the largest offset"},
		{`"2024-02-29T23:59:59Z"`, true, "a leap day"},
		{`"0001-01-01T00:00:00Z"`, true, "the first year"},
		{`"9999-12-31T23:59:59.999999Z"`, true, "the last year"},
		{`"2024-05-10T18:00:00.25Z"`, false, "another fraction, left to the parser"},
		{`"2024-05-10T18:00:00.2500000Z"`, false, "another fraction, left to the parser"},
		{` "2024-05-10T18:00:00Z"`, false, "white space, left to the parser"},
		{`"2023-02-29T00:00:00Z"`, false, "no such day"},
		{`"2024-04-31T00:00:00Z"`, false, "no such day"},
		{`"2024-05-00T00:00:00Z"`, false, "no such day"},
		{`"2024-00-10T00:00:00Z"`, false, "no such month"},
		{`"2024-13-10T00:00:00Z"`, false, "no such month"},
		{`"0000-05-10T00:00:00Z"`, false, "year 0"},
		{`"2024-05-10T24:00:00Z"`, false, "hour 24"},
		{`"2024-05-10T18:60:00Z"`, false, "minute 60"},
		{`"2024-05-10T18:00:60Z"`, false, "second 60"},
		{`"2024-05-10T18:00:00+24:00"`, false, "offset of a day"},
		{`"2024-05-10T18:00:00+02:60"`, false, "offset with minute 60"},
		{`"2024-05-10T18:00:00+0a:00"`, false, "no digit"},
		{`"2024-05-10T18:00:00.00000aZ"`, false, "no digit"},
		{`"2024-05-10T18:00:00"`, false, "no offset"},
		{`"2024-05-10T18:00:00z"`, false, "lower case"},
		{`"2024-05-10T18:00:00Z`, false, "no closing quote"},
		{``, false, "nothing"},
	} {
		if got := readWireAgrees(t, []byte(row.text)); got != row.want {
			t.Errorf("%s (%s): read %v, want %v", row.text, row.reason, got, row.want)
		}
	}
}

// TestReadWireAgrees changes texts at every byte.
func TestReadWireAgrees(t *testing.T) {
	for _, text := range []string{`"2024-02-29T18:59:00Z"`, `"2024-12-31T18:00:00.250000Z"`, `"2024-05-10T23:00:00+02:00"`, `"0001-01-01T00:00:59.000001-09:30"`} {
		for i := range text {
			for b := range 256 {
				readWireAgrees(t, []byte(text[:i]+string([]byte{byte(b)})+text[i+1:]))
				readWireAgrees(t, []byte(text[:i]+string([]byte{byte(b)})+text[i:]))
			}
			readWireAgrees(t, []byte(text[:i]+text[i+1:]))
			readWireAgrees(t, []byte(text[:i]))
		}
	}
}
