package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// record is a record of the model, with its values by their names in orderings.
type record struct {
	id     int
	json   []byte
	values map[string]any
}

// model is the reference implementation: records in a slice, sorted on demand.
type model []record

// ids returns the ids of all records in the order of the terms, which leave no ties.
func (m model) ids(terms []ordering.Term) []int {
	sorted := slices.Clone(m)
	slices.SortFunc(sorted, func(a, b record) int {
		for _, t := range terms {
			c := compare(a.values[t.Field], b.values[t.Field])
			if t.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	ids := make([]int, len(sorted))
	for i, r := range sorted {
		ids[i] = r.id
	}
	return ids
}

func (m model) encoded() [][]byte {
	list := make([][]byte, len(m))
	for i, r := range m {
		list[i] = bytes.Clone(r.json)
	}
	return list
}

// rank returns the rank of a value's kind. Null has the highest.
func rank(v any) int {
	switch v.(type) {
	case bool:
		return 0
	case json.Number:
		return 1
	case string, time.Time:
		return 2
	case []any:
		return 3
	case map[string]any:
		return 4
	}
	return 5
}

// compare compares values by kind, and then within the kind.
func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case bool:
		return cmp.Compare(bit(a), bit(b.(bool)))
	case json.Number:
		return number(a).Cmp(number(b.(json.Number)))
	case string:
		return strings.Compare(a, b.(string))
	case time.Time:
		return a.Compare(b.(time.Time))
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	case map[string]any:
		return bytes.Compare(text(a), text(b))
	}
	return 0
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func number(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

func text(v any) []byte {
	b, _ := json.Marshal(v) // objects in checks have one member
	return b
}

// parse parses a JSON value of a field of the given kind.
func parse(kind schema.Kind, value string) any {
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err) // a bug in this package
	}
	if s, ok := v.(string); ok && kind == schema.Timestamp {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	if s, ok := v.(string); ok && kind == schema.Decimal {
		return json.Number(s)
	}
	return v
}
