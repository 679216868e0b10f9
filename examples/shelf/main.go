// Shelf serves books with their authors, tags and reviews, as Django REST framework serves them.
//
//	go run ./examples/shelf -open &
//	curl 'http://127.0.0.1:8080/api/authors/?books__title__icontains=summer'
//
// The header X-User has the name of the user. The flags are those of examples/shop.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/service"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// What is stored: authors with their books, and reviews of these.
type (
	Author struct {
		ID      int     `json:"id"`
		Name    string  `json:"name" backlist:"maxlength=40"`
		Born    *string `json:"born" backlist:"date"`
		Country string  `json:"country" backlist:"maxlength=20,blank"`
	}
	Tag struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"maxlength=20"`
		Slug string `json:"slug" backlist:"slug,unique,maxlength=20"`
	}
	Book struct {
		ID        int    `json:"id"`
		Title     string `json:"title" backlist:"maxlength=40"`
		Author    int    `json:"author" backlist:"refers=authors,ondelete=cascade,related=books,write=author_id"`
		Published string `json:"published" backlist:"date"`
		Price     string `json:"price" backlist:"decimal=6.2"`
		Owner     string `json:"owner" backlist:"blank,readonly"`
		Tags      []int  `json:"tags" backlist:"refers=tags,related=books,optional,write=tag_ids"`
		SequelOf  *int   `json:"sequelOf" backlist:"refers=books,ondelete=setnull,related=sequels"`
	}
	Review struct {
		ID    int    `json:"id"`
		Book  int    `json:"book" backlist:"refers=books,ondelete=cascade,related=reviews"`
		Stars int    `json:"stars" backlist:"choices=1|2|3|4|5,labels=Terrible|Poor|Fair|Good|Superb!"`
		Text  string `json:"text" backlist:"blank"`
	}
)

// What is shown of them: members of others, and members computed from others.
type (
	AuthorShown struct {
		Author
		BookCount   int     `json:"bookCount" backlist:"method"`
		LatestTitle *string `json:"latestTitle" backlist:"method"`
		Books       []int   `json:"books" backlist:"method"`
	}
	TagShown struct {
		Tag
		BookCount int `json:"bookCount" backlist:"method"`
	}
	BookHead struct {
		ID            int        `json:"id"`
		Title         string     `json:"title"`
		Author        AuthorName `json:"author"`
		AuthorCountry string     `json:"authorCountry"`
		Published     string     `json:"published"`
		Price         string     `json:"price"`
		Owner         string     `json:"owner"`
		Tags          []TagName  `json:"tags"`
	}
	BookListed struct {
		BookHead
		AverageStars *float64 `json:"averageStars" backlist:"method"`
	}
	BookShown struct {
		BookHead
		SequelOf     *int         `json:"sequelOf"`
		Sequels      []int        `json:"sequels" backlist:"method"`
		AverageStars *float64     `json:"averageStars" backlist:"method"`
		Reviews      []BookReview `json:"reviews"`
	}
	AuthorName struct {
		ID   int    `json:"id" backlist:"readonly"`
		Name string `json:"name" backlist:"maxlength=40"`
	}
	TagName struct {
		ID   int    `json:"id" backlist:"readonly"`
		Name string `json:"name" backlist:"maxlength=20"`
	}
	Rating struct {
		Stars      int    `json:"stars" backlist:"choices=1|2|3|4|5,labels=Terrible|Poor|Fair|Good|Superb!"`
		StarsLabel string `json:"starsLabel" backlist:"readonly"`
		Text       string `json:"text" backlist:"blank"`
	}
	BookReview struct {
		ID int `json:"id" backlist:"readonly"`
		Rating
	}
	ReviewShown struct {
		ID   int `json:"id"`
		Book int `json:"book"`
		Rating
	}
)

func showAuthor(at *catalogue.Catalogue, a *Author) (s AuthorShown, err error) {
	s.Author = *a
	latest := ""
	err = each(at, books, "author", a.ID, func(b Book) {
		s.BookCount++
		s.Books = append(s.Books, b.ID)
		if b.Published >= latest {
			latest, s.LatestTitle = b.Published, &b.Title
		}
	})
	return s, err
}

func showTag(at *catalogue.Catalogue, t *Tag) (s TagShown, err error) {
	all, err := books.In(at)
	if err == nil {
		s.Tag = *t
		s.BookCount, err = all.Where().Filter(func(b *Book) bool { return slices.Contains(b.Tags, t.ID) }).Count()
	}
	return s, err
}

func rating(r Review) Rating {
	labels := [...]string{"Terrible", "Poor", "Fair", "Good", "Superb!"}
	return Rating{r.Stars, labels[r.Stars-1], r.Text}
}

func showReview(_ *catalogue.Catalogue, r *Review) (ReviewShown, error) {
	return ReviewShown{r.ID, r.Book, rating(*r)}, nil
}

func showBook(at *catalogue.Catalogue, b *Book) (s BookShown, err error) {
	s.BookHead = BookHead{ID: b.ID, Title: b.Title, Published: b.Published, Price: b.Price, Owner: b.Owner}
	s.SequelOf = b.SequelOf
	err = each(at, authors, "id", b.Author, func(a Author) { s.Author, s.AuthorCountry = AuthorName{a.ID, a.Name}, a.Country })
	for _, id := range b.Tags {
		err = errors.Join(err, each(at, tags, "id", id, func(t Tag) { s.Tags = append(s.Tags, TagName{id, t.Name}) }))
	}
	stars := 0
	err = errors.Join(err, each(at, books, "sequel_of", b.ID, func(other Book) { s.Sequels = append(s.Sequels, other.ID) }),
		each(at, reviews, "book", b.ID, func(r Review) {
			stars += r.Stars
			s.Reviews = append(s.Reviews, BookReview{r.ID, rating(r)})
			s.AverageStars = new(float64(stars) / float64(len(s.Reviews)))
		}))
	return s, err
}

func listBook(at *catalogue.Catalogue, b *Book) (BookListed, error) {
	s, err := showBook(at, b)
	return BookListed{s.BookHead, s.AverageStars}, err
}

// each calls f for the records of a collection with a value in a field, by id.
func each[T any](at *catalogue.Catalogue, d catalogue.Definition[T], field string, value int, f func(T)) error {
	of, err := d.In(at)
	if err != nil {
		return err
	}
	all, err := of.Where(ordering.Equal(field, value)).All(ordering.Asc("id"))
	for r := range all {
		f(r)
	}
	return err
}

// The collections. All books can be ordered by what either of their paths permits.
var (
	authors = catalogue.Define[Author]("authors", describe(schema.Description{
		Ordering: []ordering.Term{ordering.Asc("name")},
		Sortable: []string{"id", "name", "born"},
		Search:   []string{"name", "books__title"},
		Filters: []string{"country", "country__in", "name__istartswith", "born__year__gte", "born__isnull", "books", "books__price__gte",
			"books__title__icontains", "books__isnull", "books__reviews__stars__gte", "books__tags__name"},
	}))
	books = catalogue.Define[Book]("books", describe(schema.Description{
		Ordering: []ordering.Term{ordering.Desc("published")},
		Sortable: append(sortable, "author__country", "owner", "tags"),
		Search:   []string{"title", "author__name", "tags__name"},
		Filters: []string{"author", "owner", "tags", "tags__slug__in", "sequel_of", "sequel_of__isnull", "sequels__isnull", "reviews__isnull",
			"min_price", "max_price", "q", "ids", "published_after", "published_before", "written_by", "stars"},
		Parameters: map[string]string{"min_price": "price__gte", "max_price": "price__lte", "q": "title__icontains", "ids": "id__in",
			"published_after": "published__gte", "published_before": "published__lte", "written_by": "author__name__iexact", "stars": "reviews__stars"},
	}))
	reviews = catalogue.Define[Review]("reviews", describe(schema.Description{
		Search:  []string{"text", "book__title"},
		Filters: []string{"book", "book__in", "stars", "stars__gte", "stars__in", "book__author", "book__author__name__icontains", "book__tags"},
	}))
	tags = catalogue.Define[Tag]("tags", describe(schema.Description{
		Ordering: []ordering.Term{ordering.Asc("name")},
		Search:   []string{"name", "=slug"},
		Pages:    pagination.Whole{},

		OrderingParam: "sort",
		Filters:       []string{"books", "books__author", "slug", "slug__in", "books__author__name__startswith", "books__isnull"},
	}))
	sortable = []string{"id", "title", "price", "published", "author", "author__name", "author__born"}
)

func describe(d schema.Description) catalogue.Options { return catalogue.Options{Description: &d} }

func newShelf(func() time.Time) (*catalogue.Catalogue, error) {
	return catalogue.New(
		catalogue.Show(authors, showAuthor, books),
		catalogue.ShowInLists(catalogue.Show(books, showBook, authors, books, tags, reviews), listBook, authors, books, tags, reviews),
		catalogue.Show(reviews, showReview),
		catalogue.Show(tags, showTag, books),
	)
}

// serve adds a second path to the books: in pages by number, for which writing needs a user.
func serve(all []httpapi.Collection) []httpapi.Collection {
	books := all[1]
	first, second := books.Description(), books.Description()
	first.Sortable = sortable
	second.Of, second.Key, second.Segment, second.Name = "books", "shelves-by-number", "shelves-by-number", "by number"
	second.Ordering, second.Sortable = nil, []string{"id", "title", "price", "published", "author", "author__country", "owner", "tags"}
	second.Pages = pagination.Numbers{Limits: pagination.Limits{Default: 5, Max: 20}, Size: "page_size"}
	all[1] = httpapi.Describe(books, first)
	return append(all, httpapi.Describe(books, second))
}

// secure lets the owners of books change them, and whoever creates a book be its owner.
func secure(opts *httpapi.Options) {
	user := func(r *http.Request) string { return r.Header.Get("X-User") }
	if permitted := opts.Authorizer; permitted != nil {
		opts.Authorizer = func(r *http.Request, collection string, action schema.Actions) error {
			if collection == "shelves-by-number" && user(r) == "" {
				return httpapi.Unauthorized("", "")
			}
			return permitted(r, collection, action)
		}
	}
	opts.Permit = func(r *http.Request, _ string, _ schema.Actions, record []byte) error {
		var book struct{ Owner *string }
		switch err := json.Unmarshal(record, &book); {
		case err != nil || book.Owner == nil: // not a book
			return err
		case user(r) == "":
			return httpapi.Unauthorized("", "")
		case user(r) != *book.Owner:
			return httpapi.Forbidden("")
		}
		return nil
	}
	opts.Assign = func(r *http.Request, collection string, action schema.Actions) (owner schema.Record, err error) {
		if action == schema.Create && (collection == "books" || collection == "shelves-by-number") {
			owner, err = owner.With("owner", user(r))
		}
		return owner, err
	}
}

//go:embed records.json
var records string

// program is the shelf with the flags of its kind.
var program = service.Service{Title: "Shelf", New: newShelf, Records: records, Forms: true, Options: secure, Served: serve}

func main() { program.Main() }
