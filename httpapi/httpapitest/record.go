package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// checkError checks that an error wraps another one.
func (s *subject) checkError(err, want error, method string) {
	if !errors.Is(err, want) {
		s.Fatalf("%s: error %v, want one wrapping %q", method, err, want)
	}
}

func (s *subject) canceled() context.Context {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	return ctx
}

// needBody skips the check if there is no Body.
func (s *subject) needBody() {
	if s.Body == "" {
		s.Skipf("no Body")
	}
}

// noObjects returns bodies that are no JSON objects.
func noObjects() []string { return []string{`{"a":`, `[]`} }

// segments returns segments of paths that name a record.
func segments(id int) []string {
	n := strconv.Itoa(id)
	return []string{n, " " + n, n + " ", "\t\u00a0" + n + "\n"}
}

// missing returns segments of paths that name no record.
func missing() []string {
	return []string{
		"0", strconv.Itoa(unused), strconv.Itoa(math.MaxInt), "99999999999999999999",
		"", " ", "x", "-2", "2x", "2 2", "2.0", "2/", "id",
	}
}

// ids returns the ids of all records, as segments.
func (p *pair) ids() (segments []string) {
	_, ids := p.list(p.ref, everything(asc("id")))
	for _, id := range ids {
		segments = append(segments, strconv.Itoa(id))
	}
	return segments
}

// get checks that a Get returns what the reference returns.
func (p *pair) get(g httpapi.Getter, segment string, filter schema.Filter) {
	want, wantErr := p.ref.Get(p.ctx, segment, filter)
	got, err := g.Get(p.ctx, segment, filter)
	p.checkResult(fmt.Sprintf("Get of %q with %v", segment, filter), got, err, want, wantErr)
}

func checkGet(s *subject) {
	p, g := openWith[httpapi.Getter](s, schema.Retrieve, s.plain(5))
	for id := range 5 {
		for _, segment := range segments(id + 1) {
			p.get(g, segment, schema.Filter{})
		}
	}
}

func checkGetMissing(s *subject) {
	for _, n := range []int{5, 0} {
		p, g := openWith[httpapi.Getter](s, schema.Retrieve, s.plain(n))
		for _, segment := range missing() {
			p.get(g, segment, schema.Filter{})
		}
	}
}

// Get finds a record only if the filter selects it.
func checkGetFiltered(s *subject) {
	records, filter := s.selected()
	p, g := openWith[httpapi.Getter](s, schema.Retrieve, records)
	for _, segment := range p.ids() {
		p.get(g, segment, filter)
	}
}

// A creating is an empty collection in which records are created.
type creating struct {
	*pair
	creator httpapi.Creator
	records [][]byte // that were created
}

func (s *subject) openEmpty() *creating {
	s.needBody()
	p := s.open(nil)
	creator, ok := p.c.(httpapi.Creator)
	if !ok {
		s.Fatalf("there is a Body, but the collection is not an httpapi.Creator")
	}
	return &creating{p, creator, nil}
}

// create checks that a Create returns what the reference returns, except the id and other
// read-only fields. The reference then has the record. It returns the record, or nil after an
// error.
func (c *creating) create(body []byte) []byte {
	method := fmt.Sprintf("Create of %s", body)
	want, wantErr := c.ref.Create(c.ctx, bytes.Clone(body))
	record, err := c.creator.Create(c.ctx, body)
	if c.checkResult(method, nil, err, nil, wantErr); err != nil {
		return nil
	}
	got, wanted := decode(record), decode(want)
	for _, f := range c.Description.Fields {
		if !f.ReadOnly && !bytes.Equal(got[f.Name], wanted[f.Name]) {
			c.Fatalf("%s: %q is %s, want %s", method, f.Name, got[f.Name], wanted[f.Name])
		}
	}
	used := func(r []byte) bool { return c.id(r) == c.id(record) }
	if c.id(record) < 1 || slices.ContainsFunc(c.records, used) {
		c.Fatalf("Create returned id %d, which is taken or not positive", c.id(record))
	}
	c.records = append(c.records, bytes.Clone(record))
	if c.ref, err = c.reference(c.records); err != nil {
		c.Fatalf("%s returned %s: %v", method, record, err)
	}
	return record
}

func checkCreate(s *subject) {
	c := s.openEmpty()
	for n := range 3 {
		c.create(s.body(n))
		c.checkStored("Create")
	}
}

func checkCreateInvalid(s *subject) {
	c := s.openEmpty()
	for _, body := range noObjects() {
		c.create([]byte(body))
	}
	for _, f := range s.fields() {
		if f.Required {
			c.create(s.without(f.Name))
		}
	}
	c.checkStored("failed Creates")
}

func checkCreateUnknown(s *subject) {
	c := s.openEmpty()
	const unknown = "noSuchMember"
	body := decode([]byte(s.Body))
	body["id"], body[unknown] = json.RawMessage("987654"), json.RawMessage("1")
	if record := c.create(encode(body)); s.id(record) == 987654 || bytes.Contains(record, []byte(unknown)) {
		s.Fatalf("Create used the id or an unknown member of the body: %s", record)
	}
	c.checkStored("Create")
}

func checkCreateCancelled(s *subject) {
	c := s.openEmpty()
	_, err := c.creator.Create(s.canceled(), []byte(s.Body))
	s.checkError(err, context.Canceled, "Create with a canceled ctx")
	c.checkStored("a canceled Create")
}

// Two records must not have the same value in a unique field.
func checkCreateUnique(s *subject) {
	c := s.openEmpty()
	c.create(s.body(0))
	sent, n := s.sent(), 0
	for _, f := range s.fields() {
		if f.Unique && sent[f.Name] != nil && string(sent[f.Name]) != "null" {
			n++
			body := decode(s.body(n))
			body[f.Name] = sent[f.Name]
			c.create(encode(body))
		}
	}
	if n == 0 {
		s.Skipf("the Body has no unique field")
	}
	c.checkStored("failed Creates")
}

// updated is the segment of the record that checks update.
const updated = "2"

// An updating is a collection in a check of Update.
type updating struct {
	*pair
	updater httpapi.Updater
	partial bool // by PATCH
}

// openUpdater returns a collection whose records can be changed by PATCH or, if partial is not
// set, by PUT.
func (s *subject) openUpdater(partial bool, records [][]byte) *updating {
	if s.Description.Fields == nil {
		s.Skipf("the fields are not known")
	}
	action := schema.Update
	if partial {
		action = schema.PartialUpdate
	}
	p, u := openWith[httpapi.Updater](s, action, records)
	return &updating{p, u, partial}
}

// openAnyUpdater is openUpdater for PATCH or, if the description does not have it, for PUT.
func (s *subject) openAnyUpdater() *updating {
	return s.openUpdater(s.Description.Actions.Has(schema.PartialUpdate), s.plain(3))
}

// call calls Update of a collection.
func (u *updating) call(ctx context.Context, of httpapi.Updater, segment string, filter schema.Filter, body []byte, condition func([]byte) error) ([]byte, error) {
	return of.Update(ctx, segment, catalogue.Update{
		Filter: filter, Body: bytes.Clone(body), Partial: u.partial, Precondition: condition,
	})
}

// update checks that an Update returns what the reference returns.
func (u *updating) update(segment string, filter schema.Filter, body []byte) {
	method := map[bool]string{false: "PUT", true: "PATCH"}[u.partial]
	want, wantErr := u.call(u.ctx, u.ref, segment, filter, body, nil)
	got, err := u.call(u.ctx, u.updater, segment, filter, body, nil)
	u.checkResult(fmt.Sprintf("Update of %q with %v by a %s of %s", segment, filter, method, body), got, err, want, wantErr)
}

// A PATCH changes the fields that it has, and no others.
func checkPatch(s *subject) {
	u := s.openUpdater(true, s.plain(3))
	for _, segment := range segments(2) {
		u.update(segment, schema.Filter{}, []byte("{}"))
	}
	for _, f := range s.fields() {
		if f.ReadOnly {
			continue
		}
		if value := s.another(f); value != nil {
			u.update(updated, schema.Filter{}, encode(members{f.Name: value}))
		}
		if f.Nullable {
			u.update(updated, schema.Filter{}, encode(members{f.Name: json.RawMessage("null")}))
		}
	}
	u.checkStored("a PATCH")
}

// A PUT keeps the fields that it does not have, as a PATCH does.
func checkPut(s *subject) {
	s.needBody()
	u := s.openUpdater(false, s.plain(3))
	required := s.sent()
	for _, f := range s.fields() {
		if f.ReadOnly || !f.Required {
			delete(required, f.Name)
		}
	}
	u.update(updated, schema.Filter{}, encode(required))
	u.update(updated, schema.Filter{}, []byte(s.Body))
	u.checkStored("a PUT")
}

func checkPutRequired(s *subject) {
	s.needBody()
	u := s.openUpdater(false, s.plain(3))
	for _, f := range s.fields() {
		if f.Required {
			u.update(updated, schema.Filter{}, s.without(f.Name))
		}
	}
	u.checkStored("failed Updates")
}

// Update ignores the id, read-only fields and unknown members.
func checkUpdateIgnored(s *subject) {
	u := s.openUpdater(true, s.plain(3))
	body := members{"id": json.RawMessage("987654"), "noSuchMember": json.RawMessage("1")}
	for _, f := range s.fields() {
		if f.ReadOnly && f.Name != "id" {
			body[f.Name] = json.RawMessage(numbered(f, 1))
		}
	}
	u.update(updated, schema.Filter{}, encode(body))
	u.checkStored("a PATCH of members that cannot be written")
}

// suspicious returns values that are invalid in many fields.
func suspicious(f schema.Field) []string {
	values := []string{"null", "[]", "{}", "5", `"x"`, `"a b"`, `"2024-02-30"`, `"0.1234567890123"`}
	if f.Max != nil && *f.Max < math.MaxInt {
		values = append(values, strconv.Itoa(*f.Max+1))
	}
	if f.Min != nil && *f.Min > math.MinInt {
		values = append(values, strconv.Itoa(*f.Min-1))
	}
	return values
}

// One invalid field makes the whole update fail.
func checkUpdateInvalid(s *subject) {
	u := s.openAnyUpdater()
	for _, f := range s.fields() {
		for _, value := range suspicious(f) {
			if !f.ReadOnly {
				body := s.changes()
				body[f.Name] = json.RawMessage(value)
				u.update(updated, schema.Filter{}, encode(body))
			}
		}
	}
	for _, body := range noObjects() {
		u.update(updated, schema.Filter{}, []byte(body))
	}
	u.checkStored("Updates, some of which fail")
}

// A record may keep its value of a unique field, and no other may get it.
func checkUpdateUnique(s *subject) {
	records := s.plain(3)
	u := s.openUpdater(true, records)
	tested := false
	for _, f := range s.fields() {
		if !f.Unique || f.ReadOnly || f.Kind == schema.Reference || f.Kind == schema.References {
			continue
		}
		tested = true
		for _, segment := range u.ids() {
			u.update(segment, schema.Filter{}, encode(members{f.Name: decode(records[0])[f.Name]}))
		}
	}
	if !tested {
		s.Skipf("no unique field can be written")
	}
	u.checkStored("Updates that change nothing")
}

func checkUpdateMissing(s *subject) {
	u := s.openAnyUpdater()
	for _, segment := range missing() {
		u.update(segment, schema.Filter{}, s.change())
	}
	u.checkStored("failed Updates")
}

// Update changes a record only if the parameters select it.
func checkUpdateFiltered(s *subject) {
	records, filter := s.selected()
	u := s.openUpdater(true, records)
	for _, segment := range u.ids() {
		body := []byte("{}")
		if _, err := u.ref.Get(s.ctx, segment, filter); err != nil {
			body = s.change()
		}
		u.update(segment, filter, body)
	}
	u.checkStored("Updates that change nothing")
}

func checkUpdateCancelled(s *subject) {
	u := s.openAnyUpdater()
	_, err := u.call(s.canceled(), u.updater, updated, schema.Filter{}, s.change(), nil)
	s.checkError(err, context.Canceled, "Update with a canceled ctx")
	u.checkStored("a canceled Update")
}

// errRefused is the error of a condition.
var errRefused = errors.New("the condition is false")

// checkCondition checks that a method calls its condition with the stored record only. If
// refused, the condition is false, and err must wrap its error.
func (p *pair) checkCondition(method string, refused bool, call func(condition func([]byte) error) error) {
	record, err := p.ref.Get(p.ctx, updated, schema.Filter{})
	if err != nil {
		p.Fatalf("record of a check: %v", err)
	}
	calls := 0
	var wrong []byte // another record
	err = call(func(got []byte) error {
		if calls++; !bytes.Equal(got, record) {
			wrong = bytes.Clone(got)
		}
		if refused {
			return fmt.Errorf("wrapped: %w", errRefused)
		}
		return nil
	})
	switch {
	case refused:
		p.checkError(err, errRefused, method+" with a false condition")
	case err != nil:
		p.Fatalf("%s with a true condition: %v", method, err)
	}
	if calls == 0 || wrong != nil {
		p.Fatalf("%s calls its condition %d times, with %s, want %s", method, calls, wrong, record)
	}
}

// The condition sees the stored record. Nothing is stored if it is false, even if the body
// is invalid.
func checkUpdateCondition(s *subject) {
	u := s.openUpdater(true, s.plain(3))
	update := func(body []byte) func(func([]byte) error) error {
		return func(condition func([]byte) error) error {
			_, err := u.call(s.ctx, u.updater, updated, schema.Filter{}, body, condition)
			return err
		}
	}
	for _, body := range [][]byte{s.change(), []byte("[]"), []byte("{")} {
		u.checkCondition("Update", true, update(body))
		u.checkStored("Update with a false condition")
	}
	u.checkCondition("Update", false, update(s.change()))
	if _, err := u.call(s.ctx, u.ref, updated, schema.Filter{}, s.change(), nil); err != nil {
		s.Fatalf("record of a check: %v", err)
	}
	u.checkStored("Update with a condition")
}

// remove checks that a Delete returns what the reference returns.
func (p *pair) remove(d httpapi.Deleter, segment string, filter schema.Filter) {
	want := p.ref.Delete(p.ctx, segment, filter, nil)
	err := d.Delete(p.ctx, segment, filter, nil)
	p.checkResult(fmt.Sprintf("Delete of %q with %v", segment, filter), nil, err, nil, want)
}

func checkDeleteCondition(s *subject) {
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, s.plain(3))
	destroy := func(condition func([]byte) error) error { return d.Delete(s.ctx, updated, schema.Filter{}, condition) }
	p.checkCondition("Delete", true, destroy)
	p.checkStored("Delete with a false condition")
	p.checkCondition("Delete", false, destroy)
	if err := p.ref.Delete(s.ctx, updated, schema.Filter{}, nil); err != nil {
		s.Fatalf("record of a check: %v", err)
	}
	p.checkStored("Delete with a condition")
}

func checkDelete(s *subject) {
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, s.plain(4))
	for i := range 4 {
		segment := segments(i + 1)[i]
		p.remove(d, segment, schema.Filter{})
		p.checkStored("Delete")
		p.remove(d, segment, schema.Filter{})
		if g, ok := p.c.(httpapi.Getter); ok {
			p.get(g, segment, schema.Filter{})
		}
	}
}

func checkDeleteMissing(s *subject) {
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, s.plain(3))
	for _, segment := range missing() {
		p.remove(d, segment, schema.Filter{})
	}
	p.checkStored("failed Deletes")
}

// Delete deletes a record only if the parameters select it.
func checkDeleteFiltered(s *subject) {
	records, filter := s.selected()
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, records)
	for _, segment := range p.ids() {
		p.remove(d, segment, filter)
	}
	p.checkStored("Delete")
}

func checkDeleteCancelled(s *subject) {
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, s.plain(3))
	s.checkError(d.Delete(s.canceled(), updated, schema.Filter{}, nil), context.Canceled, "Delete with a canceled ctx")
	p.checkStored("a canceled Delete")
}

// The id of a deleted record is not used again, not even if it was the highest.
func checkDeletedIDs(s *subject) {
	s.needBody()
	p, d := openWith[httpapi.Deleter](s, schema.Destroy, s.plain(3))
	creator, ok := p.c.(httpapi.Creator)
	if !ok {
		s.Skipf("the collection is not an httpapi.Creator")
	}
	used := map[int]bool{1: true, 2: true, 3: true}
	for range 3 {
		last := slices.Max(slices.Collect(maps.Keys(used)))
		if err := d.Delete(s.ctx, strconv.Itoa(last), schema.Filter{}, nil); err != nil {
			s.Fatalf("Delete of id %d: %v", last, err)
		}
		record, err := creator.Create(s.ctx, s.body(last))
		if err != nil {
			s.Fatalf("Create of %s: %v", s.body(last), err)
		}
		id := s.id(record)
		if used[id] {
			s.Fatalf("Create returned id %d, which a record had", id)
		}
		used[id] = true
	}
}

// The revision changes with each update and each deletion.
func checkWriteRevision(s *subject) {
	p := s.open(s.plain(3))
	check := s.revisions(p.c)
	check("New")
	actions := s.Description.Actions
	if updater, ok := p.c.(httpapi.Updater); ok && actions.Has(schema.PartialUpdate) && s.Description.Fields != nil {
		u := &updating{p, updater, true}
		u.update(updated, schema.Filter{}, s.change())
		check("Update")
	}
	if d, ok := p.c.(httpapi.Deleter); ok && actions.Has(schema.Destroy) {
		p.remove(d, updated, schema.Filter{})
		check("Delete")
	}
}
