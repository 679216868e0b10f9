package pgstore_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// expectation holds what clients know about a collection. Records that were read or
// acknowledged must not change.
type expectation struct {
	name  string       // the member that differs in all posted records
	known atomic.Int64 // number of initial and acknowledged records
	mu    sync.Mutex
	read  map[int]string      // records that were read or acknowledged, by id
	sent  map[string]*outcome // posts, by name
}

// outcome is the result of a POST.
type outcome struct{ created, unknown bool }

func newExpectation(name string) *expectation {
	return &expectation{name: name, read: map[int]string{}, sent: map[string]*outcome{}}
}

// post records that a record with a name is about to be posted.
func (l *expectation) post(name string) *outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[name] = &outcome{}
	return l.sent[name]
}

// observe records a record that was read or acknowledged.
func (l *expectation) observe(record json.RawMessage) (id int, err error) {
	var members map[string]any
	if err := json.Unmarshal(record, &members); err != nil {
		return 0, err
	}
	number, _ := members["id"].(float64)
	if id = int(number); id < 1 {
		return 0, fmt.Errorf("no id in %s", record)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, ok := l.read[id]; ok {
		if before != string(record) {
			return id, fmt.Errorf("id %d is %s and was %s", id, record, before)
		}
		return id, nil
	}
	l.read[id] = string(record)
	name, _ := members[l.name].(string)
	if l.sent[name] == nil && !strings.HasPrefix(name, "base") {
		return id, fmt.Errorf("record was never posted: %s", record)
	}
	return id, nil
}

// compare compares the expectation with the stored records.
func (l *expectation) compare(stored map[int]string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var faults []error
	for id, record := range l.read {
		if stored[id] != record {
			faults = append(faults, fmt.Errorf("id %d: stored %q, read %s", id, stored[id], record))
		}
	}
	times := map[string]int{}
	for _, record := range stored {
		var members map[string]any
		if err := json.Unmarshal([]byte(record), &members); err != nil {
			faults = append(faults, err)
			continue
		}
		name, _ := members[l.name].(string)
		times[name]++
	}
	for name, o := range l.sent {
		if n := times[name]; n > 1 || n == 0 && o.created || n == 1 && !o.created && !o.unknown {
			faults = append(faults, fmt.Errorf("%s is stored %d times, %+v", name, n, *o))
		}
	}
	return errors.Join(faults...)
}

// listing is the body of a page.
type listing struct {
	Count          int
	Next, Previous *string
	Results        []json.RawMessage
}

// view is a request for a page.
type view struct {
	ordering      string // query parameter
	member        string // of the ordering; "" is id
	desc          bool
	limit, offset int
}

// target returns the query of the request.
func (v view) target() string {
	return fmt.Sprintf("?ordering=%s&limit=%d&offset=%d", v.ordering, v.limit, v.offset)
}

// check returns an error if a page is wrong. before is the number of known records when
// it was requested.
func (l *expectation) check(v view, body []byte, before int64) (count int, err error) {
	var p listing
	if err := json.Unmarshal(body, &p); err != nil {
		return 0, err
	}
	if int64(p.Count) < before {
		return 0, fmt.Errorf("count = %d, want at least %d", p.Count, before)
	}
	if want := max(0, min(v.limit, p.Count-v.offset)); len(p.Results) != want {
		return 0, fmt.Errorf("%d records of %d, want %d", len(p.Results), p.Count, want)
	}
	if more := v.offset+v.limit < p.Count; (p.Next != nil) != more || (p.Previous != nil) != (v.offset > 0) {
		return 0, fmt.Errorf("next = %v, previous = %v, count = %d", p.Next, p.Previous, p.Count)
	}
	var lastKey string
	var lastID int
	for i, record := range p.Results {
		id, err := l.observe(record)
		if err != nil {
			return 0, err
		}
		key, err := text(record, v.member)
		if err != nil {
			return 0, err
		}
		way := cmp.Or(strings.Compare(lastKey, key), cmp.Compare(lastID, id))
		if v.desc {
			way = -way
		}
		if i > 0 && way >= 0 {
			return 0, fmt.Errorf("%d (%q) comes after %d (%q)", id, key, lastID, lastKey)
		}
		lastKey, lastID = key, id
		// Ids have no gaps, even after rollbacks.
		place := v.offset + i + 1
		if v.desc {
			place = p.Count + 1 - place
		}
		if v.member == "" && id != place {
			return 0, fmt.Errorf("id %d at %d of %d", id, v.offset+i, p.Count)
		}
	}
	return p.Count, nil
}

// text returns a member of a record. Texts of times have the same length, so they sort
// by time.
func text(record json.RawMessage, member string) (string, error) {
	if member == "" {
		return "", nil
	}
	var members map[string]any
	err := json.Unmarshal(record, &members)
	value, ok := members[member].(string)
	if err == nil && !ok {
		err = fmt.Errorf("no %s in %s", member, record)
	}
	return value, err
}
