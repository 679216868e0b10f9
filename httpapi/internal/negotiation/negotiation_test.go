package negotiation

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

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

func TestLatin1(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json":                                 false,
		"application/json; charset=koi8-r":                 false,
		"application/json; charset=":                       false,
		"application/json; charset=latin-1":                true,
		"application/json; charset=Latin1":                 true,
		"application/json; charset=l1":                     true,
		"application/json; charset=ISO_8859-1":             true,
		`application/json; charset="iso8859-1"`:            true,
		"application/json; charset=utf-8; charset=latin-1": true,
	} {
		if got := ParseMediaType(contentType).IsLatin1(); got != want {
			t.Errorf("%s: IsLatin1() = %t, want %t", contentType, got, want)
		}
	}
	const latin, utf8 = "\"\xe9\xff\x00 ~\x80\"", "\"é\u00ff\x00 ~\u0080\""
	if got := FromLatin1([]byte(latin)); string(got) != utf8 {
		t.Errorf("FromLatin1(%q) = %q, want %q", latin, got, utf8)
	}
}

func TestIsRead(t *testing.T) {
	for method, want := range map[string]bool{"": true, "GET": true, "HEAD": true, "get": false, "OPTIONS": false, "POST": false} {
		if got := IsRead(method); got != want {
			t.Errorf("IsRead(%q) = %t, want %t", method, got, want)
		}
	}
}
