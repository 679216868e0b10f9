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

// A ledger is what clients know of a collection: what they have been told must stay.
type ledger struct {
	name  string       // the member that is different in each record that is posted
	known atomic.Int64 // how many records were acknowledged, or there from the start
	mu    sync.Mutex
	told  map[int]string      // records that were shown or acknowledged, by id
	sent  map[string]*outcome // what was posted, by name
}

// outcome is what became of a POST.
type outcome struct{ created, unknown bool }

func newLedger(name string) *ledger {
	return &ledger{name: name, told: map[int]string{}, sent: map[string]*outcome{}}
}

// sends notes that a record of a name is about to be posted.
func (l *ledger) sends(name string) *outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[name] = &outcome{}
	return l.sent[name]
}

// show notes a record that somebody was given.
func (l *ledger) show(record json.RawMessage) (id int, err error) {
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
	if before, ok := l.told[id]; ok {
		if before != string(record) {
			return id, fmt.Errorf("id %d is %s and was %s", id, record, before)
		}
		return id, nil
	}
	l.told[id] = string(record)
	name, _ := members[l.name].(string)
	if l.sent[name] == nil && !strings.HasPrefix(name, "base") {
		return id, fmt.Errorf("nobody has posted %s", record)
	}
	return id, nil
}

// settle compares it with what is there in the end.
func (l *ledger) settle(stored map[int]string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var faults []error
	for id, record := range l.told {
		if stored[id] != record {
			faults = append(faults, fmt.Errorf("id %d: %q is stored, %s was told", id, stored[id], record))
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
			faults = append(faults, fmt.Errorf("%s is there %d times, %+v", name, n, *o))
		}
	}
	return errors.Join(faults...)
}

// listing is a page as it is answered.
type listing struct {
	Count          int
	Next, Previous *string
	Results        []json.RawMessage
}

// view is a way to look at a collection.
type view struct {
	ordering      string // as it is asked for
	member        string // of the records, "" is id
	desc          bool
	limit, offset int
}

// target is the query that asks for it.
func (v view) target() string {
	return fmt.Sprintf("?ordering=%s&limit=%d&offset=%d", v.ordering, v.limit, v.offset)
}

// check says what is wrong with a page: before is how many records were known when
// it was asked for.
func (l *ledger) check(v view, body []byte, before int64) (count int, err error) {
	var p listing
	if err := json.Unmarshal(body, &p); err != nil {
		return 0, err
	}
	if int64(p.Count) < before {
		return 0, fmt.Errorf("count is %d, of %d it is known that they are there", p.Count, before)
	}
	if want := max(0, min(v.limit, p.Count-v.offset)); len(p.Results) != want {
		return 0, fmt.Errorf("%d records of %d, want %d", len(p.Results), p.Count, want)
	}
	if more := v.offset+v.limit < p.Count; (p.Next != nil) != more || (p.Previous != nil) != (v.offset > 0) {
		return 0, fmt.Errorf("next is %v, previous is %v, count %d", p.Next, p.Previous, p.Count)
	}
	var lastKey string
	var lastID int
	for i, record := range p.Results {
		id, err := l.show(record)
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
			return 0, fmt.Errorf("%d (%q) is behind %d (%q)", id, key, lastID, lastKey)
		}
		lastKey, lastID = key, id
		// What is rolled back takes its id along: there are no gaps.
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

// text is a member of a record; that of times is as wide for all of them.
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
