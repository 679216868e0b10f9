package resources

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
)

// house holds the records 1 to 20 of every collection.
func house(_ string, id int) bool { return 1 <= id && id <= 20 }

// must finds a documented collection.
func must(t testing.TB, key string) Description {
	t.Helper()
	c, ok := Lookup(key)
	if !ok {
		t.Fatalf("no collection %q", key)
	}
	return c
}

// body is a valid object for a collection whose member has been replaced.
func body(collection, member, value string) string {
	object := map[string]string{
		"events": `"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00",` +
			`"endDate":"2024-05-10T20:00:00Z"`,
		"social-links": `"title":"T","url":"https://x.example/","type":"x","author":1`,
	}[collection]
	return "{" + object + `,"` + member + `":` + value + "}" // the last mention counts
}

// A row is one value of a member: either what is kept of it, or the messages.
type row struct {
	value    string
	want     string   // JSON text
	messages []string // nil: accepted
	reason   string
}

// ok and bad make rows.
func ok(value, want, reason string) row { return row{value, want, nil, reason} }
func bad(value, reason string, messages ...string) row {
	return row{value, "", messages, reason}
}

// run posts every row's value in a member of a collection.
func run(t *testing.T, collection, member string, rows []row) {
	t.Helper()
	c := must(t, collection)
	for _, row := range rows {
		record, err := c.Validate([]byte(body(collection, member, row.value)), house)
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
		ok(`"x"`, `"x"`, "plain"),
		ok(`"é日本🙂<b>&"`, `"é日本🙂<b>&"`, "no escapes for HTML"),
		bad(`""`, "empty", notBlank),
		bad(`"  "`, "stripped first", notBlank),
		ok(`" x "`, `"x"`, "stripped"),
		ok(`"\u00a0x\u2003"`, `"x"`, "all of Unicode's white space"),
		ok(`"\u200bx"`, "\"\u200bx\"", "zero width is no white space"),
		ok(`"\u001fx\u0085"`, `"x"`, "Python's white space"),
		ok(`"\u001c\u001d\u001ex"`, `"x"`, "Python's white space"),
		ok(`"\ufeff"`, "\"\ufeff\"", "a byte order mark is text"),
		ok(`"a\nb"`, `"a\nb"`, "inner white space stays"),
		ok(`"\"\\\/\b\f\t\u0001\u007f"`, "\"\\\"\\\\/\\b\\f\\t\\u0001\u007f\"", "the service's escapes"),
		ok(`"a\u2028\u2029b"`, `"a\u2028\u2029b"`, "separators are escaped"),
		bad(`"a\u0000b"`, "null character", "Null characters are not allowed."),
		bad(`"\ud800"`, "half a pair", "Surrogate characters are not allowed: U+D800."),
		bad(`"\udc00\udbff"`, "the first half is told", "Surrogate characters are not allowed: U+DC00."),
		bad(`"\ud800\u0000"`, "both told", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800."),
		ok(`"\ud83d\ude42"`, `"🙂"`, "a whole pair"),
		ok(`"`+strings.Repeat("é", 5000)+`"`, `"`+strings.Repeat("é", 5000)+`"`, "no maximum length"),
		bad(`null`, "null", notNull),
		bad(`true`, "boolean", notString),
		ok(`5`, `"5"`, "digits as sent"),
		ok(`-0`, `"-0"`, "digits as sent"),
		ok(`1.5`, `"1.5"`, "digits as sent"),
		ok(`1e22`, `"1e22"`, "digits as sent"),
		ok(`100000.0`, `"100000.0"`, "digits as sent"),
		ok(`1E-7`, `"1E-7"`, "digits as sent"),
		ok(`123456789012345678901234567890`, `"123456789012345678901234567890"`, "within a float64"),
		bad(`1e999`, "beyond a float64", notString),
		bad(strings.Repeat("9", 400), "beyond a float64", notString),
		bad(`[]`, "list", notString),
		bad(`{}`, "object", notString),
		bad(`["x"]`, "list", notString),
	})
	run(t, "events", "summary", []row{
		ok(`""`, `""`, "may be blank"),
		ok(`"  "`, `""`, "stripped"),
		bad(`null`, "null", notNull),
		ok(`5`, `"5"`, "digits as sent"),
		bad(`false`, "boolean", notString),
	})
}

func TestSlug(t *testing.T) {
	run(t, "events", "slug", []row{
		ok(`"a-b_C9"`, `"a-b_C9"`, "all kinds of characters"),
		ok(`" s "`, `"s"`, "stripped"),
		ok(`"-"`, `"-"`, "a hyphen is enough"),
		ok(`"a\n"`, `"a"`, "stripped"),
		bad(`"a.b"`, "point", badSlug),
		bad(`"à"`, "beyond ASCII", badSlug),
		bad(`"９"`, "beyond ASCII", badSlug),
		bad(`"a b"`, "blank within", badSlug),
		bad(`""`, "empty", notBlank),
		ok(`5`, `"5"`, "digits as sent"),
		bad(`5.5`, "point", badSlug),
		bad(`true`, "boolean", badSlug),
		bad(`null`, "null", notNull),
		bad(`["a"]`, "list", badSlug),
		bad(`"\ud800\u0000"`, "all told", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800.", badSlug),
	})
}

func TestTimestamp(t *testing.T) {
	run(t, "events", "startDate", []row{
		ok(`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "wire form"),
		ok(`"2024-05-10T18:00:00Z"`, `"2024-05-10T18:00:00Z"`, "offset stays"),
		ok(`"2024-05-10 18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "blank for T"),
		ok(`"2024-05-10T18:00+0200"`, `"2024-05-10T18:00:00+02:00"`, "no seconds, no colon"),
		ok(`"2024-05-10T18:00:00+02"`, `"2024-05-10T18:00:00+02:00"`, "hours of offset"),
		ok(`"2024-05-10T18:00:00-00:00"`, `"2024-05-10T18:00:00Z"`, "zero is Z"),
		ok(`"2024-05-10T18:00:00+14:00"`, `"2024-05-10T18:00:00+14:00"`, "offset stays"),
		ok(`"2024-05-10T18:00:00.5Z"`, `"2024-05-10T18:00:00.500000Z"`, "fraction"),
		ok(`"2024-05-10T18:00:00,5Z"`, `"2024-05-10T18:00:00.500000Z"`, "comma"),
		ok(`"2024-05-10T18:00:00.123456789Z"`, `"2024-05-10T18:00:00.123456Z"`, "cut off"),
		ok(`"2024-05-10T18:00:00.000000Z"`, `"2024-05-10T18:00:00Z"`, "no fraction when zero"),
		ok(`"2024-5-1T8:00:00Z"`, `"2024-05-01T08:00:00Z"`, "single digits"),
		ok(`"2024-5-1T8:0Z"`, `"2024-05-01T08:00:00Z"`, "single digits"),
		ok(`"2024-05-10T18:00:00Z\n"`, `"2024-05-10T18:00:00Z"`, "one line feed"),
		ok(`"2024-05-10T18:00:00+01:99"`, `"2024-05-10T18:00:00+02:39"`, "minutes of offset add up"),
		bad(`"2024-05-10T18:00:00"`, "no offset", noOffset),
		bad(`"2024-05-10T18:00"`, "no offset", noOffset),
		bad(`"2024-05-10"`, "no time", wrongFormat),
		bad(`"2024-05-10T18"`, "no minutes", wrongFormat),
		bad(`"2024-05-10t18:00:00Z"`, "lower case", wrongFormat),
		bad(`"2024-05-10T18:00:00z"`, "lower case", wrongFormat),
		bad(`"2024-05-10T18:00:00 +02:00"`, "blank", wrongFormat),
		bad(`" 2024-05-10T18:00:00Z"`, "not stripped", wrongFormat),
		bad(`"2024-05-10T18:00:00Z\n\n"`, "two line feeds", wrongFormat),
		bad(`"2024-05-10T18:00:00.Z"`, "no fraction behind the point", wrongFormat),
		bad(`"2024-02-30T18:00:00Z"`, "no such day", wrongFormat),
		bad(`"2023-02-29T18:00:00Z"`, "no such day", wrongFormat),
		bad(`"2024-13-01T18:00:00Z"`, "no such month", wrongFormat),
		bad(`"2024-05-10T24:00:00Z"`, "hour", wrongFormat),
		bad(`"2024-05-10T18:60:00Z"`, "minute", wrongFormat),
		bad(`"2024-05-10T18:00:60Z"`, "second", wrongFormat),
		bad(`"2024-05-10T18:00:00+24:00"`, "offset", wrongFormat),
		bad(`"2024-05-10T18:00:00+23:60"`, "offset", wrongFormat),
		bad(`"20240510T180000Z"`, "no hyphens", wrongFormat),
		bad(`"2024-03-31T02:30:00"`, "no offset", noOffset),
		ok(`"2024-10-27T02:30:00+01:00"`, `"2024-10-27T02:30:00+01:00"`, "an hour that Rome has twice"),
		ok(`"2024-03-31T02:30:00+01:00"`, `"2024-03-31T02:30:00+01:00"`, "an hour that Rome skips"),
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
		rows = append(rows, ok(v, `true`, "stands for true"))
	}
	for _, v := range []string{
		`false`, `"false"`, `"False"`, `"FALSE"`, `"f"`, `"F"`, `"n"`, `"N"`, `"no"`, `"No"`, `"NO"`,
		`"off"`, `"Off"`, `"OFF"`, `"0"`, `0`, `0.0`, `-0`, `-0.0`, `0e5`,
	} {
		rows = append(rows, ok(v, `false`, "stands for false"))
	}
	for _, v := range []string{
		`"tRue"`, `2`, `-1`, `"1.0"`, `" true "`, `""`, `"null"`, `[]`, `{}`, `[true]`, `1e999`, `0.5`,
	} {
		rows = append(rows, bad(v, "stands for neither", badBool))
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
		"https://256.1.1.1": "number too large", "https://1.1.1.01/": "leading zero",
		"https://[::g]/": "no IPv6", "https://[": "no IPv6", "https://[1.2.3.4]": "IPv4 in brackets",
		"https://[fe80::1%25a]": "zone", "https://[::1]x": "text behind the address",
		"https://[[::1]": "brackets", "https://x.example:123456": "long port",
		"https://x.example:/": "empty port", "https://x.example:8/": "short port",
		"https://x.example:8a/": "port", "https://@x.example/": "empty user",
		"https://a:b:c@x.example/": "two colons", "https://x.example/ a": "blank",
		`https://x.example/a\tb`: "tab", `https://x.example/a\u0085b`: "white space",
		"https://例え.🙂🙂":                                           "beyond U+FFFF in the host",
		"https://x.example／a.com":                                 "a slash in disguise",
		"https://" + strings.Repeat("a", 64) + ".com":             "long label",
		"https://" + strings.Repeat("a.", 125) + "example":        "long host",
		"https://x.example/" + strings.Repeat("a", 2048-18+1):     "long",
		"https://x.example/" + strings.Repeat("a", 2048) + "?q=1": "long",
	} {
		rows = append(rows, bad(`"`+u+`"`, reason, badURL))
	}
	run(t, "social-links", "url", append(rows,
		ok(`" https://x.example/a "`, `"https://x.example/a"`, "stripped"),
		bad(`"https://x.example/\u0000"`, "null character", "Null characters are not allowed."),
		bad(`"x\u0000\ud800"`, "all told", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800.", badURL),
		bad(`""`, "empty", notBlank),
		bad(`"  "`, "stripped", notBlank),
		bad(`null`, "null", notNull),
		bad(`5`, "number", badURL),
		bad(`true`, "boolean", badURL),
		bad(`[]`, "list", badURL),
	))
	run(t, "social-links", "logo", []row{
		ok(`null`, `null`, "may be null"),
		ok(`""`, `""`, "may be blank"),
		bad(`"x"`, "no URL", badURL),
		bad(`5`, "no URL", badURL),
	})
}

// missing and received are what is said of references.
func missing(id string) string    { return `Invalid pk "` + id + `" - object does not exist.` }
func received(kind string) string { return "Incorrect type. Expected pk value, received " + kind + "." }

func TestReference(t *testing.T) {
	run(t, "social-links", "author", []row{
		ok(`1`, `1`, "integer"),
		ok(`"1"`, `1`, "digits"),
		ok(`" 1 "`, `1`, "stripped"),
		ok(`"+1"`, `1`, "sign"),
		ok(`"007"`, `7`, "leading zeros"),
		ok(`1.0`, `1`, "whole number"),
		ok(`1.5`, `1`, "fraction cut off"),
		ok(`10e-1`, `1`, "exponent"),
		bad(`999999`, "no such record", missing("999999")),
		bad(`-1`, "no such record", missing("-1")),
		bad(`0`, "no such record", missing("0")),
		bad(`-0.5`, "cut off to 0", missing("-0.5")),
		bad(`99999999999999999999`, "beyond int", missing("99999999999999999999")),
		bad(`"99999999999999999999"`, "beyond int", missing("99999999999999999999")),
		bad(`"-99999999999999999999"`, "beyond int", missing("-99999999999999999999")),
		bad(`1e30`, "digits as sent", missing("1e30")),
		bad(`1e999`, "beyond float64", missing("1e999")),
		bad(`9223372036854775807.0`, "beyond int", missing("9223372036854775807.0")),
		bad(`"1_0"`, "underscores are Python's own", received("str")),
		bad(`"1.0"`, "no integer", received("str")),
		bad(`"abc"`, "no integer", received("str")),
		bad(`"0x1"`, "no integer", received("str")),
		bad(`" "`, "no integer", received("str")),
		bad(`""`, "counts as null", notNull),
		bad(`null`, "null", notNull),
		bad(`true`, "boolean", received("bool")),
		bad(`[1]`, "list", received("list")),
		bad(`{}`, "object", received("dict")),
	})
}

func TestReferences(t *testing.T) {
	run(t, "events", "labels", []row{
		ok(`[]`, `[]`, "none"),
		ok(`[ 3, 1 ]`, `[1,3]`, "ascending"),
		ok(`[1,1]`, `[1]`, "once"),
		ok(`["1"]`, `[1]`, "digits"),
		ok(`[" 1 "]`, `[1]`, "stripped"),
		ok(`[1.0]`, `[1]`, "whole number"),
		ok(`[1.5]`, `[1]`, "fraction cut off"),
		ok(`[10,9]`, `[9,10]`, "by number"),
		ok(`{}`, `[]`, "an object's names"),
		ok(`{"1":"x"}`, `[1]`, "an object's names"),
		bad(`{"x":1}`, "an object's names", received("str")),
		bad(`[999999]`, "no such record", missing("999999")),
		bad(`[999999,888888]`, "the first is told", missing("999999")),
		bad(`["x",999999]`, "the first is told", received("str")),
		bad(`[1,999999]`, "no such record", missing("999999")),
		bad(`[null]`, "Python's name", missing("None")),
		bad(`[true]`, "boolean", received("bool")),
		bad(`[""]`, "no integer", received("str")),
		bad(`["x"]`, "no integer", received("str")),
		bad(`[[1]]`, "list", received("list")),
		bad(`[{}]`, "object", received("dict")),
		bad(`[99999999999999999999]`, "beyond int", missing("99999999999999999999")),
		bad(`null`, "null", notNull),
		bad(`""`, "string", `Expected a list of items but got type "str".`),
		bad(`"1"`, "string", `Expected a list of items but got type "str".`),
		bad(`5`, "number", `Expected a list of items but got type "int".`),
		bad(`true`, "boolean", `Expected a list of items but got type "bool".`),
		bad(`1.5`, "number", `Expected a list of items but got type "float".`),
	})
}

// TestReferencesAreAskedFor: of the field's collection, ids from 1 on, and of
// nobody when there is nobody to ask.
func TestReferencesAreAskedFor(t *testing.T) {
	type ask struct {
		Description string
		ID          int
	}
	var asked []ask
	text := body("events", "labels", `[2,-1]`)
	text = text[:len(text)-1] + `,"authors":[0,7]}`
	_, err := must(t, "events").Validate([]byte(text), func(key string, id int) bool {
		asked = append(asked, ask{key, id})
		return true
	})
	if diff := cmp.Diff([]ask{{"labels", 2}}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	want := FieldErrors{{"labels", []string{missing("-1")}}, {"authors", []string{missing("0")}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	_, err = must(t, "social-links").Validate([]byte(body("social-links", "author", "1")), nil)
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("with nobody to ask: error %v, want %v", err, ErrInvalid)
	}
}
