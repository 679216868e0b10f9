package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTogether checks sets of fields that are unique together, as drf-shop.md 7 has them.
func TestTogether(t *testing.T) {
	d := Description{Key: "categories", Segment: "categories", Name: "category",
		Fields: []Field{
			{Name: "code", Kind: Slug, Required: true},
			{Name: "orderName", Kind: Text, Required: true},
			{Name: "parent", Kind: Integer, Nullable: true, Required: true},
			{Name: "position", Kind: Integer, Default: "0", Min: "0"},
			{Name: "badge", Kind: Integer, Nullable: true, Unique: true, Default: "null"},
		},
		Unique: [][]string{{"parent", "order_name"}, {"position", "code"}},
		Rule: func(_ context.Context, r *Record) error {
			if code, _ := r.Get("code"); code == `"bad"` {
				return errors.New("A bad code.")
			}
			return nil
		},
	}
	must(t, d.Check())
	const first, second = "The fields parent, order_name must make a unique set.", "The fields position, code must make a unique set."
	for _, test := range []struct {
		reason, body string
		taken        []string // fields and values
		want         string
	}{
		{"no record has the values", `{"code":"a","orderName":"N","parent":1}`, nil, `{"code":"a","orderName":"N","parent":1,"position":0,"badge":null}`},
		{"trimmed values are compared", `{"code":"a","orderName":" N ","parent":1}`, []string{`parent,orderName=1,"N"`}, `{"nonFieldErrors":["` + first + `"]}`},
		{"both sets, defaults too", `{"code":"a","orderName":"N","parent":1}`, []string{`parent,orderName=1,"N"`, `position,code=0,"a"`},
			`{"nonFieldErrors":["` + first + `","` + second + `"]}`},
		{"null is in no set", `{"code":"a","orderName":"N","parent":null}`, []string{`orderName="N"`, `parent,orderName=null,"N"`, `badge=null`},
			`{"code":"a","orderName":"N","parent":null,"position":0,"badge":null}`},
		{"fields first", `{"code":"a","orderName":"N","parent":1,"position":-1}`, []string{`parent,orderName=1,"N"`},
			`{"position":["Ensure this value is greater than or equal to 0."]}`},
		{"the rule last", `{"code":"bad","orderName":"N","parent":1}`, []string{`position,code=0,"bad"`}, `{"nonFieldErrors":["` + second + `"]}`},
		{"the rule", `{"code":"bad","orderName":"N","parent":1}`, nil, `{"nonFieldErrors":["A bad code."]}`},
	} {
		taken := func(_ context.Context, fields, values []string) (bool, error) {
			return slices.Contains(test.taken, strings.Join(fields, ",")+"="+strings.Join(values, ",")), nil
		}
		record, err := d.Validate(t.Context(), []byte(test.body), Checks{Taken: taken})
		equal(t, test.reason, test.want, response(t, record, err))
	}
}

// A parcel has rules of its own and of its fields.
type parcel struct {
	ID     int     `json:"id"`
	Name   label   `json:"name"`
	Weight float64 `json:"weight"`
	Size   extent  `json:"size" backlist:"min=1,default=1"`
	Note   string  `json:"note" backlist:"blank,default="`
}

type (
	label  string
	extent int
)

// Validate has a pointer, and so can change the value.
func (l *label) Validate(ctx context.Context) error {
	if *l == "ctx" {
		return ctx.Err()
	}
	*l = label(strings.ToUpper(string(*l)))
	return nil
}

// Validate has a value, and so cannot change it.
func (e extent) Validate(context.Context) error {
	if e > 10 {
		return Invalid("Too large.", "At most 10.")
	}
	return nil
}

func (p *parcel) Validate(context.Context) error {
	switch p.Note {
	case "plain":
		return errors.New("A plain error.")
	case "several":
		return Invalid("One.", "Two.")
	case "wrapped":
		return fmt.Errorf("rule: %w", FieldErrors{{Field: "size", Fields: FieldErrors{{Field: "0", Messages: []string{"Deep."}}}}})
	case "change":
		p.Note = "changed <&>"
	}
	return nil
}

type (
	noContext struct{ ID int }
	noError   string
	withMore  []int
	embedding struct {
		ID int `json:"id"`
		noContext2
	}
	noContext2 struct{ Name string }
	declaring  struct{ *embedding }
)

func (*noContext) Validate() error                      { return nil }
func (noError) Validate(context.Context)                {}
func (withMore) Validate(context.Context, string) error { return nil }
func (noContext2) Validate() error                      { return nil }

// TestRuleMethodsOfAnotherForm checks that a method Validate that would never be called is an
// error.
func TestRuleMethodsOfAnotherForm(t *testing.T) {
	type record[T any] struct{ Value T }
	for _, test := range []struct {
		reason   string
		describe func(string) (Description, error)
		want     string // in the error; none if empty
	}{
		{"of the record", DescriptionOf[noContext], "schema.noContext: the method Validate must be Validate(context.Context) error"},
		{"of a field", DescriptionOf[record[noError]], "field Value: schema.noError: the method Validate must be"},
		{"of a field that is a pointer", DescriptionOf[record[*withMore]], "field Value: schema.withMore: the method Validate must be"},
		{"of an element", DescriptionOf[record[[]noError]], "field Value: schema.noError: the method Validate must be"},
		{"of an embedded struct, which may have it for other purposes", DescriptionOf[embedding], ""},
		{"of an embedded pointer, at any depth", DescriptionOf[declaring], ""},
		{"of a field that embeds it", DescriptionOf[record[embedding]], ""},
	} {
		_, err := test.describe("values")
		if test.want == "" && err == nil {
			continue
		}
		if err == nil || test.want == "" || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestRuleMethods checks methods Validate in the three functions that validate.
func TestRuleMethods(t *testing.T) {
	d, err := DescriptionOf[parcel]("parcels")
	must(t, err)
	const stored = `{"id":7,"name":"OLD","weight":1.50,"size":2,"note":"","more":1.0}`
	validate := func(body string) (Record, error) { return d.Validate(t.Context(), []byte(body), Checks{}) }
	patch := func(body string) (Record, error) {
		return d.ValidateUpdate(t.Context(), parse(t, stored), []byte(body), true, Checks{})
	}
	whole := func(body string) (Record, error) { return d.ValidateRecord(t.Context(), parse(t, body)) }
	for _, test := range []struct {
		reason string
		do     func(string) (Record, error)
		body   string
		want   string
	}{
		{"a pointer changes the value", validate, `{"name":"a","weight":1}`, `{"name":"A","weight":1.0,"size":1,"note":""}`},
		{"errors of rules of fields are together", validate, `{"name":"a","weight":"x","size":11}`,
			`{"weight":["A valid number is required."],"size":["Too large.","At most 10."]}`},
		{"a rule after the other checks of its field", validate, `{"name":"a","weight":1,"size":0}`,
			`{"size":["Ensure this value is greater than or equal to 1."]}`},
		{"the text of an error", validate, `{"name":"a","weight":1,"note":"plain"}`, `{"nonFieldErrors":["A plain error."]}`},
		{"messages of Invalid", validate, `{"name":"a","weight":1,"note":"several"}`, `{"nonFieldErrors":["One.","Two."]}`},
		{"an error that wraps nested ones", validate, `{"name":"a","weight":1,"note":"wrapped"}`, `{"size":{"0":["Deep."]}}`},
		{"the method of the record changes a member", validate, `{"name":"a","weight":1,"note":"change"}`,
			`{"name":"A","weight":1.0,"size":1,"note":"changed <&>"}`},
		{"the rule of a record is not called if a field is invalid", validate, `{"weight":1,"note":"plain"}`, `{"name":["This field is required."]}`},
		{"PATCH: other members keep their digits", patch, `{"note":"change"}`, `{"id":7,"name":"OLD","weight":1.50,"size":2,"note":"changed <&>","more":1.0}`},
		{"PATCH: an invalid member", patch, `{"size":12,"note":"plain"}`, `{"size":["Too large.","At most 10."]}`},
		{"a whole record", whole, `{"id":7,"name":"a","weight":2,"note":"change","more":1.0}`,
			`{"id":7,"name":"A","weight":2.0,"note":"changed <&>","more":1.0,"size":1}`},
		{"a whole record: required members", whole, `{"id":7,"size":1}`,
			`{"name":["This field is required."],"weight":["This field is required."]}`},
		{"a whole record: values are as those of a request", whole, stored, strings.Replace(stored, "1.50", "1.5", 1)},
	} {
		record, err := test.do(test.body)
		equal(t, test.reason, test.want, response(t, record, err))
	}
}

// TestRuleOfNull checks that the rule of a field is called for valid values other than null.
func TestRuleOfNull(t *testing.T) {
	var called []string
	f := Field{Name: "b", Kind: Text, Nullable: true, MaxLength: 2, Default: "null"}
	f.Rule = func(_ context.Context, value string) (string, error) {
		called = append(called, value)
		return value, nil
	}
	d := Description{Key: "a", Segment: "a", Name: "a", Fields: []Field{f}}
	for body, valid := range map[string]bool{`{"b":null}`: true, `{"b":"long"}`: false, `{"b":[]}`: false, `{"b":"x"}`: true} {
		if _, err := d.Validate(t.Context(), []byte(body), Checks{}); (err == nil) != valid {
			t.Errorf("%s: %v", body, err)
		}
	}
	equal(t, "the values", []string{`"x"`}, called)
}

// TestRuleOfEndedContext: the error of the context is returned as it is, and is not one of the
// record. An error that does not wrap it is.
func TestRuleOfEndedContext(t *testing.T) {
	own := errors.New("An error of its own.")
	for _, test := range []struct {
		reason string
		rule   func(ctx context.Context) error
		sent   string // messages, or "" if the error is that of the context
	}{
		{"the error of the context", func(ctx context.Context) error { return ctx.Err() }, ""},
		{"an error that wraps it", func(ctx context.Context) error { return fmt.Errorf("look-up: %w", ctx.Err()) }, ""},
		{"another error", func(context.Context) error { return own }, `{"nonFieldErrors":["An error of its own."]}`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		d := Description{Key: "a", Segment: "a", Name: "a", Fields: []Field{{Name: "b", Kind: Text, Default: `""`, Blank: true}}}
		d.Rule = func(ctx context.Context, _ *Record) error {
			cancel()
			return test.rule(ctx)
		}
		_, err := d.Validate(ctx, nil, Checks{})
		if test.sent != "" {
			equal(t, test.reason, test.sent, response(t, Record{}, err))
		} else if !errors.Is(err, context.Canceled) || errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want context.Canceled only", test.reason, err)
		}
	}
	d, err := DescriptionOf[parcel]("parcels")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.ValidateRecord(ctx, parse(t, `{"id":1,"name":"ctx","weight":1,"note":"plain"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("the rule of a field: %v, want context.Canceled", err)
	}
}

// TestRuleKeepsCopies: a rule of a record changes the record that it is given, and no copy of it.
func TestRuleKeepsCopies(t *testing.T) {
	d, err := DescriptionOf[parcel]("parcels")
	must(t, err)
	r, err := ParseRecord([]byte(`{"id":1,"name":"A","weight":1.0,"size":1,"note":"change"}`))
	must(t, err)
	before := r
	must(t, d.Rule(t.Context(), &r))
	equal(t, "the record", `{"id":1,"name":"A","weight":1.0,"size":1,"note":"changed <&>"}`, r.String())
	equal(t, "its copy", `{"id":1,"name":"A","weight":1.0,"size":1,"note":"change"}`, before.String())
}

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
