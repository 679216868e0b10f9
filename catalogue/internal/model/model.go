// Package model is a model of a catalogue for tests. It computes what operations return
// from a slice of records, with its own comparison, filters and pages. It shares no code
// with what it checks.
//
// An [Op] is an operation, with a text form. [World.Do] performs one in the model and
// returns what a collection must return, as text too, so that operations and results can
// be compared, recorded and read. A [Random] makes operations, and [Shrink] reduces those
// that reveal an error to a short script.
package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

// A Config describes the records and the options of a collection.
type Config struct {
	Key     string     // of the collection; "" if it is the only one
	Fields  []Field    // without the id
	Open    bool       // the records are open ones
	Invalid bool       // the records have a method Invalidate
	Whole   bool       // new records have all members
	Keyed   bool       // keys stand for ids, so records without one are invalid
	Unique  [][]string // sets of fields
	Order   string     // the default order, as text
	History int
}

// A Field is a field of the records.
type Field struct {
	Name   string   // in snake_case
	Member string   // its name in JSON
	Zero   string   // JSON of the zero value; "" for members of open records
	Values []string // JSON of values for random records
	Like   string   // JSON of a value of the kind that conditions accept; "" for any
	By     func(value) value
	Inside []Field // fields of the objects that are its values; a Member is the name there
	Refers string  // key of the collection whose ids the field holds, if any
}

func (f *Field) value(text string) value {
	v := valueOf(text)
	if f.By != nil {
		v = f.By(v)
	}
	return v
}

func (c *Config) field(name string) *Field { return named(c.Fields, name) }

// named returns the field with a name, which may be inside another one, or nil.
func named(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
		if f := named(fields[i].Inside, name); f != nil {
			return f
		}
	}
	return nil
}

// valueIn returns the value of the field in an object, or null if the text is another value.
func (f *Field) valueIn(text string) value {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &members)
	return f.value(cmp.Or(string(members[f.Member]), "null"))
}

// A member is a member of a JSON object.
type member struct{ name, text string }

// A record has its members in the order of its JSON, without the id.
type record struct {
	id      int
	members []member
	text    string           // its JSON
	values  map[string]value // by field
}

func (c *Config) record(text string) *record {
	r := &record{}
	for _, f := range c.Fields {
		if f.Zero != "" {
			r.members = append(r.members, member{f.Member, f.Zero})
		}
	}
	return c.with(r, text)
}

// Complete returns a record with all members but the id. Those that text lacks are zero.
func (c *Config) Complete(text string) string { return object(members(0, c.record(text).members)) }

// with returns a record with the members of before and those of a JSON object.
func (c *Config) with(before *record, text string) *record {
	r := &record{id: before.id, members: slices.Clone(before.members)}
	d := json.NewDecoder(strings.NewReader(text))
	for d.Token(); d.More(); { // the first token is the brace
		name, _ := d.Token()
		var data json.RawMessage
		d.Decode(&data)
		at := slices.IndexFunc(r.members, func(m member) bool { return m.name == name })
		switch {
		case name == "id":
			r.id = decoded[int](string(data))
		case at < 0:
			r.members = append(r.members, member{name.(string), string(data)})
		default:
			r.members[at].text = string(data)
		}
	}
	return c.identified(r, r.id)
}

// identified returns r with an id, and with what follows from that and the members.
func (c *Config) identified(r *record, id int) *record {
	r = &record{id, r.members, object(members(id, r.members)), map[string]value{"id": {kind: isNumber, small: int64(id)}}}
	for _, m := range r.members {
		if i := slices.IndexFunc(c.Fields, func(f Field) bool { return f.Member == m.name }); i >= 0 {
			r.values[c.Fields[i].Name] = c.Fields[i].value(m.text)
			for _, f := range c.Fields[i].Inside {
				r.values[f.Name] = f.valueIn(m.text)
			}
		}
	}
	return r
}

// members returns the texts of an id, unless it is 0, and of members.
func members(id int, list []member) (texts []string) {
	if id != 0 {
		texts = append(texts, fmt.Sprintf(`"id":%d`, id))
	}
	for _, m := range list {
		texts = append(texts, fmt.Sprintf("%q:%s", m.name, m.text))
	}
	return texts
}

func object(members []string) string { return "{" + strings.Join(members, ",") + "}" }

func (r *record) value(field string) value {
	if v, ok := r.values[field]; ok {
		return v
	}
	return value{kind: isNull}
}

// String returns the JSON of the record, or "null" for nil, which is no record.
func (r *record) String() string {
	if r == nil {
		return "null"
	}
	return r.text
}

// A State is the state of a collection. It never changes.
type State struct {
	c        *Config
	records  []*record // sorted by id
	last     int       // highest id ever used
	used     int       // highest id used since the records were last replaced; it is saved
	revision uint64
	changes  []change // those that are kept
	trimmed  uint64   // revision of the last one that is not
}

// Sum returns a hash of all that determines the results of operations.
func (s *State) Sum(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprint(&h, s.last, s.used, s.revision, s.trimmed, s.changes)
	for _, r := range s.records {
		h.WriteString(r.text)
	}
	return h.Sum64()
}

// A change is the difference that a revision made to a record.
type change struct {
	revision      uint64
	id            int
	before, after string // JSON, or "null" if there was or is no record
}

// A Place is where a collection is found: in a catalogue, which is "" or a copy with a name,
// under its key, which is "" if it is the only collection.
type Place struct{ Copy, Key string }

// A World is a catalogue of some collections, with its clones and snapshots. It never
// changes.
type World map[Place]*State

// New returns a world with empty collections.
func New(collections ...*Config) World {
	w := World{}
	for _, c := range collections {
		w[Place{"", c.Key}] = &State{c: c}
	}
	return w
}

// Do returns the world after an operation, and what the operation must return.
func (w World) Do(op Op) (next World, result string) {
	switch op.Verb {
	case "snapshot", "clone", "save":
		return w.copy(op)
	case "batch":
		return w.batch(op)
	}
	at := Place{op.On, op.In}
	s := w[at]
	if s == nil {
		return w, "error: no such collection"
	}
	checked := op.How == "checked"
	if checked {
		if err := w.checkReferences(s, op); err != "" {
			return w, err
		}
		op.How = ""
	}
	after, result := s.do(op)
	if after == s {
		return w, result
	}
	if checked && op.Verb == "update" {
		result = after.read(Op{Verb: "get", ID: op.ID})
	}
	next = maps.Clone(w)
	next[at] = after
	return next, result
}

// copy returns the world with a copy of a catalogue or of one of its collections. If
// operations on the copy are given, the result has a line for each of them, and the copy
// is not kept.
func (w World) copy(op Op) (World, string) {
	next := maps.Clone(w)
	maps.DeleteFunc(next, func(at Place, _ *State) bool { return at.Copy == op.Name })
	found := false
	for at, s := range w {
		if at.Copy != op.On || op.In != "" && op.In != at.Key {
			continue
		}
		if op.Verb == "save" {
			saved := s.used
			s = (&State{c: s.c, last: saved}).replaced(s.records)
			s.used = max(s.used, saved)
		}
		next[Place{op.Name, at.Key}], found = s, true
	}
	if !found {
		return w, "error: no such collection"
	}
	if op.Ops == nil {
		return next, "ok"
	}
	lines := []string{"ok"}
	for _, inner := range op.Ops {
		var line string
		inner.On = op.Name
		next, line = next.Do(inner)
		lines = append(lines, line)
	}
	return w, strings.Join(lines, "\n")
}

// checkReferences returns the error of a write that breaks a reference.
func (w World) checkReferences(s *State, op Op) string {
	if s.find(op.ID) == nil && op.Verb != "insert" {
		return "" // another error
	}
	if op.Verb == "delete" {
		for at, other := range w {
			if at.Copy == op.On && other.refers(s.c.Key, op.ID) {
				return "error: referred to"
			}
		}
		return ""
	}
	r := s.c.record(op.Records[0])
	for _, f := range s.c.Fields {
		if v := r.value(f.Name); f.Refers != "" && v.kind != isNull && w[Place{op.On, f.Refers}].find(int(v.small)) == nil {
			return "error: no such reference"
		}
	}
	return ""
}

// refers reports whether a record refers to that of another collection with an id.
func (s *State) refers(key string, id int) bool {
	for _, f := range s.c.Fields {
		refers := func(r *record) bool { v := r.value(f.Name); return v.kind == isNumber && v.small == int64(id) }
		if f.Refers == key && key != "" && slices.ContainsFunc(s.records, refers) {
			return true
		}
	}
	return false
}

func (s *State) do(op Op) (*State, string) {
	if op.Verb == "replace" || op.Verb == "load" {
		return s.replace(op)
	} else if !IsWrite(op.Verb) {
		return s, s.read(op)
	}
	after, result := s.write(op)
	if after != s && after.duplicate() {
		if op.Verb != "update" {
			result = ""
		}
		return s, strings.TrimSuffix(result, "ok") + "error: duplicate"
	}
	if after != s {
		after.commit(s)
	}
	return after, result
}

// at returns the index that the record with an id has or would have.
func (s *State) at(id int) (at int, found bool) {
	return slices.BinarySearchFunc(s.records, id, func(r *record, id int) int { return r.id - id })
}

// find returns the record with an id, or nil.
func (s *State) find(id int) *record {
	if at, found := s.at(id); found {
		return s.records[at]
	}
	return nil
}

// put returns the state with a record that is new or has the id of another.
func (s *State) put(r *record) *State {
	after, _ := s.write(Op{Verb: "delete", ID: r.id})
	at, _ := after.at(r.id)
	next := *after
	next.records = slices.Insert(slices.Clone(after.records), at, r)
	next.last, next.used = max(s.last, r.id), max(s.used, r.id)
	return &next
}

// write returns the state after a write to some records, which has no revision yet.
func (s *State) write(op Op) (*State, string) {
	switch op.Verb {
	case "delete":
		at, found := s.at(op.ID)
		if !found {
			return s, "error: not found"
		}
		after := *s
		after.records = slices.Delete(slices.Clone(s.records), at, at+1)
		return &after, "ok"
	case "update":
		return s.update(op)
	case "updateall", "deleteall":
		return s.writeAll(op)
	}
	r := s.c.record(op.Records[0])
	switch {
	case r.id < 0, r.id == 0 && s.c.Keyed:
		return s, "error: invalid id"
	case op.Verb == "insert" && s.find(r.id) != nil:
		return s, "error: exists"
	case op.How == "invalid":
		return s, "error: invalid"
	case r.id == 0:
		r = s.c.identified(r, s.last+1)
	}
	return s.put(r), fmt.Sprint("id ", r.id)
}

// update returns the state after an update, whose callback merges members.
func (s *State) update(op Op) (*State, string) {
	before := s.find(op.ID)
	if before == nil {
		return s, "error: not found"
	}
	r, was := s.c.with(before, op.Records[0]), "was "+before.text+", "
	switch {
	case op.How != "" && (op.How != "invalid" || r.id == op.ID):
		return s, was + "error: " + op.How
	case r.id != op.ID:
		return s, was + "error: invalid id"
	}
	return s.put(r), was + "ok"
}

// writeAll returns the state after a write to all selected records, in the order of their ids.
func (s *State) writeAll(op Op) (*State, string) {
	op.Terms = "id"
	if err := s.invalid(op); err != "" {
		return s, "error: " + err
	}
	after, all := s, s.selected(op)
	for _, r := range all {
		one := Op{Verb: strings.TrimSuffix(op.Verb, "all"), ID: r.id, Records: op.Records, How: op.How}
		next, result := after.write(one)
		if next == after {
			_, failed, _ := strings.Cut(result, "error: ")
			return s, "error: " + failed
		}
		after = next
	}
	return after, fmt.Sprint("n ", len(all))
}

// duplicate reports whether two records have the same values of a unique set.
func (s *State) duplicate() bool {
	for _, set := range s.c.Unique {
		var all [][]value
		for _, r := range s.records {
			values := make([]value, len(set))
			for i, field := range set {
				values[i] = r.value(field)
			}
			if !slices.ContainsFunc(values, func(v value) bool { return v.kind == isNull }) {
				all = append(all, values)
			}
		}
		compare := func(a, b []value) int { return slices.CompareFunc(a, b, value.compare) }
		slices.SortFunc(all, compare)
		if len(slices.CompactFunc(slices.Clone(all), func(a, b []value) bool { return compare(a, b) == 0 })) < len(all) {
			return true
		}
	}
	return false
}

// commit assigns the revision after that of before to s, which is new, with the changes of the
// records that were written, unless there are none.
func (s *State) commit(before *State) {
	s.changes, s.revision, s.trimmed = slices.Clip(before.changes), before.revision, before.trimmed
	var ids []int
	for _, r := range slices.Concat(before.records, s.records) {
		ids = append(ids, r.id)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if was, is := before.find(id), s.find(id); was != is {
			s.changes = append(s.changes, change{before.revision + 1, id, was.String(), is.String()})
		}
	}
	if len(s.changes) > len(before.changes) {
		s.revision++
	}
	if drop := len(s.changes) - s.c.History; drop > 0 {
		s.trimmed = s.changes[drop-1].revision
		s.changes = s.changes[drop:]
	}
}

// batch returns the world after a batch of one collection or, if op.In is empty, of any. The
// result has a line for each operation in it, of which none ends the batch: it recovers
// panics of their callbacks. Operations on "outside" read a collection, which does not have
// the writes yet.
func (w World) batch(op Op) (World, string) {
	found := func(at Place) bool { return at.Copy == op.On && (op.In == "" || op.In == at.Key) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(w)), found) {
		return w, "error: no such collection"
	}
	next, lines := maps.Clone(w), []string(nil)
	for _, inner := range op.Ops {
		at := Place{op.On, cmp.Or(inner.In, op.In)}
		s, result := next[at], "error: no such collection"
		switch {
		case s == nil:
		case inner.On == "outside":
			result = w[at].read(inner)
		case !IsWrite(inner.Verb):
			result = s.read(inner)
		default:
			next[at], result = s.write(inner)
		}
		lines = append(lines, result)
	}
	result := "ok"
	if op.How != "" {
		next, result = w, "error: "+op.How
	}
	for at, s := range next {
		if s != w[at] && s.duplicate() {
			next, result = w, "error: duplicate"
		}
	}
	for at, s := range next {
		if s != w[at] {
			s.commit(w[at])
		}
	}
	return next, strings.Join(append(lines, result), "\n")
}

// IsWrite reports whether a verb is one of a write to some records.
func IsWrite(verb string) bool {
	return slices.Contains([]string{"insert", "upsert", "update", "delete", "updateall", "deleteall"}, verb)
}

// replace returns the state after all records were replaced. All ids of records to load
// must be given.
func (s *State) replace(op Op) (*State, string) {
	list, last, seen, err := []*record(nil), s.last, map[int]bool{}, ""
	for _, text := range op.Records {
		r := s.c.record(text)
		switch {
		case r.id < 0, r.id == 0 && (s.c.Keyed || op.Verb == "load"):
			if s.c.Keyed || err == "" { // keys are read before they are compared
				err = "invalid id"
			}
		case seen[r.id] && r.id > 0:
			err = cmp.Or(err, "exists")
		}
		seen[r.id], last = true, max(last, r.id)
		list = append(list, r)
	}
	for i, r := range list {
		if r.id == 0 {
			last++
			list[i] = s.c.identified(r, last)
		}
	}
	after := s.replaced(list)
	if err == "" && after.duplicate() {
		err = "duplicate"
	}
	switch {
	case err == "":
		return after, "ok"
	case op.Verb == "load":
		err = "invalid data"
	}
	return s, "error: " + err
}

func (s *State) replaced(list []*record) *State {
	list = slices.SortedFunc(slices.Values(list), func(a, b *record) int { return a.id - b.id })
	after := &State{c: s.c, last: s.last, records: list}
	if len(list) > 0 {
		after.used = list[len(list)-1].id
	}
	after.last = max(after.last, after.used)
	after.commit(s)
	after.revision = s.revision + 1 // even if there is no record before and after it
	return after
}
