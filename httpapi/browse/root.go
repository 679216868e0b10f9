package browse

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// listing is the list of collections at the root.
type listing struct {
	Summary string // such as "39 collections" or "3 of 39 collections"
	Entries []entry
	Search  *input // nil if there are few collections
	Clear   string // link to all collections if the search is active, or ""
}

// entry is a collection listed at the root.
type entry struct {
	Name  string
	Link  string
	Count string // "" if unknown
}

// A root with at most maxUnsearched collections has no search.
const maxUnsearched = 12

// showRoot shows the collections in the response whose names have all words of the
// parameter search.
func (v *view) showRoot(p *page, resp *response) {
	members, ok := readMembers(resp.body.Bytes())
	if !ok {
		p.showResponse(resp)
		return
	}
	p.here()
	search := v.query.get(searchName)
	l := &listing{}
	total := 0
	for _, m := range members {
		link, _ := readText(m.value)
		u, err := url.Parse(link)
		if err != nil || u.Path == "" {
			continue
		}
		total++
		segment := path.Base(u.Path) + "/"
		name := heading(m.name)
		if !hasWords(name+" "+m.name+" "+segment, search) {
			continue
		}
		link = "./" + segment + "?" + cmp.Or(u.RawQuery, "format=api")
		l.Entries = append(l.Entries, entry{Name: name, Link: link, Count: v.count(v.root + segment)})
	}
	l.Summary = strconv.Itoa(total) + " collections"
	if total == 1 {
		l.Summary = "1 collection"
	}
	if len(l.Entries) < total {
		l.Summary = fmt.Sprintf("%d of %s", len(l.Entries), l.Summary)
	}
	if active := strings.TrimSpace(search) != ""; active || total > maxUnsearched {
		l.Search = &input{Key: searchName, Name: searchName, Label: "Search collections", Control: "search", Value: search}
		if active {
			l.Clear = v.query.with(searchName, "")
		}
	}
	p.Listing = l
}

// hasWords reports whether a text contains all words of a search, in any case.
func hasWords(text, search string) bool {
	for word := range strings.FieldsSeq(search) {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// count requests the number of records of a collection. It returns "" if that fails.
func (v *view) count(path string) string {
	if v.r.Context().Err() != nil {
		return ""
	}
	e, ok := v.list(path, "limit=1")
	if !ok {
		return ""
	}
	return grouped(e.Count)
}

// grouped formats a count with commas between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
