package sample

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/ordering"
)

// Records generates records of collections with the given descriptions, which may be any.
// The result has a list for each key, sorted by id. Records with a key have no id. encoding/json
// marshals the result to the form that catalogue.Load reads.
//
// By default each collection has 12 records.
//
// Every record has all fields of its description, and [schema.Description.Validate] accepts it,
// unless a rule refuses it. Sets of unique fields are ignored, so a catalogue may refuse
// the records of a description with Unique. Some values are null or blank where the description
// allows it. All references resolve, and one to the same collection has a lower id. Times of
// fields that are Created are before 2026 and ascend with the ids. If the description has no
// fields, the records only have ids.
//
// Records returns an error that names the field, or else the key, in these cases:
//
//   - [schema.Description.Check] returns it.
//   - A key is repeated, or Options.Sizes has a key that no description has.
//   - A field refers to a collection that has no description, or by a field that it lacks.
//   - A field has no value for some record: a reference that cannot be null is to a collection
//     without records, a Unique field has fewer values than there are records, the pattern of a
//     text contradicts its length, or a check refuses all values that are tried.
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
			members, err := m.members(d.Key, d.Fields, i, taken)
			if err != nil {
				return nil, fmt.Errorf("sample: %s: %w", d.Key, err)
			}
			id := idAt(i)
			if by := d.Identity(); by.Key || by.Name != "id" {
				id = 0
			}
			records[i] = record(id, members...)
		}
		all[d.Key] = records
	}
	return all, nil
}

// described returns a maker of collections with the given descriptions.
func described(opts Options, descriptions []schema.Description) (*maker, error) {
	sizes, about := map[string]int{}, map[string]schema.Description{}
	for _, d := range descriptions {
		if err := d.Check(); err != nil {
			return nil, err
		}
		if _, twice := sizes[d.Key]; twice {
			return nil, fmt.Errorf("the key %q is repeated", d.Key)
		}
		sizes[d.Key], about[d.Key] = opts.size(d.Key, 12), d
	}
	m, err := newMaker(opts, sizes)
	if err != nil {
		return nil, err
	}
	m.about, m.made = about, map[string][]string{}
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
	if by := m.by(f); f.By != "" && ordering.Snake(by.Name) != f.By {
		return fmt.Errorf("it refers to %s by %s, which is no field of these", f.Refers, f.By)
	}
	return nil
}

// by returns the field by which a field refers to records.
func (m *maker) by(f schema.Field) schema.Field {
	about := m.about[f.Refers]
	if i := slices.IndexFunc(about.Fields, func(of schema.Field) bool { return ordering.Snake(of.Name) == f.By }); i >= 0 {
		return about.Fields[i]
	}
	return about.Identity()
}

// members returns the members of the record at index n. Values of unique fields are added to those that are
// taken. The error is about the last field without a value, which is null.
func (m *maker) members(key string, fields []schema.Field, n int, taken map[string]bool) (list []member, err error) {
	for _, f := range fields {
		switch {
		case f.IsID() && f.Name != "id":
			list = append(list, member{f.Name, idAt(n)})
			continue
		case f.IsID(), f.Computed:
			continue
		}
		value := m.value(key, f, n, taken)
		if value == "" {
			value, err = "null", fmt.Errorf("%s: no value is left for record %d of %d", f.Name, n+1, m.sizes[key])
		}
		list = append(list, member{f.Name, json.RawMessage(value)})
	}
	return list, err
}

// value returns the value of a field in the record at index n, or "" if none is found. It
// depends only on the field, the id, the size of the collection to which the field refers and, if
// it is unique, on those that are taken.
func (m *maker) value(key string, f schema.Field, n int, taken map[string]bool) string {
	d := m.draw(key, "."+f.Name, n)
	if f.Created {
		return m.created(d)
	}
	if f.Key && f.Kind == schema.Text && (f.Pattern == nil || f.Pattern.MatchString("1-a")) {
		f.Kind, f.Pattern = schema.Slug, nil // text for paths
	}
	refuses := func(value string) bool {
		return value != "" && value != "null" && f.Check != nil && f.Check(value) != nil
	}
	maker := values.Maker{Choose: d.below, Text: d.text, Refer: d.refer}
	for range attempts {
		value := maker.Value(f)
		if refuses(value) { // perhaps the type is a UUID
			value = maker.Value(schema.Field{Kind: schema.UUID})
		}
		name := f.Name + " " + value
		if !refuses(value) && (!f.Unique || value == "" || value == "null" || !taken[name]) {
			if f.Unique {
				taken[name] = true
			}
			return value
		}
	}
	if f.Nullable {
		return "null"
	}
	return ""
}

// attempts is how many values are tried that are taken or that a check refuses.
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

// refer returns the id of a record, or the value by which the field refers to it, or "" if the
// collection has none. One of the same collection is an earlier record.
func (d *draw) refer(f schema.Field) string {
	size := d.sizes[f.Refers]
	if f.Refers == d.key {
		size = d.n
	}
	if size == 0 {
		return ""
	}
	n, by := d.below(size), d.by(f)
	if by.IsID() {
		return strconv.Itoa(idAt(n))
	}
	for i, all := 0, d.all(f.Refers, by); i < min(size, len(all)); i++ {
		if text := all[(n+i)%size]; text != "null" {
			return text
		}
	}
	return ""
}

// all returns the values of a field in all records of a collection. It returns none while it makes
// them: a field cannot refer by itself.
func (m *maker) all(key string, f schema.Field) []string {
	name := key + "." + f.Name
	if _, made := m.made[name]; !made {
		m.made[name] = nil
		list, taken := make([]string, m.sizes[key]), map[string]bool{}
		for i := range list {
			list[i] = cmp.Or(m.value(key, f, i, taken), "null")
		}
		m.made[name] = list
	}
	return m.made[name]
}

// created returns the time at which a record was created, in the years 2021 to 2025.
func (m *maker) created(d *draw) string {
	const seconds = 1600 * 24 * 60 * 60
	step := seconds / m.sizes[d.key]
	at := day(-1800).Add(time.Duration(d.n*step+d.below(step)) * time.Second)
	return strconv.Quote(at.Format(time.RFC3339))
}
