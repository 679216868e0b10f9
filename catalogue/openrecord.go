package catalogue

import (
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// describeOpen fills in the schema of open records. They need neither copies nor
// checks: nothing in them can change, and they hold valid JSON.
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

// openMembers returns the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range recordOf[resources.Record](e).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// openField returns a member of open records as a field: the member that has the
// name in camelCase, or else the first one that has this name in snake_case.
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
