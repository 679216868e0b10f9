package openapi

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Each component is used, and each reference has a component, whatever the handler
// serves.
func TestComponentsAreUsed(t *testing.T) {
	houses := map[string]*catalogue.Catalogue{"documented collections": catalogue.New(), "films": filmHouse(t)}
	for reason, actions := range map[string]schema.Actions{
		"only POST": schema.Create, "only DELETE": schema.Destroy, "only PATCH": schema.PartialUpdate, "only pages": schema.List,
	} {
		house, err := catalogue.NewOnly(catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Actions: actions},
		}))
		if err != nil {
			t.Fatal(err)
		}
		houses[reason] = house
	}
	for reason, house := range houses {
		for _, tags := range []bool{false, true} {
			h, err := httpapi.New(house, httpapi.Options{ETags: tags})
			if err != nil {
				t.Fatal(err)
			}
			d, err := New(context.Background(), h, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var parsed struct {
				Components map[string]map[string]json.RawMessage
			}
			if err := json.Unmarshal(d.JSON(), &parsed); err != nil {
				t.Fatal(err)
			}
			references := map[string]bool{}
			for _, found := range regexp.MustCompile(`"#/components/([^"]+)"`).FindAllStringSubmatch(string(d.JSON()), -1) {
				references[found[1]] = true
			}
			for kind, components := range parsed.Components {
				for name := range components {
					if !references[kind+"/"+name] {
						t.Errorf("%s: %s/%s is not used", reason, kind, name)
					}
					delete(references, kind+"/"+name)
				}
			}
			for name := range references {
				t.Errorf("%s: there is no %s", reason, name)
			}
		}
	}
}
