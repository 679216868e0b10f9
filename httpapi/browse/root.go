package browse

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
)

// entry is a collection at the root.
type entry struct {
	Name  string
	Link  string
	Count string // "" if it is not known
}

// showRoot lists the collections that the root names.
func (b *browser) showRoot(p *page, r *http.Request, a *answer) {
	members, err := readMembers(a.body.Bytes())
	if err != nil {
		p.showAnswer(a)
		return
	}
	p.here()
	for _, m := range members {
		link, _ := readText(m.value)
		u, err := url.Parse(link)
		if err != nil || u.Path == "" {
			continue
		}
		segment := path.Base(u.Path) + "/"
		p.Entries = append(p.Entries, entry{
			Name:  heading(m.name),
			Link:  "./" + segment + "?" + u.RawQuery,
			Count: b.count(r, rootPath+segment),
		})
	}
}

// count asks a collection how many records it has.
func (b *browser) count(r *http.Request, path string) string {
	if r.Context().Err() != nil {
		return ""
	}
	a := b.askFor(r, http.MethodGet, path, "limit=1")
	var envelope struct{ Count *int }
	if err := json.Unmarshal(a.body.Bytes(), &envelope); err != nil || a.status != http.StatusOK || envelope.Count == nil {
		return ""
	}
	return grouped(*envelope.Count)
}

// grouped writes a count with its thousands apart.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
