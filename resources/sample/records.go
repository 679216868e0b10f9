package sample

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
)

// Records generates records of collections with the given descriptions, which may be any.
// The result has a list for each key, sorted by id. encoding/json marshals it to the form
// that catalogue.Load reads.
//
// By default each collection has 12 records.
//
// Every record has all fields of its description, and [schema.Description.Validate] accepts it,
// unless a rule or a check refuses it. Sets of unique fields are ignored, so a catalogue may refuse
// the records of a description with Unique. Some values are null or blank where the description
// allows it. All references resolve, and one to the same collection has a lower id. Times of
// fields that are Created are before 2026 and ascend with the ids. If the description has no
// fields, the records only have ids.
//
// Records returns an error that names the field, or else the key, in these cases:
//
//   - [schema.Description.Check] returns it.
//   - A key is repeated, or Options.Sizes has a key that no description has.
//   - A field refers to a collection that has no description, or by a text: a key or another field.
//   - A field has no value for some record: a reference that cannot be null is to a collection
//     without records, a Unique field has fewer values than there are records, or the pattern of a
//     text contradicts its length.
//
// O(records × fields²).
func Records(opts Options, descriptions ...schema.Description) (map[string][]schema.Record, error) {
	m, err := described(opts, descriptions)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	all := map[string][]schema.Record{}
	for _, d := range descriptions {
		records, taken := make([]schema.Record, m.sizes[d.Key]), map[string]bool{}
		for i := range records {
			members, err := m.members(d.Key, d.Fields, idAt(i), taken)
			if err != nil {
				return nil, fmt.Errorf("sample: %s: %w", d.Key, err)
			}
			records[i] = record(idAt(i), members...)
		}
		all[d.Key] = records
	}
	return all, nil
}

// described returns a maker of collections with the given descriptions.
func described(opts Options, descriptions []schema.Description) (*maker, error) {
	sizes := map[string]int{}
	for _, d := range descriptions {
		if err := d.Check(); err != nil {
			return nil, err
		}
		if _, twice := sizes[d.Key]; twice {
			return nil, fmt.Errorf("the key %q is repeated", d.Key)
		}
		sizes[d.Key] = opts.size(d.Key, 12)
	}
	m, err := newMaker(opts, sizes)
	if err != nil {
		return nil, err
	}
	for _, d := range descriptions {
		for _, f := range d.Fields {
			if err := m.check(f); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", d.Key, f.Name, err)
			}
		}
	}
	return m, nil
}

// check returns an error if a field refers to what is not known.
func (m *maker) check(f schema.Field) error {
	if f.Kind != schema.Reference && f.Kind != schema.References {
		return nil
	}
	if _, known := m.sizes[f.Refers]; !known {
		return fmt.Errorf("there is no description of %q", f.Refers)
	}
	if f.By != "" {
		return fmt.Errorf("it refers to %s by %s, and not by id: such records cannot be made up, so insert your own", f.Refers, f.By)
	}
	return nil
}

// members returns the members of a record. Values of unique fields are added to those that are
// taken. The error is about the last field without a value, which is null.
func (m *maker) members(key string, fields []schema.Field, id int, taken map[string]bool) (list []member, err error) {
	for _, f := range fields {
		if f.IsID() || f.Computed {
			continue
		}
		value := m.value(key, f, id, taken)
		if value == "" {
			value, err = "null", fmt.Errorf("%s: no value is left for record %d of %d", f.Name, indexOf(id)+1, m.sizes[key])
		}
		list = append(list, member{f.Name, json.RawMessage(value)})
	}
	return list, err
}

// value returns the value of a field in the record with the given id, or "" if none is found. It
// depends only on the field, the id, the size of the collection to which the field refers and, if
// it is unique, on those that are taken.
func (m *maker) value(key string, f schema.Field, id int, taken map[string]bool) string {
	d := &draw{stream(m.seed, key+"."+f.Name, id), m, key, id, indexOf(id)}
	if f.Created {
		return m.created(d)
	}
	maker := values.Maker{Choose: d.below, Text: d.text, Refer: d.refer}
	if !f.Unique {
		return maker.Value(f)
	}
	for range attempts {
		value := maker.Value(f)
		name := f.Name + " " + value
		if value == "" || value == "null" || !taken[name] {
			taken[name] = true
			return value
		}
	}
	if f.Nullable {
		return "null"
	}
	return ""
}

// attempts is how many values of a unique field are tried.
const attempts = 10_000

// text returns a title, or a sentence for a text that may be blank. In a unique field it begins
// with the id.
func (d *draw) text(f schema.Field) string {
	l := pick(d.rng, d.Languages)
	text := l.title(d.rng)
	if f.Blank && f.Kind == schema.Text {
		text = pick(d.rng, l.Lines)
	}
	if f.Unique {
		text = strconv.Itoa(d.id) + " " + text
	}
	return text
}

// refer returns the id of a record, or "" if the collection has none. One of the same collection is
// an earlier record.
func (d *draw) refer(f schema.Field) string {
	size := d.sizes[f.Refers]
	if f.Refers == d.key {
		size = d.n
	}
	if size == 0 {
		return ""
	}
	return strconv.Itoa(idAt(d.below(size)))
}

// created returns the time at which a record was created, in the years 2021 to 2025.
func (m *maker) created(d *draw) string {
	const seconds = 1600 * 24 * 60 * 60
	step := seconds / m.sizes[d.key]
	at := day(-1800).Add(time.Duration(d.n*step+d.below(step)) * time.Second)
	return strconv.Quote(at.Format(time.RFC3339))
}
