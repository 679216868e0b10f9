package browse

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// page is the data of the template.
type page struct {
	Site  string
	Title string
	Style template.CSS
	Root  string // link to the root
	JSON  string // link to the response as JSON, or ""
	Path  []step // from the root to this page

	Fault    bool     // the response is an error
	Detail   string   // detail of the error, or ""
	Moved    string   // target of a redirect, or ""
	Listing  *listing // only at the root
	Record   *record
	Filters  *filters
	List     *list
	Form     *form
	Exchange exchange
}

// step is an element of the breadcrumb. The last has no link.
type step struct{ Name, Link string }

func (b *browser) newPage(r *http.Request, resp *response) *page {
	p := &page{
		Site:     b.title,
		Title:    b.title,
		Style:    b.style,
		Root:     b.rootLink(r),
		Exchange: b.newExchange(r, resp),
	}
	if r.URL.Path != b.root {
		p.Path = []step{{b.title, p.Root}}
	}
	c, id := b.find(r.URL.Path)
	switch {
	case id != "":
		p.Title = capital(c.recordName(id))
		p.Path = append(p.Path, step{heading(c.Key), "../?format=api"}, step{p.Title, "?format=api"})
	case c != nil:
		p.Title = heading(c.Key)
		p.Path = append(p.Path, step{p.Title, "?format=api"})
	}
	if isRead(r.Method) {
		p.JSON = readQuery(r).with("format", "json")
	}
	return p
}

// here ends the breadcrumb with the title of the page, in place of a link to it.
func (p *page) here() {
	if last := len(p.Path) - 1; last >= 0 && p.Path[last].Name == p.Title {
		p.Path = p.Path[:last]
	}
	p.Path = append(p.Path, step{Name: p.Title})
}

// rootLink returns a relative link from the path of r to the root, so that it is valid
// under any prefix.
func (b *browser) rootLink(r *http.Request) string {
	path, root := r.URL.EscapedPath(), (&url.URL{Path: b.root}).EscapedPath()
	up, down := 0, strings.TrimPrefix(root, "/")
	if rest, ok := strings.CutPrefix(path, root); ok {
		up, down = strings.Count(rest, "/"), ""
	} else if slashes := strings.Count(path, "/"); slashes > 0 {
		up = slashes - 1
	}
	return "./" + strings.Repeat("../", up) + down + "?format=api"
}

// showResponse shows a response that is not a list, usually an error.
func (p *page) showResponse(resp *response) {
	p.Title = strings.TrimSpace(strconv.Itoa(resp.status) + " " + http.StatusText(resp.status))
	p.Path = append(p.Path, step{Name: p.Title})
	p.Fault = resp.status >= http.StatusBadRequest
	p.Moved = resp.header.Get("Location")
	if members, err := readMembers(resp.body.Bytes()); err == nil && len(members) == 1 && members[0].name == "detail" {
		p.Detail, _ = readText(members[0].value)
		return
	}
	p.Exchange.Open = true
}

// Description returns the description of the page for search engines and previews, such as
// "Books, Catalogue: Records 1–21 of 200.".
func (p *page) Description() string {
	name := p.Title
	if name != p.Site {
		name += ", " + p.Site
	}
	about, _ := cut(p.about())
	return name + ": " + about
}

func (p *page) about() string {
	switch {
	case p.Detail != "":
		return p.Detail
	case p.Fault:
		return "The request failed."
	case p.Listing != nil:
		return p.Listing.Summary + "."
	case p.List != nil:
		return p.List.Pager.Summary + "."
	case p.Record != nil:
		return "The values of this record."
	case p.Form != nil:
		return "A form with errors."
	}
	return "The response of the service."
}

// sendPage writes a page with the status and the headers of the handler's response, except
// the headers about its body.
func (b *browser) sendPage(w http.ResponseWriter, r *http.Request, resp *response, p *page) {
	var body bytes.Buffer
	body.Grow(12<<10 + 5*resp.body.Len()) // the size of most pages
	if err := b.template.Execute(&body, p); err != nil {
		http.Error(w, "Internal server error.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	for name, values := range resp.header {
		switch name {
		case "Accept-Ranges", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Security-Policy",
			"Content-Type", "Etag", "Expires", "Last-Modified":
		case "Vary":
			header[name] = append(slices.Clip(header[name]), values...)
		default:
			header[name] = values
		}
	}
	addVary(header)
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	header.Set("Content-Security-Policy", b.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache") // the form depends on the credentials
	w.WriteHeader(resp.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // the client is gone if it fails
	}
}
