package layout

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// describeOpen sets the record type of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func (s *builder) describeOpen() error {
	if s.Identity.Wire != "id" && s.Engine.Key == "" {
		return fmt.Errorf("Options.ID is %q, but the id of an open record is named id", s.Identity.Wire)
	}
	if err := (schema.Description{Key: "members", Segment: "members", Name: "member", Fields: s.opts.Members}).Check(); err != nil && s.opts.Members != nil {
		return fmt.Errorf("Options.Members: %w", err)
	}
	if err := s.describeTable(); err != nil {
		return err
	}
	s.describeNumber()
	s.Engine.Members = func(e *store.Entry) iter.Seq2[string, string] { return Typed[schema.Record](RecordOf(e)).All() }
	if err := s.describeOpenID(); err != nil {
		return err
	}
	s.Copier = new(value.Copier) // the members of an open record are immutable, so a flat copy is enough
	s.check = func(r *Record) error {
		members := *Typed[schema.Record](r)
		if id := members.ID; id != 0 && s.Identity.Key != nil {
			return fmt.Errorf("ID is %d, but the record has a key", id)
		}
		members.ID = 0
		if text, ok := members.Get("id"); ok && s.Identity.Key == nil {
			return fmt.Errorf("the id is %s", text)
		}
		return s.checkNames(members)
	}
	return nil
}

// checkNames returns an error if two members of an open record are the same field.
func (s *Type) checkNames(r schema.Record) error {
	var few [32]string // so that most records allocate nothing
	fields := few[:0]
	for name := range r.All() {
		fields = append(fields, s.FieldOf(name))
	}
	slices.Sort(fields)
	for i := 1; i < len(fields); i++ {
		if fields[i] != fields[i-1] {
			continue
		}
		var names []string
		for name := range r.All() {
			if s.FieldOf(name) == fields[i] {
				names = append(names, name)
			}
		}
		return fmt.Errorf("the name of both %q and %q is %q in snake_case: rename one", names[0], names[1], fields[i])
	}
	return nil
}

// describeOpenID sets the id of open records, or their key.
func (s *builder) describeOpenID() error {
	s.Identity.ID = func(r *Record) int { return Typed[schema.Record](r).ID }
	s.Identity.SetID, s.Identity.most = func(r *Record, id int) { Typed[schema.Record](r).ID = id }, math.MaxInt
	if s.Engine.Key == "" {
		return nil
	}
	s.keyBy()
	kind := s.Identity.Key.Kind
	if s.Identity.counts = (kind == schema.Integer || kind == schema.Decimal) && s.Identity.fresh != nil && s.opts.NewKey == nil; s.Identity.counts {
		s.Identity.fresh = nil
	}
	s.Identity.json = func(r *Record) (text string) {
		members := *Typed[schema.Record](r)
		members.ID = 0
		text, _ = members.Get(s.Identity.Wire)
		return text
	}
	s.Identity.text = func(r *Record) (key string) {
		if text := s.Identity.json(r); kind == schema.Integer {
			key = text
		} else if json.Unmarshal([]byte(text), &key) != nil {
			return ""
		}
		if kind == schema.Integer || kind == schema.Decimal {
			return s.Identity.Key.Usual(key)
		}
		return key
	}
	s.Identity.setText = func(r *Record, text string) error {
		open, value := Typed[schema.Record](r), any(text)
		if kind == schema.Integer {
			value = json.RawMessage(text)
		}
		with, err := open.With(s.Identity.Wire, value)
		*open = with
		return err
	}
	return nil
}
