package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// openAnyUpdater is like openUpdater for PATCH or, if the description does not have it,
// for PUT, which partial tells.
func (s *subject) openAnyUpdater() (c httpapi.Collection, u httpapi.Updater, all stored, partial bool, err error) {
	action := schema.Update
	if partial = s.impl.Description.Actions.Has(schema.PartialUpdate); partial {
		action = schema.PartialUpdate
	}
	c, u, all, err = s.openUpdater(action)
	return c, u, all, partial, err
}

// change returns a body that changes all fields that can be changed.
func (s *subject) change() members {
	body := s.sent()
	for _, f := range s.impl.fields() {
		if value, ok := s.another(f); ok && !f.ReadOnly {
			body[f.Name] = value
		}
	}
	return body
}

// One invalid field makes the whole update fail.
func checkUpdateInvalid(s *subject) error {
	c, u, all, partial, err := s.openAnyUpdater()
	if err != nil {
		return err
	}
	for _, f := range s.impl.fields() {
		if f.ReadOnly {
			continue
		}
		for _, value := range invalid(f) {
			body := s.change()
			body[f.Name] = json.RawMessage(value)
			if _, err := u.Update(s.ctx, updated, nil, encode(body), partial); !blames(err, f.Name) {
				return fmt.Errorf("Update with %s for %q: error %v, want schema.FieldErrors with its name", value, f.Name, err)
			}
		}
	}
	var syntax *schema.SyntaxError
	if _, err := u.Update(s.ctx, updated, nil, []byte(`{"a":`), partial); !errors.As(err, &syntax) {
		return fmt.Errorf("Update with invalid JSON: error %v, want a *schema.SyntaxError", err)
	}
	var fields schema.FieldErrors
	if _, err := u.Update(s.ctx, updated, nil, []byte(`[]`), partial); !errors.As(err, &fields) {
		return fmt.Errorf("Update with a list: error %v, want schema.FieldErrors", err)
	}
	return s.checkStored(c, all, "failed Updates")
}

func checkPutRequired(s *subject) error {
	if s.impl.Body == "" {
		return skip("no Body")
	}
	c, u, all, err := s.openUpdater(schema.Update)
	if err != nil {
		return err
	}
	for _, f := range s.impl.fields() {
		if !f.Required {
			continue
		}
		if _, err := u.Update(s.ctx, updated, nil, s.without(f.Name), false); !blames(err, f.Name) {
			return fmt.Errorf("Update by a PUT without %q, which is required: error %v, want schema.FieldErrors with its name", f.Name, err)
		}
	}
	return s.checkStored(c, all, "failed Updates")
}

func checkUpdateMissing(s *subject) error {
	c, u, all, partial, err := s.openAnyUpdater()
	if err != nil {
		return err
	}
	for _, id := range missing() {
		if _, err := u.Update(s.ctx, id, nil, encode(s.change()), partial); !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Update of id %d, which no record has: error %v, want one wrapping catalogue.ErrNotFound", id, err)
		}
	}
	return s.checkStored(c, all, "failed Updates")
}

func checkUpdateCancelled(s *subject) error {
	c, u, all, partial, err := s.openAnyUpdater()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := u.Update(ctx, updated, nil, encode(s.change()), partial); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("Update with a canceled ctx: error %v, want one wrapping %q", err, context.Canceled)
	}
	return s.checkStored(c, all, "a canceled Update")
}

// A record may keep its value of a unique field, and no other may get it.
func checkUpdateUnique(s *subject) error {
	c, u, all, err := s.openUpdater(schema.PartialUpdate)
	if err != nil {
		return err
	}
	own, tested := decode(all[updated]), false
	for _, f := range s.impl.fields() {
		if !f.Unique || f.ReadOnly || f.Kind == schema.Reference || f.Kind == schema.References {
			continue
		}
		tested = true
		for id := range all {
			_, err := u.Update(s.ctx, id, nil, encode(members{f.Name: own[f.Name]}), true)
			if id == updated && err != nil {
				return fmt.Errorf("Update with the %q that the record has: %w", f.Name, err)
			}
			if id != updated && !blames(err, f.Name) {
				return fmt.Errorf("Update with a %q that another record has: error %v, want schema.FieldErrors with its name", f.Name, err)
			}
		}
	}
	if !tested {
		return skip("no unique field can be written")
	}
	return s.checkStored(c, all, "Updates that change nothing")
}
