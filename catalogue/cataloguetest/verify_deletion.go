package cataloguetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
)

// deletion takes the first record of the page that is asked for first out of the
// collection, before the second page is: so what would be the second page's first
// record is the first page's last, and comes on neither.
type deletion struct {
	stock   *stock
	house   *catalogue.Catalogue
	records int // that the collection has

	mu    sync.Mutex
	pages int
	first int // id of the first record on the first page; 0: none
	done  bool
}

// deleted is the id of the record that is there no more, 0 if all are.
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
		if r.Method != http.MethodGet || r.URL.Path != d.stock.path {
			next.ServeHTTP(w, r)
			return
		}
		m := mishap{w: w, r: r, next: next}
		d.answer(&m)
		m.send()
	})
}

// answer answers one page at a time.
func (d *deletion) answer(m *mishap) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages++
	if d.pages == 2 && d.first != 0 {
		d.delete()
	}
	m.answer = m.ask(m.r)
	if page, ok := parseEnvelope(m.answer.body); ok && d.pages == 1 && len(page.rows) > 0 {
		var r struct{ ID int }
		_ = json.Unmarshal(page.rows[0].of(page.body), &r) // our own record
		d.first = r.ID
	}
}

func (d *deletion) delete() {
	i := slices.Index(d.stock.ids, d.first)
	left := slices.Delete(slices.Clone(d.stock.records[:d.records]), i, i+1)
	d.done = d.stock.fill(d.house, left) == nil
}
