package schema_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func TestIdentity(t *testing.T) {
	for _, row := range []struct {
		reason, json string
		want         schema.Identity
		text, again  string // "" if the JSON is invalid
	}{
		{"an id", "7", schema.Identity{ID: 7}, "7", "7"},
		{"an id with white space", " 7\n", schema.Identity{ID: 7}, "7", "7"},
		{"a key", `"a/b"`, schema.Identity{Key: "a/b"}, `"a/b"`, `"a/b"`},
		{"a key that consists of digits", `"7"`, schema.Identity{Key: "7"}, `"7"`, `"7"`},
		{"a key is written as in records", `"\u003c\u00e9\n"`, schema.Identity{Key: "<é\n"}, `"<é\n"`, `"<é\n"`},
		{"none", "null", schema.Identity{}, "0", "null"},
		{"no id is 0", "0", schema.Identity{}, "", ""},
		{"no id is negative", "-1", schema.Identity{}, "", ""},
		{"an id is an integer", "7.0", schema.Identity{}, "", ""},
		{"an id fits in an int", "99999999999999999999", schema.Identity{}, "", ""},
		{"no key is empty", `""`, schema.Identity{}, "", ""},
		{"no other values", "[7]", schema.Identity{}, "", ""},
		{"no other values", "true", schema.Identity{}, "", ""},
	} {
		var got schema.Identity
		err := json.Unmarshal([]byte(row.json), &got)
		if got != row.want || errors.Is(err, schema.ErrInvalid) != (row.text == "") {
			t.Errorf("%s: %s is read as %v (%v), want %v", row.reason, row.json, got, err, row.want)
		}
		if row.text == "" {
			continue
		}
		again, err := got.MarshalJSON()
		if got.String() != row.text || string(again) != row.again || err != nil {
			t.Errorf("%s: %s is printed as %s and written as %s (%v), want %s and %s", row.reason, row.json, got, again, err, row.text, row.again)
		}
	}
}
