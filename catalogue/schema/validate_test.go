package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestValidateErrors(t *testing.T) {
	tests := []struct{ collection, body, want, reason string }{
		{"events", ``, `{"name":["This field is required."],"slug":["This field is required."],` +
			`"startDate":["This field is required."],"endDate":["This field is required."]}`, "no body"},
		{"events", `{}`, `{"name":["This field is required."],"slug":["This field is required."],` +
			`"startDate":["This field is required."],"endDate":["This field is required."]}`, "empty object"},
		{"social-links", `{}`, `{"title":["This field is required."],"url":["This field is required."],` +
			`"type":["This field is required."],"author":["This field is required."]}`, "empty object"},
		{"events", `{"name":null,"slug":"a b","summary":null,"startDate":"x","endDate":null,` +
			`"published":"maybe","poster":"x","posterWebp":5,"labels":5,"authors":[999999]}`,
			`{"name":["This field may not be null."],"slug":["Enter a valid \"slug\" consisting of letters, ` +
				`numbers, underscores or hyphens."],"summary":["This field may not be null."],` +
				`"startDate":["Datetime has wrong format. Use one of these formats instead: ` +
				`YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],"endDate":["This field may not be null."],` +
				`"published":["Must be a valid boolean."],"poster":["Enter a valid URL."],` +
				`"posterWebp":["Enter a valid URL."],"labels":["Expected a list of items but got type \"int\"."],` +
				`"authors":["Invalid pk \"999999\" - object does not exist."]}`, "all fields invalid"},
		{"social-links", `{"title":"","url":"","type":null,"author":"x","logo":"x"}`,
			`{"title":["This field may not be blank."],"url":["This field may not be blank."],` +
				`"logo":["Enter a valid URL."],"type":["This field may not be null."],` +
				`"author":["Incorrect type. Expected pk value, received str."]}`, "all fields invalid"},
		{"events", `{"name":"a","name":null}`, `{"name":["This field may not be null."],` +
			`"slug":["This field is required."],"startDate":["This field is required."],` +
			`"endDate":["This field is required."]}`, "repeated field"},
		{"events", `null`, `{"nonFieldErrors":["No data provided"]}`, "not an object"},
		{"events", ` 5 `, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got int."]}`, "not an object"},
		{"events", `1.5`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got float."]}`, "not an object"},
		{"events", `1e5`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got float."]}`, "not an object"},
		{"events", `"x"`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got str."]}`, "not an object"},
		{"events", `true`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got bool."]}`, "not an object"},
		{"events", `[]`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`, "not an object"},
		{"events", `[{}]`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`, "not an object"},
	}
	for _, test := range tests {
		_, err := must(t, test.collection).Validate([]byte(test.body), Checks{Exists: exists})
		var errs FieldErrors
		if !errors.As(err, &errs) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s (%s): error %v, want FieldErrors matching ErrInvalid", test.body, test.reason, err)
			continue
		}
		got, err := errs.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("%s (%s) (-want +got):\n%s", test.body, test.reason, diff)
		}
	}
}

func TestValidateRecords(t *testing.T) {
	tests := []struct{ collection, body, want, reason string }{
		{"events", `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z",` +
			`"poster":"https://x.example/p.jpg"}`,
			`{"id":91,"name":"N","slug":"s","summary":"","description":"","location":"",` +
				`"startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z","published":false,` +
				`"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[]}`, "defaults"},
		{"events", `{"id":5,"name":" padded ","slug":"s","startDate":"2024-12-10T18:00Z",` +
			`"endDate":"2024-05-10T20:00:00.25-05:00","poster":"https://x.example/p.jpg","published":"true",` +
			`"labels":[3,1,3],"authors":["1"],"zzz":{"a":"\ud800"}}`,
			`{"id":91,"name":"padded","slug":"s","summary":"","description":"","location":"",` +
				`"startDate":"2024-12-10T18:00:00Z","endDate":"2024-05-10T20:00:00.250000-05:00","published":true,` +
				`"poster":"https://x.example/p.jpg","posterWebp":"","labels":[1,3],"authors":[1]}`,
			"normalized values, and ignored members"},
		{"social-links", `{"title":"T","url":"https://www.instagram.com/x/","type":"instagram","author":1}`,
			`{"id":91,"title":"T","url":"https://www.instagram.com/x/","logo":null,"type":"instagram","author":1}`,
			"null as default"},
		{"social-links", "\r\n\t {\"title\" : \"T\", \"url\": \"https://x.example\" ,\"type\":1\n,\"author\":1}\n",
			`{"id":91,"title":"T","url":"https://x.example","logo":null,"type":"1","author":1}`, "white space"},
		{"labels", `{"name":5}`, `{"id":91}`, "only read-only fields"},
		{"books", `{"name":5}`, `{"id":91}`, "no fields"},
	}
	for _, test := range tests {
		record, err := must(t, test.collection).Validate([]byte(test.body), Checks{Exists: exists})
		if err != nil {
			t.Errorf("%s (%s): %v", test.body, test.reason, err)
			continue
		}
		if record.ID != 0 {
			t.Errorf("%s (%s): id = %d, want 0", test.body, test.reason, record.ID)
		}
		record.ID = 91
		if diff := cmp.Diff(test.want, record.String()); diff != "" {
			t.Errorf("%s (%s) (-want +got):\n%s", test.body, test.reason, diff)
		}
	}
}

func TestValidateNames(t *testing.T) {
	tests := []struct{ members, want, reason string }{
		{`"startDate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "camelCase"},
		{`"start_date":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "snake_case"},
		{`"StartDate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "leading capital"},
		{`"_startDate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "leading underscore"},
		{`"start\u0044ate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "escaped"},
		{`"STARTDATE":"2024-01-01T00:00:00Z"`, "", "one word"},
		{`"startdate":"2024-01-01T00:00:00Z"`, "", "one word"},
		{`"start\ud800Date":"2024-01-01T00:00:00Z"`, "", "unpaired surrogate"},
		{`"startDate":"bad","start_date":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "repeated field"},
		{`"start_date":"bad","startDate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, "repeated field"},
		{`"startDate":1,"start_date":2,"startDate":"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00Z"`,
			"repeated field, three times"},
	}
	for _, test := range tests {
		text := `{"Name":"N","SLUG":"s","endDate":"2024-01-01T00:00:00Z",` + test.members + `}`
		record, err := must(t, "events").Validate([]byte(text), Checks{Exists: exists})
		got, _ := record.Get("startDate")
		var want error
		if test.want == "" {
			want = FieldErrors{{"startDate", []string{required}}}
		}
		if diff := cmp.Diff(want, err); diff != "" || got != test.want {
			t.Errorf("%s (%s): got %s, want %s; error (-want +got):\n%s", test.members, test.reason, got, test.want, diff)
		}
	}
}

func TestValidateSyntaxErrors(t *testing.T) {
	tests := []struct {
		body         string
		line, column int
		reason       string
	}{
		{` `, 1, 2, "white space"},
		{`{`, 1, 2, "incomplete"},
		{`{"a"`, 1, 5, "incomplete"},
		{`{"a":}`, 1, 6, "no value"},
		{`{"a":1,}`, 1, 8, "trailing comma"},
		{`{'a':1}`, 1, 2, "single quotes"},
		{`{"a":1}}`, 1, 8, "text after the value"},
		{`{}{}`, 1, 3, "text after the value"},
		{`{"a":1 "b":2}`, 1, 8, "no comma"},
		{`{"a" 1}`, 1, 6, "no colon"},
		{`[1,`, 1, 4, "incomplete"},
		{`[1,]`, 1, 4, "trailing comma"},
		{`[1 2]`, 1, 4, "no comma"},
		{`nul`, 1, 4, "incomplete"},
		{`01`, 1, 2, "leading zero"},
		{`+1`, 1, 1, "plus"},
		{`1.`, 1, 3, "incomplete"},
		{`-`, 1, 2, "incomplete"},
		{`{"a":"b`, 1, 8, "incomplete"},
		{"{\"a\":\"b\nc\"}", 1, 8, "control character"},
		{`{"a":"\x"}`, 1, 8, "invalid escape"},
		{`{"a":"\u12"}`, 1, 11, "invalid escape"},
		{`{"a":"éé",]`, 1, 11, "columns in code points"},
		{"\n\n{\"a\":\n  ]", 4, 3, "lines"},
		{"{\"a\":1,\r\n\"b\":}", 2, 5, "carriage returns"},
		{"\xef\xbb\xbf{}", 1, 1, "byte order mark"},
		{"\xff", 1, 1, "not UTF-8"},
		{"{\"name\":\"\xc3\"}", 1, 10, "not UTF-8"},
		{"{\"name\":\"\xed\xa0\x80\"}", 1, 10, "surrogate in UTF-8"},
		{"\x00", 1, 1, "null character"},
		{"\u00a0{}", 1, 1, "no-break space"},
		{`{"name":NaN}`, 1, 9, "NaN"},
		{`{"name":Infinity}`, 1, 9, "Infinity"},
		{`{"name":-Infinity}`, 1, 10, "-Infinity"},
		{strings.Repeat("[", 990), 1, 201, "nested too deeply"},
		{strings.Repeat("[", 100000), 1, 201, "nested far too deeply"},
		{`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", 1, 205, "nested one level too deep"},
	}
	for _, test := range tests {
		_, err := must(t, "events").Validate([]byte(test.body), Checks{Exists: exists})
		var serr *SyntaxError
		if !errors.As(err, &serr) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%q (%s): error %v, want a SyntaxError matching ErrInvalid", excerpt(test.body), test.reason, err)
			continue
		}
		if serr.Line != test.line || serr.Column != test.column {
			t.Errorf("%q (%s): line %d column %d, want %d and %d: %v",
				excerpt(test.body), test.reason, serr.Line, serr.Column, test.line, test.column, serr)
		}
		if !strings.HasPrefix(serr.Error(), "JSON parse error - ") || !strings.Contains(serr.Error(), serr.Reason) {
			t.Errorf("%q (%s): Error() = %q, want prefix and reason", excerpt(test.body), test.reason, serr.Error())
		}
	}
}

func TestValidateMaximumDepth(t *testing.T) {
	text := body("social-links", "zzz", strings.Repeat("[", 199)+strings.Repeat("]", 199))
	if _, err := must(t, "social-links").Validate([]byte(text), Checks{Exists: exists}); err != nil {
		t.Error(err)
	}
	text = body("social-links", "zzz", `"`+strings.Repeat("[", 500)+`"`)
	if _, err := must(t, "social-links").Validate([]byte(text), Checks{Exists: exists}); err != nil {
		t.Errorf("brackets in a string: %v", err)
	}
}

// TestValidateOtherKinds covers kinds of fields that only descriptions of other programs
// use.
func TestValidateOtherKinds(t *testing.T) {
	d := Description{Fields: []Field{
		{Name: "size", Kind: Integer},
		{Name: "lines", Kind: TextList},
		{Name: "extra", Kind: JSON, Nullable: true},
		{Name: "author", Kind: Reference, Nullable: true, Refers: "authors"},
	}}
	tests := []struct{ body, want, reason string }{
		{`{}`, `{}`, "no defaults"},
		{`{"size":5,"lines":[" a ","a",1],"extra":{"b" : 1.0},"author":""}`,
			`{"size":5,"lines":["a","a","1"],"extra":{"b":1.0},"author":null}`, "normalized values"},
		{`{"size":5.5,"lines":"a","extra":{"b":1,"b":2},"author":0}`,
			`{"size":["A valid integer is required."],"lines":["Expected a list of items but got type \"str\"."],` +
				`"extra":["Value must be valid JSON."],"author":["Invalid pk \"0\" - object does not exist."]}`, "all fields invalid"},
		{`{"lines":[true],"extra":null}`, `{"lines":["Not a valid string."]}`, "invalid element"},
	}
	for _, test := range tests {
		record, err := d.Validate([]byte(test.body), Checks{Exists: exists})
		got := record.String()
		var errs FieldErrors
		if errors.As(err, &errs) {
			text, _ := errs.MarshalJSON()
			got = string(text)
		}
		if got != test.want {
			t.Errorf("%s (%s): got %s, want %s", test.body, test.reason, got, test.want)
		}
	}
}

func TestFieldErrorsText(t *testing.T) {
	errs := FieldErrors{{"name", []string{required, "<&>\u2028"}}, {"slug", []string{badSlug}}}
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
	one, nine := 1, 9
	d := Description{Name: "short film", Fields: []Field{
		{Name: "mainTitle", Kind: Text, Unique: true},
		{Name: "slug", Kind: Slug, Unique: true},
		{Name: "site", Kind: URL, Unique: true, Nullable: true, Blank: true},
		{Name: "number", Kind: Integer, Unique: true, Min: &one, Max: &nine},
		{Name: "price", Kind: Decimal, Digits: 4, Places: 2, Unique: true},
		{Name: "status", Kind: Choice, Choices: []string{"a", "b"}, Unique: true, Default: `"a"`},
		{Name: "author", Kind: Reference, Refers: "authors", Unique: true},
	}}
	values := map[string]string{
		"mainTitle": `"T"`, "slug": `"t !"`, "site": `""`, "number": "0", "price": `"1.50"`, "status": `"a"`, "author": "7",
	}
	taken := func(field, value string) bool {
		return values[field] == value || value == "null" || value == "" || value == "9223372036854775807"
	}
	exist := func(label string) string { return "short film with this " + label + " already exists." }
	status := FieldError{"status", []string{exist("status")}}
	tests := []struct {
		body, reason string
		want         FieldErrors
	}{
		{`{"status":"b","mainTitle":"t","slug":"t"}`, "other values", nil},
		{`{"status":"b","mainTitle":" T "}`, "the normalized value counts",
			FieldErrors{{"mainTitle", []string{exist("main title")}}}},
		{`{"status":"b","price":1.5}`, "the normalized value counts", FieldErrors{{"price", []string{exist("price")}}}},
		{`{"status":"b","author":"7"}`, "reference", FieldErrors{{"author", []string{exist("author")}}}},
		{`{}`, "default", FieldErrors{status}},
		{`{"status":"b","site":null}`, "null is not checked", nil},
		{`{"status":"b","site":""}`, "empty text is checked", FieldErrors{{"site", []string{exist("site")}}}},
		{`{"status":"b","slug":"t !","number":0}`, "also invalid",
			FieldErrors{{"slug", []string{exist("slug"), badSlug}},
				{"number", []string{exist("number"), "Ensure this value is greater than or equal to 1."}}}},
		{`{"status":"b","slug":"\ud800","number":"x"}`, "a value of the wrong type is not checked",
			FieldErrors{{"slug", []string{"Surrogate characters are not allowed: U+D800.", badSlug}}, {"number", []string{badInteger}}}},
	}
	for _, test := range tests {
		_, err := d.Validate([]byte(test.body), Checks{Exists: exists, Taken: taken})
		var want error
		if test.want != nil {
			want = test.want
		}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%s (%s): error (-want +got):\n%s", test.body, test.reason, diff)
		}
	}
	_, err := d.Validate([]byte(`{"status":"b","number":99999999999999999999}`), Checks{Taken: taken})
	want := FieldErrors{{"number", []string{"Ensure this value is less than or equal to 9."}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("a number that is out of range for an int64 is not checked (-want +got):\n%s", diff)
	}
	if _, err := d.Validate([]byte(`{}`), Checks{}); err != nil {
		t.Errorf("Taken is nil: %v", err)
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
	record, err := d.Validate(body, Checks{Now: now})
	record.ID = 1
	want := `{"a":5,"id":1,"createdAt":"2026-01-02T03:04:05.600000Z"}`
	if diff := cmp.Diff(want, record.String()); err != nil || diff != "" {
		t.Errorf("Validate: %v (-want +got):\n%s", err, diff)
	}
	updated, err := d.ValidateUpdate(record, body, false, Checks{})
	if diff := cmp.Diff(want, updated.String()); err != nil || diff != "" {
		t.Errorf("ValidateUpdate: %v (-want +got):\n%s", err, diff)
	}

	record, err = d.Validate(nil, Checks{})
	if err != nil {
		t.Fatal(err)
	}
	var created DateTime
	text, _ := record.Get("createdAt")
	if err := json.Unmarshal([]byte(text), &created); err != nil || created.Unix() <= 0 {
		t.Errorf("Now is nil: createdAt = %v, %v, want the current time", created, err)
	}
}

// film returns a record of the collection films.
func film(t testing.TB) Record {
	t.Helper()
	return parse(t, `{"id":1,"title":"T","slug":"t","synopsis":"s","released":"2024-01-02","premiereAt":null,"minutes":1,`+
		`"rating":5.0,"price":"1.00","status":"released","published":true,"director":1,"genres":[1,3],`+
		`"createdAt":"2021-10-27T19:15:00Z"}`)
}

// replaced returns the JSON of the film with other values.
func replaced(t testing.TB, oldNew ...string) string {
	t.Helper()
	text := film(t).String()
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("%s does not contain %s", text, oldNew[i])
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

// TestValidateUpdate checks section 3 of drf-own.md.
func TestValidateUpdate(t *testing.T) {
	const needed = `"title":"T","slug":"t","minutes":1,"price":"1","director":1`
	tests := []struct{ method, body, want, reason string }{
		{"PATCH", ``, replaced(t), "no body"},
		{"PATCH", `{}`, replaced(t), "nothing is needed"},
		{"PUT", `{}`, `{"title":["This field is required."],"slug":["This field is required."],` +
			`"minutes":["This field is required."],"price":["This field is required."],"director":["This field is required."]}`,
			"required fields"},
		{"PUT", `{` + needed + `}`, replaced(t), "optional fields keep their values"},
		{"PUT", `{` + needed + `,"rating":null,"genres":[],"released":null}`,
			replaced(t, `"rating":5.0`, `"rating":null`, `"genres":[1,3]`, `"genres":[]`, `"released":"2024-01-02"`, `"released":null`),
			"null and empty values"},
		{"PUT", `{"title":"U","slug":"t","minutes":-1}`, `{"minutes":["Ensure this value is greater than or equal to 0."],` +
			`"price":["This field is required."],"director":["This field is required."]}`, "invalid and absent"},
		{"PATCH", `{"title":"U","minutes":-1}`, `{"minutes":["Ensure this value is greater than or equal to 0."]}`, "invalid"},
		{"PATCH", `{"genres":[15,1,15]}`, replaced(t, `[1,3]`, `[1,15]`), "a list is replaced as a whole"},
		{"PATCH", `{"id":99,"createdAt":"2000-01-01T00:00:00Z","created_at":1,"zzz":1}`, replaced(t), "ignored members"},
		{"PATCH", `{"premiere_at":"2001-01-01T00:00:00Z"}`, replaced(t, `"premiereAt":null`, `"premiereAt":"2001-01-01T00:00:00Z"`),
			"name in snake_case"},
		{"PATCH", `{"premiereAt":"2001-01-01T00:00:00Z"}`, replaced(t, `"premiereAt":null`, `"premiereAt":"2001-01-01T00:00:00Z"`),
			"name in camelCase"},
		{"PATCH", `{"title":" U "}`, replaced(t, `"T"`, `"U"`), "normalized value"},
		{"PATCH", `{"title":""}`, `{"title":["This field may not be blank."]}`, "blank"},
		{"PATCH", `{"title":null,"released":""}`, `{"title":["This field may not be null."],"released":["` + badDate + `"]}`,
			"two errors"},
		{"PATCH", `{"slug":"t","status":"Released"}`, `{"status":["\"Released\" is not a valid choice."]}`, "one valid, one not"},
		{"PATCH", `[]`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`, "not an object"},
		{"PATCH", `null`, `{"nonFieldErrors":["No data provided"]}`, "not an object"},
	}
	for _, test := range tests {
		current := film(t)
		record, err := own()["films"].ValidateUpdate(current, []byte(test.body), test.method == "PATCH", Checks{Exists: exists})
		if diff := cmp.Diff(test.want, response(t, record, err)); diff != "" {
			t.Errorf("%s %s (%s) (-want +got):\n%s", test.method, test.body, test.reason, diff)
		}
		if diff := cmp.Diff(replaced(t), current.String()); diff != "" {
			t.Errorf("%s %s (%s): current has changed (-want +got):\n%s", test.method, test.body, test.reason, diff)
		}
	}
	var serr *SyntaxError
	if _, err := own()["films"].ValidateUpdate(film(t), []byte(`{bad`), true, Checks{}); !errors.As(err, &serr) {
		t.Errorf("error %v, want a SyntaxError", err)
	}
}

func TestValidateUpdateUnique(t *testing.T) {
	h := ownHouse(t)
	other, _ := h["directors"][2].Get("slug")
	for _, test := range []struct{ body, want, reason string }{
		{`{"slug":"1-FEE"}`, h["directors"][1].String(), "its own value"},
		{`{"slug":` + other + `,"born":""}`, `{"slug":["director with this slug already exists."],"born":["` + badDate + `"]}`,
			"value of another record"},
	} {
		record, err := own()["directors"].ValidateUpdate(h["directors"][1], []byte(test.body), true, h.checks("directors", 1))
		if diff := cmp.Diff(test.want, response(t, record, err)); diff != "" {
			t.Errorf("%s (%s) (-want +got):\n%s", test.body, test.reason, diff)
		}
	}
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
		record, err := d.ValidateUpdate(current, []byte(test.body), false, Checks{})
		if diff := cmp.Diff(test.want, response(t, record, err)); diff != "" {
			t.Errorf("%s of %s (%s) (-want +got):\n%s", test.body, test.current, test.reason, diff)
		}
		if got := current.String(); got != test.current {
			t.Errorf("%s changed %s to %s", test.body, test.current, got)
		}
	}
}

// FuzzValidateUpdate checks that the result of a PATCH keeps the id and all members, that
// it is the same when it is sent again, and that the current record does not change.
func FuzzValidateUpdate(f *testing.F) {
	for _, member := range []string{"title", "slug", "minutes", "rating", "price", "status", "released", "premiere_at", "genres"} {
		for _, value := range []string{`" x "`, `"1e3"`, `1.50`, `-0.0`, `true`, `null`, `[2,1]`, `"2024-5-1"`, `"2024-05-10T18:00Z"`, `{"aB":"\ud800"}`} {
			f.Add([]byte(`{"` + member + `":` + value + `}`))
		}
	}
	f.Add([]byte(`{"title":"a","title":"b","minutes":"+9","director":"1","published":"on","status":"withdrawn"}`))
	d, current := own()["films"], film(f)
	before := current.String()
	f.Fuzz(func(t *testing.T, data []byte) {
		record, err := d.ValidateUpdate(current, data, true, Checks{Exists: exists})
		if got := current.String(); got != before {
			t.Fatalf("%q changed the current record to %s", data, got)
		}
		if err != nil {
			checkErrors(t, d, err)
			return
		}
		text := []byte(record.String())
		if stored, err := ParseRecord(text); err != nil || stored.String() != record.String() {
			t.Fatalf("record of %q is %q, parsed again %v, %v", data, text, stored, err)
		}
		if record.ID != current.ID || size(record) != size(current) {
			t.Fatalf("record of %q is %s, with other members than %s", data, record, current)
		}
		for _, partial := range []bool{false, true} {
			again, err := d.ValidateUpdate(current, text, partial, Checks{Exists: exists})
			if err != nil || again.String() != record.String() {
				t.Fatalf("record of %q is %q, sent again %v, %v", data, text, again, err)
			}
		}
	})
}

// FuzzValidate checks that valid records decode into the struct of the collection, have
// the same JSON, and are valid again, and that errors name fields in order.
func FuzzValidate(f *testing.F) {
	for _, member := range []string{"name", "slug", "labels", "published", "poster", "start_date"} {
		for _, value := range []string{`"x"`, `[1,2]`, `true`, `null`, `"\ud800"`, `{"1":2}`, `1.5`, `"2024-05-10T18:00Z"`} {
			f.Add([]byte(body("events", member, value)))
		}
	}
	for _, member := range []string{"url", "logo", "author", "type"} {
		for _, value := range []string{`"https://x.example"`, `" 2 "`, `null`, `5`} {
			f.Add([]byte(body("social-links", member, value)))
		}
	}
	f.Add([]byte("[["))
	events, links := must(f, "events"), must(f, "social-links")
	f.Fuzz(func(t *testing.T, data []byte) {
		repost[event](t, events, data)
		repost[socialLink](t, links, data)
	})
}

// repost validates data, decodes the record and validates its JSON again.
func repost[T any](t *testing.T, d Description, data []byte) {
	record, err := d.Validate(data, Checks{Exists: exists})
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
	again, err := d.Validate(text, Checks{Exists: exists})
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

func BenchmarkValidate(b *testing.B) {
	events := must(b, "events")
	text := []byte(body("events", "labels", "[3,1]"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.Validate(text, Checks{Exists: exists}); err != nil {
			b.Fatal(err)
		}
	}
}
