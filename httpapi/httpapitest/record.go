package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/broken"
	"github.com/gobacklist/backlist/ordering"
)

// updated is the id of the record that checks update.
const updated = 2

// segment returns the segment of the path that the record with an id has now. If no record has the
// id, segment returns the id.
func (p *pair) segment(id int) string {
	segment := strconv.Itoa(id)
	if p.Description.Lookup == "" {
		return segment
	}
	for _, record := range p.stored() {
		if p.id(record) != id {
			continue
		}
		for name, value := range decode(record) {
			if ordering.Snake(name) == p.Description.Lookup {
				_ = json.Unmarshal(value, &segment)
			}
		}
	}
	return segment
}

// spellings returns segments for the same record, or for none.
func (p *pair) spellings(segment string) []string {
	for _, f := range p.fields() {
		if ordering.Snake(f.Name) == p.Description.Lookup && f.Kind == schema.UUID {
			return []string{segment, strings.ToUpper(segment), strings.ReplaceAll(segment, "-", ""), "{" + segment + "}"}
		}
	}
	return []string{segment, " " + segment, segment + " ", "\t\u00a0" + segment + "\n"}
}

// An operation is a call of a method for one record.
type operation struct {
	action    schema.Actions
	segment   string
	filter    schema.Filter
	body      string
	condition condition
	assigned  schema.Record
}

// A condition is the result of the condition of an operation, if it has one.
type condition string

const (
	holds condition = " with a true condition"
	fails condition = " with a false condition"
)

func (o operation) String() string {
	record := strconv.Quote(o.segment)
	if o.filter.Tests != nil {
		record += fmt.Sprintf(" with the filter %v", o.filter)
	}
	switch o.action {
	case schema.Retrieve:
		return "Get of " + record
	case schema.Create:
		return "Create of " + o.body + o.assignment()
	case schema.Destroy:
		return "Delete of " + record + string(o.condition)
	}
	method := map[bool]string{false: "PUT", true: "PATCH"}[o.action == schema.PartialUpdate]
	return fmt.Sprintf("Update of %s by a %s of %s%s%s", record, method, o.body, o.assignment(), o.condition)
}

func (o operation) assignment() string {
	if text := o.assigned.String(); text != "{}" {
		return " with the assigned " + text
	}
	return ""
}

// A result is what an operation returns, with the records that its condition was called with.
type result struct {
	record []byte
	err    error
	seen   []string
}

// on calls the method of a collection.
func (o operation) on(ctx context.Context, c httpapi.Collection) (r result) {
	var check func([]byte) error
	if o.condition != "" {
		check = func(record []byte) error {
			if !slices.Contains(r.seen, string(record)) {
				r.seen = append(r.seen, string(record))
			}
			if o.condition == fails {
				return fmt.Errorf("wrapped: %w", errRefused)
			}
			return nil
		}
	}
	switch o.action {
	case schema.Retrieve:
		r.record, r.err = c.(httpapi.Getter).Get(ctx, o.segment, o.filter)
	case schema.Create:
		r.record, r.err = c.(httpapi.Creator).Create(ctx, []byte(o.body), o.assigned)
	case schema.Destroy:
		r.err = c.(httpapi.Deleter).Delete(ctx, o.segment, o.filter, check)
	default:
		r.record, r.err = c.(httpapi.Updater).Update(ctx, o.segment, catalogue.Edit{
			Filter: o.filter, Body: []byte(o.body), Partial: o.action == schema.PartialUpdate, Assigned: o.assigned, Precondition: check,
		})
	}
	return r
}

// can reports whether operations of an action are possible. Creates and PUTs need a Body, and
// all updates known fields.
func (p *pair) can(action schema.Actions) bool {
	_, getter := p.c.(httpapi.Getter)
	_, creator := p.c.(httpapi.Creator)
	_, updater := p.c.(httpapi.Updater)
	_, deleter := p.c.(httpapi.Deleter)
	updater = updater && p.Description.Fields != nil
	return p.Description.Actions.Has(action) && map[schema.Actions]bool{
		schema.Retrieve:      getter,
		schema.Create:        creator && p.Body != "",
		schema.Update:        updater && p.Body != "",
		schema.PartialUpdate: updater,
		schema.Destroy:       deleter,
	}[action]
}

// possible returns an operation of each action that is possible now.
func (p *pair) possible() []operation {
	segment := p.segment(updated)
	all := []operation{
		{action: schema.Retrieve, segment: segment},
		{action: schema.Create, body: encode(p.body(2))},
		{action: schema.PartialUpdate, segment: segment, body: encode(p.changes())},
		{action: schema.Update, segment: segment, body: encode(p.body(3))},
		{action: schema.Destroy, segment: segment},
	}
	return slices.DeleteFunc(all, func(o operation) bool { return !p.can(o.action) })
}

// do checks that an operation returns what it returns for the reference, and stores what it
// stores there. It skips the check if the operation is not possible.
func (p *pair) do(o operation) {
	if !p.can(o.action) {
		p.Skipf("the description lacks the action, the collection its interface, or the Implementation a Body")
	}
	want, got := o.on(p.ctx, p.ref), o.on(p.ctx, p.c)
	p.checkErrors(o.String(), got.err, want.err)
	switch {
	case !slices.Equal(got.seen, want.seen):
		p.Fatalf("%s calls the condition with %q, want %q", o, got.seen, want.seen)
	case got.err != nil:
	case o.action == schema.Create:
		p.checkCreated(o, got.record, want.record)
	case !bytes.Equal(got.record, want.record):
		p.Fatalf("%s: %s, want %s", o, got.record, want.record)
	}
	if o.action != schema.Retrieve {
		p.checkStored(o.String())
	}
}

// checkCreated checks a record that a Create has returned, except for read-only members. The
// reference then has it in place of its own.
func (p *pair) checkCreated(o operation, record, want []byte) {
	id := p.id(record)
	if id < 1 || p.used[id] {
		p.Fatalf("%s returned the id %d, which is not positive or was used before", o, id)
	}
	p.used[id] = true
	a, b := decode(record), decode(want)
	for _, f := range p.fields() {
		if _, assigned := o.assigned.Get(f.Name); f.ReadOnly && !assigned || f.IsID() {
			delete(a, f.Name)
			delete(b, f.Name)
		}
	}
	if encode(a) != encode(b) {
		p.Fatalf("%s: %s, want %s", o, encode(a), encode(b))
	}
	records := p.stored()
	i := slices.IndexFunc(records, func(r []byte) bool { return bytes.Equal(r, want) })
	records[i] = bytes.Clone(record)
	p.ref = p.reference(records)
}

// named returns a check of an action for segments that name a record, and of Get after it.
func named(action schema.Actions) func(*subject) {
	return func(s *subject) {
		p := s.open(s.records(4))
		for id := 1; id <= 4; id++ {
			segments := p.spellings(p.segment(id))
			for i := range segments {
				segment := segments[(id+i)%4] // another one first
				p.do(operation{action: action, segment: segment, body: "{}"})
				if p.can(schema.Retrieve) {
					p.do(operation{action: schema.Retrieve, segment: segment})
				}
			}
		}
	}
}

// missing returns a check of an action for segments of paths that name no record.
func missing(action schema.Actions) func(*subject) {
	return func(s *subject) {
		for _, n := range []int{3, 0} {
			p := s.open(s.records(n))
			for _, segment := range append(p.others(),
				"0", strconv.Itoa(unused), strconv.Itoa(math.MaxInt), "99999999999999999999",
				"", " ", "x", "-2", "2x", "2 2", "2.0", "2/", "id",
			) {
				p.do(operation{action: action, segment: segment, body: encode(s.changes())})
			}
		}
	}
}

// others returns segments that name no record if paths have no ids.
func (p *pair) others() []string {
	if p.Description.Lookup == "" {
		return nil
	}
	return []string{"1", "2", "3", p.segment(1) + "x"}
}

// filtered returns a check of an action with a filter that does not select all records.
func filtered(action schema.Actions) func(*subject) {
	return func(s *subject) {
		records, filter, _ := s.selection()
		p := s.open(records)
		for _, r := range records {
			p.do(operation{action: action, segment: p.segment(s.id(r)), filter: filter, body: encode(s.changes())})
		}
	}
}

// conditions returns a check of an action with a condition. It sees the stored record. If it
// fails, nothing is stored, even if the body is invalid.
func conditions(action schema.Actions) func(*subject) {
	return func(s *subject) {
		p := s.open(s.records(3))
		change := encode(s.changes())
		for _, body := range []string{change, "[]", "{"} {
			p.do(operation{action: action, segment: p.segment(updated), body: body, condition: fails})
		}
		p.do(operation{action: action, segment: p.segment(updated), body: change, condition: holds})
	}
}

// assigned returns a check of an action with a value for each field, in place of one in the body
// and of one that is absent.
func assigned(action schema.Actions) func(*subject) {
	return func(s *subject) {
		p := s.open(s.records(3))
		fields := s.find(func(f schema.Field) bool {
			return !f.Created && !f.Unique && f.Kind != schema.Reference && f.Kind != schema.References
		})
		for i, f := range fields {
			given, err := schema.Record{}.With(f.Name, json.RawMessage(s.value(f, 1)))
			if err != nil {
				s.Fatal(err)
			}
			body := s.body(2*i + 1)
			p.do(operation{action: action, segment: p.segment(updated), body: encode(body), assigned: given})
			body = s.body(2*i + 2)
			delete(body, f.Name)
			p.do(operation{action: action, segment: p.segment(updated), body: encode(body), assigned: given})
		}
	}
}

// bodyID is the id in bodies, which is ignored.
const bodyID = 987_654

// writes returns a check of an action with bodies, one after the other.
func writes(action schema.Actions, bodies func(*subject) []string) func(*subject) {
	return func(s *subject) {
		p := s.open(s.records(3))
		p.used[bodyID] = true
		for _, body := range bodies(s) {
			p.do(operation{action: action, segment: p.segment(updated), body: body})
		}
	}
}

// valid returns bodies that are valid if no field is required: fields that are absent from a
// PATCH or a PUT keep their values. The id, read-only fields and unknown members are ignored.
func valid(s *subject) []string {
	required, changes, all := s.body(3), s.changes(), s.body(1)
	bodies := []string{encode(s.body(0)), encode(s.body(2))}
	for _, f := range s.fields() {
		if !f.Required {
			delete(required, f.Name)
		}
		if f.ReadOnly {
			all[f.Name] = json.RawMessage(s.value(f, 1))
		}
		if value, ok := changes[f.Name]; ok {
			bodies = append(bodies, encode(members{f.Name: value}))
		}
		if f.Nullable {
			bodies = append(bodies, encode(members{f.Name: json.RawMessage("null")}))
		}
	}
	all["id"], all["noSuchMember"] = json.RawMessage(strconv.Itoa(bodyID)), json.RawMessage("1")
	return append(bodies, encode(required), encode(all))
}

// invalid returns bodies that are not objects, lack a field, or have a value that is invalid in
// many fields.
func invalid(s *subject) []string {
	bodies := []string{`{"a":`, `[]`}
	for _, f := range s.fields() {
		texts := []string{"null", "[]", "{}", "5", `"x"`, `"a b"`, `"2024-02-30"`, `"0.1234567890123"`}
		for _, bound := range []string{f.Min, f.Max} {
			if n, err := strconv.Atoi(bound); err == nil {
				texts = append(texts, strconv.Itoa(n-1), strconv.Itoa(n+1))
			}
		}
		m := broken.New(1, 2)
		if f.Item != nil || f.Fields != nil || f.MinLength+f.MaxLength > 0 || f.Pattern != nil || f.Min+f.Max != "" {
			for range 10 {
				texts = append(texts, m.Broken(f))
			}
		}
		body := s.changes()
		delete(body, f.Name)
		bodies = append(bodies, encode(body))
		for _, value := range texts {
			if !f.ReadOnly {
				body[f.Name] = json.RawMessage(value)
				bodies = append(bodies, encode(body))
			}
		}
	}
	return bodies
}

// unique returns bodies with the values of records in unique fields. A record may keep its
// value, and no other may get it.
func unique(s *subject) (bodies []string) {
	for _, f := range s.find(func(f schema.Field) bool { return f.Unique && !f.ReadOnly }) {
		for _, r := range s.records(3) {
			body := s.body(1)
			body[f.Name] = decode(r)[f.Name]
			bodies = append(bodies, encode(body))
		}
	}
	return bodies
}

// The id of a deleted record is not used again, not even if it was the highest.
func checkDeletedIDs(s *subject) {
	p := s.open(s.records(3))
	for n := 1; n <= 3; n++ {
		last := slices.Max(slices.Collect(maps.Keys(p.used)))
		p.do(operation{action: schema.Destroy, segment: p.segment(last)})
		p.do(operation{action: schema.Create, body: encode(s.body(n))})
	}
}

// Each write changes the revision to a number that it has never been.
func checkRevision(s *subject) {
	p := s.open(s.records(3))
	r, ok := p.c.(httpapi.Revisioner)
	if !ok {
		s.Skipf("the collection is not an httpapi.Revisioner")
	}
	seen := map[uint64]string{}
	check := func(after string) {
		now, err := r.Revision(s.ctx)
		if err != nil {
			s.Fatalf("Revision: %v", err)
		}
		if before, ok := seen[now]; ok {
			s.Fatalf("revision %d after %s was in use after %s, so outdated pages would appear current", now, after, before)
		}
		seen[now] = after
	}
	check("New")
	for i := range p.possible() {
		o := p.possible()[i] // the one before may have moved the path
		if p.do(o); o.action != schema.Retrieve {
			check(o.String())
		}
	}
	for id := 10; s.Insert != nil && id < 15; id++ {
		if err := p.insert(id); err != nil {
			s.Fatalf("%v", err)
		}
		check(fmt.Sprintf("Insert of id %d", id))
	}
}
