package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// updated is the id of the record that checks update.
const updated = 2

// openUpdater returns a collection with three records. One has the id updated.
func (s *subject) openUpdater(action schema.Actions) (httpapi.Collection, httpapi.Updater, stored, error) {
	if s.impl.Description.Fields == nil {
		return nil, nil, nil, skip("the fields are not known")
	}
	m := s.impl.plain(3)
	c, u, err := openAs[httpapi.Updater](s, action, m)
	return c, u, m.stored(), err
}

// update updates a record, checks that the result has the wanted values, and stores it in
// all.
func (s *subject) update(u httpapi.Updater, all stored, body []byte, partial bool, want members) error {
	method := method(partial)
	got, err := u.Update(s.ctx, updated, nil, body, partial)
	if err != nil {
		return fmt.Errorf("Update of id %d by a %s of %s: %w", updated, method, body, err)
	}
	after := decode(got)
	for _, f := range s.impl.fields() {
		if !equal(f, after[f.Name], want[f.Name]) {
			return fmt.Errorf("Update by a %s of %s: %q is %s, want %s", method, body, f.Name, after[f.Name], want[f.Name])
		}
	}
	all[updated] = bytes.Clone(got)
	return nil
}

func method(partial bool) string {
	if partial {
		return "PATCH"
	}
	return "PUT"
}

// A PATCH changes the fields that it has, and no others.
func checkPatch(s *subject) error {
	c, u, all, err := s.openUpdater(schema.PartialUpdate)
	if err != nil {
		return err
	}
	want := decode(all[updated])
	if err := s.update(u, all, []byte("{}"), true, want); err != nil {
		return err
	}
	for _, f := range s.impl.fields() {
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
			if err := s.update(u, all, encode(members{f.Name: value}), true, want); err != nil {
				return err
			}
		}
	}
	return s.checkStored(c, all, "a PATCH")
}

// A PUT keeps the fields that it does not have, as a PATCH does.
func checkPut(s *subject) error {
	if s.impl.Body == "" {
		return skip("no Body")
	}
	c, u, all, err := s.openUpdater(schema.Update)
	if err != nil {
		return err
	}
	want, sent := decode(all[updated]), s.sent()
	for _, f := range s.impl.fields() {
		if f.ReadOnly || !f.Required {
			delete(sent, f.Name)
		}
	}
	maps.Copy(want, sent)
	if err := s.update(u, all, encode(sent), false, want); err != nil {
		return fmt.Errorf("%w (the PUT has only the required fields)", err)
	}
	sent = s.sent()
	for _, f := range s.impl.fields() {
		if f.ReadOnly {
			delete(sent, f.Name)
		}
	}
	maps.Copy(want, sent)
	if err := s.update(u, all, []byte(s.impl.Body), false, want); err != nil {
		return err
	}
	return s.checkStored(c, all, "a PUT")
}

// Update ignores the id, read-only fields and unknown members.
func checkUpdateIgnored(s *subject) error {
	c, u, all, err := s.openUpdater(schema.PartialUpdate)
	if err != nil {
		return err
	}
	want := decode(all[updated])
	body := members{"id": json.RawMessage("987654"), "noSuchMember": json.RawMessage("1")}
	for _, f := range s.impl.fields() {
		if f.ReadOnly && f.Name != "id" {
			body[f.Name] = json.RawMessage(numbered(f, 1))
		}
	}
	if err := s.update(u, all, encode(body), true, want); err != nil {
		return err
	}
	return s.checkStored(c, all, "a PATCH of members that cannot be written")
}
