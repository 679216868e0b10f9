package schema

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// looseCards describes a collection that stores what is sent.
func looseCards() Description {
	return Description{
		Key: "cards", Segment: "cards", Name: "card", Lookup: "id", Loose: true,
		Fields: []Field{
			{Name: "id", Kind: Text, Key: true, Unique: true},
			{Name: "title", Kind: Text, Required: true, MaxLength: 2, Check: func(string) error { return errors.New("no title") }},
			{Name: "count", Kind: Integer, ReadOnly: true},
			{Name: "firstName", Kind: Text},
			{Name: "lastName", Kind: Text},
			{Name: "ownerId", Kind: Reference, Refers: "owners"},
		},
		Unique: [][]string{{"first_name", "last_name"}},
		Rule: func(_ context.Context, r *Record) (err error) {
			if text, _ := r.Get("count"); text == `"bad"` {
				return FieldErrors{{Field: "count", Messages: []string{"No."}}}
			}
			if text, ok := r.Get("double"); ok {
				*r, err = r.With("doubled", text+text)
			}
			return err
		},
	}
}

// TestLoose checks what is stored of bodies that are sent to a Loose collection. A script of package
// httpapi has their errors, and those of keys, unique values and references.
func TestLoose(t *testing.T) {
	const current = `{"a":1,"id":"k","b":2,"c":3}`
	checks := Checks{
		Find: func(_ context.Context, _, _, text string) (int, string, error) { return len(text) - 1, "", nil },
		Taken: func(_ context.Context, fields, values []string) (bool, error) {
			return slices.Equal(values, []string{`"A"`, `"B"`}) || slices.Equal(values, []string{`"taken"`}), nil
		},
	}
	assigned := checks
	assigned.Assigned = Record{members: []member{{"ownerId", "12"}, {"new", "1"}}}
	required := looseCards()
	required.Fields[0].Required = true
	numbered := looseCards()
	numbered.Fields[0], numbered.Lookup = Field{Name: "id", Kind: Integer, ReadOnly: true}, ""
	for _, test := range []struct {
		reason string
		d      Description
		method string
		body   string
		checks Checks
		want   string // the record or the errors
	}{
		{"fields of any kind, which may be read-only, invalid or absent", looseCards(), "POST", `{"count":1e3,"x":{"y_z":[0.10]}}`, checks, `{"count":1e3,"x":{"y_z":[0.10]}}`},
		{"white space and escapes are not kept", looseCards(), "POST", ` { "x" : "\u00e9\/" } `, checks, `{"x":"é/"}`},
		{"an empty name", looseCards(), "POST", `{"":1}`, checks, `{"":1}`},
		{"a taken set", looseCards(), "POST", `{"lastName":"B","firstName":"A"}`, checks, `{"nonFieldErrors":["The fields first_name, last_name must make a unique set."]}`},
		{"a set with null", looseCards(), "POST", `{"lastName":null,"firstName":"A"}`, checks, `{"lastName":null,"firstName":"A"}`},
		{"a set with an object", looseCards(), "POST", `{"lastName":{},"firstName":"A"}`, checks, `{"lastName":["A unique value is neither a list nor an object."]}`},
		{"a set of a PATCH", looseCards(), "PATCH", `{"lastName":"B","firstName":"A"}`, checks, `{"nonFieldErrors":["The fields first_name, last_name must make a unique set."]}`},
		{"the rule refuses", looseCards(), "POST", `{"count":"bad"}`, checks, `{"count":["No."]}`},
		{"the rule changes", looseCards(), "PUT", `{"double":1}`, checks, `{"double":1,"id":"k","doubled":"11"}`},
		{"errors before the rule", looseCards(), "POST", `{"count":"bad","ownerId":1}`, checks, `{"ownerId":["Invalid pk \"1\" - object does not exist."]}`},
		{"a reference in another form", looseCards(), "POST", `{"ownerId":"12"}`, checks, `{"ownerId":12}`},
		{"a blank reference", looseCards(), "POST", `{"ownerId":""}`, checks, `{"ownerId":null}`},
		{"assigned members", looseCards(), "POST", `{"ownerId":1,"z":2}`, assigned, `{"ownerId":12,"z":2,"new":1}`},
		{"assigned in a PATCH", looseCards(), "PATCH", `{"new":5}`, assigned, `{"a":1,"id":"k","b":2,"c":3,"new":1,"ownerId":12}`},
		{"a required key", required, "POST", `{"id":null}`, checks, `{"id":["This field is required."]}`},
		{"a PUT without it", required, "PUT", `{}`, checks, `{"id":"k"}`},
		{"a PUT at its place", looseCards(), "PUT", `{"x":1,"y":2,"z":3}`, checks, `{"x":1,"id":"k","y":2,"z":3}`},
		{"a PUT at the end", looseCards(), "PUT", `{}`, checks, `{"id":"k"}`},
		{"another key", looseCards(), "PUT", `{"id":"j"}`, checks, `{"id":"j"}`}, // which the collection refuses
		{"a key that is taken", looseCards(), "PATCH", `{"id":"taken"}`, checks, `{"id":["card with this id already exists."]}`},
		{"a PATCH in place", looseCards(), "PATCH", `{"c":0,"d":4,"b":[],"a":null}`, checks, `{"a":null,"id":"k","b":[],"c":0,"d":4}`},
		{"a PATCH with a null key", looseCards(), "PATCH", `{"id":null,"c":0}`, checks, `{"a":1,"id":"k","b":2,"c":0}`},
		{"a PATCH of nothing", looseCards(), "PATCH", ``, checks, current},
		{"an id is ignored", numbered, "POST", `{"a":1,"id":"x"}`, checks, `{"a":1}`},
		{"and so in a PUT, whose id keeps its place", numbered, "PUT", `{"a":1,"id":{},"b":2}`, checks, `{"a":1,"id":7,"b":2}`},
		{"and in a PATCH", numbered, "PATCH", `{"a":2,"id":8}`, checks, `{"a":2,"id":7}`},
		{"no id is left where there were members", numbered, "PUT", `{}`, checks, `{"id":7}`},
		{"a number beyond a float64", looseCards(), "PATCH", `{"x":[1e400]}`, checks, `{"x":["a number is beyond a float64"]}`},
		{"a repeated name", looseCards(), "PUT", `{"x":1,"x":1}`, checks, `{"x":["is repeated"]}`},
		{"a text", looseCards(), "PUT", `"x"`, checks, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got str."]}`},
		{"a syntax error", looseCards(), "PUT", `{"x":}`, checks, `JSON parse error - `},
	} {
		if err := test.d.Check(); err != nil {
			t.Fatal(test.reason, err)
		}
		before, _ := ParseKeyed([]byte(current))
		if test.d.Lookup == "" {
			before, _ = ParseRecord([]byte(`{"a":1,"id":7}`))
		}
		old := before.String()
		var got Record
		var err error
		if test.method == "POST" {
			got, err = test.d.Validate(t.Context(), []byte(test.body), test.checks)
		} else {
			got, err = test.d.ValidateUpdate(t.Context(), before, []byte(test.body), test.method == "PATCH", test.checks)
		}
		text := got.String()
		if errs := (FieldErrors)(nil); errors.As(err, &errs) {
			b, _ := errs.MarshalJSON()
			text = string(b)
		} else if err != nil {
			text = err.Error()
		}
		if text != test.want && (err == nil || !strings.HasPrefix(text, test.want)) {
			t.Errorf("%s: %s %s: %s, want %s", test.reason, test.method, test.body, text, test.want)
		}
		if before.String() != old {
			t.Errorf("%s: the record has been changed to %s", test.reason, before)
		}
	}
	failed := errors.New("failed")
	checks.Find = func(context.Context, string, string, string) (int, string, error) { return 0, "", failed }
	if _, err := looseCards().Validate(t.Context(), []byte(`{"ownerId":1}`), checks); err != failed {
		t.Errorf("a check that fails: %v", err)
	}
}

// TestLooseRecords checks that records of programs are checked as those of requests.
func TestLooseRecords(t *testing.T) {
	for record, want := range map[string]string{
		`{"id":"k","title":5,"count":"x","ownerId":{}}`: `{"id":"k","title":5,"count":"x","ownerId":{}}`,
		`{"id":"a/b"}`:                `{"id":["A key does not contain /, and not only dots, because it is part of a path."]}`,
		`{"id":"k","count":"bad"}`:    `{"count":["No."]}`,
		`{"id":"k","double":"twice"}`: `{"id":"k","double":"twice","doubled":"\"twice\"\"twice\""}`,
	} {
		r, err := ParseKeyed([]byte(record))
		must(t, err)
		got, err := looseCards().ValidateRecord(t.Context(), r)
		equal(t, record, want, response(t, got, err))
	}
}
