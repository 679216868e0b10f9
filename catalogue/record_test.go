package catalogue_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

type (
	left  struct{ Side string }
	right struct{ Side string }
)

// TestConflictingMembers uses two fields of which encoding/json would write neither.
func TestConflictingMembers(t *testing.T) {
	type both struct {
		ID int `json:"id"`
		left
		right
	}
	_, err := catalogue.NewCollection[both](catalogue.Options{})
	if err == nil || !strings.Contains(err.Error(), `catalogue_test.both has two members "Side"`) {
		t.Errorf("NewCollection: %v, want an error that names the member", err)
	}
	type hidden struct {
		ID int `json:"id"`
		left
		right
		Side string
	}
	if _, err := catalogue.NewCollection[hidden](catalogue.Options{}); err != nil {
		t.Errorf("a field hides both: %v", err)
	}
}
