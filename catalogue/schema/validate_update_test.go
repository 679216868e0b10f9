package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		if !record.Equal(parse(t, test.want)) {
			t.Errorf("%s of %s (%s): not Equal to %s", test.body, test.current, test.reason, test.want)
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
		text := record.AppendJSON(nil)
		if stored, err := ParseRecord(text); err != nil || !stored.Equal(record) {
			t.Fatalf("record of %q is %q, parsed again %v, %v", data, text, stored, err)
		}
		if record.ID != current.ID || record.Len() != current.Len() {
			t.Fatalf("record of %q is %s, with other members than %s", data, record, current)
		}
		for _, partial := range []bool{false, true} {
			again, err := d.ValidateUpdate(current, text, partial, Checks{Exists: exists})
			if err != nil || !again.Equal(record) {
				t.Fatalf("record of %q is %q, sent again %v, %v", data, text, again, err)
			}
		}
	})
}
