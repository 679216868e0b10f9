package browse

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// tokenCookie is the cookie with the token, encoded.
const tokenCookie = "backlist-token"

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
	stated := r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
	if token == "" || r.Header["Authorization"] != nil || !negotiation.IsRead(r.Method) && !(isPage && stated) {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", b.Scheme+" "+token)
	return r
}

// token returns the token of a signed-in visitor, or "".
func (b *browser) token(r *http.Request) string {
	cookie, err := r.Cookie(tokenCookie)
	if err != nil || b.Scheme == "" {
		return ""
	}
	token, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || !isToken(string(token)) {
		return ""
	}
	return string(token)
}

// isToken reports whether a text can be sent in Authorization and fits into a cookie.
func isToken(text string) bool {
	return text != "" && len(text) <= 2048 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// setToken sets the cookie of the token, for all pages, or removes it if the token is empty.
func (v *view) setToken(token string) {
	base := v.base(v.r)
	c := &http.Cookie{
		Name: tokenCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(token)), Path: base.EscapedPath() + (&url.URL{Path: v.served.Root}).EscapedPath(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: base.Scheme == "https",
	}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(v.w, c)
}

// isSession reports whether the request, which is a form, signs in or out.
func (v *view) isSession() bool {
	method := v.query.get(methodName)
	return v.Scheme != "" && (method == signIn || method == signOut)
}

// serveSession signs the visitor in or out, and redirects to the page with the form.
func (v *view) serveSession() {
	token := ""
	if v.query.get(methodName) == signIn {
		posted := v.readForm()
		if posted == nil {
			return
		}
		token = strings.TrimSpace(posted.Get("token"))
		if !isToken(token) {
			v.serve(refusal(http.StatusUnauthorized, "The token is not valid."))
			return
		}
	}
	v.setToken(token)
	v.redirect(v.query.with(methodName, ""))
}

// done is what a form has done with a record.
type done struct {
	Name string // of the record
	Verb string // added, changed or deleted
	Link string // to the record, or ""
}

// sign returns a signed message about the record of v.c with a segment, such as "added.12".
func (v *view) sign(verb, id string) string {
	mac := hmac.New(sha256.New, v.key)
	mac.Write([]byte(v.c.path + verb + "." + id))
	return verb + "." + id + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
}

// newDone returns the result of the form that led to the page, or nil.
func (v *view) newDone() *done {
	message := v.query.get(doneName)
	verb, rest, _ := strings.Cut(message, ".")
	id, _, _ := strings.Cut(rest, ".")
	if v.c == nil || id == "" || !hmac.Equal([]byte(message), []byte(v.sign(verb, id))) {
		return nil
	}
	d := &done{Name: wire.Capital(v.c.recordName(id)), Verb: verb}
	if name, _ := v.name(v.c, v.c.Lookup, id); name != id && verb != "deleted" {
		d.Name = name
	}
	if verb == "added" && v.c.hasPages() && v.id == "" {
		d.Link = "./" + url.PathEscape(id) + "/"
	}
	return d
}
