package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// openAs returns a collection that implements an optional interface. It skips the check if
// the collection does not, or if the description lacks the action.
func openAs[T any](s *subject, action schema.Actions, m model) (httpapi.Collection, T) {
	name := reflect.TypeFor[T]().Name()
	if !s.Description.Actions.Has(action) {
		s.skip("the description does not have the action of an httpapi." + name)
	}
	c := s.open(m)
	as, ok := c.(T)
	if !ok {
		s.skip("the collection is not an httpapi." + name)
	}
	return c, as
}

// checkError checks that an error wraps another one.
func (s *subject) checkError(err, want error, format string, args ...any) {
	if !errors.Is(err, want) {
		s.fail("%s: error %v, want one wrapping %q", fmt.Sprintf(format, args...), err, want)
	}
}

// checkBlames checks that an error is schema.FieldErrors with the name of a field.
func (s *subject) checkBlames(err error, name, format string, args ...any) {
	var fields schema.FieldErrors
	if !errors.As(err, &fields) || !slices.ContainsFunc(fields, func(e schema.FieldError) bool { return e.Field == name }) {
		s.fail("%s: error %v, want schema.FieldErrors with %q", fmt.Sprintf(format, args...), err, name)
	}
}

// checkNoObject checks the errors of a write whose body is not a JSON object.
func (s *subject) checkNoObject(method string, write func(body []byte) error) {
	var syntax *schema.SyntaxError
	if err := write([]byte(`{"a":`)); !errors.As(err, &syntax) {
		s.fail("%s with invalid JSON: error %v, want a *schema.SyntaxError", method, err)
	}
	var fields schema.FieldErrors
	if err := write([]byte(`[]`)); !errors.As(err, &fields) {
		s.fail("%s with a list: error %v, want schema.FieldErrors", method, err)
	}
}

func (s *subject) canceled() context.Context {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	return ctx
}

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

func checkGet(s *subject) {
	m := s.plain(5)
	_, g := openAs[httpapi.Getter](s, schema.Retrieve, m)
	for _, params := range []url.Values{nil, {}} {
		for _, want := range m {
			for _, segment := range segments(want.id) {
				if got, err := g.Get(s.ctx, segment, params); err != nil || !bytes.Equal(got, want.json) {
					s.fail("Get of %q: %s, error %v, want %s", segment, got, err, want.json)
				}
			}
		}
	}
}

func checkGetMissing(s *subject) {
	for _, m := range []model{s.plain(5), nil} {
		_, g := openAs[httpapi.Getter](s, schema.Retrieve, m)
		for _, segment := range missing() {
			_, err := g.Get(s.ctx, segment, nil)
			s.checkError(err, catalogue.ErrNotFound, "Get of %q, which names no record", segment)
		}
	}
}

// Get finds a record only if the parameters select it. Invalid parameters are an error
// even if there is no record.
func checkGetFiltered(s *subject) {
	sel, m := s.selection()
	_, g := openAs[httpapi.Getter](s, schema.Retrieve, m)
	for _, want := range m {
		got, err := g.Get(s.ctx, strconv.Itoa(want.id), sel.params)
		if !sel.selects(want) {
			s.checkError(err, catalogue.ErrNotFound, "Get of id %d with %q, which does not select %s", want.id, sel.params.Encode(), want.json)
		} else if err != nil || !bytes.Equal(got, want.json) {
			s.fail("Get of id %d with %q, which selects it: %s, error %v, want %s", want.id, sel.params.Encode(), got, err, want.json)
		}
	}
	invalid := s.invalidParameters()
	if len(invalid) == 0 {
		return
	}
	for _, segment := range append(missing(), strconv.Itoa(m[0].id)) {
		_, err := g.Get(s.ctx, segment, invalid)
		s.checkInvalid(fmt.Sprintf("Get of %q", segment), invalid, err)
	}
}

// openEmpty returns an empty collection that implements httpapi.Creator.
func (s *subject) openEmpty() (httpapi.Collection, httpapi.Creator) {
	if s.Body == "" {
		s.skip("no Body")
	}
	c := s.open(nil)
	creator, ok := c.(httpapi.Creator)
	if !ok {
		s.fail("there is a Body, but the collection is not an httpapi.Creator")
	}
	return c, creator
}

// create creates a record from a body and returns its id and its JSON.
func (s *subject) create(c httpapi.Creator, body []byte) (id int, record []byte) {
	record, err := c.Create(s.ctx, body)
	if err != nil {
		s.fail("Create of %s: %v", body, err)
	}
	return s.id(record), bytes.Clone(record)
}

func checkCreate(s *subject) {
	c, creator := s.openEmpty()
	all := stored{}
	for n := range 3 {
		id, record := s.create(creator, s.body(n))
		if all[id] != nil || id < 1 {
			s.fail("Create returned id %d, which is taken or not positive", id)
		}
		all[id] = record
		s.checkStored(c, all, "Create")
	}
}

func checkCreateInvalid(s *subject) {
	c, creator := s.openEmpty()
	create := func(body []byte) error {
		_, err := creator.Create(s.ctx, body)
		return err
	}
	s.checkNoObject("Create", create)
	for _, f := range s.fields() {
		if f.Required {
			s.checkBlames(create(s.without(f.Name)), f.Name, "Create without a required field")
		}
	}
	s.checkStored(c, nil, "failed Creates")
}

func checkCreateUnknown(s *subject) {
	c, creator := s.openEmpty()
	const unknown = "noSuchMember"
	body := decode([]byte(s.Body))
	body["id"], body[unknown] = json.RawMessage("987654"), json.RawMessage("1")
	id, record := s.create(creator, encode(body))
	if id == 987654 || bytes.Contains(record, []byte(unknown)) {
		s.fail("Create used the id or an unknown member of the body: %s", record)
	}
	s.checkStored(c, stored{id: record}, "Create")
}

func checkCreateCancelled(s *subject) {
	c, creator := s.openEmpty()
	_, err := creator.Create(s.canceled(), []byte(s.Body))
	s.checkError(err, context.Canceled, "Create with a canceled ctx")
	s.checkStored(c, nil, "a canceled Create")
}

// Two records must not have the same value in a unique field.
func checkCreateUnique(s *subject) {
	c, creator := s.openEmpty()
	id, record := s.create(creator, s.body(0))
	sent, n := s.sent(), 0
	for _, f := range s.fields() {
		if !f.Unique || sent[f.Name] == nil || string(sent[f.Name]) == "null" {
			continue
		}
		n++
		body := decode(s.body(n))
		body[f.Name] = sent[f.Name]
		_, err := creator.Create(s.ctx, encode(body))
		s.checkBlames(err, f.Name, "Create with a value that another record has")
	}
	if n == 0 {
		s.skip("the Body has no unique field")
	}
	s.checkStored(c, stored{id: record}, "failed Creates")
}

// The record that checks update, and the segment that names it.
const (
	updated        = 2
	segmentUpdated = "2"
)

// An updating is a collection with three records in a check of Update. One has the id
// updated.
type updating struct {
	*subject
	c       httpapi.Collection
	u       httpapi.Updater
	all     stored
	partial bool // by PATCH
}

func (s *subject) openUpdater(action schema.Actions) *updating {
	if s.Description.Fields == nil {
		s.skip("the fields are not known")
	}
	m := s.plain(3)
	c, u := openAs[httpapi.Updater](s, action, m)
	return &updating{s, c, u, m.stored(), action == schema.PartialUpdate}
}

// openAnyUpdater is openUpdater for PATCH or, if the description does not have it, for PUT.
func (s *subject) openAnyUpdater() *updating {
	if s.Description.Actions.Has(schema.PartialUpdate) {
		return s.openUpdater(schema.PartialUpdate)
	}
	return s.openUpdater(schema.Update)
}

// try updates the record and returns the error.
func (u *updating) try(body []byte) error {
	_, err := u.u.Update(u.ctx, segmentUpdated, nil, body, u.partial, nil)
	return err
}

// update updates the record that a segment names, checks that the result has the wanted
// values, and stores it in all.
func (u *updating) update(segment string, body []byte, want members) {
	method := map[bool]string{false: "PUT", true: "PATCH"}[u.partial]
	got, err := u.u.Update(u.ctx, segment, nil, body, u.partial, nil)
	if err != nil {
		u.fail("Update of %q by a %s of %s: %v", segment, method, body, err)
	}
	after := decode(got)
	for _, f := range u.fields() {
		if !equal(f, after[f.Name], want[f.Name]) {
			u.fail("Update by a %s of %s: %q is %s, want %s", method, body, f.Name, after[f.Name], want[f.Name])
		}
	}
	u.all[updated] = bytes.Clone(got)
}

// A PATCH changes the fields that it has, and no others.
func checkPatch(s *subject) {
	u := s.openUpdater(schema.PartialUpdate)
	want := decode(u.all[updated])
	for _, segment := range segments(updated) {
		u.update(segment, []byte("{}"), want)
	}
	for _, f := range s.fields() {
		if f.ReadOnly {
			continue
		}
		var values []json.RawMessage
		if value, ok := s.another(f); ok {
			values = append(values, value)
		}
		if f.Nullable {
			values = append(values, json.RawMessage("null"))
		}
		for _, value := range values {
			want[f.Name] = value
			u.update(segmentUpdated, encode(members{f.Name: value}), want)
		}
	}
	s.checkStored(u.c, u.all, "a PATCH")
}

// A PUT keeps the fields that it does not have, as a PATCH does.
func checkPut(s *subject) {
	if s.Body == "" {
		s.skip("no Body")
	}
	u := s.openUpdater(schema.Update)
	want, writable, required := decode(u.all[updated]), s.sent(), s.sent()
	for _, f := range s.fields() {
		if f.ReadOnly {
			delete(writable, f.Name)
		}
		if f.ReadOnly || !f.Required {
			delete(required, f.Name)
		}
	}
	maps.Copy(want, required)
	u.update(segmentUpdated, encode(required), want)
	maps.Copy(want, writable)
	u.update(segmentUpdated, []byte(s.Body), want)
	s.checkStored(u.c, u.all, "a PUT")
}

func checkPutRequired(s *subject) {
	if s.Body == "" {
		s.skip("no Body")
	}
	u := s.openUpdater(schema.Update)
	for _, f := range s.fields() {
		if f.Required {
			s.checkBlames(u.try(s.without(f.Name)), f.Name, "Update by a PUT without a required field")
		}
	}
	s.checkStored(u.c, u.all, "failed Updates")
}

// Update ignores the id, read-only fields and unknown members.
func checkUpdateIgnored(s *subject) {
	u := s.openUpdater(schema.PartialUpdate)
	body := members{"id": json.RawMessage("987654"), "noSuchMember": json.RawMessage("1")}
	for _, f := range s.fields() {
		if f.ReadOnly && f.Name != "id" {
			body[f.Name] = json.RawMessage(numbered(f, 1))
		}
	}
	u.update(segmentUpdated, encode(body), decode(u.all[updated]))
	s.checkStored(u.c, u.all, "a PATCH of members that cannot be written")
}

// One invalid field makes the whole update fail.
func checkUpdateInvalid(s *subject) {
	u := s.openAnyUpdater()
	for _, f := range s.fields() {
		if f.ReadOnly {
			continue
		}
		for _, value := range invalid(f) {
			body := s.changes()
			body[f.Name] = json.RawMessage(value)
			s.checkBlames(u.try(encode(body)), f.Name, "Update with %s", value)
		}
	}
	s.checkNoObject("Update", u.try)
	s.checkStored(u.c, u.all, "failed Updates")
}

// A record may keep its value of a unique field, and no other may get it.
func checkUpdateUnique(s *subject) {
	u := s.openUpdater(schema.PartialUpdate)
	own, tested := decode(u.all[updated]), false
	for _, f := range s.fields() {
		if !f.Unique || f.ReadOnly || f.Kind == schema.Reference || f.Kind == schema.References {
			continue
		}
		tested = true
		body := encode(members{f.Name: own[f.Name]})
		if err := u.try(body); err != nil {
			s.fail("Update with the %q that the record has: %v", f.Name, err)
		}
		for id := range u.all {
			if id != updated {
				_, err := u.u.Update(s.ctx, strconv.Itoa(id), nil, body, true, nil)
				s.checkBlames(err, f.Name, "Update with a value that another record has")
			}
		}
	}
	if !tested {
		s.skip("no unique field can be written")
	}
	s.checkStored(u.c, u.all, "Updates that change nothing")
}

func checkUpdateMissing(s *subject) {
	u := s.openAnyUpdater()
	for _, segment := range missing() {
		_, err := u.u.Update(s.ctx, segment, nil, s.change(), u.partial, nil)
		s.checkError(err, catalogue.ErrNotFound, "Update of %q, which names no record", segment)
	}
	s.checkStored(u.c, u.all, "failed Updates")
}

// Update changes a record only if the parameters select it.
func checkUpdateFiltered(s *subject) {
	sel, m := s.selection()
	c, u := openAs[httpapi.Updater](s, schema.PartialUpdate, m)
	for _, r := range m {
		segment := strconv.Itoa(r.id)
		if !sel.selects(r) {
			_, err := u.Update(s.ctx, segment, sel.params, s.change(), true, nil)
			s.checkError(err, catalogue.ErrNotFound, "Update of id %d with %q, which does not select %s", r.id, sel.params.Encode(), r.json)
		} else if got, err := u.Update(s.ctx, segment, sel.params, []byte("{}"), true, nil); err != nil || !bytes.Equal(got, r.json) {
			s.fail("Update of id %d with %q, which selects it: %s, error %v, want %s", r.id, sel.params.Encode(), got, err, r.json)
		}
	}
	s.checkStored(c, m.stored(), "Updates that change nothing")
}

func checkUpdateCancelled(s *subject) {
	u := s.openAnyUpdater()
	_, err := u.u.Update(s.canceled(), segmentUpdated, nil, s.change(), u.partial, nil)
	s.checkError(err, context.Canceled, "Update with a canceled ctx")
	s.checkStored(u.c, u.all, "a canceled Update")
}

// errRefused is the error of a condition.
var errRefused = errors.New("the condition is false")

// checkCondition checks that a method calls its condition with the stored record only. If
// refused, the condition is false, and err must wrap its error.
func (s *subject) checkCondition(method string, record []byte, refused bool, call func(condition func([]byte) error) error) {
	calls := 0
	var wrong []byte // another record
	err := call(func(got []byte) error {
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
		s.checkError(err, errRefused, "%s with a false condition", method)
	case err != nil:
		s.fail("%s with a true condition: %v", method, err)
	}
	if calls == 0 || wrong != nil {
		s.fail("%s calls its condition %d times, with %s, want %s", method, calls, wrong, record)
	}
}

// The condition sees the stored record. Nothing is stored if it is false, even if the body
// is invalid.
func checkUpdateCondition(s *subject) {
	u := s.openUpdater(schema.PartialUpdate)
	var got []byte
	update := func(body []byte) func(func([]byte) error) error {
		return func(condition func([]byte) error) (err error) {
			got, err = u.u.Update(s.ctx, segmentUpdated, nil, body, true, condition)
			return err
		}
	}
	for _, body := range [][]byte{s.change(), []byte("[]"), []byte("{")} {
		s.checkCondition("Update", u.all[updated], true, update(body))
		s.checkStored(u.c, u.all, "Update with a false condition")
	}
	s.checkCondition("Update", u.all[updated], false, update(s.change()))
	u.all[updated] = bytes.Clone(got)
	s.checkStored(u.c, u.all, "Update with a condition")
}

func checkDeleteCondition(s *subject) {
	m := s.plain(3)
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	all := m.stored()
	destroy := func(condition func([]byte) error) error { return d.Delete(s.ctx, segmentUpdated, nil, condition) }
	s.checkCondition("Delete", all[updated], true, destroy)
	s.checkStored(c, all, "Delete with a false condition")
	s.checkCondition("Delete", all[updated], false, destroy)
	delete(all, updated)
	s.checkStored(c, all, "Delete with a condition")
}

func checkDelete(s *subject) {
	m := s.plain(4)
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	all := m.stored()
	for i, r := range m {
		segment := segments(r.id)[i]
		if err := d.Delete(s.ctx, segment, nil, nil); err != nil {
			s.fail("Delete of %q: %v", segment, err)
		}
		delete(all, r.id)
		s.checkStored(c, all, "Delete")
		err := d.Delete(s.ctx, segment, nil, nil)
		s.checkError(err, catalogue.ErrNotFound, "Delete of %q, which was deleted", segment)
		if g, ok := c.(httpapi.Getter); ok {
			_, err := g.Get(s.ctx, segment, nil)
			s.checkError(err, catalogue.ErrNotFound, "Get of %q, which was deleted", segment)
		}
	}
}

func checkDeleteMissing(s *subject) {
	m := s.plain(3)
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	for _, segment := range missing() {
		err := d.Delete(s.ctx, segment, nil, nil)
		s.checkError(err, catalogue.ErrNotFound, "Delete of %q, which names no record", segment)
	}
	s.checkStored(c, m.stored(), "failed Deletes")
}

// Delete deletes a record only if the parameters select it.
func checkDeleteFiltered(s *subject) {
	sel, m := s.selection()
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	all := m.stored()
	for _, r := range m {
		err := d.Delete(s.ctx, strconv.Itoa(r.id), sel.params, nil)
		if !sel.selects(r) {
			s.checkError(err, catalogue.ErrNotFound, "Delete of id %d with %q, which does not select %s", r.id, sel.params.Encode(), r.json)
			continue
		}
		if err != nil {
			s.fail("Delete of id %d with %q, which selects it: %v", r.id, sel.params.Encode(), err)
		}
		delete(all, r.id)
	}
	s.checkStored(c, all, "Delete")
}

func checkDeleteCancelled(s *subject) {
	m := s.plain(3)
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	err := d.Delete(s.canceled(), strconv.Itoa(m[0].id), nil, nil)
	s.checkError(err, context.Canceled, "Delete with a canceled ctx")
	s.checkStored(c, m.stored(), "a canceled Delete")
}

// The id of a deleted record is not used again, not even if it was the highest.
func checkDeletedIDs(s *subject) {
	if s.Body == "" {
		s.skip("no Body")
	}
	m := s.plain(3)
	c, d := openAs[httpapi.Deleter](s, schema.Destroy, m)
	creator, ok := c.(httpapi.Creator)
	if !ok {
		s.skip("the collection is not an httpapi.Creator")
	}
	used := m.stored()
	for range 3 {
		last := slices.Max(slices.Collect(maps.Keys(used)))
		if err := d.Delete(s.ctx, strconv.Itoa(last), nil, nil); err != nil {
			s.fail("Delete of id %d: %v", last, err)
		}
		id, record := s.create(creator, s.body(last))
		if used[id] != nil {
			s.fail("Create returned id %d, which a record had", id)
		}
		used[id] = record
	}
}

// The revision changes with each update and each deletion.
func checkWriteRevision(s *subject) {
	c := s.open(s.plain(3))
	check := s.revisions(c)
	check("New")
	actions := s.Description.Actions
	if u, ok := c.(httpapi.Updater); ok && actions.Has(schema.PartialUpdate) && s.Description.Fields != nil {
		if _, err := u.Update(s.ctx, segmentUpdated, nil, s.change(), true, nil); err != nil {
			s.fail("Update: %v", err)
		}
		check("Update")
	}
	if d, ok := c.(httpapi.Deleter); ok && actions.Has(schema.Destroy) {
		if err := d.Delete(s.ctx, segmentUpdated, nil, nil); err != nil {
			s.fail("Delete: %v", err)
		}
		check("Delete")
	}
}
