package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A table is a collection of a file. It stores what requests send, of any kind and with any
// members: the fields are guesses. It checks ids and references only.
type table struct {
	withoutQuery
	about schema.Description
	id    string // name of the id
	cat   *catalogue.Catalogue
}

func newTable(c catalogue.AnyCollection, cat *catalogue.Catalogue) table {
	about := c.Description()
	return table{withoutQuery{c}, about, about.Fields[0].Name, cat}
}

func (t table) keyed() bool { return t.about.Lookup != "" }

func (t table) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error) {
	return t.Counts(ctx, filter, groups)
}

// Create stores a record under the id that it has, or under a new one.
func (t table) Create(ctx context.Context, body []byte, _ schema.Record) (record []byte, err error) {
	r, err := t.parse(body)
	if err != nil {
		return nil, err
	}
	err = t.write(ctx, func(b *catalogue.Batch, tx *catalogue.Tx[schema.Record]) error {
		if err := t.refers(b, r); err != nil {
			return err
		}
		if t.keyed() {
			r, err = tx.By("id").Insert(r)
		} else {
			r.ID, err = tx.Insert(r)
		}
		if errors.Is(err, catalogue.ErrExists) {
			return wrong(t.id, "Another record has this id.")
		}
		return err
	})
	return []byte(r.String()), err
}

// Update replaces a record or, for a PATCH, some of its members.
func (t table) Update(ctx context.Context, segment string, e catalogue.Edit) (record []byte, err error) {
	if _, err := t.Get(ctx, segment, e.Filter); err != nil {
		return nil, err
	}
	err = t.write(ctx, func(b *catalogue.Batch, tx *catalogue.Tx[schema.Record]) error {
		change := func(r *schema.Record) error {
			record = []byte(r.String())
			if e.Precondition != nil {
				if err := e.Precondition(record); err != nil {
					return err
				}
			}
			next, err := t.changed(*r, e)
			if err == nil {
				err = t.refers(b, next)
			}
			*r, record = next, []byte(next.String())
			return err
		}
		if t.keyed() {
			return tx.By("id").Update(segment, change)
		}
		return tx.Update(schema.ParseID(segment), change)
	})
	return record, err
}

// changed returns a record as an edit changes it, which keeps its id.
func (t table) changed(r schema.Record, e catalogue.Edit) (schema.Record, error) {
	sent, err := t.parse(e.Body)
	if err != nil {
		return r, err
	}
	own, _ := r.Get(t.id)
	if id, has := sent.Get(t.id); has && id != own {
		return r, wrong(t.id, "The id of a record never changes.")
	}
	if e.Partial {
		for name, value := range sent.All() {
			if name != t.id && err == nil {
				r, err = r.With(name, json.RawMessage(value))
			}
		}
		return r, err
	}
	if sent.ID = r.ID; t.keyed() {
		return sent.With(t.id, json.RawMessage(own))
	}
	return sent, nil
}

// write calls f with a batch of all collections and its transaction of this one.
func (t table) write(ctx context.Context, f func(*catalogue.Batch, *catalogue.Tx[schema.Record]) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.cat.Batch(func(b *catalogue.Batch) error {
		tx, err := recordsOf(t.about.Key).Tx(b)
		if err != nil {
			return err
		}
		return f(b, tx)
	})
}

// refers returns an error if a field of a record refers to no record.
func (t table) refers(b *catalogue.Batch, r schema.Record) error {
	for _, f := range t.about.Fields {
		value, _ := r.Get(f.Name)
		if f.Refers == "" || value == "" || value == "null" {
			continue
		}
		tx, err := recordsOf(f.Refers).Tx(b)
		if err != nil {
			return err
		}
		var key string
		id, err := strconv.Atoi(value)
		switch {
		case f.By != "" && json.Unmarshal([]byte(value), &key) == nil && tx.By(f.By).Has(key):
		case f.By == "" && err == nil && has(tx, id):
		default:
			return wrong(f.Name, fmt.Sprintf("Invalid pk %s - object does not exist.", value))
		}
	}
	return nil
}

func has(tx *catalogue.Tx[schema.Record], id int) bool {
	_, err := tx.Get(id)
	return err == nil
}

// parse returns the record in a body. It has the id of the body, if that has one.
func (t table) parse(body []byte) (schema.Record, error) {
	if len(body) == 0 {
		body = []byte("{}")
	}
	r, err := schema.ParseKeyed(body)
	var syntax *schema.SyntaxError
	var member *schema.MemberError
	switch {
	case errors.As(err, &syntax):
		return r, err
	case errors.As(err, &member):
		return r, wrong(member.Member, member.Err.Error())
	case err != nil:
		return r, wrong("nonFieldErrors", "Invalid data. Expected an object.")
	}
	text, sent := r.Get(t.id)
	switch n, err := strconv.Atoi(text); {
	case !sent:
		return r, nil
	case text == "null":
		return r.Without(t.id), nil
	case !t.keyed() && err == nil && n > 0:
		r = r.Without(t.id)
		r.ID = n
		return r, nil
	case !t.keyed():
		return r, wrong(t.id, "The ids of this collection are positive integers.")
	case strings.ContainsRune("-0123456789", rune(text[0])):
		return r.With(t.id, text)
	case text[0] != '"' || text == `""` || strings.Contains(text, "/"):
		return r, wrong(t.id, "The ids of this collection are texts without a slash.")
	}
	return r, t.about.CheckLookup(text)
}

// wrong returns the error of a field in a body.
func wrong(field, message string) error {
	return schema.FieldErrors{{Field: field, Messages: []string{message}}}
}

// recordsOf returns the definition of a collection of a file by its name.
func recordsOf(name string) catalogue.Definition[schema.Record] {
	return catalogue.Define[schema.Record](name, catalogue.Options{})
}
