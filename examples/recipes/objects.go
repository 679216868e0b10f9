package recipes

import (
	"context"
	"regexp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// An Object is identified by its namespace and name, as in Kubernetes.
type Object struct {
	Path   string            `json:"path" backlist:"key"` // see Path
	Labels map[string]string `json:"labels"`
}

// Path returns the key of an object. A colon joins the parts, because a slash would divide the
// path of a URL.
func Path(namespace, name string) string { return namespace + ":" + name }

// Validate returns an error unless Path is two DNS labels joined by a colon.
func (o Object) Validate(context.Context) error {
	if !validPath.MatchString(o.Path) {
		return schema.FieldErrors{{Field: "path", Messages: []string{"Want a namespace, a colon and a name."}}}
	}
	return nil
}

var validPath = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?:[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// NewObjects returns an empty catalogue of objects.
func NewObjects() (*catalogue.Catalogue, *catalogue.Collection[Object], error) {
	objects := catalogue.Define[Object]("objects", catalogue.Options{
		Description: &schema.Description{Filters: []string{"path__startswith"}},
		Validate:    true, // also what the program writes
	})
	cat, err := catalogue.New(objects)
	if err != nil {
		return nil, nil, err
	}
	c, err := objects.In(cat)
	return cat, c, err
}

// ListObjects returns at most limit objects of a namespace, ordered by name, and the token with
// which the next call continues. The first call has an empty token, and the last one returns an
// empty token. Kubernetes calls the token continue. Objects that are created or deleted between
// two calls move no others.
func ListObjects(objects *catalogue.Collection[Object], namespace string, limit int, next string) ([]Object, string, error) {
	return objects.Where(ordering.Prefix("path", Path(namespace, ""))).PageAfter(next, limit, ordering.Asc("path"))
}
