package model

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A kind is the kind of a value, in the order of kinds that mix in one field.
type kind int

const (
	isBool kind = iota
	isNumber
	isInstant
	isText
	isList
	isObject
	isNull
)

// A value is what a field compares by.
type value struct {
	kind  kind
	num   *big.Rat // of numbers and instants; 0 or 1 of booleans
	small int64    // the number, if num is nil
	text  string   // of text; the JSON of objects
	list  []value
}

// valueOf returns the value of a JSON text without white space.
func valueOf(text string) value {
	switch text[0] {
	case 'n':
		return value{kind: isNull}
	case 't':
		return value{kind: isBool, small: 1}
	case 'f':
		return value{kind: isBool}
	case '{':
		return value{kind: isObject, text: text}
	case '"':
		return value{kind: isText, text: decoded[string](text)}
	case '[':
		v := value{kind: isList}
		for _, e := range elements(text) {
			v.list = append(v.list, valueOf(e))
		}
		return v
	}
	return numberOf(text)
}

func decoded[T any](text string) (v T) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err.Error() + ": " + text)
	}
	return v
}

func numberOf(text string) value {
	num, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	if num.IsInt() && num.Num().IsInt64() {
		return value{kind: isNumber, small: num.Num().Int64()}
	}
	return value{kind: isNumber, num: num}
}

func (v value) rat() *big.Rat {
	if v.num != nil {
		return v.num
	}
	return big.NewRat(v.small, 1)
}

// compare returns a negative number if v comes before w, and zero if they are equal.
func (v value) compare(w value) int {
	if v.kind != w.kind {
		return cmp.Compare(v.kind, w.kind)
	}
	switch v.kind {
	case isBool, isNumber, isInstant:
		if v.num == nil && w.num == nil {
			return cmp.Compare(v.small, w.small)
		}
		return v.rat().Cmp(w.rat())
	case isText, isObject:
		return strings.Compare(v.text, w.text)
	case isList:
		return slices.CompareFunc(v.list, w.list, value.compare)
	}
	return 0
}

// The functions below are those of fields that do not compare by their JSON.

var decimalForm = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Decimal returns the number in a text that compares as a number, or v if there is none.
func Decimal(v value) value {
	if digits := strings.TrimSpace(v.text); v.kind == isText && decimalForm.MatchString(digits) {
		return numberOf(digits)
	}
	return v
}

// Lower returns a text in lower case, for one that compares without regard to case.
func Lower(v value) value {
	v.text = strings.ToLower(v.text)
	return v
}

// Instant is for text that compares as the instant in it.
func Instant(v value) value {
	if t, err := time.Parse(time.RFC3339Nano, v.text); v.kind == isText && err == nil {
		return value{kind: isInstant, small: t.UnixMicro()} // more digits are not stored
	}
	return v
}

// Area is for objects that compare as the product of their width and height.
func Area(v value) value {
	if v.kind != isObject {
		return v
	}
	sides := decoded[struct{ Width, Height int64 }](v.text)
	return value{kind: isNumber, small: sides.Width * sides.Height}
}
