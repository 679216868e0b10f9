package catalogue_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Records with a value of any type, in the ways in which JSON has it or omits it.
type (
	holding[V any] struct {
		ID int `json:"id"`
		V  V   `json:"v"`
	}
	nonEmpty[V any] struct {
		ID int `json:"id"`
		V  V   `json:"v,omitempty"`
	}
	nonZero[V any] struct {
		ID int `json:"id"`
		V  V   `json:"v,omitzero"`
	}
	inside[V any] struct {
		Full  V   `json:"full"`
		Empty V   `json:"empty,omitempty"`
		Zero  V   `json:"zero,omitzero"`
		Null  *V  `json:"null"`
		None  *V  `json:"none,omitempty"`
		List  []V `json:"list,omitempty"`
	}
	around[V any] struct {
		ID      int                  `json:"id"`
		Object  inside[V]            `json:"object"`
		Omitted inside[V]            `json:"omitted,omitzero"`
		Pointer *inside[V]           `json:"pointer,omitempty"`
		Objects []inside[V]          `json:"objects"`
		Map     map[string]V         `json:"map,omitempty"`
		Numbers map[int8][]V         `json:"numbers,omitzero"`
		Maps    map[string]inside[V] `json:"maps"`
		Pair    [1]V                 `json:"pair"`
	}
	embedding[V any] struct {
		ID int `json:"id"`
		inside[V]
	}
	Inside[V any]  inside[V]
	perhaps[V any] struct {
		ID         int `json:"id"`
		*Inside[V] `json:",inline"`
	}
	inText[V any] struct {
		ID    int `json:"id"`
		Full  V   `json:"full,string"`            //lint:ignore SA5008 V is a number
		Empty V   `json:"empty,string,omitempty"` //lint:ignore SA5008 V is a number
		Null  *V  `json:"null,string"`
	}
)

// Types with methods of their own.
type (
	shade    int // has no text if it is zero
	decile   int // is 0 if it is no text
	cents    struct{ n int }
	unknown  int // is omitted if it is -1
	reads    string
	envelope struct {
		ID   int
		Note string
		Size int
	}
)

func (s shade) MarshalText() ([]byte, error) {
	if s == 0 {
		return nil, errors.New("no shade")
	}
	return fmt.Append(nil, int(s)), nil
}
func (s *shade) UnmarshalText(b []byte) error { _, err := fmt.Sscan(string(b), (*int)(s)); return err }

func (d decile) MarshalText() ([]byte, error) { return []byte(strings.Repeat("i", int(d))), nil }
func (d *decile) UnmarshalText(b []byte) error {
	*d = decile(len(b))
	return nil
}

func (c cents) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%02d"`, c.n/100, c.n%100), nil
}
func (c *cents) UnmarshalJSON(b []byte) error {
	var rest int
	_, err := fmt.Sscanf(string(b), `"%d.%d"`, &c.n, &rest)
	c.n = 100*c.n + rest
	return err
}

func (u unknown) IsZero() bool { return u == -1 }

func (r *reads) UnmarshalText(b []byte) error { *r = reads(b); return nil }

func (e envelope) MarshalJSON() ([]byte, error) {
	members := map[string]any{"id": e.ID}
	if e.Note != "" {
		members["note"], members["size"] = e.Note, e.Size
	}
	return json.Marshal(members)
}
func (e *envelope) UnmarshalJSON(b []byte) error {
	type plain envelope
	return json.Unmarshal(b, (*plain)(e))
}

// goesBack checks that records that are served can be sent back: by a PUT, and each member by a PATCH, which
// change nothing; and that OPTIONS calls no member required that a record lacks. It checks the same of the
// record that a POST of the least members makes.
func goesBack[T any](t *testing.T, opts catalogue.Options, records ...T) {
	t.Helper()
	var inserts []func(*catalogue.Catalogue) error
	for _, r := range records {
		inserts = append(inserts, func(cat *catalogue.Catalogue) error { return catalogue.InsertBare(cat, "all", r) })
	}
	allGoBack(t, fmt.Sprintf("%T", *new(T)), catalogue.DefineBare[T]("all", opts), inserts)
}

// allGoBack is goesBack without the type, which takes long to compile.
func allGoBack(t *testing.T, of string, definition catalogue.AnyDefinition, inserts []func(*catalogue.Catalogue) error) {
	t.Helper()
	cat, err := catalogue.New(definition)
	if err != nil {
		t.Errorf("%s: %v", of, err)
		return
	}
	h := mustHave(httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll, OnError: func(r *http.Request, err error) {
		t.Errorf("%s: %s: %v", of, r.Method, err)
	}}))
	answer := func(method, path, body string) (code, text string) {
		code, text, _ = strings.Cut(send(h, method, path, body), " ")
		return code, text
	}
	_, options := answer("OPTIONS", "/api/all/", "")
	fields := read[struct {
		Actions struct {
			POST map[string]struct{ Required bool }
		}
	}](t, options).Actions.POST
	least := map[string]json.RawMessage{}
	check := func(path, before string) {
		t.Helper()
		members := read[map[string]json.RawMessage](t, before)
		for name, f := range fields {
			if _, ok := members[name]; f.Required && !ok {
				t.Errorf("%s: %s lacks %s, which is required", of, before, name)
			} else if f.Required {
				least[name] = members[name]
			}
		}
		if code, after := answer("PUT", path, before); code != "200" || after != before {
			t.Errorf("%s: PUT of %s: %s %s", of, before, code, after)
		}
		for name, text := range members {
			if code, after := answer("PATCH", path, fmt.Sprintf(`{%q:%s}`, name, text)); code != "200" || after != before {
				t.Errorf("%s: PATCH of %s in %s: %s %s", of, name, before, code, after)
			}
		}
	}
	for i, insert := range inserts {
		if err := insert(cat); err != nil {
			t.Errorf("%s: %v", of, err)
			return
		}
		path := fmt.Sprintf("/api/all/%d/", i+1)
		_, before := answer("GET", path, "")
		check(path, before)
	}
	code, before := answer("POST", "/api/all/", wireOf(least))
	if code != "201" {
		t.Errorf("%s: POST of %s: %s %s", of, wireOf(least), code, before)
		return
	}
	check(fmt.Sprintf("/api/all/%d/", len(inserts)+1), before)
	must(t, cat.Check())
}

// valueGoesBack checks that values go back that are valid. The last one is not zero, and other values go back where
// JSON omits them if they are zero.
func valueGoesBack[V any](t *testing.T, values ...V) {
	t.Helper()
	last := values[len(values)-1]
	for _, v := range values {
		goesBack(t, catalogue.Options{}, holding[V]{V: v})
		goesBack(t, catalogue.Options{Validate: true}, nonEmpty[V]{V: v})
	}
	goesBack(t, catalogue.Options{}, nonZero[V]{}, nonZero[V]{V: last})
	some := inside[V]{Full: last}
	all := inside[V]{last, last, last, &last, &last, values}
	goesBack(t, catalogue.Options{},
		around[V]{Object: some, Pair: [1]V{last}},
		around[V]{Object: all, Omitted: all, Pointer: &some, Objects: []inside[V]{some, all}, Map: map[string]V{"a": last},
			Numbers: map[int8][]V{1: values}, Maps: map[string]inside[V]{"b": some}, Pair: [1]V{last}})
	goesBack(t, catalogue.Options{}, embedding[V]{inside: some}, embedding[V]{inside: all})
	goesBack(t, catalogue.Options{}, perhaps[V]{}, perhaps[V]{Inside: (*Inside[V])(&all)})
	goesBack(t, catalogue.Options{}, nonEmpty[*V]{}, nonEmpty[*V]{V: &last})
	goesBack(t, catalogue.Options{}, nonZero[[]V]{}, nonZero[[]V]{V: values})
}

// TestGoesBack sends back records of all shapes.
func TestGoesBack(t *testing.T) {
	at := time.Date(2024, 5, 10, 18, 0, 0, 500_000, time.UTC)
	valueGoesBack(t, false, true)
	valueGoesBack(t, 0, 5)
	valueGoesBack[int8](t, -128, 127)
	valueGoesBack[uint8](t, 0, 255)
	valueGoesBack[uint64](t, 0, math.MaxInt64, math.MaxInt64+1, math.MaxUint64)
	valueGoesBack[uint](t, math.MaxUint)
	valueGoesBack[uintptr](t, math.MaxUint)
	valueGoesBack[float32](t, 0, 0.1)
	valueGoesBack(t, 1e300, -0.5)
	valueGoesBack(t, "x")
	valueGoesBack(t, []byte("x"))
	valueGoesBack[json.Number](t, "7.0", "1.50", "7", "1E2")
	valueGoesBack(t, json.RawMessage(`null`), json.RawMessage(`{"b":[1.50,-0],"a_b":1e2}`))
	valueGoesBack[any](t, nil, "x", uint64(math.MaxUint64), map[string]any{"a": []any{1.5, nil}}, []any{json.Number("1.50")})
	valueGoesBack(t, time.Time{}, at)
	valueGoesBack(t, schema.DateTime{}, schema.DateTime{Time: at})
	valueGoesBack(t, schema.Time(0), schema.Time(time.Hour))
	valueGoesBack(t, schema.Duration{}, schema.Duration{Days: 1, Microseconds: 5})
	valueGoesBack(t, time.Duration(0), time.Second)
	valueGoesBack(t, guid{}, guid{1})
	valueGoesBack[status](t, 0, 1)
	valueGoesBack[level](t, 0, 1)
	valueGoesBack[decile](t, 1)
	valueGoesBack(t, cents{}, cents{1250})
	valueGoesBack[reads](t, "x")
	valueGoesBack[nullable[string]](t, nil, nullable[string]{true: "x"})
	valueGoesBack(t, pgText{}, pgText{"x", true})
	valueGoesBack(t, (*big.Int)(nil), big.NewInt(1).Lsh(big.NewInt(1), 200))
	valueGoesBack(t, sql.NullString{}, sql.NullString{String: "x", Valid: true})
	valueGoesBack(t, sql.Null[int]{}, sql.Null[int]{V: 5, Valid: true})
	valueGoesBack(t, map[string]int{}, map[string]int{"a": 0})
	valueGoesBack(t, [][]string{}, [][]string{{"x"}, {}})
	valueGoesBack(t, [2]bool{}, [2]bool{true})
	valueGoesBack(t, struct{}{})
	goesBack(t, catalogue.Options{}, nonZero[netip.Addr]{}, nonZero[netip.Addr]{V: netip.MustParseAddr("192.0.2.1")})
	goesBack(t, catalogue.Options{}, nonZero[shade]{V: 1})
	goesBack(t, catalogue.Options{}, nonZero[unknown]{V: -1}, nonZero[unknown]{})
	goesBack(t, catalogue.Options{}, envelope{}, envelope{Note: "n"})
	goesBack(t, catalogue.Options{}, inText[int]{}, inText[int]{Full: 1, Empty: 2})
	goesBack(t, catalogue.Options{}, inText[uint64]{}, inText[uint64]{Full: 1, Empty: math.MaxUint64})
	goesBack(t, catalogue.Options{}, inText[bool]{}, inText[bool]{Full: true, Empty: true})
	goesBack(t, catalogue.Options{}, inText[float64]{}, inText[float64]{Full: 1, Empty: 2})
	goesBack(t, catalogue.Options{}, inText[string]{Full: "x"}, inText[string]{Full: "x", Empty: "y"})
}

// A worded record has members whose zero values the words of their tags forbid, or would without optional.
type worded struct {
	ID     int      `json:"id"`
	Slug   string   `json:"slug,omitempty" backlist:"slug,maxlength=9"`
	Site   string   `json:"site,omitzero" backlist:"url"`
	Kind   string   `json:"kind,omitempty" backlist:"choices=a|b"`
	Day    string   `json:"day,omitempty" backlist:"date"`
	Price  string   `json:"price,omitempty" backlist:"decimal=8.2"`
	UUID   guid     `json:"uuid,omitzero" backlist:"uuid"`
	Rank   int      `json:"rank,omitempty" backlist:"min=1,max=9"`
	Size   int      `json:"size,omitempty" backlist:"choices=1|2"`
	Stars  int      `json:"stars,omitempty" backlist:"default=5"`
	Tags   []string `json:"tags,omitempty" backlist:"minlength=1"`
	Other  int      `json:"other,omitempty" backlist:"refers=all"`
	Others []int    `json:"others,omitempty" backlist:"refers=all"`
	Code   string   `json:"code,omitempty" backlist:"unique"`
	Note   string   `json:"note" backlist:"optional"`
	Since  string   `json:"since" backlist:"date,optional"`
	Choice string   `json:"choice" backlist:"choices=a|b,optional"`
	Maybe  *int     `json:"maybe" backlist:"optional"`
	Bytes  []byte   `json:"bytes" backlist:"optional"`
	Free   any      `json:"free" backlist:"optional"`
	Made   string   `json:"made,omitempty" backlist:"readonly"`
}

// TestGoesBackWithWords sends back records whose members have words in their tags.
func TestGoesBackWithWords(t *testing.T) {
	sets := catalogue.Options{Unique: [][]string{{"kind", "day"}, {"stars", "rank"}, {"slug", "other"}}}
	first := worded{Code: "c"}
	goesBack(t, catalogue.Options{}, first)
	goesBack(t, sets, worded{Kind: "a", Rank: 3, Slug: "s", Others: []int{1}, Code: "c", Made: "m"})
}
