package catalogue_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// TestRecordType is what a description of the collections asks for.
func TestRecordType(t *testing.T) {
	type pamphlet struct {
		ID int `json:"id"`
	}
	house, err := catalogue.NewWith(catalogue.Define[pamphlet]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*catalogue.Catalogue{house, house.Clone()} {
		for key, want := range map[string]reflect.Type{
			"books": reflect.TypeFor[pamphlet](), "items": reflect.TypeFor[resources.Record](), "events": reflect.TypeFor[resources.Event](),
		} {
			encoded, err := c.Encoded(key)
			if err != nil {
				t.Fatal(err)
			}
			typed, ok := encoded.(interface{ RecordType() reflect.Type })
			if !ok || typed.RecordType() != want {
				t.Errorf("%s holds %v, want %v", key, fmt.Sprint(typed.RecordType()), want)
			}
		}
	}
	own := struct{ catalogue.Encoded }{}
	if _, ok := any(own).(interface{ RecordType() reflect.Type }); ok {
		t.Error("a type that embeds an Encoded tells the type of other records than its own")
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
