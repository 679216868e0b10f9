package schema

import (
	"errors"
	"strings"
	"testing"

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
		if !strings.HasPrefix(serr.Detail(), "JSON parse error - ") || !strings.Contains(serr.Detail(), serr.Reason) {
			t.Errorf("%q (%s): Detail() = %q, want prefix and reason", excerpt(test.body), test.reason, serr.Detail())
		}
	}
}

func TestSyntaxErrorDetail(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"a":}`, `JSON parse error - unexpected character '}' at the start of a value: line 1 column 6`},
		{`{"a":é}`, `JSON parse error - unexpected character 'é' at the start of a value: line 1 column 6`},
		{`{'a':1}`, `JSON parse error - unexpected character '\'' at the start of a name: line 1 column 2`},
		{`{"a" "`, `JSON parse error - unexpected character '"' after a name: line 1 column 6`},
		{`{`, `JSON parse error - unexpected end: line 1 column 2`},
		{"\xff", `JSON parse error - invalid UTF-8, byte 0xff: line 1 column 1`},
		{strings.Repeat("[", 201), `JSON parse error - nested deeper than the limit of 200: line 1 column 201`},
	}
	for _, test := range tests {
		_, err := must(t, "events").Validate([]byte(test.body), Checks{Exists: exists})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", excerpt(test.body), err, test.want)
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
