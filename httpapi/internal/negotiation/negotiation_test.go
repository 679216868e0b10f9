package negotiation

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

func TestKnownFormat(t *testing.T) {
	for format, want := range map[string]bool{"": true, "json": true, "api": true, "JSON": false, "xml": false, " json": false} {
		if got := KnownFormat(format); got != want {
			t.Errorf("KnownFormat(%q) = %t, want %t", format, got, want)
		}
	}
}

func TestAccept(t *testing.T) {
	const no = -1 // not acceptable
	tests := []struct {
		reason  string
		headers []string
		indent  int // or no
	}{
		{"no header", nil, 0},
		{"empty header", []string{""}, no},
		{"anything", []string{"*/*"}, 0},
		{"the type itself", []string{"application/json"}, 0},
		{"range of subtypes", []string{"application/*"}, 0},
		{"range of types", []string{"*/json"}, 0},
		{"other type", []string{"text/html"}, no},
		{"other range", []string{"text/*"}, no},
		{"second alternative", []string{"text/html, */*"}, 0},
		{"header of a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 0},
		{"quality 0 is ignored", []string{"application/json;q=0"}, 0},
		{"quality 0 of anything", []string{"*/*;q=0"}, 0},
		{"quality 0 beside another type", []string{"application/json;q=0, text/html"}, 0},
		{"lower quality", []string{"image/png;q=1, application/json;q=0.1"}, 0},
		{"other subtype", []string{"application/xml"}, no},
		{"structured suffix is another subtype", []string{"application/vnd.api+json"}, no},
		{"upper case", []string{"APPLICATION/JSON"}, 0},
		{"long s instead of s", []string{"application/jſon"}, no},
		{"unknown parameter", []string{"application/json; version=1"}, 0},
		{"charset", []string{"application/json;charset=utf-8"}, 0},
		{"indent", []string{"application/json; indent=2"}, 2},
		{"indent without space", []string{"application/json;indent=4"}, 4},
		{"spaces everywhere", []string{"application/json ; indent = 2"}, 2},
		{"indent of a range", []string{"*/*; indent=2"}, 2},
		{"indent of a range of subtypes", []string{"application/*; indent=1"}, 1},
		{"indent above the maximum", []string{"application/json; indent=9"}, 8},
		{"largest indent", []string{"application/json; indent=8"}, 8},
		{"indent beyond any integer", []string{"application/json; indent=99999999999999999999999"}, 8},
		{"indent 0", []string{"application/json; indent=0"}, 0},
		{"negative indent", []string{"application/json; indent=-1"}, 0},
		{"indent that is not a number", []string{"application/json; indent=x"}, 0},
		{"indent without digits", []string{"application/json; indent=+"}, 0},
		{"indent with a plus sign", []string{"application/json; indent=+3"}, 3},
		{"empty indent", []string{"application/json; indent="}, 0},
		{"indent without =", []string{"application/json; indent"}, 0},
		{"quoted indent", []string{`application/json; indent="3"`}, 3},
		{"two indents: the last counts", []string{"application/json; indent=3; indent=5"}, 5},
		{"indent in upper case", []string{"application/json; INDENT=3"}, 3},
		{"semicolon in quotes", []string{`application/json; x="a;indent=2"; indent=4`}, 4},
		{"semicolon in quotes after indent", []string{`application/json; indent=4; x="a;indent=2"`}, 4},
		{"quality and indent", []string{"application/json; q=0.5; indent=2"}, 2},
		{"the more specific alternative counts", []string{"*/*; indent=2, application/json"}, 0},
		{"the first of equally specific alternatives counts", []string{"*/json;indent=2, */json;indent=4"}, 2},
		{"parameters are more specific", []string{"application/json, application/json;indent=2"}, 2},
		{"q alone is not more specific", []string{"application/*;indent=2, application/json;q=1"}, 0},
		{"range of subtypes is more specific than range of types", []string{"*/*;indent=1, application/*;indent=2"}, 2},
		{"star alone", []string{"*"}, no},
		{"type alone", []string{"application"}, no},
		{"slash alone", []string{"/"}, no},
		{"subtype alone", []string{"json"}, no},
		{"comma alone", []string{","}, no},
		{"comma at the end", []string{"application/json,"}, 0},
		{"comma and space at the end", []string{"application/json, "}, 0},
		{"semicolon at the end", []string{"application/json;"}, 0},
		{"another type with parameters", []string{"text/html;level=1, application/json"}, 0},
		{"second slash is part of the subtype", []string{"application/json/x"}, no},
		{"two headers", []string{"text/html", "application/json;indent=1"}, 1},
		{"two headers, one empty", []string{"", "*/*"}, 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			indent, ok := Accept(test.headers)
			if !ok {
				indent = no
			}
			if indent != test.indent {
				t.Errorf("Accept(%q) = %d, want %d (%d: not acceptable)", test.headers, indent, test.indent, no)
			}
		})
	}
}

// modelAccept is Accept as implemented by Django's parse_header and the framework's
// precedence, without fast paths.
func modelAccept(header string) (indent int, ok bool) {
	best := -1
	for token := range strings.SplitSeq(header, ",") {
		full, params := modelParseHeader(token)
		main, sub, _ := strings.Cut(full, "/")
		if main != "*" && main != "application" || sub != "*" && sub != "json" {
			continue
		}
		_, hasQ := params["q"]
		precedence := 3
		switch {
		case main == "*":
			precedence = 0
		case sub == "*":
			precedence = 1
		case len(params) == 0 || len(params) == 1 && hasQ:
			precedence = 2
		}
		if precedence <= best {
			continue
		}
		best, indent = precedence, 0
		if n, err := strconv.Atoi(strings.TrimSpace(params["indent"])); err == nil || n != 0 {
			indent = max(0, min(n, 8)) // Atoi returns the largest int if n is too large
		}
	}
	return indent, best >= 0
}

func modelParseHeader(line string) (string, map[string]string) {
	var list []string
	rest := []byte(";" + line)
	for len(rest) > 0 && rest[0] == ';' {
		rest = rest[1:]
		end := bytes.IndexByte(rest, ';')
		for end > 0 && bytes.Count(rest[:end], []byte{'"'})%2 == 1 {
			if i := bytes.IndexByte(rest[end+1:], ';'); i >= 0 {
				end += 1 + i
			} else {
				end = -1
			}
		}
		if end < 0 {
			end = len(rest)
		}
		list = append(list, strings.TrimSpace(string(rest[:end])))
		rest = rest[end:]
	}
	params := map[string]string{}
	for _, p := range list[1:] {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = strings.NewReplacer(`\\`, `\`).Replace(value[1 : len(value)-1])
			value = strings.NewReplacer(`\"`, `"`).Replace(value)
		}
		params[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return strings.ToLower(list[0]), params
}

func FuzzAccept(f *testing.F) {
	for _, seed := range []string{"", "*/*", "application/json;indent=2", `a/b;c="d;e\"",*/json;indent="3"`,
		"application/*;q=1;indent=-0", "APPLICATION/JSON ; INDENT = +8 ,", "application/json;=1", ";;;", `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if strings.ContainsRune(header, '\u212A') {
			t.Skip("strings.ToLower converts the Kelvin sign to a k")
		}
		wantIndent, wantOK := modelAccept(header)
		indent, ok := Accept([]string{header})
		if indent != wantIndent || ok != wantOK {
			t.Errorf("Accept(%q) = %d, %t, want %d, %t", header, indent, ok, wantIndent, wantOK)
		}
	})
}

// TestPrefersHTML compares PrefersHTML with the DefaultContentNegotiation of Django REST
// framework 3.14 with JSONRenderer and BrowsableAPIRenderer.
func TestPrefersHTML(t *testing.T) {
	tests := []struct {
		reason, accept string
		want           bool
	}{
		{"HTML alone", "text/html", true},
		{"HTML first", "text/html, application/json", false},
		{"JSON first", "application/json, text/html", false},
		{"a lower quality of HTML", "text/html;q=0.1, application/json", false},
		{"a lower quality of JSON", "application/json;q=0.1, text/html", false},
		{"any text", "text/*", true},
		{"any text or JSON", "text/*, application/json", false},
		{"any text or any application", "text/*, application/*", false},
		{"any text before anything", "text/*, */*", true},
		{"anything before any text", "*/*, text/*", true},
		{"anything with a low quality before HTML", "*/*;q=0.1, text/html", true},
		{"anything before HTML", "*/*, text/html", true},
		{"any application before HTML", "application/*, text/html", true},
		{"quality 0", "text/html;q=0, */*", true},
		{"quality 0.000", "text/html; q=0.000, application/xml", true},
		{"a parameter", "text/html;level=1, application/json", true},
		{"parameters of both", "text/html;level=1, application/json;indent=2", false},
		{"a parameter of JSON", "text/html, application/json;indent=2", false},
		{"a parameter besides q", "text/html;q=1;level=1, application/json", true},
		{"a parameter of a range", "text/*;level=1, application/*", false},
		{"q without a value", "text/html;q, application/json", false},
		{"a parameter without a value", "text/html;level, application/json", false},
		{"a semicolon in quotes", `text/html;a="x;y", application/json`, true},
		{"a comma in quotes", `text/html;a="x,y", application/json`, true},
		{"upper case", "TEXT/HTML", true},
		{"white space", "text/html ; q=1", true},
		{"empty alternatives", ",text/html,", true},
		{"any HTML", "*/html", true},
		{"any HTML or any JSON", "*/html, */json", false},
		{"any HTML or anything", "*/html, */*", false},
		{"a star", "*", false},
		{"only the type", "text", false},
		{"only the subtype", "html", false},
		{"XHTML", "application/xhtml+xml", false},
		{"a longer subtype", "text/html5", false},
		{"empty", "", false},
		{"Chrome", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7", true},
		{"an image in a page", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", false},
		{"axios", "application/json, text/plain, */*", false},
	}
	for _, test := range tests {
		if got := PrefersHTML([]string{test.accept}); got != test.want {
			t.Errorf("%s: PrefersHTML(%q) = %t, want %t", test.reason, test.accept, got, test.want)
		}
	}
	if !PrefersHTML([]string{"*/*", "text/html"}) || PrefersHTML([]string{"text/html", "application/json"}) || PrefersHTML(nil) {
		t.Error("several headers are not read as one list, or none is HTML")
	}
}

// See RFC 9110, sections 5.6.1, 8.4 and 12.5.3.
func TestContentCoding(t *testing.T) {
	for _, test := range []struct {
		reason string
		values []string
		want   string
	}{
		{"absent", nil, ""},
		{"empty", []string{""}, ""},
		{"empty elements", []string{" , ,\t"}, ""},
		{"a coding", []string{"gzip"}, "gzip"},
		{"codings are not case-sensitive", []string{"Identity"}, ""},
		{"identity twice", []string{"identity, IDENTITY"}, ""},
		{"an unknown coding", []string{"x-bogus"}, "x-bogus"},
		{"identity and a coding", []string{"identity,\tbr "}, "br"},
		{"in a second header", []string{"identity", "deflate"}, "deflate"},
		{"the first of two", []string{"deflate, gzip"}, "deflate"},
		{"long s is not a letter of a token", []string{"identi\u017fy"}, "identi\u017fy"},
	} {
		if got := ContentCoding(test.values); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestParseMediaTypeAllocations(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		if !ParseMediaType("Application/JSON; charset=utf-8; x=\"y\"").IsJSON() {
			t.Fatal("not JSON")
		}
	})
	if allocs != 0 {
		t.Errorf("ParseMediaType allocates %v times, want 0", allocs)
	}
}

func TestToUTF8(t *testing.T) {
	const latin, utf8 = "\"\xe9\xff\x00 ~\x80\"", "\"é\u00ff\x00 ~\u0080\""
	tests := []struct{ contentType, want string }{
		{"application/json", latin},
		{"application/json; charset=utf-8", latin},
		{"application/json; charset=koi8-r", latin},
		{"application/json; charset=", latin},
		{"application/json; charset=latin-1", utf8},
		{"application/json; charset=Latin1", utf8},
		{"application/json; charset=l1", utf8},
		{"application/json; charset=ISO_8859-1", utf8},
		{`application/json; charset="iso8859-1"`, utf8},
		{"application/json; charset=utf-8; charset=latin-1", utf8},
	}
	for _, test := range tests {
		if got := ParseMediaType(test.contentType).ToUTF8([]byte(latin)); string(got) != test.want {
			t.Errorf("%s: ToUTF8(%q) = %q, want %q", test.contentType, latin, got, test.want)
		}
	}
}

func TestIsRead(t *testing.T) {
	for method, want := range map[string]bool{"": true, "GET": true, "HEAD": true, "get": false, "OPTIONS": false, "POST": false} {
		if got := IsRead(method); got != want {
			t.Errorf("IsRead(%q) = %t, want %t", method, got, want)
		}
	}
}
