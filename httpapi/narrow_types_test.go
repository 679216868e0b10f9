package httpapi_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A hexID is text like a UUID, but shorter.
type hexID [2]byte

func (id hexID) MarshalText() ([]byte, error) {
	const digits = "0123456789abcdef"
	return []byte{digits[id[0]&15], digits[id[1]&15]}, nil
}

func (id *hexID) UnmarshalText(text []byte) error {
	if len(text) != 2 {
		return errors.New("want two digits")
	}
	for i, c := range text {
		at := strings.IndexByte("0123456789abcdef", c)
		if at < 0 {
			return errors.New("want a digit")
		}
		id[i] = byte(at)
	}
	return nil
}

// A parity is even or odd in JSON.
type parity bool

func (p parity) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[parity]string{true: "even", false: "odd"}[p])
}

func (p *parity) UnmarshalJSON(text []byte) error {
	*p = string(text) == `"even"`
	if !*p && string(text) != `"odd"` {
		return errors.New("want even or odd")
	}
	return nil
}

type (
	measure struct {
		W    int       `json:"w"`
		Unit *string   `json:"unit"`
		At   [2]string `json:"at"`
	}

	narrow struct {
		ID     int                `json:"id"`
		Ref    hexID              `json:"ref"`
		IP     netip.Addr         `json:"ip"`
		Parity parity             `json:"parity"`
		Size   measure            `json:"size"`
		Sizes  []measure          `json:"sizes"`
		Best   *measure           `json:"best"`
		Meta   map[string]string  `json:"meta"`
		Ranks  map[int8]uint8     `json:"ranks"`
		Nums   []int              `json:"nums"`
		Bytes  []byte             `json:"bytes"`
		Half   float32            `json:"half"`
		Small  int8               `json:"small"`
		Plain  int16              `json:"plain"` // without bounds in the description
		Pair   [2]int             `json:"pair"`
		Pairs  map[string][2]bool `json:"pairs"`
		In     int8               `json:"in" backlist:"refers=narrows"`
		To     []int16            `json:"to" backlist:"refers=narrows"`
	}
)

// newNarrow returns a handler for records of narrow, with the ids 1, 200 and 70000.
func newNarrow(t *testing.T) http.Handler {
	t.Helper()
	about, err := schema.DescriptionOf[narrow]("narrows")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range about.Fields {
		if f.Name == "plain" {
			about.Fields[i].Min, about.Fields[i].Max = nil, nil
		}
	}
	narrows := catalogue.Define[narrow]("narrows", catalogue.Options{
		Description: &about,
		Clones:      []catalogue.CloneFunc{catalogue.CloneWith(func(a netip.Addr) netip.Addr { return a })},
	})
	house, err := catalogue.NewOnly(narrows)
	if err != nil {
		t.Fatal(err)
	}
	records, err := narrows.In(house)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int{1, 200, 70_000} {
		if _, err := records.Insert(narrow{ID: id, In: 1}); err != nil {
			t.Fatal(err)
		}
	}
	h, err := httpapi.New(house, httpapi.Options{
		Authorizer: httpapi.AllowAll,
		OnError:    func(r *http.Request, err error) { t.Errorf("%s: %v", r.Method, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// objectOf returns the JSON of an object.
func objectOf(members map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list = append(list, `"`+name+`":`+members[name])
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestNarrowTypes checks that a value that has the kind of a field, but that its Go type
// cannot hold, is the client's error. The messages are those of Django REST framework for
// fields of that kind.
func TestNarrowTypes(t *testing.T) {
	h := newNarrow(t)
	valid := map[string]string{
		"ref": `"5b"`, "ip": `"10.0.0.1"`, "parity": `"odd"`, "size": `{"w":1,"unit":"mm","at":["a","b"]}`,
		"sizes": `[{"w":1,"unit":null,"at":["a","b"]}]`, "best": `null`, "meta": `{"a":"b"}`, "ranks": `{"1":2}`, "nums": `[1]`,
		"bytes": `"AAAA"`, "half": `1.5`, "small": `5`, "plain": `5`, "pair": `[1,2]`, "pairs": `{"a":[true,false]}`, "in": `1`, "to": `[1,200]`,
	}
	const (
		notValid  = "Enter a valid value."
		notNull   = "This field may not be null."
		noInteger = "A valid integer is required."
		noString  = "Not a valid string."
		tooFew    = "Ensure this field has at least 2 elements."
		tooMany   = "Ensure this field has no more than 2 elements."
		noList    = `Expected a list of items but got type "`
		noDict    = `Expected a dictionary of items but got type "`
		noObject  = "Invalid data. Expected a dictionary, but got "
		atMost    = "Ensure this value is less than or equal to "
		atLeast   = "Ensure this value is greater than or equal to "
	)
	for _, row := range []struct{ member, value, message, reason string }{
		{"ref", `"zzz"`, notValid, "UnmarshalText returns an error"},
		{"ip", `"x"`, notValid, "an address of package netip"},
		{"parity", `"both"`, notValid, "UnmarshalJSON returns an error"},
		{"parity", `5`, notValid, "so it does for a number"},
		{"size", `{"w":"one"}`, "w: " + noInteger, "a struct with text for an integer"},
		{"size", `{"w":1.5}`, "w: " + noInteger, "and with a fraction"},
		{"size", `{"w":null}`, "w: " + notNull, "and with null, which would be zero"},
		{"size", `{"W":true}`, "W: " + noInteger, "encoding/json ignores case"},
		{"size", `{"unit":5}`, "unit: " + noString, "a pointer in a struct"},
		{"size", `{"w":1,"at":["a"]}`, "at: " + tooFew, "an array in a struct"},
		{"size", `[]`, noObject + "list.", "a list for a struct"},
		{"size", `"x"`, noObject + "str.", "text for a struct"},
		{"size", `true`, noObject + "bool.", "a boolean for a struct"},
		{"size", `1.5`, noObject + "float.", "a number for a struct"},
		{"sizes", `[{"w":1,"at":["a","b"]},{"w":"x"}]`, "1.w: " + noInteger, "the second struct of a list"},
		{"sizes", `[null]`, "0: " + notNull, "null in a list, which would be zero"},
		{"sizes", `{}`, noList + `dict".`, "an object for a list"},
		{"best", `{"w":[]}`, "w: " + noInteger, "a pointer to a struct"},
		{"best", `7`, noObject + "int.", "a number for a pointer to a struct"},
		{"meta", `{"a":"b","c":5}`, "c: " + noString, "a map"},
		{"meta", `{"a":null}`, "a: " + notNull, "null in a map, which would be empty text"},
		{"meta", `[]`, noDict + `list".`, "a list for a map"},
		{"ranks", `{"x":1}`, notValid, "a key of a map"},
		{"ranks", `{"1":256}`, "1: " + atMost + "255.", "an unsigned integer out of range"},
		{"ranks", `{"1":-1}`, "1: " + atLeast + "0.", "a negative one"},
		{"nums", `[1,"a"]`, "1: " + noInteger, "text in a list of integers"},
		{"nums", `[null]`, "0: " + notNull, "null in a list of integers"},
		{"nums", `"a"`, noList + `str".`, "text for a list"},
		{"nums", `5`, noList + `int".`, "a number for a list"},
		{"bytes", `"!!"`, notValid, "not base64"},
		{"half", `1e300`, atMost + "3.4028234663852886e+38.", "out of range for a float32"},
		{"half", `"-1e39"`, atLeast + "-3.4028234663852886e+38.", "the same in a string"},
		{"small", `200`, atMost + "127.", "bounds of the description"},
		{"plain", `32768`, atMost + "32767.", "no bounds in the description"},
		{"plain", `"-32769"`, atLeast + "-32768.", "the same in a string"},
		{"pair", `[1]`, tooFew, "an array with one element, which would get a zero"},
		{"pair", `[]`, tooFew, "and without"},
		{"pair", `[1,2,3]`, tooMany, "and with three, of which one would be dropped"},
		{"pair", `[1,null]`, "1: " + notNull, "and with null"},
		{"pair", `"a"`, noList + `str".`, "text for an array"},
		{"pairs", `{"a":[true,false],"b":[true]}`, "b: " + tooFew, "an array in a map"},
		{"pairs", `{"a":[true,0]}`, "a.1: Must be a valid boolean.", "a number for a boolean"},
		{"in", `200`, atMost + "127.", "the id of a record that the type cannot hold"},
		{"to", `[1,70000]`, "1: " + atMost + "32767.", "the same in a list"},
	} {
		members := maps.Clone(valid)
		members[row.member] = row.value
		whole, part := objectOf(members), objectOf(map[string]string{row.member: row.value})
		want := objectOf(map[string]string{row.member: `["` + strings.ReplaceAll(row.message, `"`, `\"`) + `"]`})
		for _, request := range [][3]string{
			{"POST", "/api/narrows/", whole}, {"PUT", "/api/narrows/1/", whole}, {"PATCH", "/api/narrows/1/", part},
		} {
			if status, body := send(h, request[0], request[1], request[2]); status != 400 || body != want {
				t.Errorf("%s: %s %s: %d %s, want %s", row.reason, request[0], part, status, body, want)
			}
		}
	}
	if status, body := send(h, "PATCH", "/api/narrows/1/", `{"ref":"x","in":200,"pair":[]}`); status != 400 ||
		body != `{"ref":["`+notValid+`"],"pair":["`+tooFew+`"],"in":["`+atMost+`127."]}` {
		t.Errorf("three errors: %d %s", status, body)
	}
	for _, request := range [][2]string{{"POST", "/api/narrows/"}, {"PUT", "/api/narrows/1/"}, {"PATCH", "/api/narrows/1/"}} {
		if status, body := send(h, request[0], request[1], objectOf(valid)); status >= 300 {
			t.Errorf("valid %s: %d %s", request[0], status, body)
		}
	}
}

// A sealed record has a method UnmarshalJSON of its own.
type sealed struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Code string `json:"code"`
}

func (s *sealed) UnmarshalJSON(text []byte) error {
	type plain sealed
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	if s.Code == "bad" {
		return &schema.MemberError{Member: "code", Err: errors.New("is bad")}
	}
	if s.Name == s.Code {
		return errors.New("the name is the code")
	}
	return nil
}

// TestNarrowRecord checks the errors of a record type that refuses valid members.
func TestNarrowRecord(t *testing.T) {
	house, err := catalogue.NewOnly(catalogue.Define[sealed]("seals", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, request := range [][3]string{
		{"POST", "/api/seals/", `{"name":"a","code":"b"}`},
		{"POST", "/api/seals/", `{"name":"a","code":"bad"}`},
		{"POST", "/api/seals/", `{"name":"a","code":"a"}`},
		{"PATCH", "/api/seals/1/", `{"code":"bad"}`},
		{"PUT", "/api/seals/1/", `{"name":"b","code":"b"}`},
	} {
		_, body := send(h, request[0], request[1], request[2])
		got = append(got, body)
	}
	want := []string{
		`{"id":1,"name":"a","code":"b"}`,
		`{"code":["Enter a valid value."]}`,
		`{"nonFieldErrors":["Enter a valid value."]}`,
		`{"code":["Enter a valid value."]}`,
		`{"nonFieldErrors":["Enter a valid value."]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
