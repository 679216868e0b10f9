package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// openEmpty returns an empty collection that implements httpapi.Creator.
func (s *subject) openEmpty() (httpapi.Collection, httpapi.Creator, error) {
	if s.impl.Body == "" {
		return nil, nil, skip("no Body")
	}
	c, err := s.open(nil)
	if err != nil {
		return nil, nil, err
	}
	creator, ok := c.(httpapi.Creator)
	if !ok {
		return nil, nil, errors.New("there is a Body, but the collection is not an httpapi.Creator")
	}
	return c, creator, nil
}

// checkSize checks the number of records. after names the operation before.
func (s *subject) checkSize(c httpapi.Collection, want int, after string) error {
	count, ids, err := s.page(c, pagination.Window{Limit: unlimited}, byID())
	if err != nil {
		return err
	}
	if count != want || len(ids) != want {
		return fmt.Errorf("after %s Page returns %d records and a count of %d, want %d", after, len(ids), count, want)
	}
	return nil
}

func checkCreate(s *subject) error {
	c, creator, err := s.openEmpty()
	if err != nil {
		return err
	}
	made := map[int][]byte{}
	for n := range 3 {
		encoded, err := creator.Create(s.ctx, s.body(n))
		if err != nil {
			return fmt.Errorf("Create of Body: %w", err)
		}
		id, err := idOf(encoded)
		if err != nil {
			return err
		}
		if made[id] != nil || id < 1 {
			return fmt.Errorf("Create returned id %d, which is taken or not positive", id)
		}
		made[id] = encoded
		if err := s.checkSize(c, n+1, "Create"); err != nil {
			return err
		}
	}
	_, records, err := c.Page(s.ctx, pagination.Window{Limit: 21}, byID())
	if err != nil {
		return fmt.Errorf("Page: %w", err)
	}
	for _, r := range records {
		if id, err := idOf(r); err != nil || !bytes.Equal(made[id], r) {
			return fmt.Errorf("Create returned %s, but Page %s", made[id], r)
		}
	}
	return nil
}

func checkCreateInvalid(s *subject) error {
	c, creator, err := s.openEmpty()
	if err != nil {
		return err
	}
	var syntax *schema.SyntaxError
	if _, err := creator.Create(s.ctx, []byte(`{"a":`)); !errors.As(err, &syntax) {
		return fmt.Errorf("Create of invalid JSON: error %v, want a *schema.SyntaxError", err)
	}
	var fields schema.FieldErrors
	if _, err := creator.Create(s.ctx, []byte(`[]`)); !errors.As(err, &fields) {
		return fmt.Errorf("Create of a list: error %v, want schema.FieldErrors", err)
	}
	for _, f := range s.impl.fields() {
		if !f.Required {
			continue
		}
		if _, err := creator.Create(s.ctx, s.without(f.Name)); !blames(err, f.Name) {
			return fmt.Errorf("Create without %q, which is required: error %v, want schema.FieldErrors with its name", f.Name, err)
		}
	}
	return s.checkSize(c, 0, "failed Creates")
}

func checkCreateUnknown(s *subject) error {
	c, creator, err := s.openEmpty()
	if err != nil {
		return err
	}
	const unknown = "noSuchMember"
	body := decode([]byte(s.impl.Body))
	body["id"], body[unknown] = json.RawMessage("987654"), json.RawMessage("1")
	encoded, err := creator.Create(s.ctx, encode(body))
	if err != nil {
		return fmt.Errorf("Create with an id and an unknown member, which must be ignored: %w", err)
	}
	if id, err := idOf(encoded); err != nil || id == 987654 || bytes.Contains(encoded, []byte(unknown)) {
		return fmt.Errorf("Create used the id or an unknown member of the body: %s", encoded)
	}
	return s.checkSize(c, 1, "Create")
}

func checkCreateCancelled(s *subject) error {
	c, creator, err := s.openEmpty()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := creator.Create(ctx, []byte(s.impl.Body)); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("Create with a canceled ctx: error %v, want one wrapping %q", err, context.Canceled)
	}
	return s.checkSize(c, 0, "a canceled Create")
}

// Two records must not have the same value in a unique field.
func checkCreateUnique(s *subject) error {
	c, creator, err := s.openEmpty()
	if err != nil {
		return err
	}
	if _, err := creator.Create(s.ctx, s.body(0)); err != nil {
		return fmt.Errorf("Create of Body: %w", err)
	}
	sent, n := s.sent(), 0
	for _, f := range s.impl.fields() {
		if !f.Unique || sent[f.Name] == nil || string(sent[f.Name]) == "null" {
			continue
		}
		n++
		body := decode(s.body(n))
		body[f.Name] = sent[f.Name]
		if _, err := creator.Create(s.ctx, encode(body)); !blames(err, f.Name) {
			return fmt.Errorf("Create with a %q that another record has: error %v, want schema.FieldErrors with its name", f.Name, err)
		}
	}
	if n == 0 {
		return skip("the Body has no unique field")
	}
	return s.checkSize(c, 1, "failed Creates")
}

// blames reports whether an error is schema.FieldErrors with the name of a field.
func blames(err error, name string) bool {
	var fields schema.FieldErrors
	return errors.As(err, &fields) && slices.ContainsFunc(fields, func(e schema.FieldError) bool { return e.Field == name })
}
