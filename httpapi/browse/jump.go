package browse

import (
	"encoding/json"
	"net/http"
	"sort"
	"strconv"
	"strings"
)

// pageParam is the parameter of the form for a page: the number of the page, from 1.
const pageParam = "_page"

// recordParam is the parameter of a link to a record without a page: its id.
const recordParam = "_record"

// servePageJump redirects to the page of a list with the number in the query. A number past
// the last page leads to the last page, and any other text to the first.
func (b *browser) servePageJump(w http.ResponseWriter, r *http.Request) {
	q := readQuery(r)
	e, ok := b.list(r, strings.TrimPrefix(q.with(pageParam, "", "offset", ""), "?"))
	if !ok {
		b.serveResponse(w, r, b.forward(r))
		return
	}
	limit := windowOf(q, e).Limit
	number, _ := strconv.Atoi(strings.TrimSpace(q.get(pageParam))) // the largest if out of range
	page := min(max(number, 1), pages(e.Count, limit))
	addVary(w.Header())
	seeOther(w, q.with(pageParam, "", "limit", strconv.Itoa(limit), "offset", positive((page-1)*limit)))
}

// serveRecordJump redirects to the row of a record in the list that is ordered by id. It
// finds the row by a binary search, with one request for each step.
func (b *browser) serveRecordJump(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(readQuery(r).get(recordParam))
	e, ok := b.list(r, "ordering=id")
	if err != nil || !ok {
		b.serveResponse(w, r, b.forward(r))
		return
	}
	at := sort.Search(e.Count, func(i int) bool {
		found, ok := b.idAt(r, i)
		return !ok || found >= id
	})
	if found, ok := b.idAt(r, at); !ok || found != id {
		b.serveResponse(w, r, refusal(http.StatusNotFound, "There is no record with the id "+strconv.Itoa(id)+"."))
		return
	}
	q := query{map[string][]string{"ordering": {"id"}}}
	limit := windowOf(q, e).Limit
	addVary(w.Header())
	seeOther(w, q.with("offset", positive(at/limit*limit))+"#"+rowID(json.RawMessage(strconv.Itoa(id))))
}

// list requests a list at the path of r.
func (b *browser) list(r *http.Request, query string) (e envelope, ok bool) {
	resp := b.request(r, http.MethodGet, r.URL.Path, query)
	err := json.Unmarshal(resp.body.Bytes(), &e)
	return e, err == nil && resp.status == http.StatusOK && e.Results != nil
}

// idAt requests the id of the record at an offset in the list that is ordered by id.
func (b *browser) idAt(r *http.Request, offset int) (id int, ok bool) {
	e, ok := b.list(r, "ordering=id&limit=1&offset="+strconv.Itoa(offset))
	if !ok || len(e.Results) != 1 {
		return 0, false
	}
	var record struct{ ID int }
	err := json.Unmarshal(e.Results[0], &record)
	return record.ID, err == nil
}
