package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzParseRecord checks that accepted texts have the members that encoding/json decodes
// and survive a round trip, and that rejected texts are not JSON or cannot be records.
func FuzzParseRecord(f *testing.F) {
	for _, records := range dataset(f) {
		f.Add([]byte(records[0]))
	}
	for _, text := range []string{
		`{}`, `{"a":1.0,"id":3}`, "{\"\u2028\":\"\\ud83d\\ude42\\/\\u2029\"}", ` { "a" : [ { } , [ ] ] } `,
		`{"a":1,"a":2}`, `{"a":"\ud800"}`, `{"id":1e3}`, "{\"a\":\"\xff\"}", `{"a":{"b":1,"b":2}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(data)
		if err != nil {
			var serr *SyntaxError
			if !errors.Is(err, ErrInvalid) || errors.As(err, &serr) != (checkSyntax(data, maxDepth) != nil) {
				t.Fatalf("%q: error %v", data, err)
			}
			if serr == nil && mayBeRecord(data) {
				t.Fatalf("ParseRecord(%q): %v", data, err)
			}
			return
		}
		text := r.AppendJSON(nil)
		if !json.Valid(data) || !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("JSON of %q is %q", data, text)
		}
		again, err := ParseRecord(text)
		if err != nil || !again.Equal(r) || !bytes.Equal(again.AppendJSON(nil), text) {
			t.Fatalf("JSON of %q is %q, parsed again %v, %v", data, text, again, err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != r.Len() {
			t.Fatalf("record of %q has %d members, want %d", data, r.Len(), len(want))
		}
		for name, text := range r.All() {
			if values(t, []byte(text)) != values(t, want[name]) {
				t.Fatalf("member %q = %s, want %s", name, text, want[name])
			}
		}
	})
}

// mayBeRecord reports whether a JSON text is an object in which no name is repeated, no
// string is invalid UTF-8, and no member is named id.
func mayBeRecord(data []byte) bool {
	names := []map[any]bool{} // of each open object; nil for a list
	isName := false
	d := json.NewDecoder(bytes.NewReader(data))
	for d.UseNumber(); ; {
		token, err := d.Token()
		if err != nil {
			return bytes.HasPrefix(bytes.TrimLeft(data, space), []byte("{"))
		}
		text, isText := token.(string)
		if isText && (strings.Contains(text, "\ufffd") || isName && (names[len(names)-1][text] || text == "id")) {
			return false
		}
		switch {
		case token == json.Delim('{'):
			names = append(names, map[any]bool{})
		case token == json.Delim('['):
			names = append(names, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			names = names[:len(names)-1]
		case isName:
			names[len(names)-1][text] = true
			isName = false
			continue
		}
		isName = len(names) > 0 && names[len(names)-1] != nil
	}
}

// values returns a JSON text as encoding/json decodes and encodes it, with its digits.
func values(t *testing.T, text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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
		repost[Event](t, events, data)
		repost[SocialLink](t, links, data)
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
	text := record.AppendJSON(nil)
	var typed T
	if err := json.Unmarshal(text, &typed); err != nil {
		t.Fatalf("record of %q is %q: %v", data, text, err)
	}
	written, err := encode(typed)
	if err != nil || !bytes.Equal(written, text) {
		t.Fatalf("record of %q is %q, of the struct %q, %v", data, text, written, err)
	}
	again, err := d.Validate(text, Checks{Exists: exists})
	if again.ID = 4; err != nil || !again.Equal(record) {
		t.Fatalf("record of %q is %q, validated again %v, %v", data, text, again, err)
	}
}

// checkErrors checks that err is a SyntaxError with a position or FieldErrors in the
// order of the fields.
func checkErrors(t *testing.T, d Description, err error) {
	var errs FieldErrors
	if !errors.As(err, &errs) {
		var serr *SyntaxError
		if !errors.As(err, &serr) || serr.Line < 1 || serr.Column < 1 || !utf8.ValidString(serr.Detail()) {
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

// FuzzParseDateTime checks that accepted texts survive a round trip with the same instant
// and offset, and that the wire form is parsed as package time does.
func FuzzParseDateTime(f *testing.F) {
	for _, text := range []string{
		"2024-05-10T18:00:00+02:00", "2024-5-1 8:0Z", "2024-05-10T18:00:00,5-0930", "0001-01-01T00:00:00+23:59",
		"9999-12-31T23:59:59.999999Z", "2024-02-30T00:00:00Z", "2024-05-10T18:00:00+01:99", "2024-05-10T18:00", "",
	} {
		f.Add(text)
	}
	plainForm := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDateTime(text)
		if want, err2 := time.Parse(time.RFC3339, text); err2 == nil && plainForm.MatchString(text) && !strings.HasPrefix(text, "0000") {
			if err != nil || !d.Equal(want) {
				t.Fatalf("ParseDateTime(%q) = %v, %v, want %v", text, d, err, want)
			}
		}
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("error %v does not match ErrInvalid", err)
			}
			return
		}
		wire, err := d.MarshalJSON()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		plain := strings.Trim(string(wire), `"`)
		want, err := time.Parse(time.RFC3339Nano, plain)
		if err != nil || !d.Equal(want) {
			t.Fatalf("JSON of %q is %s, which package time parses as %v, %v", text, wire, want, err)
		}
		again, err := ParseDateTime(plain)
		var read DateTime
		if err2 := json.Unmarshal(wire, &read); err != nil || err2 != nil {
			t.Fatalf("JSON of %q is %s: ParseDateTime: %v, Unmarshal: %v", text, wire, err, err2)
		}
		_, offset := d.Zone()
		for _, other := range []DateTime{again, read, At(d.Time)} {
			if _, o := other.Zone(); !other.Equal(d.Time) || o != offset {
				t.Fatalf("%q is parsed as %v and, after a round trip, as %v", text, d, other)
			}
		}
	})
}

// FuzzURL checks that plain URLs are accepted, and that accepted texts have one of the
// four schemes and a host, and neither tabs nor newlines.
func FuzzURL(f *testing.F) {
	for _, text := range []string{
		"https://x.example/a?b=c#d", "ftp://user:pw@127.0.0.1:80/", "https://[::1]:8080", "http://a?b@x.example/",
		"https://例え.jp/", "https://x..example", "https://[::1]x", "://", "https://x.example:8/", "http://localhost#",
	} {
		f.Add(text)
	}
	plain := regexp.MustCompile(`^(?i:https?|ftps?)://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?::[0-9]{2,5})?)(?:[/?#][!-~]*)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		if !validURL(text) {
			if m := plain.FindStringSubmatch(text); m != nil && len(m[1]) <= 253 && len(text) <= 2048 {
				t.Fatalf("rejected %q", text)
			}
			return
		}
		if strings.ContainsAny(text, "\t\r\n") || utf8.RuneCountInString(text) > 2048 {
			t.Fatalf("accepted %q", text)
		}
		u, err := url.Parse(text)
		if err != nil || strings.ContainsAny(text, "?#") {
			return
		}
		switch u.Scheme {
		case "http", "https", "ftp", "ftps":
		default:
			t.Fatalf("accepted %q with scheme %q", text, u.Scheme)
		}
		if u.Hostname() == "" {
			t.Fatalf("accepted %q without a host", text)
		}
	})
}
