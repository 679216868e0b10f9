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

// A kind is what a value is; kinds that mix in one field come in this order.
type kind int

const (
	isBool kind = iota
	isNumber
	isText
	isList
	isObject
	isNull
)

// A value is what a field of a record holds, as the model compares it: by the
// rules of the design's "Orderings" and nothing of package ordering.
type value struct {
	kind kind
	num  *big.Rat // of numbers, and of booleans 0 or 1
	text string   // of text, and of objects their JSON
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

// jsonOf is the value of a JSON text without white space.
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
		panic("no number: " + text)
	}
	return value{kind: isNumber, num: num}
}

// compareValues is negative if a comes before b, zero if they are equal.
func compareValues(a, b value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	switch a.kind {
	case isBool, isNumber:
		if a.num.IsInt() && b.num.IsInt() {
			return a.num.Num().Cmp(b.num.Num()) // the same, in less time
		}
		return a.num.Cmp(b.num)
	case isText, isObject:
		return strings.Compare(a.text, b.text)
	case isList:
		return slices.CompareFunc(a.list, b.list, compareValues)
	}
	return 0
}

// effective is the terms that count: a second mention of a field and what
// stands behind the id do not. The last is always the id, by default in the
// direction of the leading term.
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

// compareValueRows compares the values of two records for some terms in turn.
func compareValueRows(a, b []value, terms []ordering.Term) int {
	for i, t := range terms {
		if c := compareValues(a[i], b[i]); c != 0 {
			return directed(c, t.Desc)
		}
	}
	return 0
}

func directed(c int, desc bool) int {
	if desc {
		return -c
	}
	return c
}

// valueIn is the value of a field; what is absent is null.
func valueIn(values map[string]value, field string) value {
	if v, ok := values[field]; ok {
		return v
	}
	return null()
}

// wireOf is a value's JSON as the service writes it: nothing escaped for HTML.
func wireOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestModelComparator keeps the model itself honest: each row is the design's
// order written down by hand, least first, equal values joined by '='.
func TestModelComparator(t *testing.T) {
	for _, row := range []struct {
		reason string
		values string
	}{
		{"kinds follow one another", `false true -1 "a" [] {} null`},
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
					t.Errorf("%s: %s against %s: %d, want %d", row.reason, a, b, got, cmp.Compare(i, j))
				}
			}
		}
	}
}
