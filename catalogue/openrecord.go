package catalogue

import (
	"fmt"
	"iter"
	"math"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// describeOpen sets the record type of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func describeOpen(s *recordType[schema.Record], engine *store.Schema, keys []ordering.KeyFunc) error {
	texts := map[string]func(string) ordering.Key{}
	for i, k := range keys {
		name, key, ok := k.ForText()
		switch {
		case !ok || name == "id":
			return fmt.Errorf("function %d of Options.Keys: want an ordering.FieldKey that takes a string, for another field than id", i)
		case ordering.Snake(name) != name:
			return fmt.Errorf("function %d of Options.Keys: %w", i, camelField(name))
		}
		texts[name] = key
	}
	id := ordering.By("id", func(e *store.Entry) int { return e.ID })
	engine.Field = func(name string) (store.Field, bool) {
		if name == id.Name {
			return id, true
		}
		return openField(name, texts[name]), true
	}
	engine.Members = openMembers
	s.ranges = func(c ordering.Condition) ([]ordering.Range, error) {
		f, _ := engine.Field(c.Field())
		return c.Ranges(f.KeyOf)
	}
	s.anyMember = true
	s.id = func(r *schema.Record) int { return r.ID }
	s.setID = func(r *schema.Record, id int) { r.ID = id }
	s.clone = func(r *schema.Record) schema.Record { return *r }
	s.check = func(*schema.Record) error { return nil }
	s.encode = func(r *schema.Record) ([]byte, error) { return r.AppendJSON(nil), nil }
	s.decode = func(object []byte, _ []string) (schema.Record, error) { return schema.ParseRecord(object) }
	return nil
}

// isInstant reports whether a key is that of a time.
func isInstant(k ordering.Key) bool {
	return k.Compare(ordering.Float(math.Inf(1))) > 0 && k.Compare(ordering.Text("")) < 0
}

// openMembers returns the names of the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range recordOf[schema.Record](e).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// openField returns a field of open records. Its value is that of the member whose name
// is the camelCase form of name, or else of the first member whose name has name as its
// snake_case form. If there is no such member, it is null. If text is not nil, it returns
// the key of a value that is text.
func openField(name string, text func(string) ordering.Key) store.Field {
	wire := ordering.Camel(name)
	special := func(k ordering.Key) ordering.Key {
		if s, ok := k.AsText(); ok && text != nil {
			return text(s)
		}
		return k
	}
	return store.Field{Name: name,
		Key: func(e *store.Entry) ordering.Key {
			_, value := memberOf(*recordOf[schema.Record](e), wire, name)
			return special(ordering.JSON(value))
		},
		KeyOf: func(value any) (ordering.Key, error) {
			k, err := ordering.KeyOf(value)
			if isInstant(k) {
				return k, fmt.Errorf("open records have times as text: want a string, not %T", value)
			}
			return special(k), err
		},
	}
}
