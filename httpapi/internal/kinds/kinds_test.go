package kinds

import (
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
)

// TestRows checks that each kind has a row, and that an unknown kind has the zero Row.
func TestRows(t *testing.T) {
	all := values.Fields()
	for _, f := range all {
		if Of(f.Kind).Control == "" {
			t.Errorf("%v, kind %d, has no row", f.Kind, f.Kind)
		}
	}
	for _, unknown := range []schema.Kind{0, schema.Integer + schema.Kind(len(all))} {
		if got := Of(unknown); got != (Row{}) {
			t.Errorf("kind %d: %+v", unknown, got)
		}
	}
}
