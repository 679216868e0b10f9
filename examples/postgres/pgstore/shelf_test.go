package pgstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The records of examples/shelf as they are stored.
type (
	author struct {
		ID      int     `json:"id"`
		Name    string  `json:"name" backlist:"maxlength=40"`
		Born    *string `json:"born" backlist:"date"`
		Country string  `json:"country" backlist:"maxlength=20,blank"`
	}
	tag struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"maxlength=20"`
		Slug string `json:"slug" backlist:"slug,unique,maxlength=20"`
	}
	ownedBook struct {
		ID        int    `json:"id"`
		Title     string `json:"title" backlist:"maxlength=40"`
		Author    int    `json:"author" backlist:"refers=authors,ondelete=cascade,related=books,write=author_id"`
		Published string `json:"published" backlist:"date"`
		Price     string `json:"price" backlist:"decimal=6.2"`
		Owner     string `json:"owner" backlist:"blank,readonly"`
		Tags      []int  `json:"tags" backlist:"refers=tags,related=books,optional,write=tag_ids"`
		SequelOf  *int   `json:"sequelOf" backlist:"refers=books,ondelete=setnull,related=sequels"`
	}
	bookReview struct {
		ID    int    `json:"id"`
		Book  int    `json:"book" backlist:"refers=books,ondelete=cascade,related=reviews"`
		Stars int    `json:"stars" backlist:"choices=1|2|3|4|5,labels=Terrible|Poor|Fair|Good|Superb!"`
		Text  string `json:"text" backlist:"blank"`
	}
)

func newStoredShelf(func() time.Time) (*catalogue.Catalogue, error) {
	of := func(d schema.Description) catalogue.Options { return catalogue.Options{Description: &d} }
	return catalogue.New(
		catalogue.Define[author]("authors", of(schema.Description{
			Ordering: []ordering.Term{ordering.Asc("name")},
			Sortable: []string{"id", "name", "born"},
			Search:   []string{"name", "books__title"},
			Filters: []string{"country", "country__in", "name__istartswith", "born__year__gte", "born__isnull", "books", "books__price__gte",
				"books__title__icontains", "books__isnull", "books__reviews__stars__gte", "books__tags__name"},
		})),
		catalogue.Define[ownedBook]("books", of(schema.Description{
			Ordering: []ordering.Term{ordering.Desc("published")},
			Sortable: []string{"id", "title", "price", "published", "author", "author__name", "author__born", "author__country", "owner", "tags"},
			Search:   []string{"title", "author__name", "tags__name"},
			Filters: []string{"author", "owner", "tags", "tags__slug__in", "sequel_of", "sequel_of__isnull", "sequels__isnull", "reviews__isnull",
				"min_price", "max_price", "q", "ids", "published_after", "published_before", "written_by", "stars"},
			Parameters: map[string]string{"min_price": "price__gte", "max_price": "price__lte", "q": "title__icontains", "ids": "id__in",
				"published_after": "published__gte", "published_before": "published__lte", "written_by": "author__name__iexact", "stars": "reviews__stars"},
		})),
		catalogue.Define[bookReview]("reviews", of(schema.Description{
			Search:  []string{"text", "book__title"},
			Filters: []string{"book", "book__in", "stars", "stars__gte", "stars__in", "book__author", "book__author__name__icontains", "book__tags"},
		})),
		catalogue.Define[tag]("tags", of(schema.Description{
			Ordering:      []ordering.Term{ordering.Asc("name")},
			OrderingParam: "sort",
			Search:        []string{"name", "=slug"},
			Pages:         pagination.Whole{},
			Filters:       []string{"books", "books__author", "slug", "slug__in", "books__author__name__startswith", "books__isnull"},
		})),
	)
}

// shelfHandler returns a handler of the collections of a shelf, and of a second path to its books, which
// only their owners may change.
func shelfHandler(t *testing.T, all []httpapi.Collection, opts httpapi.Options) http.Handler {
	t.Helper()
	second := all[1].Description()
	second.Of, second.Key, second.Segment = "books", "shelves-by-number", "shelves-by-number"
	second.Ordering, second.Pages = nil, pagination.Numbers{Limits: pagination.Limits{Default: 5, Max: 20}, Size: "page_size"}
	opts.Authorizer, opts.Forms = httpapi.AllowAll, true
	opts.OnError = func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }
	opts.Assign = func(r *http.Request, collection string, action schema.Actions) (owner schema.Record, err error) {
		if action == schema.Create && (collection == "books" || collection == "shelves-by-number") {
			owner, err = owner.With("owner", r.Header.Get("X-User"))
		}
		return owner, err
	}
	if opts.Permit == nil {
		opts.Permit = permitOwner
	}
	h, err := httpapi.NewHandler(append(all, httpapi.Describe(all[1], second)), opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// permitOwner permits the owner of a book to change it.
func permitOwner(r *http.Request, _ string, _ schema.Actions, record []byte) error {
	var book struct{ Owner *string }
	if err := json.Unmarshal(record, &book); err != nil || book.Owner == nil || *book.Owner == r.Header.Get("X-User") {
		return err
	}
	return httpapi.Forbidden("")
}

// TestShelf sends the requests that were recorded for examples/shelf to its records as they are stored,
// in memory and in PostgreSQL, in order.
func TestShelf(t *testing.T) {
	const file, data = "../../shelf/testdata/vectors.jsonl", "../../shelf/testdata/dataset.json"
	all, err := recorded.Read(file)
	if err != nil || len(all) != 631 {
		t.Fatalf("%d requests, want 631; %v", len(all), err)
	}
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, as := range []schema.Framework{{}, schema.DRF318(time.UTC)} {
		cat := made(t, newStoredShelf)
		if err := cat.Load(bytes.NewReader(text), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		var inMemory []httpapi.Collection
		for _, c := range cat.All() {
			inMemory = append(inMemory, c)
		}
		store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: made(t, newStoredShelf), Timeout: time.Minute})
		load(t, store, string(text))
		opts := httpapi.Options{Framework: as}
		memory, h := shelfHandler(t, inMemory, opts), shelfHandler(t, store.Collections(), opts)
		for _, r := range all {
			compareWithMemory(t, r, memory, h)
		}
	}
}

// TestPermitAtTheWrite checks that Options.Permit decides by the record at the instant of the write: here
// it gets another owner after the request was permitted.
func TestPermitAtTheWrite(t *testing.T) {
	store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: made(t, newStoredShelf), Timeout: time.Minute})
	const book = `{"id":1,"title":"Sea","author":1,"published":"2000-01-01","price":"1.00","owner":"ann","tags":[],"sequelOf":null}`
	data := `{"authors":[{"id":1,"name":"Anna","born":null,"country":""}],"books":[` + book + "]}"
	taken := strings.Replace(book, "ann", "bob", 1)
	var asked []string
	h := shelfHandler(t, store.Collections(), httpapi.Options{Permit: func(r *http.Request, collection string, action schema.Actions, record []byte) error {
		err := permitOwner(r, collection, action, record)
		if asked = append(asked, string(record)); len(asked) == 1 {
			owner, failed := schema.Record{}.With("owner", "bob")
			if failed == nil {
				_, failed = store.Collections()[1].(httpapi.Updater).Update(context.WithoutCancel(t.Context()), "1", catalogue.Edit{Body: []byte("{}"), Partial: true, Assigned: owner})
			}
			if failed != nil {
				t.Error(failed)
			}
		}
		return err
	}})
	for _, row := range []struct{ method, body string }{
		{"PATCH", `{"title":"Night"}`},
		{"PUT", `{"title":"Night","authorId":1,"published":"2000-01-01","price":"1.00","sequelOf":null}`},
		{"DELETE", ""},
	} {
		load(t, store, data)
		asked = nil
		r := httptest.NewRequest(row.method, "/api/books/1/", strings.NewReader(row.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-User", "ann")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || strings.Join(asked, "\n") != book+"\n"+taken {
			t.Errorf("%s: %d %s, want 403; Permit was asked about\n%s\nwant\n%s\n%s", row.method, w.Code, w.Body, strings.Join(asked, "\n"), book, taken)
		}
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/books/1/", nil))
		if w.Body.String() != taken {
			t.Errorf("after the %s: %s, want %s", row.method, w.Body, taken)
		}
	}
}
