package schema

import (
	"context"
	"errors"
	"testing"
)

// missing and received return the messages for invalid references.
func missing(id string) string { return `Invalid pk "` + id + `" - object does not exist.` }

// TestValidateCallsFind checks that Find is called once for each text, with the collection and the
// name of the field, and with positive ids only, and that it may be nil.
func TestValidateCallsFind(t *testing.T) {
	type call struct {
		Collection, Field, Text string
	}
	var calls []call
	d := only(t, own()["films"], "director")
	d.Fields = append(d.Fields, only(t, own()["films"], "genres").Fields...)
	d.Fields = append(d.Fields, Field{Name: "others", Kind: References, Refers: "films"}, Field{Name: "tags", Kind: References, Refers: "tags", By: "name"})
	find := func(_ context.Context, key, field, text string) (int, string, error) {
		calls = append(calls, call{key, field, text})
		return 1, "", nil
	}
	_, err := d.Validate(t.Context(), []byte(`{"director":0,"genres":[2,2,"2",-1],"others":[0,7],"tags":["a","a"]}`), Checks{Find: find})
	equal(t, "calls of Find", []call{{"genres", "id", "2"}, {"tags", "name", "a"}}, calls)
	want := FieldErrors{
		{Field: "director", Messages: []string{missing("0")}}, {Field: "genres", Messages: []string{missing("-1")}}, {Field: "others", Messages: []string{missing("0")}},
	}
	equal(t, "error", error(want), err)
	_, err = d.Validate(t.Context(), []byte(`{"director":1}`), Checks{})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("Find is nil: error %v, want %v", err, ErrInvalid)
	}
}

// A list of references may need some of them, as a many-to-many field that is not blank does.
func TestReferencesNeedSome(t *testing.T) {
	checks := Checks{
		Find: func(_ context.Context, _, _, text string) (int, string, error) { return len(text), "", nil },
	}
	for _, row := range []struct {
		reason string
		f      Field
		value  string
		want   string // the list, or the messages
	}{
		{"none", Field{MinLength: 1}, `[]`, "This list may not be empty."},
		{"an object without names", Field{MinLength: 1}, `{}`, "This list may not be empty."},
		{"no name", Field{MinLength: 1, By: "slug"}, `[]`, "This list may not be empty."},
		{"one", Field{MinLength: 1}, `[3]`, `[3]`},
		{"two that are one", Field{MinLength: 2}, `[3,"3"]`, "Ensure this field has at least 2 elements."},
		{"two names", Field{MinLength: 2, By: "slug"}, `["bb","a"]`, `["a","bb"]`},
		{"three", Field{MaxLength: 2}, `[3,4,5]`, "Ensure this field has no more than 2 elements."},
		{"any number", Field{}, `[]`, `[]`},
		{"a wrong id is told first", Field{MaxLength: 1}, `[1,0]`, missing("0")},
	} {
		row.f.Name, row.f.Kind, row.f.Refers = "films", References, "films"
		record, err := Description{Fields: []Field{row.f}}.Validate(t.Context(), []byte(`{"films":`+row.value+`}`), checks)
		got, _ := record.Get("films")
		if errs, ok := err.(FieldErrors); ok {
			got = errs[0].Messages[0]
		}
		if got != row.want {
			t.Errorf("%s: %s is %s, want %s", row.reason, row.value, got, row.want)
		}
	}
}

// TestPythonText has the texts that Python 3.11 prints for str of the values.
func TestPythonText(t *testing.T) {
	for _, row := range []struct{ reason, value, want string }{
		{"text has no quotes", `"it's"`, `it's`},
		{"null", `null`, `None`},
		{"a boolean", `true`, `True`},
		{"a float", `1e16`, `1e+16`},
		{"an empty list", `[ ]`, `[]`},
		{"a list", `["01", null,[false , 1.50]]`, `['01', None, [False, 1.5]]`},
		{"an object, with names as the parser changes them", `{"aB":{"c":[]},"d":1}`, `{'a_b': {'c': []}, 'd': 1}`},
		{"a single quote", `["it's"]`, `["it's"]`},
		{"both quotes", `["it's \"q\""]`, `['it\'s "q"']`},
		{"a double quote", `["\"q\""]`, `['"q"']`},
		{"escapes", `["a\\b\n\r\t\u0000\u007f\u00a0"]`, `['a\\b\n\r\t\x00\x7f\xa0']`},
		{"letters", `["é日😀"]`, `['é日😀']`},
		{"invisible characters", `["\u200b\u2028\udb40\udc01"]`, `['\u200b\u2028\U000e0001']`},
	} {
		if got := pythonText(row.value); got != row.want {
			t.Errorf("%s: %s is %s, want %s", row.reason, row.value, got, row.want)
		}
	}
}
