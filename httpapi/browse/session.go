package browse

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// Cookies, whose texts are encoded.
const (
	tokenCookie = "backlist-token" // the token of a signed-in visitor
	doneCookie  = "backlist-done"  // what a form has done: see done
)

// cookie returns the text of a cookie, or "".
func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	text, _ := base64.RawURLEncoding.DecodeString(c.Value) // of another text, a part that says nothing
	return string(text)
}

// setCookie sets a cookie for all pages, for some seconds or, if age is 0, until the browser ends.
// It removes the cookie if the text is empty.
func (v *view) setCookie(name, text string, age int) {
	if text == "" {
		age = -1
	}
	base, _ := url.Parse(v.next.Base(v.r))
	base = cmp.Or(base, new(url.URL)) // of one that is not valid
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: base64.RawURLEncoding.EncodeToString([]byte(text)), MaxAge: age, Path: base.EscapedPath() + (&url.URL{Path: v.served.Root}).EscapedPath(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: base.Scheme == "https",
	})
}

// Values of the parameter _method of the forms of a session.
const (
	signIn  = "SIGN-IN"
	signOut = "SIGN-OUT"
)

// withToken returns r with the token of its cookie in Authorization, unless it has that
// header. A request that may write must be for a page, and state that it was sent by one: it
// has been checked then.
func (b *browser) withToken(r *http.Request, isPage bool) *http.Request {
	token := b.token(r)
	if token == "" || r.Header["Authorization"] != nil || !negotiation.IsRead(r.Method) && !(isPage && isStated(r)) {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", b.scheme+" "+token)
	return r
}

// token returns the token of a signed-in visitor, or "".
func (b *browser) token(r *http.Request) string {
	if text := cookie(r, tokenCookie); b.scheme != "" && isToken(text) {
		return text
	}
	return ""
}

// isToken reports whether a text can be sent in Authorization and fits into a cookie.
func isToken(text string) bool {
	return text != "" && len(text) <= 2048 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// accepts reports whether the service accepts a token. It does not if it would answer 401 to a request
// that needs one: a read, or else a post.
func (v *view) accepts(token string) bool {
	method, path := http.MethodGet, v.served.Root
	if !v.served.AuthorizeReads {
		at := slices.IndexFunc(v.collections, func(c *collection) bool { return c.Actions.Has(schema.Create) })
		if at < 0 {
			return isToken(token)
		}
		method, path = http.MethodPost, v.collections[at].path
	}
	in := v.request(method, path, "", nil)
	in.Header.Set("Authorization", v.scheme+" "+token)
	no := v.admit(in, nil)
	return isToken(token) && (no == nil || no.Status != http.StatusUnauthorized)
}

// readOnly returns the reason why the visitor cannot write where others can.
func (v *view) readOnly() string {
	token := v.token(v.r)
	switch {
	case v.scheme == "":
		return "Read-only: the service does not permit you to make changes here."
	case token != "" && v.accepts(token):
		return "Read-only: your token does not permit changes here."
	case token != "":
		v.refused = "The service does not accept your token."
	}
	return "" // the header has the form to sign in
}

// sign signs the visitor in or out, and redirects to the page with the form. If the service does not
// accept the token, it returns a response whose page has the form again.
func (v *view) sign(in bool) *wire.Recorder {
	token, next := "", v.query.with(methodName, "")
	if in {
		posted, refused := v.readForm()
		if refused != nil {
			return refused
		}
		if token = strings.TrimSpace(posted.Get("token")); !v.accepts(token) {
			v.refused = "The service does not accept this token."
			return v.refusal(http.StatusUnauthorized, wire.Detail(v.refused))
		}
	}
	v.setCookie(tokenCookie, token, 0)
	v.redirect(next)
	return nil
}

// done is what a form has done with a record.
type done struct {
	Name string // of the record
	Verb string // added, changed or deleted
	With string // what was deleted with it, or ""
	Link string // to the record, or ""
}

// report makes the next page with a path say what a form has done with the record of a segment.
func (v *view) report(path, verb, id, name, with string) {
	if id != "" {
		name = cut(cmp.Or(name, wire.Capital(v.c.recordName(id))))
		v.setCookie(doneCookie, strings.Join([]string{verb, path, strings.ReplaceAll(name, "\n", " "), with, id}, "\n"), 60)
	}
}

// newDone returns the result of the form that led to the page, or nil. No other page will show it.
func (v *view) newDone() *done {
	parts := strings.SplitN(cookie(v.r, doneCookie), "\n", 5)
	if len(parts) < 5 || v.c == nil || parts[1] != v.r.URL.Path || !slices.Contains([]string{"added", "changed", "deleted"}, parts[0]) {
		return nil
	}
	v.setCookie(doneCookie, "", 0)
	d := &done{Verb: parts[0], Name: parts[2], With: parts[3]}
	if d.Verb == "added" && v.c.hasPages() {
		d.Link = "./" + url.PathEscape(parts[4]) + "/"
	}
	return d
}
