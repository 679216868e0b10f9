package schema

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
	if err := record.Decode("createdAt", &created); err != nil || created.Unix() <= 0 {
		t.Errorf("Now is nil: createdAt = %v, %v, want the current time", created, err)
	}
}
