package schema

import (
	"encoding/json"
	"reflect"
	"testing"
)

// checkReadWire compares the result of readWire, if it accepts data, with that of
// ParseDateTime, which shares no code with it.
func checkReadWire(t *testing.T, data []byte) (accepted bool) {
	got, ok := readWire(data)
	if !ok {
		return false
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		t.Fatalf("readWire accepts %q, json.Unmarshal does not: %v", data, err)
	}
	want, err := ParseDateTime(text)
	if err != nil || !isWireForm(text) {
		t.Fatalf("readWire accepts %q; isWireForm = %v, ParseDateTime: %v", data, isWireForm(text), err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("readWire(%q) = %#v, want %#v", data, got, want)
	}
	return true
}

func TestReadWire(t *testing.T) {
	for _, row := range []struct {
		text   string
		want   bool
		reason string
	}{
		{`"2024-05-10T18:00:00Z"`, true, "UTC"},
		{`"2024-05-10T18:00:00.250000Z"`, true, "microseconds"},
		{`"2024-05-10T18:00:00+02:00"`, true, "offset"},
		{`"2024-05-10T18:00:00.000001-09:30"`, true, "microseconds and offset"},
		{`"2024-05-10T18:00:00-00:00"`, true, "negative offset zero"},
		{`"2024-05-10T18:00:00+23:59"`, true, "largest offset"},
		{`"2024-02-29T23:59:59Z"`, true, "leap day"},
		{`"0001-01-01T00:00:00Z"`, true, "first year"},
		{`"9999-12-31T23:59:59.999999Z"`, true, "last year"},
		{`"2024-05-10T18:00:00.25Z"`, false, "fraction of two digits, valid"},
		{`"2024-05-10T18:00:00.2500000Z"`, false, "fraction of seven digits, valid"},
		{` "2024-05-10T18:00:00Z"`, false, "white space, valid"},
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
		{`"2024-05-10T18:00:00+0a:00"`, false, "letter in the offset"},
		{`"2024-05-10T18:00:00.00000aZ"`, false, "letter in the fraction"},
		{`"2024-05-10T18:00:00"`, false, "no offset"},
		{`"2024-05-10T18:00:00z"`, false, "lower case"},
		{`"2024-05-10T18:00:00Z`, false, "no closing quote"},
		{``, false, "empty"},
	} {
		if got := checkReadWire(t, []byte(row.text)); got != row.want {
			t.Errorf("%s (%s): readWire accepts it: %v, want %v", row.text, row.reason, got, row.want)
		}
	}
}

// TestReadWireOfMutations replaces, inserts and removes every byte of some texts.
func TestReadWireOfMutations(t *testing.T) {
	for _, text := range []string{`"2024-02-29T18:59:00Z"`, `"2024-12-31T18:00:00.250000Z"`, `"2024-05-10T23:00:00+02:00"`, `"0001-01-01T00:00:59.000001-09:30"`} {
		for i := range text {
			for b := range 256 {
				checkReadWire(t, []byte(text[:i]+string([]byte{byte(b)})+text[i+1:]))
				checkReadWire(t, []byte(text[:i]+string([]byte{byte(b)})+text[i:]))
			}
			checkReadWire(t, []byte(text[:i]+text[i+1:]))
			checkReadWire(t, []byte(text[:i]))
		}
	}
}
