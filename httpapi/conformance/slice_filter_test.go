package conformance_test

import (
	"encoding/json"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// selected returns a function that reports whether the parameters select a record.
func (s *filmSlice) selected(params url.Values) (func(row) bool, error) {
	filter, err := s.description.Filter(params, func(_ string, id int) bool { return id < 3 })
	if fields := (schema.FieldErrors)(nil); err != nil {
		switch s.fault {
		case "invalid parameters are ignored":
			return func(row) bool { return true }, nil
		case "only the first invalid parameter is an error":
			fields = err.(schema.FieldErrors)
			return nil, fields[:1]
		}
		return nil, err
	}
	holds := func(r row) func(schema.Test) bool {
		return func(t schema.Test) bool { return s.holds(t, r) }
	}
	return func(r row) bool {
		if s.fault == "one of several parameters is enough" && len(filter.Tests) > 1 {
			return slices.ContainsFunc(filter.Tests, holds(r))
		}
		fails := func(t schema.Test) bool { return !s.holds(t, r) }
		return !slices.ContainsFunc(filter.Tests, fails) && s.found(filter.Search, r)
	}, nil
}

// holds reports whether a test holds for a record.
func (s *filmSlice) holds(t schema.Test, r row) bool {
	i := slices.IndexFunc(s.description.Fields, func(f schema.Field) bool { return ordering.Snake(f.Name) == t.Field })
	f := s.description.Fields[i]
	value := r.get(t.Field)
	if null := value == "null"; t.Lookup == "isnull" {
		return null == (t.Values[0] == "true") || s.fault == "isnull always holds"
	} else if null {
		return s.fault == "null is less than all values" && strings.HasPrefix(t.Lookup, "lt")
	}
	var ids []json.Number
	if f.Kind == schema.References {
		if err := json.Unmarshal([]byte(value), &ids); err != nil {
			panic(err)
		}
		return slices.ContainsFunc(ids, func(id json.Number) bool { return slices.Contains(t.Values, id.String()) })
	}
	text := unquoted(value)
	is := func(other string) int { return s.compareAs(f.Kind, text, other) }
	switch t.Lookup {
	case "exact":
		if s.fault == "exact ignores case" && f.Kind == schema.Text {
			return upper(text) == upper(t.Values[0])
		}
		return is(t.Values[0]) == 0
	case "in":
		if s.fault == "in uses the first value" {
			t.Values = t.Values[:1]
		}
		return slices.ContainsFunc(t.Values, func(v string) bool { return is(v) == 0 })
	case "gt":
		return is(t.Values[0]) > 0
	case "gte":
		return is(t.Values[0]) > 0 || is(t.Values[0]) == 0 && s.fault != "gte is gt"
	case "lt":
		return is(t.Values[0]) < 0
	case "lte":
		return is(t.Values[0]) <= 0
	case "range":
		return is(t.Values[0]) >= 0 && (is(t.Values[1]) <= 0 || s.fault == "a range has no end")
	}
	if s.fault == "icontains is contains" {
		t.Lookup = strings.Replace(t.Lookup, "icontains", "contains", 1)
	}
	return s.matches(t.Lookup, text, t.Values[0])
}

func unquoted(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil {
		return text
	}
	return value
}

func upper(text string) string { return strings.Map(unicode.ToUpper, text) }

func upperASCII(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToUpper(r)
	}
	return r
}

func (s *filmSlice) compareAs(kind schema.Kind, a, b string) int {
	switch kind {
	case schema.Integer, schema.Float, schema.Decimal, schema.Reference:
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if c := x.Cmp(y); c == 0 || kind != schema.Decimal || s.fault != "decimals are ordered as text" {
			return c
		}
	case schema.Timestamp:
		x, errX := time.Parse(time.RFC3339Nano, a)
		y, errY := time.Parse(time.RFC3339Nano, b)
		if errX != nil || errY != nil {
			panic("invalid time")
		}
		return x.Compare(y)
	}
	return strings.Compare(a, b)
}

func (s *filmSlice) matches(lookup, text, part string) bool {
	switch {
	case lookup[0] != 'i':
	case s.fault == "case is ignored in ASCII only":
		text, part = strings.Map(upperASCII, text), strings.Map(upperASCII, part)
	default:
		text, part = upper(text), upper(part)
	}
	if s.fault == "_ matches any character" && part == "_" {
		return true
	}
	switch strings.TrimPrefix(lookup, "i") {
	case "contains":
		return strings.Contains(text, part)
	case "startswith":
		return strings.HasPrefix(text, part)
	}
	return text == part
}

// found reports whether a record has every word of a search.
func (s *filmSlice) found(words []string, r row) bool {
	has := func(word string) bool {
		return slices.ContainsFunc(s.description.Search, func(entry string) bool {
			lookup := map[byte]string{'^': "istartswith", '=': "iexact"}[entry[0]]
			if lookup == "" || s.fault == "search ignores signs" {
				lookup = "icontains"
			}
			return s.matches(lookup, unquoted(r.get(strings.TrimLeft(entry, "^="))), word)
		})
	}
	if s.fault == "one of several words is enough" && len(words) > 0 {
		return slices.ContainsFunc(words, has)
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !has(word) })
}
