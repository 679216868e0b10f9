package negotiation

import "testing"

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
