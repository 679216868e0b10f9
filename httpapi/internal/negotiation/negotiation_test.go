package negotiation

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

func TestKnownFormat(t *testing.T) {
	for format, want := range map[string]bool{"": true, "json": true, "api": true, "JSON": false, "xml": false, " json": false} {
		if got := KnownFormat(format); got != want {
			t.Errorf("KnownFormat(%q) = %t, want %t", format, got, want)
		}
	}
}

func TestAccept(t *testing.T) {
	if indent, ok := Accept(nil); indent != 0 || !ok {
		t.Errorf("without a header: %d, %t, want 0, true", indent, ok)
	}
	for _, row := range rows.Read(t, "headers.txtar")["Accept"] {
		indent, ok := Accept(strings.Split(row.Value, " | "))
		got := strconv.Itoa(indent)
		if !ok {
			got = "no"
		}
		if got != row.Want {
			t.Errorf("%s: Accept(%q) = %s, want %s", row.Reason, row.Value, got, row.Want)
		}
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

func TestPrefersHTML(t *testing.T) {
	for _, row := range rows.Read(t, "headers.txtar")["prefers HTML"] {
		if got := fmt.Sprint(PrefersHTML([]string{row.Value})); got != row.Want {
			t.Errorf("%s: PrefersHTML(%q) = %s, want %s", row.Reason, row.Value, got, row.Want)
		}
	}
	if !PrefersHTML([]string{"*/*", "text/html"}) || PrefersHTML([]string{"text/html", "application/json"}) || PrefersHTML(nil) {
		t.Error("several headers are not read as one list, or none is HTML")
	}
}

func TestContentCoding(t *testing.T) {
	if got := ContentCoding(nil); got != "" {
		t.Errorf("without a header: %q", got)
	}
	for _, row := range rows.Read(t, "headers.txtar")["coding"] {
		if got := ContentCoding(strings.Split(row.Value, " | ")); got != row.Want {
			t.Errorf("%s: %q, want %q", row.Reason, got, row.Want)
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
