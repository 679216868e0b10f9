package cataloguetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
)

// A deletion deletes the first record of the first page before the second page is
// served. The record that would have been the first of the second page moves to the
// end of the first page, and so is on neither.
type deletion struct {
	data    *dataset
	house   *catalogue.Catalogue
	records int // in the collection

	mu    sync.Mutex
	pages int
	first int // id of the first record on the first page; 0: none
	done  bool
}

// deleted returns the id of the deleted record, or 0 if there is none.
func (d *deletion) deleted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.done {
		return 0
	}
	return d.first
}

func (d *deletion) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != d.data.path {
			next.ServeHTTP(w, r)
			return
		}
		i := interceptor{w: w, r: r, next: next}
		d.serve(&i)
		i.send()
	})
}

// serve records the response to a request for a page. Only one is made at a time.
func (d *deletion) serve(i *interceptor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages++
	if d.pages == 2 && d.first != 0 {
		d.delete()
	}
	i.response = i.record(i.r)
	if page, ok := parseEnvelope(i.response.body); ok && d.pages == 1 && len(page.rows) > 0 {
		var r struct{ ID int }
		_ = json.Unmarshal(page.rows[0].of(page.body), &r) // a record of the dataset
		d.first = r.ID
	}
}

func (d *deletion) delete() {
	i := slices.Index(d.data.ids, d.first)
	left := slices.Delete(slices.Clone(d.data.records[:d.records]), i, i+1)
	d.done = replaceRecords(d.house, d.data.key, left) == nil
}
