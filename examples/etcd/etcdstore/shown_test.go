package etcdstore_test

import (
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/ordering"
)

type (
	shownAuthor struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	shownBook struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Author int    `json:"author" backlist:"refers=authors,related=books,ondelete=cascade,write=author_id"`
	}
	bookWithAuthor struct {
		ID     int         `json:"id"`
		Title  string      `json:"title"`
		Author shownAuthor `json:"author"`
	}
	authorWithCount struct {
		shownAuthor
		BookCount int `json:"bookCount"`
	}
)

// TestShown checks that each node shows records with those of other collections that are there, and
// that a tag from before a change of these is outdated on each node.
func TestShown(t *testing.T) {
	t.Parallel()
	client := storeMember(t).Clients[0]
	authors := catalogue.Define[shownAuthor]("authors", catalogue.Options{Description: &schema.Description{Filters: []string{"books__title__icontains", "books__isnull"}}})
	books := catalogue.Define[shownBook]("books", catalogue.Options{})
	shelf := func(opts *etcdstore.Options) {
		opts.Definitions = []etcdstore.Definition{
			etcdstore.Of(catalogue.Show(authors, func(at *catalogue.Catalogue, a *shownAuthor) (s authorWithCount, err error) {
				all, err := books.In(at)
				if err != nil {
					return s, err
				}
				n, err := all.Where(ordering.Equal("author", a.ID)).Count()
				return authorWithCount{*a, n}, err
			}, books)),
			etcdstore.Of(catalogue.Show(books, func(at *catalogue.Catalogue, b *shownBook) (s bookWithAuthor, err error) {
				all, err := authors.In(at)
				if err != nil {
					return s, err
				}
				author, err := all.Get(b.Author)
				return bookWithAuthor{b.ID, b.Title, author}, err
			}, authors)),
		}
	}
	a, b := openStore(t, client, shelf), openStore(t, client, shelf)
	const one = `{"id":1,"title":"Sea","author":{"id":1,"name":"Ann"}}`
	storeSame(t, "a POST of an author", `{"id":1,"name":"Ann","bookCount":0}`, a.want("POST", "POST", "authors/", `{"name":"Ann"}`, http.StatusCreated).Body)
	storeSame(t, "a POST of a book", one, a.want("POST", "POST", "books/", `{"title":"Sea","authorId":1}`, http.StatusCreated).Body)
	storeSame(t, "an error", `{"authorId":["This field is required."]}`, b.want("POST", "POST", "books/", `{"title":"Sea","author":1}`, http.StatusBadRequest).Body)
	storeSame(t, "another node", one, b.want("GET", "GET", "books/1/", "", http.StatusOK).Body)
	storeSame(t, "a filter backwards", `{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"Ann","bookCount":1}]}`,
		b.want("GET", "GET", "authors/?books__title__icontains=SEA", "", http.StatusOK).Body)

	get := func(n *storeNode, path, tag string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", n.server.URL+"/api/"+path, nil)
		storeMust(t, err)
		r.Host = "house.example"
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w, err := http.DefaultClient.Do(r)
		storeMust(t, err)
		defer w.Body.Close()
		return w.StatusCode, w.Header.Get("ETag")
	}
	for _, path := range []string{"books/", "books/1/"} {
		_, tag := get(a, path, "")
		for reason, n := range map[string]*storeNode{"the node of the tag": a, "another node": b} {
			if status, _ := get(n, path, tag); tag == "" || status != http.StatusNotModified {
				t.Errorf("%s: %s with the tag %q: %d, want 304", reason, path, tag, status)
			}
		}
		b.want("another name", "PATCH", "authors/1/", `{"name":"of `+path+`"}`, http.StatusOK)
		for reason, n := range map[string]*storeNode{"the node of the tag": a, "the node of the change": b} {
			if status, _ := get(n, path, tag); status != http.StatusOK {
				t.Errorf("%s: %s with the tag of before: %d, want 200", reason, path, status)
			}
		}
	}
	b.want("a deletion", "DELETE", "authors/1/", "", http.StatusNoContent)
	a.want("the books of the author", "GET", "books/1/", "", http.StatusNotFound)
}
