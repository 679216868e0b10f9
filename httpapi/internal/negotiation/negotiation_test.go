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
		{"quality and indent", []string{"application/json; q=0.5; indent=2"}, 2},
		{"the more specific alternative counts", []string{"*/*; indent=2, application/json"}, 0},
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
