package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// taggedFilms is a filmCollection with stored records. It implements neither
// ConditionalUpdater nor ConditionalDeleter. It is not safe for concurrent use.
type taggedFilms struct {
	*filmCollection
	records map[int]string
}

// newTaggedFilms returns a handler of films 1 and 2.
func newTaggedFilms(t *testing.T, opts Options) *Handler {
	t.Helper()
	opts.Authorizer = AllowAll
	films := &taggedFilms{newFilms(), map[int]string{1: `{"id":1,"minutes":90}`, 2: `{"id":2,"minutes":80}`}}
	h, err := NewHandler(map[string]Collection{"films": films}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (c *taggedFilms) Get(_ context.Context, id int, params url.Values) ([]byte, error) {
	if err := c.find(1, params); err != nil {
		return nil, err
	}
	if c.records[id] == "" {
		return nil, fmt.Errorf("films: %w: id %d", catalogue.ErrNotFound, id)
	}
	return []byte(c.records[id]), nil
}

func (c *taggedFilms) Create(_ context.Context, body []byte) ([]byte, error) {
	return c.store(len(c.records)+1, body)
}

func (c *taggedFilms) Update(ctx context.Context, id int, params url.Values, body []byte, _ bool) ([]byte, error) {
	if _, err := c.Get(ctx, id, params); err != nil {
		return nil, err
	}
	return c.store(id, body)
}

func (c *taggedFilms) Delete(ctx context.Context, id int, params url.Values) error {
	_, err := c.Get(ctx, id, params)
	delete(c.records, id)
	return err
}

func (c *taggedFilms) store(id int, body []byte) ([]byte, error) {
	var film struct{ Minutes int }
	if json.Unmarshal(body, &film) != nil || film.Minutes < 0 {
		return nil, schema.FieldErrors{{Field: "minutes", Messages: []string{"A valid integer is required."}}}
	}
	c.records[id] = fmt.Sprintf(`{"id":%d,"minutes":%d}`, id, film.Minutes)
	return []byte(c.records[id]), nil
}
