package catalogue_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// A kind is the kind of a value, in the order of kinds that mix in one field.
type kind int

const (
	isBool kind = iota
	isNumber
	isText
	isList
	isObject
	isNull
)

// A value is the value of a field, which the model compares without package ordering.
type value struct {
	kind kind
	num  *big.Rat // of numbers; 0 or 1 of booleans
	text string   // of text; the JSON of objects
	list []value
}

func null() value           { return value{kind: isNull} }
func textOf(s string) value { return value{kind: isText, text: s} }
func intOf(i int64) value   { return value{kind: isNumber, num: big.NewRat(i, 1)} }
func floatOf(f float64) value {
	return value{kind: isNumber, num: new(big.Rat).SetFloat64(f)}
}

func boolOf(b bool) value {
	if b {
		return value{kind: isBool, num: big.NewRat(1, 1)}
	}
	return value{kind: isBool, num: new(big.Rat)}
}

// jsonOf returns the value of a JSON text without white space.
func jsonOf(text string) value {
	switch text[0] {
	case 'n':
		return null()
	case 't', 'f':
		return boolOf(text == "true")
	case '{':
		return value{kind: isObject, text: text}
	case '"':
		var s string
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		return textOf(s)
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal([]byte(text), &elements); err != nil {
			panic(err)
		}
		v := value{kind: isList}
		for _, e := range elements {
			v.list = append(v.list, jsonOf(string(e)))
		}
		return v
	}
	num, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return value{kind: isNumber, num: num}
}

// compareValues returns a negative number if a comes before b, and zero if they are equal.
func compareValues(a, b value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	switch a.kind {
	case isBool, isNumber:
		if a.num.IsInt() && b.num.IsInt() {
			return a.num.Num().Cmp(b.num.Num()) // the same, but faster
		}
		return a.num.Cmp(b.num)
	case isText, isObject:
		return strings.Compare(a.text, b.text)
	case isList:
		return slices.CompareFunc(a.list, b.list, compareValues)
	}
	return 0
}

// effective returns the terms that have an effect: without repeated fields and without
// those after the id. The last term is always the id, by default in the direction of the
// leading term.
func effective(terms []ordering.Term) []ordering.Term {
	var list []ordering.Term
	for _, t := range terms {
		if !slices.ContainsFunc(list, func(u ordering.Term) bool { return u.Field == t.Field }) {
			list = append(list, t)
		}
		if t.Field == "id" {
			return list
		}
	}
	return append(list, ordering.Term{Field: "id", Desc: len(list) > 0 && list[0].Desc})
}

// compareValueRows compares two records by the values of their terms.
func compareValueRows(a, b []value, terms []ordering.Term) int {
	for i, t := range terms {
		if c := compareValues(a[i], b[i]); c != 0 {
			return directed(c, t.Desc)
		}
	}
	return 0
}

// directed reverses the result of a comparison if desc is set.
func directed(c int, desc bool) int {
	if desc {
		return -c
	}
	return c
}

// valueIn returns the value of a field. An absent field is null.
func valueIn(values map[string]value, field string) value {
	if v, ok := values[field]; ok {
		return v
	}
	return null()
}

// wireOf returns the JSON of a value as the service writes it, without HTML escapes.
func wireOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestModelComparator tests the comparison that the models use. Each row has values in
// ascending order; equal values are joined by '='.
func TestModelComparator(t *testing.T) {
	for _, row := range []struct {
		reason string
		values string
	}{
		{"kinds", `false true -1 "a" [] {} null`},
		{"numbers by exact value", `-1e400 -1 -1e-400 0=-0 1e-400 0.1=0.10 1=1.0=10e-1 9007199254740992 9007199254740993 1e400`},
		{"text by bytes", `"" "Z" "a" "a\u0000" "a\u0000b" "ab" "é" "日"`},
		{"lists element by element", `[] [false] [1]=[1.0] [1,2] [2] ["a"] ["a",""] [[]] [{}] [null]`},
		{"objects by their JSON", `{"a":1.0} {"a":10} {"a":1} {"b":0} {}`},
	} {
		rank := map[string]int{}
		for i, group := range strings.Fields(row.values) {
			for v := range strings.SplitSeq(group, "=") {
				rank[v] = i
			}
		}
		for a, i := range rank {
			for b, j := range rank {
				if got := compareValues(jsonOf(a), jsonOf(b)); got != cmp.Compare(i, j) {
					t.Errorf("%s: compareValues(%s, %s) = %d, want %d", row.reason, a, b, got, cmp.Compare(i, j))
				}
			}
		}
	}
}
