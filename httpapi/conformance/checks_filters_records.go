package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Get finds a record only if the parameters select it. Invalid parameters are an error
// even if no record has the id.
func checkGetFiltered(s *subject) error {
	p, m, text, err := s.selective()
	if err != nil {
		return err
	}
	_, r, err := openAs[httpapi.Retriever](s, schema.Retrieve, m)
	if err != nil {
		return err
	}
	params := url.Values{p.name: {text}}
	for _, want := range m {
		got, err := r.Get(s.ctx, want.id, params)
		if !p.selects(want, text) && !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Get of id %d with %q, which does not select %s: error %v, want one wrapping catalogue.ErrNotFound", want.id, params.Encode(), want.json, err)
		}
		if p.selects(want, text) && (err != nil || !bytes.Equal(got, want.json)) {
			return fmt.Errorf("Get of id %d with %q, which selects it: %s, %v, want %s", want.id, params.Encode(), got, err, want.json)
		}
	}
	params = s.invalidParameters()
	if len(params) == 0 {
		return nil
	}
	for _, id := range append(missing(), m[0].id) {
		_, err := r.Get(s.ctx, id, params)
		if err := checkFieldErrors(err, len(params), fmt.Sprintf("Get of id %d", id), params); err != nil {
			return err
		}
	}
	return nil
}

// Update changes a record only if the parameters select it.
func checkUpdateFiltered(s *subject) error {
	p, m, text, err := s.selective()
	if err != nil {
		return err
	}
	c, u, err := openAs[httpapi.Updater](s, schema.PartialUpdate, m)
	if err != nil {
		return err
	}
	params, all := url.Values{p.name: {text}}, m.stored()
	for _, r := range m {
		got, err := u.Update(s.ctx, r.id, params, []byte("{}"), true)
		if p.selects(r, text) && (err != nil || !bytes.Equal(got, r.json)) {
			return fmt.Errorf("Update of id %d with %q, which selects it: %s, %v, want %s", r.id, params.Encode(), got, err, r.json)
		}
		if !p.selects(r, text) {
			_, err = u.Update(s.ctx, r.id, params, encode(s.change()), true)
		}
		if !p.selects(r, text) && !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Update of id %d with %q, which does not select %s: error %v, want one wrapping catalogue.ErrNotFound", r.id, params.Encode(), r.json, err)
		}
	}
	return s.checkStored(c, all, "Updates that change nothing")
}

// Delete deletes a record only if the parameters select it.
func checkDeleteFiltered(s *subject) error {
	p, m, text, err := s.selective()
	if err != nil {
		return err
	}
	c, d, err := openAs[httpapi.Deleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	params, all := url.Values{p.name: {text}}, m.stored()
	for _, r := range m {
		err := d.Delete(s.ctx, r.id, params)
		if !p.selects(r, text) && !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Delete of id %d with %q, which does not select %s: error %v, want one wrapping catalogue.ErrNotFound", r.id, params.Encode(), r.json, err)
		}
		if !p.selects(r, text) {
			continue
		}
		if err != nil {
			return fmt.Errorf("Delete of id %d with %q, which selects it: %w", r.id, params.Encode(), err)
		}
		delete(all, r.id)
	}
	return s.checkStored(c, all, "Delete")
}
