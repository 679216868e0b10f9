package catalogue_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// Types that records embed or contain.
type (
	// A config is what the entities of ent embed.
	config struct {
		driver io.Closer
		debug  bool
		log    func(...any)
		hooks  *struct{ Pet []func() }
	}
	// BaseModel is embedded by pointer.
	BaseModel struct {
		ID        int64     `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	Named struct {
		Key  string `json:"key"`
		Nick string `json:"nick"`
	}
	Owner struct{ Name, Team string }
	// A uuid4 is a UUID as programs write it.
	uuid4 [16]byte
	// A pgxUUID is null or a UUID, as pgtype.UUID is, which has no method for text.
	pgxUUID struct {
		Bytes uuid4
		Valid bool
	}
)

func (u uuid4) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

func (u *uuid4) UnmarshalText(b []byte) error {
	n, err := hex.Decode(u[:], []byte(strings.ReplaceAll(string(b), "-", "")))
	if err == nil && n < len(u) {
		err = fmt.Errorf("a UUID of %d bytes", n)
	}
	return err
}

func (p pgxUUID) MarshalJSON() ([]byte, error) {
	if !p.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(p.Bytes)
}

func (p *pgxUUID) UnmarshalJSON(b []byte) error {
	if p.Valid = string(b) != "null"; !p.Valid {
		return nil
	}
	return json.Unmarshal(b, &p.Bytes)
}

// noon is a time.
var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// TestNewIdentities inserts records without an id or a key, by all the ways in which they can lack one.
func TestNewIdentities(t *testing.T) {
	const uuid = `"UUID4"`
	type embeddedID struct {
		*BaseModel
		Name string
	}
	type embeddedKey struct {
		*Named
		ID []int `json:"-"`
	}
	type pointer struct{ UUID *string }
	type enumeration struct{ Key level }
	named := catalogue.Options{NewKey: func() string { return "level 7" }}
	for reason, err := range map[string]error{
		"an id in no embedded struct": inserted(embeddedID{Name: "a"}, catalogue.Options{}, `{"id":1,"created_at":"0001-01-01T00:00:00Z","Name":"a"}`),
		"an id of 0 in one":           inserted(embeddedID{&BaseModel{CreatedAt: noon}, "a"}, catalogue.Options{}, `{"id":1,"created_at":"2024-05-01T12:00:00Z","Name":"a"}`),
		"a key in no embedded struct": inserted(embeddedKey{}, catalogue.Options{}, `{"key":`+uuid+`,"nick":""}`),
		"an empty key in one":         inserted(embeddedKey{Named: &Named{Nick: "n"}}, catalogue.Options{}, `{"key":`+uuid+`,"nick":"n"}`),
		"a nil pointer":               inserted(pointer{}, catalogue.Options{}, `{"UUID":`+uuid+`}`),
		"a pointer to an empty text":  inserted(pointer{new("")}, catalogue.Options{}, `{"UUID":`+uuid+`}`),
		"a zero UUID":                 inserted(struct{ ID uuid4 }{}, catalogue.Options{}, `{"ID":`+uuid+`}`),
		"a UUID that is null":         inserted(struct{ ID pgxUUID }{}, catalogue.Options{}, `{"ID":`+uuid+`}`),
		"a pointer to a UUID":         inserted(struct{ ID *uuid4 }{}, catalogue.Options{}, `{"ID":`+uuid+`}`),
		"a pointer to a zero UUID":    inserted(struct{ ID *uuid4 }{new(uuid4)}, catalogue.Options{}, `{"ID":`+uuid+`}`),
		"a key that is no UUID":       inserted(enumeration{}, named, `{"Key":"level 7"}`),
	} {
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
	err := inserted(enumeration{}, catalogue.Options{}, "")
	if !errors.Is(err, catalogue.ErrInvalidID) || !strings.Contains(err.Error(), "Options.NewKey") {
		t.Errorf("a key that cannot be a UUID: %v, want ErrInvalidID, and Options.NewKey", err)
	}
}

// inserted inserts a record without an id or key and returns an error unless the JSON of what is stored is the
// wanted one, in which UUID4 is any such UUID, and the given record is as it was.
func inserted[T any](record T, opts catalogue.Options, want string) error {
	const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	before := wireOf(record)
	c, insert, err := catalogue.NewBare[T](opts)
	if err != nil {
		return err
	}
	if _, err := insert(record); err != nil {
		return err
	}
	if wireOf(record) != before {
		return fmt.Errorf("the given record became %s", wireOf(record))
	}
	if got := wireOf(catalogue.AllBare[T](c)); !regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta("["+want+"]"), "UUID4", uuid) + "$").MatchString(got) {
		return fmt.Errorf("%s: want %s", got, want)
	}
	return c.Check()
}

// TestUnkept checks which fields that are not in the JSON a collection keeps.
func TestUnkept(t *testing.T) {
	type part struct {
		Text  string
		cache []string
		n     int
	}
	type row struct {
		config `json:"-"`
		ID     int
		part
		Parts  []part
		ByName map[string]*part
		cache  map[string]int
		n      int
		Zone   []string `json:"-"`
		last   any
		big    *big.Int
	}
	full := part{"a", []string{"x"}, 1}
	mine := row{config: config{debug: true, log: func(...any) {}}, ID: 1, part: full, Parts: []part{full}, ByName: map[string]*part{"a": &full},
		cache: map[string]int{"a": 1}, n: 2, Zone: []string{"z"}, last: 5, big: big.NewInt(7)}
	c, insert, err := catalogue.NewBare[row](catalogue.Options{})
	must(t, err)
	_, err = insert(mine)
	must(t, err, c.Check())
	kept := part{"a", nil, 1}
	want := row{config: config{debug: true}, ID: 1, part: kept, Parts: []part{kept}, ByName: map[string]*part{"a": &kept}, n: 2, Zone: []string{"z"}, big: big.NewInt(7)}
	if got := catalogue.AllBare[row](c); !reflect.DeepEqual([]row{want}, got) {
		t.Errorf("read: %+v, want %+v", got, want)
	}
	if !mine.debug || mine.cache["a"] != 1 || mine.Parts[0].cache[0] != "x" || mine.last != 5 {
		t.Errorf("the record of the program became %+v", mine)
	}
}

// TestValuesOfAny stores values of types of Go in a field of the type any: what is read shares nothing.
func TestValuesOfAny(t *testing.T) {
	type row struct {
		ID    int
		Value any
	}
	type word string
	c, insert, err := catalogue.NewBare[row](catalogue.Options{})
	must(t, err)
	values := func() []any {
		return []any{[]string{"a", ""}, map[string]string{"a": "b"}, noon, []int{1}, [][]float64{{0.5}, nil}, []word{"w"}, word("v"), map[string][]any{"a": {nil, []bool{true}}},
			[2]string{"a", "b"}, new("p"), map[int]time.Time{3: noon}, []map[string]any{{"a": map[string]int{"b": 1}}}, []string(nil), []byte("bytes"), int8(3), []json.Number{"1.50"}}
	}
	for _, v := range values() {
		_, err := insert(row{Value: v})
		must(t, err)
		scribble(reflect.ValueOf(&v).Elem())
	}
	for range 2 {
		got := catalogue.AllBare[row](c)
		for i, want := range values() {
			if !reflect.DeepEqual(want, got[i].Value) {
				t.Errorf("%#v is read as %#v", want, got[i].Value)
			}
			scribble(reflect.ValueOf(&got[i]).Elem())
		}
	}
	must(t, c.Check())
	type cycle []cycle
	self := cycle{nil}
	self[0] = self
	for reason, v := range map[string]any{
		"a struct": Owner{}, "a list of structs": []Owner{{}}, "a pointer to one": &Owner{}, "JSON": json.RawMessage("[]"), "lists of JSON": [][]json.RawMessage{nil},
		"a type with MarshalText": level(1), "a list of a type with it": []level{1}, "keys of such a type": map[level]int{1: 1}, "a func": func() {}, "a channel": make(chan int), "a complex number": 1i,
		"text that is not UTF-8": []string{"\xff"}, "such a key": map[string]int{"\xff": 1}, "such a text in any": []map[string]any{{"a": "\xff"}}, "no number": []float64{math.NaN()},
		"a year that JSON cannot have": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "a list in itself": self, "a map of keys that are structs": map[Owner]int{},
	} {
		if _, err := insert(row{Value: v}); !errors.Is(err, catalogue.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", reason, err)
		}
	}
}
