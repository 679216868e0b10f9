package browse

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed" // of the template and its stylesheets
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

// styleName is the parameter of the link from a page to the stylesheet. Its value is the hash of it.
const styleName = "_style"

// policy allows the stylesheet of the same site, the icon in the page, and forms to the same site.
const policy = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// stylesheet returns the stylesheet without the space that only its readers need, and its hash.
func stylesheet() (style, hash string) {
	style = strings.NewReplacer("\n", "", "  ", "", " {", "{", "{ ", "{", "; ", ";", ": ", ":", ", ", ",").Replace(styleCSS)
	sum := sha256.Sum256([]byte(style))
	return style, hex.EncodeToString(sum[:8])
}

// sendStyle sends the stylesheet, which all may read. It is cached for a year, unless the hash is that of
// another version.
func (b *browser) sendStyle(w http.ResponseWriter, r *http.Request, hash string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if w.Header().Set("Cache-Control", "no-cache"); hash == b.hash {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "style.css", time.Time{}, strings.NewReader(b.style))
}

// page is the data of the template.
type page struct {
	Site  string
	Title string // a name, or what the page is
	Verb  string // what the page does with what has the name, or ""
	Style string // link to the stylesheet
	Root  string // link to the root
	Menu  []step // to all collections, except at the root
	JSON  string // link to the response as JSON, or ""
	CSV   string // link to all records of the list as CSV, or ""
	Path  []step // from the root to this page

	OpenAPI  string   // link to the document, or ""
	SignIn   string   // action of the form to sign in, or ""
	Unsigned bool     // that form is open
	Refused  string   // why the visitor has to sign in again, or ""
	SignOut  string   // action of the form to sign out, or ""
	ReadOnly string   // why the visitor cannot change anything, or ""
	Ignored  []string // names in the query that nothing reads
	Done     *done
	Fault    bool     // the response is an error
	Detail   string   // of the error
	Faults   []string // what is wrong with the request
	Instead  string   // link to a page that exists, if the response is that this does not
	Summary  string   // such as "39 collections", only at the root
	Entries  []choice // the collections, only at the root
	Record   *record
	Filters  *filters
	List     *list
	Form     *form

	Curl string // a command that sends the request of the page, or "" if it may write
	Body string // of the response, unless it is a list, or ""
	Open bool   // these are visible at first
}

// serve serves a response of the handler as a page: the root, a list, a record, a form, or any other
// response.
func (v *view) serve(resp *wire.Recorder) {
	if resp.Status == http.StatusRequestURITooLong {
		v.query = parseQuery("") // which links would repeat
	}
	p := v.newPage(resp)
	switch {
	case v.form != nil: // below
	case v.kept != nil && v.kept.Status == http.StatusOK:
		v.showRecord(p, v.kept)
		p.Fault, p.Detail = true, strings.Join(readFaults(resp.Body)["detail"], " ")
		if resp.Status == http.StatusPreconditionFailed {
			p.Detail = "The record, or what refers to it, has changed since this page was opened, so it was not deleted."
		}
	case v.handler == nil || resp.Status != http.StatusOK || !negotiation.IsRead(v.r.Method):
		v.showResponse(p, resp)
	case v.r.URL.Path == v.served.Root:
		v.showRoot(p, resp)
	case v.id != "":
		v.showRecord(p, resp)
	case v.query.get(methodName) == http.MethodPost && v.c != nil && v.postable(v.c):
		v.form = v.newForm(nil, nil)
	default:
		if p.List = v.newList(resp); p.List == nil {
			v.showResponse(p, resp)
			break
		}
		p.Filters, p.ReadOnly = v.newFilters(nil), p.List.ReadOnly
		p.CSV = v.query.with(exportName, "csv", v.c.is.Place, "", v.c.is.Size, "")
		p.here()
	}
	if v.form != nil {
		p.Title, p.Form = v.form.Title, v.form
		p.here()
	}
	v.sendPage(resp, p)
}

func (v *view) showRecord(p *page, resp *wire.Recorder) {
	r := v.newRecord(resp)
	if r == nil {
		v.showResponse(p, resp)
		return
	}
	p.Path[len(p.Path)-1].Name = r.Name
	p.Verb, p.Title, p.Form, p.ReadOnly = r.Verb, r.Name, r.Form, r.ReadOnly
	if r.Form == nil {
		p.Record, p.Body = r, indented(string(resp.Body))
	}
	p.here()
}

func (v *view) newPage(resp *wire.Recorder) *page {
	p := &page{Site: v.title, Title: v.title, Root: v.rootLink(v.r), Ignored: v.ignored}
	p.Style = p.Root + "?" + styleName + "=" + v.hash
	if v.r.URL.Path != v.served.Root {
		p.Path = []step{{v.title, p.Root}}
		for _, c := range v.sorted {
			p.Menu = append(p.Menu, step{heading(c.Key), p.Root + url.PathEscape(c.Segment) + "/"})
		}
	}
	switch {
	case v.id != "":
		p.Title = wire.Capital(v.c.recordName(v.id))
		p.Path = append(p.Path, step{heading(v.c.Key), v.listLink()}, step{p.Title, v.cleanLink()})
	case v.c != nil:
		p.Title = heading(v.c.Key)
		p.Path = append(p.Path, step{p.Title, v.cleanLink()})
	}
	if v.handler != nil && resp.Status == http.StatusOK && negotiation.IsRead(v.r.Method) {
		p.Done = v.newDone()
	}
	if negotiation.IsRead(v.r.Method) {
		p.JSON = v.query.with("format", "json")
		address := v.next.Base(v.r) + v.r.URL.EscapedPath() + strings.TrimPrefix(v.query.with(methodName, "", listName, "", columnsName, ""), "./")
		p.Curl = "curl '" + strings.ReplaceAll(address, "'", `'\''`) + "'"
	}
	return p
}

// here ends the breadcrumb with the verb or the title of the page, in place of a link to it.
func (p *page) here() {
	name := cmp.Or(p.Verb, p.Title)
	if last := len(p.Path) - 1; last >= 0 && p.Path[last].Name == name {
		p.Path = p.Path[:last]
	}
	p.Path = append(p.Path, step{Name: name})
}

// showResponse shows a response that is not a list, usually an error. If it is about the values
// of filters, the page has the form for them.
func (v *view) showResponse(p *page, resp *wire.Recorder) {
	p.Title = strings.TrimSpace(strconv.Itoa(resp.Status) + " " + http.StatusText(resp.Status))
	p.Path = append(p.Path, step{Name: p.Title})
	p.Fault = resp.Status >= http.StatusBadRequest
	isList := v.handler != nil && v.c != nil && v.id == "" && negotiation.IsRead(v.r.Method)
	if resp.Status == http.StatusNotFound && isList {
		p.Instead = v.query.with(v.c.is.Place, "")
	}
	wrong := readFaults(resp.Body)
	p.Open, p.Body = wrong == nil || !p.Fault, indented(string(resp.Body))
	if detail := wrong["detail"]; len(wrong) == 1 && detail != nil {
		p.Detail = strings.Join(detail, " ")
		if resp.Status == http.StatusBadRequest && isList && v.c.is.Members == nil { // filters must select some of the records
			p.Filters = v.newFilters(nil)
		}
		return
	}
	ofFilters := false
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		text, parameter := strings.Join(wrong[name], " "), ordering.Snake(name)
		if parameter != "non_field_errors" {
			text = v.label(parameter) + ": " + text
		}
		p.Faults = append(p.Faults, text)
		ofFilters = ofFilters || isList && slices.ContainsFunc(append([]string{v.c.search}, v.c.Filters...), func(p string) bool { return v.c.ErrorName(p) == name })
	}
	if p.Detail = "The request is not valid."; wrong == nil {
		p.Detail = "The request failed."
	}
	if ofFilters {
		p.Filters, p.Detail = v.newFilters(wrong), "Some filters are not valid."
	}
}

// sendPage sends a page with the status and the headers of the handler's response, except
// the headers about its body.
func (v *view) sendPage(resp *wire.Recorder, p *page) {
	header := v.w.Header()
	for name, values := range resp.Sent {
		switch name {
		case "Accept-Ranges", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Security-Policy",
			"Content-Type", "Etag", "Expires", "Last-Modified":
		case "Set-Cookie", "Vary":
			header[name] = append(slices.Clip(header[name]), values...)
		default:
			header[name] = values
		}
	}
	wire.AddVary(header, []string{"Accept"})
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache") // the form depends on the credentials
	v.offerSession(p, resp.Status)
	v.w.WriteHeader(resp.Status)
	if v.r.Method != http.MethodHead {
		out := bufio.NewWriterSize(v.w, 32<<10)
		_ = v.template.Execute(out, p) // the client is gone if it fails
		_ = out.Flush()
	}
}

// showRoot lists the collections.
func (v *view) showRoot(p *page, resp *wire.Recorder) {
	if _, ok := recordOf(resp); !ok {
		v.showResponse(p, resp)
		return
	}
	p.here()
	for _, c := range v.sorted {
		n := v.counts(c.path, "", []url.Values{{}})[0] // negative if it is not known
		p.Entries = append(p.Entries, choice{Label: heading(c.Key), Link: "./" + url.PathEscape(c.Segment) + "/", Count: grouped(n)})
	}
	p.Summary, p.OpenAPI = counted(len(p.Entries), "collection"), v.openAPI
}

// offerSession adds the form to sign in to a page with a status or, if the visitor has a token that the
// service accepts, that to sign out.
func (v *view) offerSession(p *page, status int) {
	signedIn := v.token(v.r) != ""
	if status == http.StatusUnauthorized && v.refused == "" && signedIn {
		v.refused = "The service does not accept your token."
	}
	p.Refused, p.Unsigned = v.refused, status == http.StatusUnauthorized || v.refused != ""
	if signedIn && v.refused == "" {
		p.SignOut = v.query.with(methodName, signOut)
	} else if v.scheme != "" {
		p.SignIn = v.query.with(methodName, signIn)
	}
}
