package browse

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// page is what the template shows.
type page struct {
	Site  string
	Title string
	Style template.CSS
	Root  string // link to the root
	JSON  string // link to the same in JSON, or ""
	Path  []step // from the root to here

	Fault   bool    // the answer is an error
	Detail  string  // what it says, or ""
	Moved   string  // where it leads, or ""
	Text    string  // JSON of no other form, indented, or ""
	Entries []entry // of the root
	List    *list
	Form    *form
	Wire    wire
}

// step is a page on the way to this one; the last has no link.
type step struct{ Name, Link string }

// wire is the request and the head of the handler's answer, as they were sent.
type wire struct {
	Request string
	Status  string
	Header  []headerLine
}

type headerLine struct{ Name, Value string }

func (b *browser) newPage(r *http.Request, a *answer) *page {
	p := &page{
		Site:  b.title,
		Title: b.title,
		Style: template.CSS(styleCSS),
		Root:  rootLink(r),
		Wire:  newWire(r, a),
	}
	if r.URL.Path != rootPath {
		p.Path = []step{{b.title, p.Root}}
	}
	if c, ok := b.collections[r.URL.Path]; ok {
		p.Title = heading(c.Key)
		p.Path = append(p.Path, step{p.Title, "?format=api"})
	}
	if isRead(r.Method) {
		p.JSON = readQuery(r).with("format", "json")
	}
	return p
}

// here says that the page is what its path leads to, and not about it.
func (p *page) here() {
	if last := len(p.Path) - 1; last >= 0 && p.Path[last].Name == p.Title {
		p.Path = p.Path[:last]
	}
	p.Path = append(p.Path, step{Name: p.Title})
}

// rootLink leads to the root from wherever the browser sees the request's path:
// what stands before that is not looked at.
func rootLink(r *http.Request) string {
	path := r.URL.EscapedPath()
	up, down := 0, "api/"
	if rest, ok := strings.CutPrefix(path, rootPath); ok {
		up, down = strings.Count(rest, "/"), ""
	} else if slashes := strings.Count(path, "/"); slashes > 0 {
		up = slashes - 1
	}
	return "./" + strings.Repeat("../", up) + down + "?format=api"
}

func newWire(r *http.Request, a *answer) wire {
	w := wire{
		Request: r.Method + " " + r.RequestURI,
		Status:  fmt.Sprintf("HTTP %d %s", a.status, http.StatusText(a.status)),
	}
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		for _, value := range a.header[name] {
			w.Header = append(w.Header, headerLine{name, value})
		}
	}
	return w
}

// showAnswer shows an answer that is no page of records: an error, mostly.
func (p *page) showAnswer(a *answer) {
	p.Title = strings.TrimSpace(strconv.Itoa(a.status) + " " + http.StatusText(a.status))
	p.Path = append(p.Path, step{Name: p.Title})
	p.Fault = a.status >= http.StatusBadRequest
	p.Moved = a.header.Get("Location")
	if members, err := readMembers(a.body.Bytes()); err == nil && len(members) == 1 && members[0].name == "detail" {
		p.Detail, _ = readText(members[0].value)
		return
	}
	p.Text = indented(a.body.Bytes())
}

// send writes a page with the status and the headers of the handler's answer,
// but for those that are about its body.
func (b *browser) send(w http.ResponseWriter, r *http.Request, a *answer, p *page) {
	var body bytes.Buffer
	if err := b.template.Execute(&body, p); err != nil {
		http.Error(w, "Internal server error.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	for name, values := range a.header {
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
	header.Set("Cache-Control", "private, no-cache") // whether there is a form depends on who asks
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // an error means that the client is gone
	}
}
