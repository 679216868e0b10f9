package schema

import (
	"errors"
	"strings"
	"testing"

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
	d, ok := Lookup(key)
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

func TestTimestamp(t *testing.T) {
	run(t, "events", "startDate", []row{
		ok(`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "wire form"),
		ok(`"2024-05-10T18:00:00Z"`, `"2024-05-10T18:00:00Z"`, "offset"),
		ok(`"2024-05-10 18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "space instead of T"),
		ok(`"2024-05-10T18:00+0200"`, `"2024-05-10T18:00:00+02:00"`, "no seconds, no colon"),
		ok(`"2024-05-10T18:00:00+02"`, `"2024-05-10T18:00:00+02:00"`, "offset in hours"),
		ok(`"2024-05-10T18:00:00-00:00"`, `"2024-05-10T18:00:00Z"`, "negative offset zero"),
		ok(`"2024-05-10T18:00:00+14:00"`, `"2024-05-10T18:00:00+14:00"`, "offset"),
		ok(`"2024-05-10T18:00:00.5Z"`, `"2024-05-10T18:00:00.500000Z"`, "fraction"),
		ok(`"2024-05-10T18:00:00,5Z"`, `"2024-05-10T18:00:00.500000Z"`, "comma"),
		ok(`"2024-05-10T18:00:00.123456789Z"`, `"2024-05-10T18:00:00.123456Z"`, "fraction of nine digits"),
		ok(`"2024-05-10T18:00:00.000000Z"`, `"2024-05-10T18:00:00Z"`, "fraction of zeros"),
		ok(`"2024-5-1T8:00:00Z"`, `"2024-05-01T08:00:00Z"`, "single digits"),
		ok(`"2024-5-1T8:0Z"`, `"2024-05-01T08:00:00Z"`, "single digits"),
		ok(`"2024-05-10T18:00:00Z\n"`, `"2024-05-10T18:00:00Z"`, "newline"),
		ok(`"2024-05-10T18:00:00+01:99"`, `"2024-05-10T18:00:00+02:39"`, "offset with 99 minutes"),
		bad(`"2024-05-10T18:00:00"`, "no offset", noOffset),
		bad(`"2024-05-10T18:00"`, "no offset", noOffset),
		bad(`"2024-05-10"`, "no time", wrongFormat),
		bad(`"2024-05-10T18"`, "no minutes", wrongFormat),
		bad(`"2024-05-10t18:00:00Z"`, "lower case", wrongFormat),
		bad(`"2024-05-10T18:00:00z"`, "lower case", wrongFormat),
		bad(`"2024-05-10T18:00:00 +02:00"`, "space", wrongFormat),
		bad(`" 2024-05-10T18:00:00Z"`, "leading space", wrongFormat),
		bad(`"2024-05-10T18:00:00Z\n\n"`, "two newlines", wrongFormat),
		bad(`"2024-05-10T18:00:00.Z"`, "empty fraction", wrongFormat),
		bad(`"2024-02-30T18:00:00Z"`, "no such day", wrongFormat),
		bad(`"2023-02-29T18:00:00Z"`, "no such day", wrongFormat),
		bad(`"2024-13-01T18:00:00Z"`, "no such month", wrongFormat),
		bad(`"2024-05-10T24:00:00Z"`, "hour 24", wrongFormat),
		bad(`"2024-05-10T18:60:00Z"`, "minute 60", wrongFormat),
		bad(`"2024-05-10T18:00:60Z"`, "second 60", wrongFormat),
		bad(`"2024-05-10T18:00:00+24:00"`, "offset", wrongFormat),
		bad(`"2024-05-10T18:00:00+23:60"`, "offset", wrongFormat),
		bad(`"20240510T180000Z"`, "no hyphens", wrongFormat),
		bad(`"2024-03-31T02:30:00"`, "no offset", noOffset),
		ok(`"2024-10-27T02:30:00+01:00"`, `"2024-10-27T02:30:00+01:00"`, "hour that is repeated in Rome"),
		ok(`"2024-03-31T02:30:00+01:00"`, `"2024-03-31T02:30:00+01:00"`, "hour that is skipped in Rome"),
		bad(`"0000-01-01T00:00:00Z"`, "year 0", wrongFormat),
		ok(`"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, "first year"),
		ok(`"9999-12-31T23:59:59Z"`, `"9999-12-31T23:59:59Z"`, "last year"),
		ok(`"2024-02-29T00:00:00Z"`, `"2024-02-29T00:00:00Z"`, "leap day"),
		bad(`""`, "empty", wrongFormat),
		bad(`"now"`, "word", wrongFormat),
		bad(`1715356800`, "number", wrongFormat),
		bad(`true`, "boolean", wrongFormat),
		bad(`null`, "null", notNull),
		bad(`[]`, "list", wrongFormat),
		bad(`{}`, "object", wrongFormat),
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

func TestURL(t *testing.T) {
	var rows []row
	for _, u := range []string{
		"https://x.example/a?b=c#d", "HTTP://X.EXAMPLE/", "ftp://x.example/", "ftps://x.example",
		"https://localhost", "https://x.example.", "https://x.xn--p1ai", "https://127.0.0.1:80/",
		"https://0.0.0.0/", "https://[::1]/", "https://[::ffff:1.2.3.4]:8080", "https://x.example:99999/",
		"https://user:pw@x.example/", "https://user@x.example", "https://x.example/?q=<>",
		"https://x.example/%zz", "https://x.example?q", "https://x.example#f", "https://x.example/é",
		"https://é.example/", "https://例え.jp/", "https://x.example/🙂",
		"https://x.example/" + strings.Repeat("a", 483),
		"https://" + strings.Repeat("a", 63) + ".com",
		"https://x.example/" + strings.Repeat("a", 2048-18),
		"https://" + strings.Repeat("a.", 123) + "example",
		"https://" + strings.Repeat("a.", 123) + "example:8080/x",
		"https://" + strings.Repeat("u", 300) + ":" + strings.Repeat("p", 300) + "@x.example/",
	} {
		rows = append(rows, ok(`"`+u+`"`, `"`+u+`"`, "valid"))
	}
	for u, reason := range map[string]string{
		"git+ssh://x.example": "scheme", "//x.example": "no scheme", "x.example": "no scheme",
		"javascript:alert(1)": "scheme", "mailto:a@b.c": "scheme", "httpſ://x.example": "scheme",
		"https://": "no host", "https:///x": "no host", "https://x": "one label",
		"http://a.b": "short top level", "https://x.e": "short top level",
		"https://x..example": "empty label", "https://-x.example": "leading hyphen",
		"https://x-.example": "trailing hyphen", "https://x_.example": "underscore",
		"https://x.123": "top level of digits", "https://1.2.3": "too few numbers",
		"https://256.1.1.1": "number out of range", "https://1.1.1.01/": "leading zero",
		"https://[::g]/": "invalid IPv6", "https://[": "invalid IPv6", "https://[1.2.3.4]": "IPv4 in brackets",
		"https://[fe80::1%25a]": "zone", "https://[::1]x": "text after the address",
		"https://[[::1]": "brackets", "https://x.example:123456": "long port",
		"https://x.example:/": "empty port", "https://x.example:8/": "short port",
		"https://x.example:8a/": "port", "https://@x.example/": "empty user",
		"https://a:b:c@x.example/": "two colons", "https://x.example/ a": "space",
		`https://x.example/a\tb`: "tab", `https://x.example/a\u0085b`: "white space",
		"https://例え.🙂🙂":                                           "above U+FFFF in the host",
		"https://x.example／a.com":                                 "compatibility form of a slash",
		"https://" + strings.Repeat("a", 64) + ".com":             "long label",
		"https://" + strings.Repeat("a.", 123) + "examples":       "long host",
		"https://u:p@" + strings.Repeat("a.", 123) + "example.":   "long host with its last point, after a user",
		"https://x.example/" + strings.Repeat("a", 2048-18+1):     "long",
		"https://x.example/" + strings.Repeat("a", 2048) + "?q=1": "long",
	} {
		rows = append(rows, bad(`"`+u+`"`, reason, badURL))
	}
	run(t, "social-links", "url", append(rows,
		ok(`" https://x.example/a "`, `"https://x.example/a"`, "trimmed"),
		bad(`"https://x.example/\u0000"`, "null character", "Null characters are not allowed."),
		bad(`"x\u0000\ud800"`, "all errors at once", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800.", badURL),
		bad(`""`, "empty", notBlank),
		bad(`"  "`, "trimmed", notBlank),
		bad(`null`, "null", notNull),
		bad(`5`, "number", badURL),
		bad(`true`, "boolean", badURL),
		bad(`[]`, "list", badURL),
	))
	run(t, "social-links", "logo", []row{
		ok(`null`, `null`, "null"),
		ok(`""`, `""`, "empty"),
		bad(`"x"`, "not a URL", badURL),
		bad(`5`, "not a URL", badURL),
	})
}

// missing and received return the messages for invalid references.
func missing(id string) string    { return `Invalid pk "` + id + `" - object does not exist.` }
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
