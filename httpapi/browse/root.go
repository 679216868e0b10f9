package browse

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
)

// entry is a collection listed at the root.
type entry struct {
	Name  string
	Link  string
	Count string // "" if unknown
}

// showRoot shows the collections in the response.
func (b *browser) showRoot(p *page, r *http.Request, resp *response) {
	members, err := readMembers(resp.body.Bytes())
	if err != nil {
		p.showResponse(resp)
		return
	}
	p.here()
	for _, m := range members {
		link, _ := readText(m.value)
		u, err := url.Parse(link)
		if err != nil || u.Path == "" {
			continue
		}
		segment, query := path.Base(u.Path)+"/", u.RawQuery
		if query == "" {
			query = "format=api"
		}
		p.Entries = append(p.Entries, entry{
			Name:  heading(m.name),
			Link:  "./" + segment + "?" + query,
			Count: b.count(r, b.root+segment),
		})
	}
}

// count requests the number of records of a collection. It returns "" if that fails.
func (b *browser) count(r *http.Request, path string) string {
	if r.Context().Err() != nil {
		return ""
	}
	resp := b.request(r, http.MethodGet, path, "limit=1")
	var envelope struct{ Count *int }
	if err := json.Unmarshal(resp.body.Bytes(), &envelope); err != nil || resp.status != http.StatusOK || envelope.Count == nil {
		return ""
	}
	return grouped(*envelope.Count)
}

// grouped formats a count with commas between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
