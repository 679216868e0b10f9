package schema

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// missing and received return the messages for invalid references.
func missing(id string) string { return `Invalid pk "` + id + `" - object does not exist.` }

func received(kind string) string { return "Incorrect type. Expected pk value, received " + kind + "." }

func TestReference(t *testing.T) {
	run(t, "social-links", "author", []row{
		ok(`1`, `1`, "integer"),
		ok(`"1"`, `1`, "string of digits"),
		ok(`" 1 "`, `1`, "trimmed"),
		ok(`"+1"`, `1`, "sign"),
		ok(`"007"`, `7`, "leading zeros"),
		ok(`1.0`, `1`, "number without fraction"),
		ok(`1.5`, `1`, "truncated fraction"),
		ok(`10e-1`, `1`, "exponent"),
		bad(`999999`, "missing record", missing("999999")),
		bad(`-1`, "missing record", missing("-1")),
		bad(`0`, "missing record", missing("0")),
		bad(`-0.5`, "truncated to 0", missing("-0.5")),
		bad(`99999999999999999999`, "out of range for an int", missing("99999999999999999999")),
		bad(`"99999999999999999999"`, "out of range for an int", missing("99999999999999999999")),
		bad(`"-99999999999999999999"`, "out of range for an int", missing("-99999999999999999999")),
		bad(`1e30`, "number", missing("1e30")),
		bad(`1e999`, "out of range for a float64", missing("1e999")),
		bad(`9223372036854775807.0`, "out of range for an int", missing("9223372036854775807.0")),
		bad(`"1_0"`, "underscore", received("str")),
		bad(`"1.0"`, "not an integer", received("str")),
		bad(`"abc"`, "not an integer", received("str")),
		bad(`"0x1"`, "not an integer", received("str")),
		bad(`"99999999999999999999x"`, "not an integer, and out of range before that", received("str")),
		bad(`"\u001f1"`, "white space in Python that int() does not accept", received("str")),
		ok(`"\u00a01\u2003\n"`, `1`, "white space"),
		bad(`" "`, "not an integer", received("str")),
		bad(`""`, "empty string", notNull),
		bad(`null`, "null", notNull),
		bad(`true`, "boolean", received("bool")),
		bad(`[1]`, "list", received("list")),
		bad(`{}`, "object", received("dict")),
	})
}

func TestReferences(t *testing.T) {
	run(t, "events", "labels", []row{
		ok(`[]`, `[]`, "empty"),
		ok(`[ 3, 1 ]`, `[1,3]`, "not ascending"),
		ok(`[1,1]`, `[1]`, "duplicate"),
		ok(`["1"]`, `[1]`, "string of digits"),
		ok(`[" 1 "]`, `[1]`, "trimmed"),
		ok(`[1.0]`, `[1]`, "number without fraction"),
		ok(`[1.5]`, `[1]`, "truncated fraction"),
		ok(`[10,9]`, `[9,10]`, "numerical order"),
		ok(`{}`, `[]`, "object"),
		ok(`{"1":"x"}`, `[1]`, "object"),
		bad(`{"x":1}`, "object", received("str")),
		bad(`[999999]`, "missing record", missing("999999")),
		bad(`[999999,888888]`, "two invalid ids", missing("999999")),
		bad(`["x",999999]`, "two invalid ids", received("str")),
		bad(`[1,999999]`, "missing record", missing("999999")),
		bad(`[null]`, "null in the list", missing("None")),
		bad(`[true]`, "boolean", received("bool")),
		bad(`[""]`, "not an integer", received("str")),
		bad(`["x"]`, "not an integer", received("str")),
		bad(`[[1]]`, "list", received("list")),
		bad(`[{}]`, "object", received("dict")),
		bad(`[99999999999999999999]`, "out of range for an int", missing("99999999999999999999")),
		bad(`null`, "null", notNull),
		bad(`""`, "string", `Expected a list of items but got type "str".`),
		bad(`"1"`, "string", `Expected a list of items but got type "str".`),
		bad(`5`, "number", `Expected a list of items but got type "int".`),
		bad(`true`, "boolean", `Expected a list of items but got type "bool".`),
		bad(`1.5`, "number", `Expected a list of items but got type "float".`),
	})
}

// TestValidateCallsExists checks that exists is called with the collection of the field
// and with positive ids only, and that it may be nil.
func TestValidateCallsExists(t *testing.T) {
	type call struct {
		Collection string
		ID         int
	}
	var calls []call
	text := body("events", "labels", `[2,-1]`)
	text = text[:len(text)-1] + `,"authors":[0,7]}`
	_, err := must(t, "events").Validate([]byte(text), Checks{Exists: func(key string, id int) bool {
		calls = append(calls, call{key, id})
		return true
	}})
	if diff := cmp.Diff([]call{{"labels", 2}}, calls); diff != "" {
		t.Errorf("calls of exists (-want +got):\n%s", diff)
	}
	want := FieldErrors{{"labels", []string{missing("-1")}}, {"authors", []string{missing("0")}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	_, err = must(t, "social-links").Validate([]byte(body("social-links", "author", "1")), Checks{})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("exists is nil: error %v, want %v", err, ErrInvalid)
	}
}
