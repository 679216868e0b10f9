package schema

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/google/go-cmp/cmp"
)

const (
	wrongFormat = `Datetime has wrong format. Use one of these formats instead: ` +
		`YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].`
	noOffset = `Datetime has no UTC offset. Use one of these formats instead: ` +
		`YYYY-MM-DDThh:mm[:ss[.uuuuuu]](+HH:MM|-HH:MM|Z).`
	notBlank  = "This field may not be blank."
	notNull   = "This field may not be null."
	required  = "This field is required."
	notString = "Not a valid string."
	badSlug   = `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`
	badURL    = "Enter a valid URL."
	badBool   = "Must be a valid boolean."
	badDate   = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
)

// exists reports true for the ids 1 to 20 of every collection.
func exists(_ string, id int) bool { return 1 <= id && id <= 20 }

// must returns the description of a documented collection.
func must(t testing.TB, key string) Description {
	t.Helper()
	d, ok := service(key)
	if !ok {
		t.Fatalf("no collection %q", key)
	}
	return d
}

// body returns a valid object for a collection, with a member replaced.
func body(collection, member, value string) string {
	object := map[string]string{
		"events": `"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00",` +
			`"endDate":"2024-05-10T20:00:00Z"`,
		"social-links": `"title":"T","url":"https://x.example/","type":"x","author":1`,
	}[collection]
	return "{" + object + `,"` + member + `":` + value + "}" // the last value counts
}

// A row is a value of a member and its JSON in the record, or the messages if it is
// invalid.
type row struct {
	value    string
	want     string
	messages []string
	reason   string
}

func ok(value, want, reason string) row { return row{value, want, nil, reason} }
func bad(value, reason string, messages ...string) row {
	return row{value, "", messages, reason}
}

// run validates the value of every row as a member of a collection.
func run(t *testing.T, collection, member string, rows []row) {
	t.Helper()
	d := must(t, collection)
	for _, row := range rows {
		record, err := d.Validate([]byte(body(collection, member, row.value)), Checks{Exists: exists})
		var want error
		if row.messages != nil {
			want = FieldErrors{{member, row.messages}}
		}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%s %s (%s): error (-want +got):\n%s", member, excerpt(row.value), row.reason, diff)
			continue
		}
		if got, _ := record.Get(member); got != row.want {
			t.Errorf("%s %s (%s): got %s, want %s", member, excerpt(row.value), row.reason, got, row.want)
		}
	}
}

func TestText(t *testing.T) {
	run(t, "events", "name", []row{
		ok(`"x"`, `"x"`, "plain text"),
		ok(`"é日本🙂<b>&"`, `"é日本🙂<b>&"`, "no HTML escapes"),
		bad(`""`, "empty", notBlank),
		bad(`"  "`, "only spaces", notBlank),
		ok(`" x "`, `"x"`, "trimmed"),
		ok(`"\u00a0x\u2003"`, `"x"`, "Unicode white space"),
		ok(`"\u200bx"`, "\"\u200bx\"", "zero-width space"),
		ok(`"\u001fx\u0085"`, `"x"`, "white space in Python only"),
		ok(`"\u001c\u001d\u001ex"`, `"x"`, "white space in Python only"),
		ok(`"\ufeff"`, "\"\ufeff\"", "byte order mark"),
		ok(`"a\nb"`, `"a\nb"`, "inner white space"),
		ok(`"\"\\\/\b\f\t\u0001\u007f"`, "\"\\\"\\\\/\\b\\f\\t\\u0001\u007f\"", "escapes of the service"),
		ok(`"a\u2028\u2029b"`, `"a\u2028\u2029b"`, "line separators"),
		bad(`"a\u0000b"`, "null character", "Null characters are not allowed."),
		bad(`"\ud800"`, "unpaired surrogate", "Surrogate characters are not allowed: U+D800."),
		bad(`"\udc00\udbff"`, "two unpaired surrogates", "Surrogate characters are not allowed: U+DC00."),
		bad(`"\ud800\u0000"`, "unpaired surrogate and null character", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800."),
		ok(`"\ud83d\ude42"`, `"🙂"`, "surrogate pair"),
		ok(`"`+strings.Repeat("é", 5000)+`"`, `"`+strings.Repeat("é", 5000)+`"`, "long"),
		bad(`null`, "null", notNull),
		bad(`true`, "boolean", notString),
		ok(`5`, `"5"`, "number"),
		ok(`-0`, `"-0"`, "number"),
		ok(`1.5`, `"1.5"`, "number"),
		ok(`1e22`, `"1e22"`, "number"),
		ok(`100000.0`, `"100000.0"`, "number"),
		ok(`1E-7`, `"1E-7"`, "number"),
		ok(`123456789012345678901234567890`, `"123456789012345678901234567890"`, "number in range for a float64"),
		bad(`1e999`, "number out of range for a float64", notString),
		bad(strings.Repeat("9", 400), "number out of range for a float64", notString),
		bad(`[]`, "list", notString),
		bad(`{}`, "object", notString),
		bad(`["x"]`, "list", notString),
	})
	run(t, "events", "summary", []row{
		ok(`""`, `""`, "empty"),
		ok(`"  "`, `""`, "trimmed"),
		bad(`null`, "null", notNull),
		ok(`5`, `"5"`, "number"),
		bad(`false`, "boolean", notString),
	})
}

func TestSlug(t *testing.T) {
	run(t, "events", "slug", []row{
		ok(`"a-b_C9"`, `"a-b_C9"`, "all kinds of characters"),
		ok(`" s "`, `"s"`, "trimmed"),
		ok(`"-"`, `"-"`, "only a hyphen"),
		ok(`"a\n"`, `"a"`, "trimmed"),
		bad(`"a.b"`, "dot", badSlug),
		bad(`"à"`, "not ASCII", badSlug),
		bad(`"９"`, "not ASCII", badSlug),
		bad(`"a b"`, "inner space", badSlug),
		bad(`""`, "empty", notBlank),
		ok(`5`, `"5"`, "number"),
		bad(`5.5`, "dot", badSlug),
		bad(`true`, "boolean", badSlug),
		bad(`null`, "null", notNull),
		bad(`["a"]`, "list", badSlug),
		bad(`"\ud800\u0000"`, "all errors at once", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800.", badSlug),
	})
}

func TestBoolean(t *testing.T) {
	rows := []row{bad(`null`, "null", notNull)}
	for _, v := range []string{
		`true`, `"true"`, `"True"`, `"TRUE"`, `"t"`, `"T"`, `"y"`, `"Y"`, `"yes"`, `"Yes"`, `"YES"`,
		`"on"`, `"On"`, `"ON"`, `"1"`, `1`, `1.0`, `10e-1`,
	} {
		rows = append(rows, ok(v, `true`, "true"))
	}
	for _, v := range []string{
		`false`, `"false"`, `"False"`, `"FALSE"`, `"f"`, `"F"`, `"n"`, `"N"`, `"no"`, `"No"`, `"NO"`,
		`"off"`, `"Off"`, `"OFF"`, `"0"`, `0`, `0.0`, `-0`, `-0.0`, `0e5`,
	} {
		rows = append(rows, ok(v, `false`, "false"))
	}
	for _, v := range []string{
		`"tRue"`, `2`, `-1`, `"1.0"`, `" true "`, `""`, `"null"`, `[]`, `{}`, `[true]`, `1e999`, `0.5`,
	} {
		rows = append(rows, bad(v, "neither true nor false", badBool))
	}
	run(t, "events", "published", rows)
}

// invalidChoice returns the message for a value with the given text in Python.
func invalidChoice(text string) string { return `"` + text + `" is not a valid choice.` }

func TestChoice(t *testing.T) {
	runField(t, Field{Kind: Choice, Choices: []string{"released", "5", "True", "1.0", "é"}}, []row{
		ok(`"released"`, `"released"`, "choice"),
		ok(`"r\u0065leased"`, `"released"`, "escaped"),
		ok(`"é"`, `"é"`, "not ASCII"),
		ok(`5`, `"5"`, "text of a number"),
		ok(`true`, `"True"`, "text of a boolean"),
		ok(`1e0`, `"1.0"`, "text of a number in Python"),
		bad(`"Released"`, "upper case", invalidChoice("Released")),
		bad(`" released "`, "not trimmed", invalidChoice(" released ")),
		bad(`""`, "empty", invalidChoice("")),
		bad(`6`, "number", invalidChoice("6")),
		bad(`-0`, "negative zero", invalidChoice("0")),
		bad(`1e22`, "number with exponent", invalidChoice("1e+22")),
		bad(`1e999`, "out of range for a float64", invalidChoice("inf")),
		bad(`-1e999`, "out of range for a float64", invalidChoice("-inf")),
		bad(`false`, "boolean", invalidChoice("False")),
		bad(`null`, "null", notNull),
		bad(`[]`, "list", invalidChoice("[]")),
		bad(`[ null, true , [1.50], {} ]`, "list, as it was sent", invalidChoice("[ null, true , [1.50], {} ]")),
		bad(`{"aB":"x", "c_d":{"e1":[]}}`, "object", invalidChoice(`{"aB":"x", "c_d":{"e1":[]}}`)),
		bad(`["a\ud800b"]`, "unpaired surrogate in a list", invalidChoice(`["a\ud800b"]`)),
		bad(`"a\ud800b"`, "unpaired surrogate", invalidChoice("a\ufffdb")),
	})
	runField(t, Field{Kind: Choice, Choices: []string{"a"}, Blank: true, Nullable: true}, []row{
		ok(`""`, `""`, "empty"),
		ok(`null`, `null`, "null"),
		bad(`" "`, "not trimmed", invalidChoice(" ")),
	})
}

func TestNullableBoolean(t *testing.T) {
	runField(t, Field{Kind: Boolean, Nullable: true}, []row{
		ok(`null`, `null`, "null"),
		ok(`""`, `null`, "empty"),
		ok(`"null"`, `null`, "word"),
		ok(`"Null"`, `null`, "word"),
		ok(`"NULL"`, `null`, "word"),
		bad(`"nuLL"`, "unknown word", badBool),
		bad(`" "`, "not trimmed", badBool),
		ok(`"off"`, `false`, "word"),
	})
}

func TestTextList(t *testing.T) {
	runField(t, Field{Kind: TextList}, []row{
		ok(`[]`, `[]`, "empty"),
		ok(`[" a ","a",5]`, `["a","a","5"]`, "trimmed, in order"),
		bad(`["a",null,true]`, "null in the list", notNull),
		bad(`["a"," "]`, "blank in the list", notBlank),
		bad(`[["a"]]`, "list in the list", notString),
		bad(`{}`, "object", `Expected a list of items but got type "dict".`),
		bad(`"a"`, "string", `Expected a list of items but got type "str".`),
	})
}

const (
	badInteger = "A valid integer is required."
	badNumber  = "A valid number is required."
	large      = "String value too large."
)

// runField validates the value of every row as the only member of a body.
func runField(t *testing.T, f Field, rows []row) {
	t.Helper()
	f.Name = "value"
	d := Description{Name: "film", Fields: []Field{f}}
	for _, row := range rows {
		record, err := d.Validate([]byte(`{"value":`+row.value+`}`), Checks{Exists: exists})
		var want error
		if row.messages != nil {
			want = FieldErrors{{"value", row.messages}}
		}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%s (%s): error (-want +got):\n%s", excerpt(row.value), row.reason, diff)
		}
		if got, _ := record.Get("value"); got != row.want {
			t.Errorf("%s (%s): got %s, want %s", excerpt(row.value), row.reason, got, row.want)
		}
	}
}

// TestKinds checks what Django REST framework calls each kind and how its values are sorted.
func TestKinds(t *testing.T) {
	for _, row := range []struct {
		kind           Kind
		name           string
		lesser, higher string // values of a Test that compare in this order
		special        bool   // text in JSON that compares by another value
	}{
		{Integer, "integer", "-10", "9", false},
		{Text, "string", "10", "9", false},
		{Slug, "slug", "10", "9", false},
		{Timestamp, "datetime", "2024-05-10T18:00:00+02:00", "2024-05-10T17:00:00Z", true},
		{Boolean, "boolean", "false", "true", false},
		{URL, "url", "https://a.example", "https://b.example", false},
		{Reference, "field", "9", "10", false},
		{References, "field", "9", "10", false},
		{TextList, "list", "10", "9", false},
		{JSON, "field", "10", "9", false},
		{Float, "float", "-1e3", "0.5", false},
		{Decimal, "decimal", "9.50", "12.00", true},
		{Date, "date", "2024-05-10", "2024-05-11", false},
		{Choice, "choice", "announced", "released", false},
	} {
		if got := row.kind.String(); got != row.name {
			t.Errorf("kind %d is %q, want %q", row.kind, got, row.name)
		}
		if c := row.kind.Key(row.lesser).Compare(row.kind.Key(row.higher)); c >= 0 {
			t.Errorf("%v %d: %s is not less than %s", row.kind, row.kind, row.lesser, row.higher)
		}
		key := row.kind.TextKey()
		if (key != nil) != row.special {
			t.Errorf("%v %d: a function for text: %v, want %v", row.kind, row.kind, key != nil, row.special)
		}
		if key != nil && (key(row.lesser).Compare(key(row.higher)) >= 0 || key("x").Compare(sortkey.Text("x")) != 0) {
			t.Errorf("%v: wrong keys of text", row.kind)
		}
	}
	for _, unknown := range []Kind{0, Choice + 1} {
		if unknown.String() != "field" || unknown.TextKey() != nil || len(unknown.lookups()) > 0 {
			t.Errorf("kind %d is not like JSON", unknown)
		}
	}
}
