package httpapitest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// A search replaces all records and sends messages again until it has done so maxTries times, or
// for maxSearch.
const (
	maxTries  = 200
	maxSearch = 20 * time.Second
)

// A search looks for a short list of messages after which the responses to the last one, or the
// stored records, differ.
type search struct {
	*pair
	stored bool
	tries  int
	end    time.Time
	diff   string // of the shortest list
}

// explain ends the test with the shortest list that it finds.
func (p *pair) explain(s *search, sent []message) {
	p.Helper()
	s.end = time.Now().Add(maxSearch)
	if !s.fails(sent) {
		p.Fatalf("a difference after %d requests of seed %d, but not when they are repeated, of which the last is\n\t%s\n(-catalogue +collections):\n%s",
			len(sent), p.opts.Seed, sent[len(sent)-1], s.diff)
	}
	for size := len(sent) - 1; size > 0; size /= 2 {
		for at := 0; at+size < len(sent); {
			if shorter := slices.Delete(slices.Clone(sent), at, at+size); s.fails(shorter) {
				sent = shorter
			} else {
				at += size
			}
		}
	}
	for i := range sent {
		s.simplify(sent, i)
	}
	var list strings.Builder
	for _, m := range sent {
		list.WriteString("\t" + m.String() + "\n")
	}
	what := "responses to the last of"
	if s.stored {
		what = "stored records after"
	}
	p.Fatalf("the %s these requests differ, of seed %d (-catalogue +collections):\n%s%s", what, p.opts.Seed, list.String(), s.diff)
}

// fails reports whether a list of messages has a difference.
func (s *search) fails(list []message) bool {
	if s.tries++; s.tries > maxTries || time.Now().After(s.end) {
		return false
	}
	s.reset()
	last := ""
	for _, m := range list {
		_, last = s.ask(m)
	}
	if s.stored {
		last = s.storedDiff()
	}
	if last != "" {
		s.diff = last
	}
	return last != ""
}

// simplify removes parameters and members of the message with an index as long as the list fails.
func (s *search) simplify(list []message, i int) {
	try := func(change func(m *message)) {
		before := list[i]
		if change(&list[i]); !s.fails(list) {
			list[i] = before
		}
	}
	path, query, _ := strings.Cut(list[i].Target, "?")
	for params := strings.Split(query, "&"); query != "" && len(params) > 0; params = params[1:] {
		_, left, _ := strings.Cut(list[i].Target, "?")
		rest := strings.Split(left, "&")
		at := slices.Index(rest, params[0])
		try(func(m *message) { m.Target = path + "?" + strings.Join(slices.Delete(rest, at, at+1), "&") })
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(list[i].Body), &members) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		delete(members, name)
		text, _ := json.Marshal(members) // of valid JSON
		before := list[i].Body
		if try(func(m *message) { m.Body = string(text) }); list[i].Body == before {
			members[name] = value
		}
	}
}
