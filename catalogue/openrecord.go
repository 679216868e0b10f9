package catalogue

import (
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// describeOpen sets the schema of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func describeOpen(s *schema[resources.Record], engine *store.Schema) {
	s.anyMember = true
	engine.Field = openField
	engine.Members = openMembers
	s.id = func(r *resources.Record) int { return r.ID }
	s.setID = func(r *resources.Record, id int) { r.ID = id }
	s.clone = func(r *resources.Record) resources.Record { return *r }
	s.check = func(*resources.Record) error { return nil }
	s.encode = func(r *resources.Record) ([]byte, error) { return r.AppendJSON(nil), nil }
	s.decode = func(object []byte, _ []string) (resources.Record, error) { return resources.ParseRecord(object) }
}

// openMembers returns the names of the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range recordOf[resources.Record](e).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// openField returns a field of open records. Its value is that of the member whose name
// is the camelCase form of name, or else of the first member whose name has name as its
// snake_case form. If there is no such member, it is null.
func openField(name string) (store.Field, bool) {
	if name == "id" {
		return store.Field{Name: name, Kind: store.Integer,
			Key: func(e *store.Entry) ordering.Key { return ordering.Int(int64(e.ID)) }}, true
	}
	wire := ordering.Camel(name)
	return store.Field{Name: name, Key: func(e *store.Entry) ordering.Key {
		r := recordOf[resources.Record](e)
		if text, ok := r.Get(wire); ok {
			return ordering.JSON(text)
		}
		for member, text := range r.All() {
			if ordering.Snake(member) == name {
				return ordering.JSON(text)
			}
		}
		return ordering.Null()
	}}, true
}
