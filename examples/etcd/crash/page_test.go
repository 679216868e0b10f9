package crash_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
)

// A query selects a page of the notes.
type query struct {
	offset, limit int
	descending    bool // by id
}

// encode returns the query of the URL.
func (q query) encode() string {
	text := fmt.Sprintf("limit=%d&offset=%d", q.limit, q.offset)
	if q.descending {
		text += "&ordering=-id"
	}
	return text
}

// A row is a record of a page.
type row struct{ id, number int }

// A page is a response to a query.
type page struct {
	count int
	rows  []row
	tag   string
}

// parsePage returns the page in a body, and the query of its next link, which is "" on the
// last page. It checks what does not depend on other requests.
func parsePage(q query, body []byte) (p page, next string, err error) {
	var parsed struct {
		Count          int
		Next, Previous *string
		Results        []json.RawMessage
	}
	if err := json.Unmarshal(body, &parsed); err != nil {
		return p, "", fmt.Errorf("%w: %.200q", err, body)
	}
	p.count = parsed.Count
	for _, raw := range parsed.Results {
		r, err := parseRow(raw)
		if err != nil {
			return p, "", err
		}
		p.rows = append(p.rows, r)
	}
	switch {
	case len(p.rows) != min(q.limit, max(0, p.count-q.offset)):
		return p, "", fmt.Errorf("%d of %d records at offset %d with limit %d", len(p.rows), p.count, q.offset, q.limit)
	case (parsed.Next != nil) != (q.offset+q.limit < p.count):
		return p, "", fmt.Errorf("next is %v at offset %d with limit %d and count %d", parsed.Next, q.offset, q.limit, p.count)
	case (parsed.Previous != nil) != (q.offset > 0):
		return p, "", fmt.Errorf("previous is %v at offset %d", parsed.Previous, q.offset)
	}
	for i := 1; i < len(p.rows); i++ {
		if a, b := p.rows[i-1].id, p.rows[i].id; a == b || (a > b) != q.descending {
			return p, "", fmt.Errorf("id %d is followed by id %d", a, b)
		}
	}
	if parsed.Next != nil {
		next, err = checkNext(q, *parsed.Next)
	}
	return p, next, err
}

// checkNext returns the query of a link to the page after q.
func checkNext(q query, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", err
	}
	want := q
	want.offset += q.limit
	values, _ := url.ParseQuery(want.encode())
	if got := u.Query().Encode(); got != values.Encode() {
		return "", fmt.Errorf("next is %q, want %q", got, values.Encode())
	}
	return u.RawQuery, nil
}

// parseRow returns a record whose bytes are exactly those that are expected.
func parseRow(raw []byte) (r row, err error) {
	var note struct {
		ID   int
		Text string
	}
	if err := json.Unmarshal(raw, &note); err != nil {
		return r, fmt.Errorf("%w: %.200q", err, raw)
	}
	number, err := numberOf(note.Text)
	if err != nil {
		return r, err
	}
	if want := encodedRow(note.ID, number); want != string(raw) {
		return r, fmt.Errorf("a record is %q, want %q", raw, want)
	}
	return row{note.ID, number}, nil
}

// page checks a page that was read between call and ret.
func (l *checker) page(q query, p page, call, ret int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.pages++
	if err := l.checkPage(q, p, call, ret); err != nil {
		l.fault(fmt.Errorf("page %+v of %d records %v at %d to %d: %w", q, p.count, p.rows, call, ret, err))
	}
}

func (l *checker) checkPage(q query, p page, call, ret int64) error {
	if key, got := p.tag+" "+q.encode(), fmt.Sprint(p.count, p.rows); p.tag == "" {
		l.stats.untagged++
	} else if seen, ok := l.tags[key]; !ok {
		l.tags[key] = got
	} else if seen != got {
		return fmt.Errorf("two pages have the tag %s: the other is %s", p.tag, seen)
	}
	for _, r := range p.rows {
		if err := l.row(r.id, r.number, call, ret); err != nil {
			return err
		}
	}
	return l.checkPositions(q, p, call, ret)
}

// checkPositions checks that the page has all records that it must have, and that their
// number before the page and in total is possible.
func (l *checker) checkPositions(q query, p page, call, ret int64) error {
	ids := make([]int, len(p.rows))
	for i, r := range p.rows {
		ids[i] = r.id
	}
	slices.Sort(ids)
	var count, before bounds
	for _, id := range l.known {
		r := l.records[id]
		must := l.present(r, call, ret)
		may := r.created.possible(ret) && !l.absent(r, call)
		count.add(must, may)
		if len(ids) == 0 {
			continue
		}
		if _, found := slices.BinarySearch(ids, id); must && !found && id > ids[0] && id < ids[len(ids)-1] {
			return fmt.Errorf("id %d is missing", id)
		}
		if !q.descending && id < ids[0] || q.descending && id > ids[len(ids)-1] {
			before.add(must, may)
		}
	}
	for _, w := range l.unbound {
		count.add(false, w.possible(ret))
		before.add(false, w.possible(ret))
	}
	if !count.include(p.count) {
		return fmt.Errorf("the count is not in %+v", count)
	}
	if len(ids) > 0 && !before.include(q.offset) {
		return fmt.Errorf("the number of records before the page is not in %+v", before)
	}
	return nil
}

// bounds are the least and the greatest possible number of records.
type bounds struct{ least, most int }

func (b *bounds) add(must, may bool) {
	if must {
		b.least++
	}
	if may {
		b.most++
	}
}

func (b *bounds) include(n int) bool { return b.least <= n && n <= b.most }
