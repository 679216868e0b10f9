package house

import (
	"log"

	"github.com/gobacklist/backlist/resources"
)

// newPublisher returns the service of the publishing house at /api/.
func newPublisher(store Store, errorLog *log.Logger) (*service, error) {
	house, err := resources.New()
	if err != nil {
		return nil, err
	}
	return newService("publisher", "/api/", "Catalogue", house, store, errorLog)
}
