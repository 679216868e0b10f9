package schema_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"testing"
	"time"

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

// Types that a key can have or not.
type (
	grade   int    // with MarshalText
	jsonInt int    // with MarshalJSON that writes a number
	jsonUID string // with MarshalJSON that writes a text
	brittle [2]int // whose UnmarshalJSON panics
)

func (g grade) MarshalText() ([]byte, error)       { return []byte{byte('a' + g)}, nil }
func (j jsonInt) MarshalJSON() ([]byte, error)     { return json.Marshal(int(j)) }
func (j *jsonInt) UnmarshalJSON(b []byte) error    { return json.Unmarshal(b, (*int)(j)) }
func (j jsonUID) MarshalJSON() ([]byte, error)     { return json.Marshal(string(j)) }
func (b brittle) MarshalJSON() ([]byte, error)     { return json.Marshal([2]int(b)) }
func (b *brittle) UnmarshalJSON(text []byte) error { panic("want a list") }
func (j *jsonUID) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, (*string)(j)) }

// TestIdentityByName checks which field identifies the records of a type, from the names and types of all.
func TestIdentityByName(t *testing.T) {
	type id = struct{ ID string }
	type User[T any] struct {
		UserID, OwnerID T
	}
	type user struct{ UserId, OwnerId int }
	for _, row := range []struct {
		reason string
		record any
		want   string // the name in JSON, or none
		key    bool   // or an id
	}{
		{"ID, a text", id{}, "ID", true},
		{"id in JSON, before all others", struct {
			ID     string `json:"nr"`
			Number int    `json:"id"`
		}{}, "id", false},
		{"the tag key, before all others", struct {
			ID   uint   `json:"-"`
			UUID string `json:"uuid"`
			Code string `json:"code" backlist:"key,optional"`
		}{}, "code", true},
		{"ID, with another name in JSON", struct {
			Id string `json:"issuer"`
			ID string `json:"jti"`
		}{}, "jti", true},
		{"UUID, before Key", struct {
			Key  string
			Uuid string `json:"uuid"`
		}{}, "uuid", true},
		{"Key, before the name of the type", struct {
			Key     int
			ThingID string
		}{}, "Key", false},
		{"the name of the type", User[int]{}, "UserID", false},
		{"the name of the type, as protobuf writes it", user{}, "UserId", false},
		{"any other", struct {
			Name    string
			OrderID int64 `json:"orderId,string"`
		}{}, "orderId", false},
		{"two others", struct{ OrderID, UserID int64 }{}, "", false},
		{"two others, of which only one can be it", struct {
			OrderID float64
			Paid    bool
			TaxId   string
		}{}, "TaxId", true},
		{"the best has no such type", struct {
			Key    []byte
			UserID string
		}{}, "UserID", true},
		{"a reference is none", struct {
			UserID int `backlist:"refers=users"`
			Name   string
		}{}, "", false},
		{"no name", struct {
			Name  string
			Count uint8
			At    time.Time
		}{}, "", false},
		{"embedded, of two the outer one", struct {
			id
			ID int
		}{}, "ID", false},
		{"in an embedded struct", struct{ id }{}, "ID", true},
		{"in an embedded pointer", struct{ *User[string] }{}, "", false},
		{"a pointer to a text", struct{ Key *string }{}, "Key", true},
		{"a pointer to a pointer", struct{ Key **string }{}, "", false},
		{"an address", struct{ Key netip.Addr }{}, "Key", true},
		{"an enumeration", struct{ Key grade }{}, "Key", true},
		{"a number that a method writes", struct{ Key jsonInt }{}, "", false},
		{"a text that a method writes", struct{ Key *jsonUID }{}, "Key", true},
		{"a method that panics", struct{ Key brittle }{}, "", false},
		{"a time", struct{ Key time.Time }{}, "", false},
		{"a number with its digits", struct{ Key json.Number }{}, "", false},
		{"any", struct{ Key any }{}, "", false},
		{"a map", struct{ Key map[string]string }{}, "", false},
	} {
		typ := reflect.TypeOf(row.record)
		d, err := schema.Describe(typ, "things", "")
		got := d.Identity()
		if row.want == "" {
			if i := got.Name; err != nil || i != "id" || d.Lookup != "" {
				t.Errorf("%s: the identity is %s (%v), want none", row.reason, i, err)
			}
			continue
		}
		wrong := got.Required || got.Nullable || got.Blank || got.Default != "" || got.Key == got.ReadOnly || got.IsID() == got.Key
		if err != nil || got.Name != row.want || got.Key != row.key || wrong || d.Check() != nil {
			t.Errorf("%s: the identity is %+v (%v, %v), want %s, a key: %v", row.reason, got, err, d.Check(), row.want, row.key)
		}
	}
}
