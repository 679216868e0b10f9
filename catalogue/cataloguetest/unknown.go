package cataloguetest

import (
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// unknownCollection returns the error for a key that no documented collection has.
func unknownCollection(key string) error {
	var known []string
	for _, d := range resources.Descriptions() {
		known = append(known, d.Key)
	}
	return fmt.Errorf("%w: %q: %s", catalogue.ErrUnknownCollection, key, ordering.Suggest(key, known))
}
