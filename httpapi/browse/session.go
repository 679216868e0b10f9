package browse

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
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
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	stated := r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
	if token == "" || r.Header["Authorization"] != nil || !isRead && !(isPage && stated) {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", b.scheme+" "+token)
	return r
}

// token returns the token of a signed-in visitor, or "".
func (b *browser) token(r *http.Request) string {
	cookie, err := r.Cookie(tokenCookie)
	if err != nil || b.scheme == "" {
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
	path, _, _ := strings.Cut(v.r.RequestURI, "?")
	prefix, ok := strings.CutSuffix(path, v.r.URL.EscapedPath())
	if !ok {
		prefix = ""
	}
	c := &http.Cookie{
		Name: tokenCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(token)),
		Path: prefix + (&url.URL{Path: v.root}).EscapedPath(), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(v.next.Origin(v.r), "https:"),
	}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(v.w, c)
}

// isSession reports whether the request, which is a form, signs in or out.
func (v *view) isSession() bool {
	method := v.query.get(methodName)
	return v.scheme != "" && (method == signIn || method == signOut)
}

// serveSession signs the visitor in or out, and redirects to the page with the form.
func (v *view) serveSession() {
	token := ""
	if v.query.get(methodName) == signIn {
		posted, refused := v.readForm()
		if refused != nil {
			v.serve(refused)
			return
		}
		token = strings.TrimSpace(posted.Get("token"))
		v.r = v.r.Clone(v.r.Context())
		v.r.Header.Set("Authorization", v.scheme+" "+token)
		if !isToken(token) || v.probe().status == http.StatusUnauthorized {
			v.serve(refusal(http.StatusUnauthorized, "The token is not valid."))
			return
		}
	}
	v.setToken(token)
	addVary(v.w.Header(), "Accept")
	v.redirect(v.query.with(methodName, ""))
}

// probe asks whether the handler accepts the token of the request. A body of plain text is
// never stored: the handler rejects it, after it has authorized the request.
func (v *view) probe() *response {
	in := v.newRequest()
	in.Method, in.URL = http.MethodGet, &url.URL{Path: v.root}
	for _, c := range v.collections {
		if c.actions.Has(schema.Create) {
			in.Method, in.URL = http.MethodPost, &url.URL{Path: c.path}
			break
		}
	}
	in.RequestURI = in.URL.RequestURI()
	in.Body, in.ContentLength = io.NopCloser(strings.NewReader("-")), 1
	in.Header.Set("Content-Type", "text/plain")
	return v.ask(in, nil)
}

// done is what a form has done with a record.
type done struct {
	Name string // of the record
	Verb string // added, changed or deleted
	Link string // to the record, or ""
}

// newDone returns what the form has done that led to the page, or nil.
func (v *view) newDone() *done {
	verb, id, _ := strings.Cut(v.query.get(doneName), ".")
	if _, err := strconv.Atoi(id); err != nil || v.c == nil || verb != "added" && verb != "changed" && verb != "deleted" {
		return nil
	}
	d := &done{Name: wire.Capital(v.c.recordName(id)), Verb: verb}
	if name := v.name(v.c, id); name != id && verb != "deleted" {
		d.Name = name
	}
	if verb == "added" && v.c.hasPages() && v.id == "" {
		d.Link = "./" + url.PathEscape(id) + "/"
	}
	return d
}
