package catalogue_test

import (
	"reflect"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// TestRecordType checks the record types of a catalogue and of its clone.
func TestRecordType(t *testing.T) {
	type pamphlet struct {
		ID int `json:"id"`
	}
	cat, err := resources.New(catalogue.Define[pamphlet]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*catalogue.Catalogue{cat, cat.Clone()} {
		for key, want := range map[string]reflect.Type{
			"books": reflect.TypeFor[pamphlet](), "items": reflect.TypeFor[schema.Record](), "events": reflect.TypeFor[resources.Event](),
		} {
			encoded, err := c.Collection(key)
			if err != nil {
				t.Fatal(err)
			}
			if got := encoded.RecordType(); got != want {
				t.Errorf("%s: RecordType() = %v, want %v", key, got, want)
			}
		}
	}
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}
