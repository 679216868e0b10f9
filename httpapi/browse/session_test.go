package browse

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// After a form, the page says what has been done. Nobody else can make a page say so.
func TestDone(t *testing.T) {
	h := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason, target, body string // of the form
		next                 string // page that follows
		says                 string
		link                 bool // to the record
	}{
		{"added", "/api/films/?_method=POST&limit=1", "title=x", "/api/films/", "Nächte & <Tage> has been added.", true},
		{"changed", "/api/films/1/?_method=PATCH&_list=limit%3D1", "title=x", "/api/films/1/", "Nächte & <Tage> has been changed.", false},
		{"deleted", "/api/films/1/?_method=DELETE&_list=limit%3D1", "", "/api/films/", "Film 1 has been deleted.", false},
	}
	for _, test := range tests {
		location := do(h, formRequest(test.target, test.body)).header.Get("Location")
		page := follow(t, h, test.target, location)
		if !strings.Contains(page.text, test.says) || strings.Contains(page.body, `role="status"><a href="./1/">`) != test.link {
			t.Errorf("%s: %s leads to %s", test.reason, location, page.text)
		}
		query := parseQuery(location[strings.Index(location, "?")+1:])
		signed := query.get(doneName)
		for reason, forged := range map[string]string{
			"no signature":      signed[:strings.LastIndex(signed, ".")],
			"another signature": signed[:len(signed)-1] + strings.Replace("BA", signed[len(signed)-1:], "", 1)[:1],
			"another record":    strings.Replace(signed, "1.", "2.", 1),
			"another verb":      strings.NewReplacer("added", "deleted", "changed", "deleted", "deleted", "added").Replace(signed),
			"a sentence":        "Everything.1." + signed,
			"nothing":           ".",
		} {
			page := get(h, test.next+query.with(doneName, forged))
			if said := page.find("p", "class", "done"); len(said) != 0 {
				t.Errorf("%s, %s: %q says %v", test.reason, reason, forged, said)
			}
		}
		for _, other := range []string{"/api/directors/", "/api/directors/1/", "/api/films/9/", "/api/"} {
			if said := get(h, other+query.with(doneName, signed)).find("p", "class", "done"); len(said) != 0 {
				t.Errorf("%s: %s says %v", test.reason, other, said)
			}
		}
		other := newService().handler(t, httpapi.Options{}) // another process
		if said := get(other, test.next+query.with(doneName, signed)).find("p", "class", "done"); len(said) != 0 {
			t.Errorf("%s: another handler says %v", test.reason, said)
		}
	}
}
