package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFieldErrorsText(t *testing.T) {
	errs := FieldErrors{{Field: "name", Messages: []string{required, "<&>\u2028"}}, {Field: "slug", Messages: []string{badSlug}}}
	want := "schema: invalid record: name: This field is required. <&>\u2028; slug: " + badSlug
	if got := errs.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	text, err := errs.MarshalJSON()
	if want := `{"name":["This field is required.","<&>\u2028"],"slug":["Enter a valid \"slug\" consisting of ` +
		`letters, numbers, underscores or hyphens."]}`; string(text) != want || err != nil {
		t.Errorf("MarshalJSON() = %s, %v, want %s", text, err, want)
	}
	if text, _ := FieldErrors(nil).MarshalJSON(); string(text) != "{}" {
		t.Errorf("FieldErrors(nil).MarshalJSON() = %s, want {}", text)
	}
}

func TestUnique(t *testing.T) {
	d := Description{Name: "short film", Fields: []Field{
		{Name: "mainTitle", Kind: Text, Unique: true},
		{Name: "slug", Kind: Slug, Unique: true},
		{Name: "site", Kind: URL, Unique: true, Nullable: true, Blank: true},
		{Name: "number", Kind: Integer, Unique: true, Min: "1", Max: "9"},
		{Name: "price", Kind: Decimal, Digits: 4, Places: 2, Unique: true},
		{Name: "status", Kind: Choice, Choices: []string{"a", "b"}, Unique: true, Default: `"a"`},
		{Name: "author", Kind: Reference, Refers: "authors", Unique: true},
	}}
	values := map[string]string{
		"mainTitle": `"T"`, "slug": `"t !"`, "site": `""`, "number": "0", "price": `"1.50"`, "status": `"a"`, "author": "7",
	}
	taken := func(_ context.Context, fields, given []string) (bool, error) {
		value := given[0]
		return values[fields[0]] == value || value == "null" || value == "" || value == "9223372036854775807", nil
	}
	exist := func(label string) string { return "short film with this " + label + " already exists." }
	status := FieldError{Field: "status", Messages: []string{exist("status")}}
	tests := []struct {
		body, reason string
		want         FieldErrors
	}{
		{`{"status":"b","mainTitle":"t","slug":"t"}`, "other values", nil},
		{`{"status":"b","mainTitle":" T "}`, "the normalized value counts",
			FieldErrors{{Field: "mainTitle", Messages: []string{exist("main title")}}}},
		{`{"status":"b","price":1.5}`, "the normalized value counts", FieldErrors{{Field: "price", Messages: []string{exist("price")}}}},
		{`{"status":"b","author":"7"}`, "reference", FieldErrors{{Field: "author", Messages: []string{exist("author")}}}},
		{`{}`, "default", FieldErrors{status}},
		{`{"status":"b","site":null}`, "null is not checked", nil},
		{`{"status":"b","site":""}`, "empty text is checked", FieldErrors{{Field: "site", Messages: []string{exist("site")}}}},
		{`{"status":"b","slug":"t !","number":0}`, "also invalid",
			FieldErrors{{Field: "slug", Messages: []string{exist("slug"), badSlug}},
				{Field: "number", Messages: []string{exist("number"), "Ensure this value is greater than or equal to 1."}}}},
		{`{"status":"b","slug":"\ud800","number":"x"}`, "a value of the wrong type is not checked",
			FieldErrors{{Field: "slug", Messages: []string{"Surrogate characters are not allowed: U+D800.", badSlug}}, {Field: "number", Messages: []string{badInteger}}}},
	}
	for _, test := range tests {
		_, err := d.Validate(t.Context(), []byte(test.body), Checks{Find: exists, Taken: taken})
		var want error
		if test.want != nil {
			want = test.want
		}
		equal(t, fmt.Sprintf("%s (%s): error", test.body, test.reason), want, err)
	}
	_, err := d.Validate(t.Context(), []byte(`{"status":"b","number":99999999999999999999}`), Checks{Taken: taken})
	want := FieldErrors{{Field: "number", Messages: []string{"Ensure this value is less than or equal to 9."}}}
	equal(t, "a number that is out of range for an int64 is not checked", error(want), err)
	if _, err := d.Validate(t.Context(), []byte(`{}`), Checks{}); err != nil {
		t.Errorf("Taken is nil: %v", err)
	}
}

// Values that the server assigns replace what was sent, and are validated.
func TestAssigned(t *testing.T) {
	d := Description{Key: "films", Name: "film", Fields: []Field{
		{Name: "id", Kind: Integer, ReadOnly: true},
		{Name: "title", Kind: Text, Required: true},
		{Name: "owner", Kind: Reference, Refers: "users", Required: true},
		{Name: "tenant", Kind: Text, ReadOnly: true},
		{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
	}}
	exists := func(_ context.Context, _, _, text string) (int, string, error) {
		if text != "7" {
			return 0, "", nil
		}
		return 7, "", nil
	}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	const created = `,"createdAt":"2026-01-02T03:04:05Z"`
	for _, test := range []struct {
		reason         string
		body, assigned string
		post, patch    string // the record, or the text of the error
	}{
		{"nothing", `{"title":"T","owner":7,"tenant":"x"}`, `{}`, `{"title":"T","owner":7` + created + `}`, `{"title":"T","owner":7}`},
		{"a required field that is absent", `{"title":"T"}`, `{"owner":7}`, `{"title":"T","owner":7` + created + `}`, `{"title":"T","owner":7}`},
		{"in place of what was sent", `{"title":"T","owner":8}`, `{"owner":7}`, `{"title":"T","owner":7` + created + `}`, `{"title":"T","owner":7}`},
		{"in place of an invalid value", `{"title":"T","owner":"x"}`, `{"owner":7}`, `{"title":"T","owner":7` + created + `}`, `{"title":"T","owner":7}`},
		{"read-only fields", `{"title":"T","owner":7,"tenant":"x"}`, `{"tenant":" a ","createdAt":"2020-01-01T00:00:00+00:00"}`,
			`{"title":"T","owner":7,"tenant":"a","createdAt":"2020-01-01T00:00:00Z"}`,
			`{"title":"T","owner":7,"tenant":"a","createdAt":"2020-01-01T00:00:00Z"}`},
		{"an id that no record has", `{"title":"T","owner":7}`, `{"owner":8}`,
			`schema: invalid record: owner: Invalid pk "8" - object does not exist.`, `schema: invalid record: owner: Invalid pk "8" - object does not exist.`},
		{"beside an error", `{"title":null}`, `{"owner":7}`,
			`schema: invalid record: title: This field may not be null.`, `schema: invalid record: title: This field may not be null.`},
		{"a name in snake_case", `{"title":"T","owner":7}`, `{"created_at":null}`,
			`schema: invalid assigned member "created_at": no field of films has this name`, `schema: invalid assigned member "created_at": no field of films has this name`},
		{"the id", `{"title":"T","owner":7}`, `{"id":5}`,
			`schema: invalid assigned member "id": no field of films has this name`, `schema: invalid assigned member "id": no field of films has this name`},
	} {
		var assigned Record
		must(t, assigned.UnmarshalJSON([]byte(test.assigned)))
		checks := Checks{Find: exists, Now: now, Assigned: assigned}
		text := func(r Record, err error) string {
			if err != nil {
				return err.Error()
			}
			return r.String()
		}
		equal(t, fmt.Sprintf("%s: Validate", test.reason), test.post, text(d.Validate(t.Context(), []byte(test.body), checks)))
		if diff := cmp.Diff(test.patch, text(d.ValidateUpdate(t.Context(), Record{}, []byte(test.body), true, checks))); diff != "" {
			t.Errorf("%s: ValidateUpdate (-want +got):\n%s", test.reason, diff)
		}
	}
	if !d.Fields[3].ReadOnly || !d.Fields[4].Created {
		t.Error("the fields of the description have changed")
	}
}

func TestReadOnlyFields(t *testing.T) {
	d := Description{Fields: []Field{
		{Name: "a", Kind: Integer, ReadOnly: true, Default: "5"},
		{Name: "id", Kind: Integer},
		{Name: "b", Kind: Integer, ReadOnly: true},
		{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
	}}
	body := []byte(`{"a":"x","id":3,"b":2,"createdAt":"x","created_at":1}`)
	now := func() time.Time { return time.Date(2026, 1, 2, 1, 4, 5, 600_000_999, time.FixedZone("", -7200)) }
	record, err := d.Validate(t.Context(), body, Checks{Now: now})
	record.ID = 1
	want := `{"a":5,"id":1,"createdAt":"2026-01-02T03:04:05.600000Z"}`
	if diff := cmp.Diff(want, record.String()); err != nil || diff != "" {
		t.Errorf("Validate: %v (-want +got):\n%s", err, diff)
	}
	updated, err := d.ValidateUpdate(t.Context(), record, body, false, Checks{})
	if diff := cmp.Diff(want, updated.String()); err != nil || diff != "" {
		t.Errorf("ValidateUpdate: %v (-want +got):\n%s", err, diff)
	}

	record, err = d.Validate(t.Context(), nil, Checks{})
	must(t, err)
	var created DateTime
	text, _ := record.Get("createdAt")
	if err := json.Unmarshal([]byte(text), &created); err != nil || created.Unix() <= 0 {
		t.Errorf("Now is nil: createdAt = %v, %v, want the current time", created, err)
	}
}

func film(t testing.TB) Record {
	t.Helper()
	return parse(t, `{"id":1,"title":"T","slug":"t","synopsis":"s","released":"2024-01-02","premiereAt":null,"minutes":1,`+
		`"rating":5.0,"price":"1.00","status":"released","published":true,"director":1,"genres":[1,3],`+
		`"createdAt":"2021-10-27T19:15:00Z"}`)
}

// TestValidateUpdatePlaces checks which members of an open record are kept, and where.
func TestValidateUpdatePlaces(t *testing.T) {
	d := Description{Fields: []Field{
		{Name: "id", Kind: Integer},
		{Name: "a", Kind: Integer, Required: true},
		{Name: "b", Kind: Integer, Default: "0"},
		{Name: "c", Kind: Integer, Default: "0"},
	}}
	for _, test := range []struct{ current, body, want, reason string }{
		{`{"x":[1.0],"b":1,"id":7,"a":2}`, `{"a":3,"b":4,"x":5}`, `{"x":[1.0],"b":4,"id":7,"a":3}`, "members keep their place"},
		{`{"a":1,"id":7}`, `{"a":1,"c":3,"b":2}`, `{"a":1,"id":7,"b":2,"c":3}`, "new members in the order of the fields"},
		{`{"a":1,"id":7}`, `{"a":1}`, `{"a":1,"id":7}`, "no defaults"},
		{`{"id":7}`, `{"a":1}`, `{"id":7,"a":1}`, "no members"},
	} {
		current := parse(t, test.current)
		record, err := d.ValidateUpdate(t.Context(), current, []byte(test.body), false, Checks{})
		equal(t, fmt.Sprintf("%s of %s (%s)", test.body, test.current, test.reason), test.want, response(t, record, err))
		if got := current.String(); got != test.current {
			t.Errorf("%s changed %s to %s", test.body, test.current, got)
		}
	}
}

// FuzzValidate checks that valid records decode into the struct of the collection, have
// the same JSON, and are valid again, and that errors name fields in order.
func FuzzValidate(f *testing.F) {
	for _, member := range []string{"title", "slug", "genres", "published", "director", "premiere_at", "rating", "released"} {
		for _, value := range []string{`"x"`, `[1,2]`, `true`, `null`, `"\ud800"`, `{"1":2}`, `1.5`, `"2024-05-10T18:00Z"`} {
			f.Add([]byte(`{"title":"T","slug":"t","minutes":1,"price":1,"director":1,"` + member + `":` + value + `}`))
		}
	}
	f.Add([]byte("[["))
	films, directors := own()["films"], own()["directors"]
	f.Fuzz(func(t *testing.T, data []byte) {
		repost[ownFilm](t, films, data)
		repost[ownDirector](t, directors, data)
	})
}

// repost validates data, decodes the record and validates its JSON again.
func repost[T any](t *testing.T, d Description, data []byte) {
	checks := Checks{Find: exists, Now: func() time.Time { return time.Unix(1e9, 0) }}
	record, err := d.Validate(t.Context(), data, checks)
	if err != nil {
		checkErrors(t, d, err)
		return
	}
	record.ID = 4
	text := []byte(record.String())
	var typed T
	if err := json.Unmarshal(text, &typed); err != nil {
		t.Fatalf("record of %q is %q: %v", data, text, err)
	}
	written, err := encode(typed)
	if err != nil || !bytes.Equal(written, text) {
		t.Fatalf("record of %q is %q, of the struct %q, %v", data, text, written, err)
	}
	again, err := d.Validate(t.Context(), text, checks)
	if again.ID = 4; err != nil || again.String() != record.String() {
		t.Fatalf("record of %q is %q, validated again %v, %v", data, text, again, err)
	}
}

// checkErrors checks that err is a SyntaxError with a position or FieldErrors in the
// order of the fields.
func checkErrors(t *testing.T, d Description, err error) {
	var errs FieldErrors
	if !errors.As(err, &errs) {
		var serr *SyntaxError
		if !errors.As(err, &serr) || serr.Line < 1 || serr.Column < 1 || !utf8.ValidString(serr.Error()) {
			t.Fatalf("error %v, want FieldErrors or a SyntaxError with a position", err)
		}
		return
	}
	if text, err := errs.MarshalJSON(); err != nil || !json.Valid(text) {
		t.Fatalf("MarshalJSON of errors = %q, %v", text, err)
	}
	if len(errs) == 1 && errs[0].Field == nonField {
		return
	}
	fields := d.Fields
	for _, e := range errs {
		for len(fields) > 0 && fields[0].Name != e.Field {
			fields = fields[1:]
		}
		if len(fields) == 0 || len(e.Messages) == 0 {
			t.Fatalf("errors %v, want messages for fields in order", errs)
		}
	}
}

// The error of a callback takes precedence over invalid fields, and ends the calls.
func TestChecksFail(t *testing.T) {
	failure := errors.New("failure")
	d := Description{Name: "film", Fields: []Field{
		{Name: "title", Kind: Text, Required: true},
		{Name: "slug", Kind: Slug, Unique: true},
		{Name: "director", Kind: Reference, Refers: "directors"},
		{Name: "genres", Kind: References, Refers: "genres"},
		{Name: "number", Kind: Integer, Unique: true},
	}, Filters: []string{"title", "director", "genres"}}
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	for _, failing := range []string{"slug", "directors", "genres", "number"} {
		last := ""
		check := func(ctx context.Context, name, _ string) (bool, error) {
			if ctx.Value(key{}) != "value" || last == failing {
				t.Errorf("%s fails: then %s is checked, with %v", failing, name, ctx)
			}
			if last = name; name == failing {
				return false, failure
			}
			return name != "slug" && name != "number", nil
		}
		exists := func(ctx context.Context, collection, _, _ string) (int, string, error) {
			_, err := check(ctx, collection, "")
			return 1, "", err
		}
		checks := Checks{Find: exists, Taken: func(ctx context.Context, fields, _ []string) (bool, error) { return check(ctx, fields[0], "") }}
		body := []byte(`{"slug":"a","director":1,"genres":[1,2],"number":3}`)
		if _, err := d.Validate(ctx, body, checks); err != failure {
			t.Errorf("%s fails: Validate: %v", failing, err)
		}
		last = ""
		if _, err := d.ValidateUpdate(ctx, Record{}, body, false, checks); err != failure {
			t.Errorf("%s fails: ValidateUpdate: %v", failing, err)
		}
		last = ""
		_, err := d.Filter(ctx, valuesIn(url.Values{"title": {"\x00"}, "director": {"1"}, "genres": {"1", "2"}}), Checks{Find: exists})
		if isReference := d.Fields[2].Refers == failing || d.Fields[3].Refers == failing; isReference != (err == failure) {
			t.Errorf("%s fails: Filter: %v", failing, err)
		}
	}
}

// TestLongLookup writes texts of the Lookup field that are at most, or too long for a path.
func TestLongLookup(t *testing.T) {
	d := Description{Lookup: "mail", Fields: []Field{{Name: "mail", Kind: Text, Unique: true}}}
	for text, want := range map[string]string{
		strings.Repeat("é", 256):       "",
		strings.Repeat("é", 256) + "a": "schema: invalid record: mail: Ensure this field has no more than 1536 bytes in a path.",
		strings.Repeat("a", 1536):      "",
		strings.Repeat("a", 1537):      "schema: invalid record: mail: Ensure this field has no more than 1536 bytes in a path.",
		"a.b@c.example":                "",
		"..":                           "",
	} {
		body := []byte(`{"mail":"` + text + `"}`)
		got := ""
		_, err := d.Validate(t.Context(), body, Checks{})
		_, patched := d.ValidateUpdate(t.Context(), Record{}, body, true, Checks{})
		if err != nil {
			got = err.Error()
		}
		if got != want || (patched == nil) != (err == nil) || (d.CheckLookup(text) == nil) != (err == nil) {
			t.Errorf("%d bytes: %v, PATCH %v, want %q", len(text), err, patched, want)
		}
	}
}

// TestKeysInPaths writes keys that a path can address, and others, whoever has declared the key.
func TestKeysInPaths(t *testing.T) {
	type tagged struct {
		Code string `json:"code" backlist:"key"`
	}
	type named struct {
		Code string `json:"code"`
	}
	byTag, err := DescriptionOf[tagged]("x")
	byName, err2 := Describe(reflect.TypeFor[named](), "x", "code")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	own := Description{Lookup: "code", Fields: []Field{{Name: "code", Kind: Text, Key: true, Unique: true, Untrimmed: true}}}
	any := Description{Lookup: "code", Fields: []Field{{Name: "code", Kind: Text, Key: true, Unique: true, Pattern: regexp.MustCompile("")}}}
	lookup := Description{Lookup: "code", Fields: []Field{{Name: "code", Kind: Text, Unique: true}}}
	for _, row := range []struct {
		reason string
		d      Description
		none   bool // as in the framework, every text is taken
	}{
		{"the tag key", byTag, false}, {"Options.ID", byName, false}, {"a Key of a program's own", own, false},
		{"a Key with a pattern of its own", any, true}, {"a unique field by which paths name records", lookup, true},
	} {
		for text, good := range map[string]bool{
			"a": true, "a.b": true, ".a": true, "a.": true, "..a": true, "%2F": true, "è ?#": true,
			"a/b": false, "/": false, "a/": false, ".": false, "..": false, "...": false, "../a": false, "\n/": false,
		} {
			_, err := row.d.Validate(t.Context(), fmt.Appendf(nil, `{"code":%q}`, text), Checks{})
			if want := good || row.none; (err == nil) != want || want != strings.Contains(fmt.Sprint(err), "nil") {
				t.Errorf("%s: %q: %v, want good %v", row.reason, text, err, want)
			}
		}
	}
}

// After many errors of elements no more are checked, in the form of each version and for maps.
func TestManyErrors(t *testing.T) {
	d := Description{Fields: []Field{
		{Name: "rows", Kind: Array, Item: &Field{Kind: Object, Fields: []Field{{Name: "name", Kind: Text, Required: true}}}},
		{Name: "nums", Kind: Array, Item: &Field{Kind: Integer}},
		{Name: "byName", Kind: Map, Item: &Field{Kind: Integer}},
	}}
	const n = 100_000
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `,"m%d":"x"`, i)
	}
	rows, more := `{"rows":[{}`+strings.Repeat(",{}", n-1)+`]}`, "There are many errors: %[1]d more items have not been checked."
	for _, row := range []struct {
		body, last string // the last with the numbers of those that are and are not checked
		as         Framework
	}{
		{rows, `,{"nonFieldErrors":["` + more + `"]}]}%[2]s`, Framework{}},
		{rows, `,"%[2]s":{"nonFieldErrors":["` + more + `"]}}}`, DRF318(nil)},
		{`{"nums":["x"` + strings.Repeat(`,"x"`, n-1) + `]}`, `,"%[2]s":["` + more + `"]}}`, Framework{}},
		{`{"byName":{` + members.String()[1:] + `}}`, `,"m%[2]s":["` + more + `"]}}`, Framework{}},
	} {
		_, err := d.Validate(WithFramework(t.Context(), row.as), []byte(row.body), Checks{})
		var errs FieldErrors
		if !errors.As(err, &errs) {
			t.Fatalf("%.20s: %v", row.body, err)
		}
		checked, place := len(errs[0].Items)+len(errs[0].Fields)-1, ""
		if errs[0].Items == nil {
			place = fmt.Sprint(checked)
		}
		text, _ := errs.MarshalJSON()
		if want := fmt.Sprintf(row.last, n-checked, place); !strings.HasSuffix(string(text), want) || len(text) > 2*maxWrong {
			t.Errorf("%.20s: %d bytes that end with %s, want %s", row.body, len(text), text[max(0, len(text)-100):], want)
		}
	}
}

// TestFits checks that Fits is true for the usual values, and never for what ValidateRecord refuses.
func TestFits(t *testing.T) {
	refuse := func(string) error { return errors.New("refused") }
	fields := []Field{ // the usual value is the Default
		{Kind: Integer, Min: "1", Max: "99999999999999999999", Default: "7", Required: true},
		{Kind: Integer, Nullable: true, Default: "null"},
		{Kind: Float, Max: "7", Default: "6.5"},
		{Kind: Boolean, Default: "true"},
		{Kind: Text, MaxLength: 3, Default: `"żół"`, Required: true},
		{Kind: Text, MinLength: 2, Blank: true, Default: `""`},
		{Kind: Text, Unique: true, Default: `"a"`},
		{Kind: Text, Pattern: regexp.MustCompile("^[a-z]$"), Default: `"a"`},
		{Kind: Slug, Default: `"a"`},
		{Kind: URL, Default: `"https://example.org/a"`},
		{Kind: Email, Default: `"a@example.org"`},
		{Kind: UUID, Default: `"7d2c1f8e-0b7c-4b5c-8a3e-1f5a6b7c8d9e"`},
		{Kind: Choice, Choices: []string{"a", "7"}, Default: `"a"`},
		{Kind: Decimal, Digits: 3, Places: 1, Max: "9", Default: `"7.0"`},
		{Kind: Date, Default: `"2024-05-10"`},
		{Kind: Timestamp, Default: `"2024-05-10T18:00:00+02:00"`},
		{Kind: Reference, Nullable: true, Default: "7"},
		{Kind: References, Default: "[7]"},
		{Kind: Array, Item: &Field{Kind: Integer, Max: "7", Required: true}, MinLength: 1, MaxLength: 2, Default: "[7]"},
		{Kind: Array, Item: &Field{Kind: Text, Required: true}, Nullable: true, Default: `["a"]`},
		{Kind: Text, ReadOnly: true, Default: `"a"`},
		{Kind: Text, Check: refuse},
		{Kind: Object, Fields: []Field{{Name: "a", Kind: Text}}},
		{Kind: Map, Item: &Field{Kind: Text}},
		{Kind: JSON},
	}
	values := []string{
		"", "null", "true", "0", "7", "-0", "8", "100000000000000000000", "6.5", "7.5", "1e400", `""`, `" "`, `"a"`, `"7"`, `" a "`, `"\u0061\u0000"`, `"\ud800"`,
		`"abcd"`, `"żółw"`, `"a b"`, `"https://example.org/a b"`, `"7.25"`, `"12.0"`, `"2024-02-30"`, `"2024-05-10T18:00:00"`, `"0000-05-10T18:00:00Z"`,
		`"2024-05-10T18:00:00.1234567891234Z"`, "[]", "[7,8]", "[7,7,7]", "[null]", `["a",""]`, "{}", `{"a":""}`, `{"a":" a"}`, `"` + strings.Repeat("ä", 800) + `"`,
	}
	for _, f := range fields {
		f.Name = "field"
		d := Description{Name: "record", Fields: []Field{f}}
		if f.Unique {
			d.Lookup = f.Name
		}
		for _, value := range append(values, f.Default) {
			record := Record{}
			if value != "" {
				record.members = []member{{f.Name, value}}
			}
			_, err := d.ValidateRecord(t.Context(), record)
			switch fits := f.Fits(value); {
			case fits && err != nil:
				t.Errorf("%v %s fits, but %v", f.Kind, value, err)
			case !fits && value == f.Default && value != "" && err == nil:
				t.Errorf("%v %s does not fit", f.Kind, value)
			}
		}
	}
}

// What is accepted without an expression is accepted by Django's expressions, too.
func TestPlainForms(t *testing.T) {
	for _, text := range []string{"a.bc", "www.example.org", "a-b.c--d.example", "1.2.3.ab", strings.Repeat("a", 63) + ".ab", "x.Ab"} {
		if !plainDomain(text) {
			t.Errorf("%q is not plain", text)
		}
		checkPlain(t, text)
	}
	for _, text := range []string{
		"", ".", "a", "a.b", "a.b1", "a..bc", ".a.bc", "a.bc.", "-a.bc", "a-.bc", "a.-bc", "a.b-", "a_b.cd", "a.b_c", "1.2.3.4", "é.bc",
		strings.Repeat("a", 64) + ".ab", "a." + strings.Repeat("b", 64), strings.Repeat("a.", 127) + "bc", "a.bc:80", "u@a.bc", "[::1]",
	} {
		if plainDomain(text) {
			t.Errorf("%q is plain", text)
		}
		checkPlain(t, text)
	}
	for text, want := range map[string]bool{
		"a": true, "a.b+c-d_e": true, "A1": true, "": false, ".a": false, "a.": false, "a..b": false, "+a": false, "a+": false, "a b": false, "é": false,
	} {
		if got := plainMailbox(text); got != want {
			t.Errorf("mailbox %q: %v, want %v", text, got, want)
		}
		checkPlain(t, text)
	}
	for _, text := range []string{"10:30", "10:30:59", "1:2:3", "24:00", "23:60", "10:30:60", "103000", "1030", "T10:30", "10:30:00Z", "١٠:30"} {
		checkPlain(t, text)
	}
}

func FuzzPlainForms(f *testing.F) {
	for _, text := range []string{"www.example.org", "/a?b#c", "a.b+c", "10:30:59", "10:30", "1:2:3", "a-b.c-", "localhost", "xn--a.bc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPlain(t, text) })
}

// checkPlain compares the judgement without an expression with that of the expression.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	if plainMailbox(text) && !mailboxForm().MatchString(text) {
		t.Errorf("mailbox %q is plain and not a mailbox", text)
	}
	if plainDomain(text) && !(domainForm().MatchString(text) && shortLabels(text)) {
		t.Errorf("domain %q is plain and not one of an address", text)
	}
	for _, as := range []Framework{{}, DRF318(time.UTC)} {
		if host, rest, _ := strings.Cut(text, "/"); plainDomain(host) && isPrintable(rest) && !validHost(text, as) {
			t.Errorf("host %q is plain and not one of a URL", text)
		}
		if clock, ok := clockOf(text); ok && strings.Trim(text, "0123456789:") == "" {
			want, isISO := Time(0), false
			if as.has(readsISO) {
				if day, _, _, ok := isoTime(text); ok {
					want, isISO = Time(day), true
				}
			}
			if m := clockForm().FindStringSubmatch(text); !isISO && (m == nil || m[2] != "") {
				t.Errorf("time %q is plain and has not the form of a time", text)
			} else if !isISO {
				want, _ = clockOf(m[1])
			}
			if clock != want {
				t.Errorf("time %q: %v, want %v", text, clock, want)
			}
		}
	}
}

// Members that no field reads are reported at any depth, unless responses have them.
func TestWithUnread(t *testing.T) {
	part := []Field{{Name: "unitNo", Kind: Integer}, {Name: "sum", Kind: Integer, ReadOnly: true}}
	about := Description{
		Key: "books",
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "author", Write: "author_no", Kind: Integer},
			{Name: "pageCount", Kind: Integer},
			{Name: "cover", Kind: Object, Fields: part},
			{Name: "parts", Kind: Array, Item: &Field{Kind: Object, Fields: part}},
			{Name: "byName", Kind: Map, Item: &Field{Kind: Object, Fields: part}},
			{Name: "notes", Kind: JSON},
		},
		Shown:        []Field{{Name: "page_count", Kind: Integer}, {Name: "age", Kind: Integer}},
		ShownInLists: []Field{{Name: "rank", Kind: Integer}},
	}
	const top = "[id author_no page_count cover parts by_name notes]"
	for _, tt := range [...]struct{ reason, body, want string }{
		{"no body", ``, ""},
		{"no object", `[{"x":1}]`, ""},
		{"invalid JSON", `{"x":1`, ""},
		{"fields, in both spellings", `{"id":1,"authorNo":1,"author_no":1,"page_count":1,"pageCount":1,"cover":{"unit_no":1,"unitNo":1,"sum":1}}`, ""},
		{"what responses have", `{"author":{"name":"x"},"age":1,"rank":1,"_id":1}`, ""},
		{"any JSON", `{"notes":{"x":1},"byName":{"x":{"unitNo":1}}}`, ""},
		{"wrong kinds", `{"cover":[{"x":1}],"parts":{"x":1},"pageCount":{"x":1}}`, ""},
		{"a member", `{"pageCuont":1}`, "pageCuont " + top},
		{"two", `{"x":1,"pageCount":1,"y":1}`, "x " + top + "; y " + top},
		{"in an object", `{"cover":{"unitNr":1}}`, "unitNr [unit_no sum]"},
		{"an id in an object", `{"cover":{"id":1}}`, "id [unit_no sum]"},
		{"in an item", `{"parts":[{"unitNo":1},{"x":1}]}`, "x [unit_no sum]"},
		{"in an element of a map", `{"byName":{"x":{"y":1}}}`, "y [unit_no sum]"},
	} {
		for _, write := range []string{"POST", "PUT", "PATCH", "PATCH of a cover"} {
			var got []string
			ctx := WithUnread(t.Context(), func(name string, known []string) { got = append(got, fmt.Sprint(name, " ", known)) })
			var current Record
			if strings.HasSuffix(write, "cover") {
				must(t, json.Unmarshal([]byte(`{"id":1,"cover":{"unitNo":1,"old":1}}`), &current))
			}
			if write == "POST" {
				_, _ = about.Validate(ctx, []byte(tt.body), Checks{})
			} else {
				_, _ = about.ValidateUpdate(ctx, current, []byte(tt.body), write != "PUT", Checks{})
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("%s, %s: %s:\n%s", write, tt.reason, tt.body, diff)
			}
		}
	}
	record, err := about.Validate(WithUnread(t.Context(), func(string, []string) {}), []byte(`{"page_count":3,"authorNo":4}`), Checks{})
	if got := record.String(); err != nil || !strings.Contains(got, `"author":4,"pageCount":3`) {
		t.Errorf("%s %v", got, err)
	}
}
