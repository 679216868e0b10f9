package conformance

import (
	"strconv"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// fields are the members of records. Those of open records are made up.
func (impl *Implementation) fields() []resources.Field {
	if impl.Description.Fields != nil {
		return impl.Description.Fields
	}
	return []resources.Field{
		{Name: "id", Kind: resources.Integer, ReadOnly: true},
		{Name: "name", Kind: resources.Text},
		{Name: "pageCount", Kind: resources.Integer},
		{Name: "subtitle", Kind: resources.Text, Nullable: true},
		{Name: "inPrint", Kind: resources.Boolean},
		{Name: "authors", Kind: resources.References},
		{Name: "extra", Kind: resources.JSON, Nullable: true},
	}
}

// filler is a value of a kind that all records share, where a check is not about
// the field.
func filler(f resources.Field) string {
	switch f.Kind {
	case resources.Integer, resources.Reference:
		return "1"
	case resources.Timestamp:
		return `"2024-05-10T18:00:00+02:00"`
	case resources.Boolean:
		return "false"
	case resources.URL:
		return `"https://house.example/"`
	case resources.References, resources.TextList:
		return "[]"
	case resources.JSON:
		return "null"
	}
	return `"same"`
}

// column is a field with its values in the records of a check, one after the other.
type column struct {
	field  resources.Field
	values []string // JSON
}

// records makes a model of columns. All other fields are the same in all records.
// Ids are distinct and neither ascending nor descending.
func (impl *Implementation) records(columns ...column) model {
	n := len(columns[0].values)
	var m model
	for i := range n {
		id := strconv.Itoa(scattered(i, n))
		m = append(m, impl.record(func(f resources.Field) string {
			if f.Name == "id" {
				return id
			}
			for _, c := range columns {
				if c.field.Name == f.Name {
					return c.values[i]
				}
			}
			return filler(f)
		}))
	}
	return m
}

// scattered is the id of record i of n: 2, 4, 6 … and then … 5, 3, 1.
func scattered(i, n int) int {
	if 2*i+2 <= n {
		return 2*i + 2
	}
	return 2*(n-i) - 1
}

// record makes a record of the JSON of its fields.
func (impl *Implementation) record(value func(resources.Field) string) record {
	r := record{values: map[string]any{}}
	for _, f := range impl.fields() {
		v := value(f)
		if f.Name == "id" {
			r.id, _ = strconv.Atoi(v)
		}
		sep := byte(',')
		if r.wire == nil {
			sep = '{'
		}
		r.wire = append(append(append(r.wire, sep, '"'), f.Name...), `":`...)
		r.wire = append(r.wire, v...)
		r.values[ordering.Snake(f.Name)] = parse(f.Kind, v)
	}
	r.wire = append(r.wire, '}')
	return r
}

// plain makes n records that differ in their ids alone.
func (impl *Implementation) plain(n int) model {
	if n == 0 {
		return nil
	}
	return impl.records(column{values: make([]string, n)})
}

// find gives the first field that is one of the kinds, other than id, and neither
// can nor cannot be null, as is asked.
func (impl *Implementation) find(nullable bool, kinds ...resources.Kind) (resources.Field, error) {
	for _, k := range kinds {
		for _, f := range impl.fields() {
			if f.Kind == k && f.Nullable == nullable && f.Name != "id" {
				return f, nil
			}
		}
	}
	return resources.Field{}, skip("no field of the collection can hold what is to be looked at")
}
