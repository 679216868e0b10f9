package sample

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Records generates records of collections with the given descriptions, which may be any.
// The result has a list for each key, sorted by id. encoding/json marshals it to the form
// that catalogue.Load reads.
//
// sizes holds numbers of records by key. As in [Options], a size that is 0 or absent means
// the default, which is 12. A negative size means no records, and a size above ten million
// counts as ten million.
//
// Every record has all fields of its description, and [schema.Description.Validate]
// accepts it. Some values are null or blank where the description allows it. All
// references resolve, and one to the same collection has a lower id. Times of
// fields that are Created are before 2026 and ascend with the ids. If the description has
// no fields, the records only have ids.
//
// Records returns an error that names the field, or else the key, in these cases:
//
//   - [schema.Description.Check] returns it.
//   - A key is repeated, or sizes has a key that no description has.
//   - A field refers to a collection that has no description. A read-only list of ids may
//     refer to nothing.
//   - A reference that cannot be null is to a collection without records, or such
//     references form a cycle.
//   - A unique field has not enough values: for example, a Choice has fewer choices than
//     there are records. If the field is nullable, the other records have null instead.
//
// O(records × fields²).
func Records(seed uint64, sizes map[string]int, descriptions ...schema.Description) (map[string][]schema.Record, error) {
	s, err := newSet(seed, sizes, descriptions)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	all := map[string][]schema.Record{}
	for _, d := range descriptions {
		records := make([]schema.Record, s.sizes[d.Key])
		for i := range records {
			records[i] = s.record(d, idAt(i))
		}
		all[d.Key] = records
	}
	return all, nil
}

// strangers is the number of ids in lists of ids that refer to no collection.
const strangers = 40

// A set generates the records of collections. It is immutable.
type set struct {
	*maker
	sizes map[string]int
}

func newSet(seed uint64, sizes map[string]int, descriptions []schema.Description) (*set, error) {
	s := &set{newMaker(Options{Seed: seed}), map[string]int{}}
	for _, d := range descriptions {
		if err := d.Check(); err != nil {
			return nil, err
		}
		if _, twice := s.sizes[d.Key]; twice {
			return nil, fmt.Errorf("the key %q is repeated", d.Key)
		}
		s.sizes[d.Key] = clamp(sizes[d.Key], 12)
	}
	for key := range sizes {
		if _, ok := s.sizes[key]; !ok {
			return nil, fmt.Errorf("%s: there is a size but no description", key)
		}
	}
	s.sizes[""] = strangers
	for _, d := range descriptions {
		for _, f := range d.Fields {
			if err := s.check(d.Key, f); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", d.Key, f.Name, err)
			}
		}
	}
	return s, checkCycles(descriptions)
}

// check returns an error if there are not enough values for a field.
func (s *set) check(key string, f schema.Field) error {
	if f.Kind == schema.Reference || f.Kind == schema.References {
		_, known := s.sizes[f.Refers]
		if !known || f.Refers == "" && !(f.Kind == schema.References && f.ReadOnly) {
			return fmt.Errorf("there is no description of %q", f.Refers)
		}
	}
	if f.Name == "id" || f.Nullable || f.Kind == schema.References && !f.Unique {
		return nil
	}
	if n := s.choices(key, f); n < s.needed(key, f) {
		return fmt.Errorf("%d values for %d records", n, s.sizes[key])
	}
	return nil
}

// checkCycles returns an error if references that cannot be null form a cycle.
func checkCycles(descriptions []schema.Description) error {
	done := map[string]bool{}
	waits := func(f schema.Field) bool {
		return f.Kind == schema.Reference && !f.Nullable && !done[f.Refers]
	}
	for range descriptions {
		for _, d := range descriptions {
			done[d.Key] = done[d.Key] || !slices.ContainsFunc(d.Fields, waits)
		}
	}
	for _, d := range descriptions {
		if i := slices.IndexFunc(d.Fields, waits); i >= 0 && !done[d.Key] {
			return fmt.Errorf("%s: %s: references that cannot be null form a cycle", d.Key, d.Fields[i].Name)
		}
	}
	return nil
}

func (s *set) record(d schema.Description, id int) schema.Record {
	var members []member
	for _, f := range d.Fields {
		if f.Name != "id" {
			members = append(members, member{f.Name, s.value(d.Key, f, id)})
		}
	}
	return record(id, members...)
}
