package httpapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

const recordMethods = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"

// filmDescription describes a collection with all actions.
func filmDescription() schema.Description {
	zero := 0
	return schema.Description{
		Key: "films", Segment: "films", Name: "film", Vary: "Accept", Actions: schema.AllActions,
		Ordering: []ordering.Term{{Field: "id"}},
		Fields: []schema.Field{
			{Name: "id", Kind: schema.Integer, ReadOnly: true},
			{Name: "minutes", Kind: schema.Integer, Required: true, Min: &zero},
			{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "in_post"}, Default: `"announced"`},
			{Name: "director", Kind: schema.Reference, Refers: "directors", Required: true},
		},
		Filters: []string{"status", "minutes__gte", "director"},
		Search:  []string{"director__name"},
	}
}

// filmCollection is a collection of films 1 and 2 that records the calls of its methods.
// A filter for the status "bogus" is invalid, one for "hidden" selects nothing, and
// another film refers to film 2.
type filmCollection struct {
	*sliceCollection
	revision    uint64
	description schema.Description
	calls       []string
	err         error
}

func newFilms() *filmCollection {
	return &filmCollection{sliceCollection: newCollection(2), description: filmDescription()}
}

func (c *filmCollection) called(format string, args ...any) {
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
}

func (c *filmCollection) Description() schema.Description { return c.description }

func (c *filmCollection) Revision(context.Context) (uint64, error) { return c.revision, nil }

func (c *filmCollection) Create(_ context.Context, body []byte) ([]byte, error) {
	c.called("Create %s", body)
	return echo(body)
}

func (c *filmCollection) PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	c.called("PageWhere %s %d %s", params.Encode(), w.Limit, ordering.Format(terms))
	if err := c.find(1, params); err != nil {
		return 0, nil, err
	}
	return c.Page(ctx, w, terms)
}

func (c *filmCollection) Get(_ context.Context, id int, params url.Values) ([]byte, error) {
	c.called("Get %d %s", id, params.Encode())
	return fmt.Appendf(nil, `{"id":%d}`, id), c.find(id, params)
}

func (c *filmCollection) Update(_ context.Context, id int, params url.Values, body []byte, partial bool) ([]byte, error) {
	c.called("Update %d %s %s %t", id, params.Encode(), body, partial)
	if strings.Contains(string(body), "bad") {
		return nil, schema.FieldErrors{{Field: "minutes", Messages: []string{"Bad <value>."}}}
	}
	return echo(body)
}

func (c *filmCollection) Delete(_ context.Context, id int, params url.Values) error {
	c.called("Delete %d %s", id, params.Encode())
	if err := c.find(id, params); err != nil || id != 2 {
		return err
	}
	return fmt.Errorf("films: %w", &catalogue.ReferenceError{Collection: "sequels", ID: 7, Field: "film"})
}

// find returns the error of a request for a record.
func (c *filmCollection) find(id int, params url.Values) error {
	switch {
	case c.err != nil:
		return c.err
	case slices.Contains(params["status"], "bogus"):
		return schema.FieldErrors{{Field: "status", Messages: []string{"Select a valid choice."}}}
	case id < 1 || id > 2, slices.Contains(params["status"], "hidden"):
		return fmt.Errorf("films: %w: id %d", catalogue.ErrNotFound, id)
	}
	return nil
}

// newFilmsHandler returns a handler that serves only films.
func newFilmsHandler(t testing.TB, opts Options) (*Handler, *filmCollection) {
	t.Helper()
	films := newFilms()
	h, err := NewHandler(map[string]Collection{"films": films}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h, films
}
