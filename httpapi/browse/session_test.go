package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A token is accepted if it permits something that the handler refuses without it, whatever
// that is, and nothing is written to find that out.
func TestTokens(t *testing.T) {
	const reads = schema.List | schema.Retrieve
	everything := func(string) schema.Actions { return schema.AllActions }
	only := func(collection string, actions schema.Actions) func(string) schema.Actions {
		return func(of string) schema.Actions {
			if of == collection {
				return actions
			}
			return 0
		}
	}
	tests := []struct {
		reason        string
		served        schema.Actions                             // of films and directors
		authorizes    bool                                       // reads too
		permitted     func(collection string) (a schema.Actions) // with the token
		without       schema.Actions                             // permitted to everybody
		right, absent int                                        // status of a sign-in with the token, and with another one
	}{
		{"everything", schema.AllActions, false, everything, 0, 303, 401},
		{"the second collection only", schema.AllActions, false, only("films", schema.AllActions), 0, 303, 401},
		{"deletion only", schema.AllActions, false, only("films", schema.Destroy), 0, 303, 401},
		{"nothing can be posted", reads | schema.PartialUpdate | schema.Destroy, false, everything, 0, 303, 401},
		{"only deletion is served", reads | schema.Destroy, false, everything, 0, 303, 401},
		{"only PUT is served", reads | schema.Update, false, everything, 0, 303, 401},
		{"only reads, which need the token", reads, true, everything, 0, 303, 401},
		{"only reads, which need none", reads, false, everything, 0, 401, 401},
		{"everybody may write", schema.AllActions, false, everything, schema.AllActions, 401, 401},
		{"everybody may create", schema.AllActions, false, everything, schema.Create, 303, 401},
		{"the token permits nothing", schema.AllActions, false, func(string) schema.Actions { return 0 }, 0, 401, 401},
	}
	for _, test := range tests {
		own := newService()
		own.films.about.Actions, own.directors.about.Actions = test.served, test.served
		authorizer := func(r *http.Request, collection string, action schema.Actions) error {
			allowed := test.without
			if r.Header.Get("Authorization") == "Bearer s3cret" {
				allowed |= test.permitted(collection)
			}
			if allowed.Has(action) {
				return nil
			}
			return httpapi.Unauthorized("Bearer", "")
		}
		handler, err := httpapi.NewHandler([]httpapi.Collection{own.directors, own.genres, own.films},
			httpapi.Options{Authorizer: authorizer, AuthorizeReads: test.authorizes})
		if err != nil {
			t.Fatal(err)
		}
		h := browsing(t, handler, Options{Scheme: "Bearer"})
		for token, want := range map[string]int{"s3cret": test.right, "guess": test.absent} {
			page := do(h, formRequest("/api/films/?_method=SIGN-IN", "token="+token))
			if signed := page.header.Get("Set-Cookie") != ""; page.status != want || signed != (want == 303) {
				t.Errorf("%s: the token %s: status %d, a cookie: %t, want %d", test.reason, token, page.status, signed, want)
			}
		}
		for _, call := range append(own.films.calls, own.directors.calls...) {
			if !strings.HasPrefix(call, "delete 0") { // of a record that does not exist
				t.Errorf("%s: written: %s", test.reason, call)
			}
		}
	}
}

// A token that is known and permits nothing is accepted if the handler says so with 403.
func TestTokenWithoutPermission(t *testing.T) {
	own := newService()
	h := browsing(t, mustHandler(t, own, func(r *http.Request, _ string, _ schema.Actions) error {
		if r.Header.Get("Authorization") == "Bearer s3cret" {
			return httpapi.Forbidden("")
		}
		return httpapi.Unauthorized("Bearer", "")
	}), Options{Scheme: "Bearer"})
	for token, want := range map[string]int{"s3cret": 303, "guess": 401} {
		if page := do(h, formRequest("/api/films/?_method=SIGN-IN", "token="+token)); page.status != want {
			t.Errorf("the token %s: %d, want %d", token, page.status, want)
		}
	}
}

func mustHandler(t *testing.T, own service, authorizer httpapi.Authorizer) *httpapi.Handler {
	t.Helper()
	h, err := httpapi.NewHandler([]httpapi.Collection{own.directors, own.genres, own.films}, httpapi.Options{Authorizer: authorizer})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

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
			"another signature": signed[:len(signed)-2] + "AA",
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
