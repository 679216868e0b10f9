package conformance

import (
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// fields returns the fields of test records. For open records they are arbitrary.
func (impl *Implementation) fields() []schema.Field {
	if impl.Description.Fields != nil {
		return impl.Description.Fields
	}
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "name", Kind: schema.Text},
		{Name: "pageCount", Kind: schema.Integer},
		{Name: "subtitle", Kind: schema.Text, Nullable: true},
		{Name: "inPrint", Kind: schema.Boolean},
		{Name: "authors", Kind: schema.References},
		{Name: "extra", Kind: schema.JSON, Nullable: true},
	}
}

// column is a field with its values in the records of a check.
type column struct {
	field  schema.Field
	values []string // JSON
}

// records returns a model with the given columns. All other fields are the same in all
// records, unless they are unique. Ids are distinct, but neither ascending nor descending.
func (impl *Implementation) records(columns ...column) model {
	n := len(columns[0].values)
	var m model
	for i := range n {
		id := scattered(i, n)
		m = append(m, impl.record(func(f schema.Field) string {
			if f.Name == "id" {
				return strconv.Itoa(id)
			}
			for _, c := range columns {
				if c.field.Name == f.Name {
					return c.values[i]
				}
			}
			return filler(f, id)
		}))
	}
	return m
}

// scattered returns the id of record i of n: 2, 4, 6, … and then …, 5, 3, 1.
func scattered(i, n int) int {
	if 2*i+2 <= n {
		return 2*i + 2
	}
	return 2*(n-i) - 1
}

// record returns a record with the JSON values of its fields.
func (impl *Implementation) record(value func(schema.Field) string) record {
	r := record{values: map[string]any{}}
	for _, f := range impl.fields() {
		v := value(f)
		if f.Name == "id" {
			r.id, _ = strconv.Atoi(v)
		}
		sep := byte(',')
		if r.json == nil {
			sep = '{'
		}
		r.json = append(append(append(r.json, sep, '"'), f.Name...), `":`...)
		r.json = append(r.json, v...)
		r.values[ordering.Snake(f.Name)] = parse(f.Kind, v)
	}
	r.json = append(r.json, '}')
	return r
}

// plain returns n records that differ only in their ids.
func (impl *Implementation) plain(n int) model {
	if n == 0 {
		return nil
	}
	return impl.records(column{values: make([]string, n)})
}

// find returns a field other than id of the first possible kind, or a skip. It does not
// return unique fields and integers with bounds, because not all values are valid.
func (impl *Implementation) find(nullable bool, kinds ...schema.Kind) (schema.Field, error) {
	for _, k := range kinds {
		for _, f := range impl.fields() {
			if f.Kind == k && f.Nullable == nullable && f.Name != "id" && !f.Unique && f.Min == nil && f.Max == nil {
				return f, nil
			}
		}
	}
	return schema.Field{}, skip("the collection has no suitable field")
}
