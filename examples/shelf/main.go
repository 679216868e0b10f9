// Shelf serves books with their authors, tags and reviews, as Django REST framework serves them.
//
//	go run ./examples/shelf -open &
//	curl 'http://127.0.0.1:8080/api/authors/?books__title__icontains=night'
//
// The flags are those of examples/shop.
package main

import (
	"context"
	"encoding/json"
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

// An Author writes books.
type Author struct {
	ID      int     `json:"id"`
	Name    string  `json:"name" backlist:"maxlength=40"`
	Born    *string `json:"born" backlist:"date"`
	Country string  `json:"country" backlist:"maxlength=20,blank"`
}

// A Tag is a word about books.
type Tag struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"maxlength=20"`
	Slug string `json:"slug" backlist:"slug,unique,maxlength=20"`
}

// A Book has one author.
type Book struct {
	ID        int    `json:"id"`
	Title     string `json:"title" backlist:"maxlength=40"`
	Author    int    `json:"author" backlist:"refers=authors,ondelete=cascade,related=books,write=author_id"`
	Published string `json:"published" backlist:"date"`
	Price     string `json:"price" backlist:"decimal=6.2"`
	Owner     string `json:"owner" backlist:"blank,readonly"`
	Tags      []int  `json:"tags" backlist:"refers=tags,related=books,optional,write=tag_ids"`
	SequelOf  *int   `json:"sequelOf" backlist:"refers=books,ondelete=setnull,related=sequels"`
}

// A Review is about a book.
type Review struct {
	ID    int    `json:"id"`
	Book  int    `json:"book" backlist:"refers=books,ondelete=cascade,related=reviews"`
	Stars int    `json:"stars" backlist:"choices=1|2|3|4|5,labels=Terrible|Poor|Fair|Good|Superb!"`
	Text  string `json:"text" backlist:"blank"`
}

// AuthorShown is what the service shows of an author.
type AuthorShown struct {
	Author
	BookCount   int     `json:"bookCount" backlist:"method"`
	LatestTitle *string `json:"latestTitle" backlist:"method"`
	Books       []int   `json:"books" backlist:"method"`
}

// A Name is a part of what is shown.
type Name struct {
	ID   int    `json:"id" backlist:"readonly"`
	Name string `json:"name" backlist:"maxlength=40"`
}

// BookListed is what the service shows of a book in lists.
type BookListed struct {
	ID            int      `json:"id"`
	Title         string   `json:"title"`
	Author        Name     `json:"author"`
	AuthorCountry string   `json:"authorCountry"`
	Published     string   `json:"published"`
	Price         string   `json:"price"`
	Owner         string   `json:"owner"`
	Tags          []Name   `json:"tags"`
	AverageStars  *float64 `json:"averageStars" backlist:"method"`
}

// BookShown is what it shows of a book elsewhere.
type BookShown struct {
	ID            int          `json:"id"`
	Title         string       `json:"title"`
	Author        Name         `json:"author"`
	AuthorCountry string       `json:"authorCountry"`
	Published     string       `json:"published"`
	Price         string       `json:"price"`
	Owner         string       `json:"owner"`
	Tags          []Name       `json:"tags"`
	SequelOf      *int         `json:"sequelOf"`
	Sequels       []int        `json:"sequels" backlist:"method"`
	AverageStars  *float64     `json:"averageStars" backlist:"method"`
	Reviews       []BookReview `json:"reviews"`
}

// A BookReview is a review as a part of its book.
type BookReview struct {
	ID         int    `json:"id" backlist:"readonly"`
	Stars      int    `json:"stars" backlist:"choices=1|2|3|4|5,labels=Terrible|Poor|Fair|Good|Superb!"`
	StarsLabel string `json:"starsLabel" backlist:"readonly"`
	Text       string `json:"text" backlist:"blank"`
}

// ReviewShown is what the service shows of a review.
type ReviewShown struct {
	ID         int    `json:"id"`
	Book       int    `json:"book"`
	Stars      int    `json:"stars"`
	StarsLabel string `json:"starsLabel"`
	Text       string `json:"text"`
}

// TagShown is what the service shows of a tag.
type TagShown struct {
	Tag
	BookCount int `json:"bookCount" backlist:"method"`
}

// starsLabels are the labels of the choices of stars.
var starsLabels = [...]string{"Terrible", "Poor", "Fair", "Good", "Superb!"}

func showAuthor(at *catalogue.Catalogue, a *Author) (AuthorShown, error) {
	shown := AuthorShown{Author: *a, Books: []int{}}
	of, err := where(at, books, ordering.Equal("author", a.ID))
	latest := ""
	for _, b := range of {
		shown.BookCount++
		shown.Books = append(shown.Books, b.ID)
		if b.Published >= latest {
			latest, shown.LatestTitle = b.Published, &b.Title
		}
	}
	return shown, err
}

func showTag(at *catalogue.Catalogue, t *Tag) (TagShown, error) {
	all, err := books.In(at)
	if err != nil {
		return TagShown{}, err
	}
	n, err := all.Where().Filter(func(b *Book) bool { return slices.Contains(b.Tags, t.ID) }).Count()
	return TagShown{*t, n}, err
}

func showReview(_ *catalogue.Catalogue, r *Review) (ReviewShown, error) {
	return ReviewShown{r.ID, r.Book, r.Stars, starsLabels[r.Stars-1], r.Text}, nil
}

func listBook(at *catalogue.Catalogue, b *Book) (s BookListed, err error) {
	author, err := get(at, authors, b.Author)
	if err != nil {
		return s, err
	}
	s = BookListed{ID: b.ID, Title: b.Title, Author: Name{author.ID, author.Name}, AuthorCountry: author.Country,
		Published: b.Published, Price: b.Price, Owner: b.Owner, Tags: []Name{}}
	for _, id := range b.Tags {
		tag, err := get(at, tags, id)
		if err != nil {
			return s, err
		}
		s.Tags = append(s.Tags, Name{tag.ID, tag.Name})
	}
	of, err := where(at, reviews, ordering.Equal("book", b.ID))
	if sum := 0.0; len(of) > 0 {
		for _, r := range of {
			sum += float64(r.Stars)
		}
		s.AverageStars = new(sum / float64(len(of)))
	}
	return s, err
}

func showBook(at *catalogue.Catalogue, b *Book) (s BookShown, err error) {
	l, err := listBook(at, b)
	if err != nil {
		return s, err
	}
	s = BookShown{ID: l.ID, Title: l.Title, Author: l.Author, AuthorCountry: l.AuthorCountry, Published: l.Published, Price: l.Price,
		Owner: l.Owner, Tags: l.Tags, SequelOf: b.SequelOf, Sequels: []int{}, AverageStars: l.AverageStars, Reviews: []BookReview{}}
	sequels, err := where(at, books, ordering.Equal("sequel_of", b.ID))
	if err != nil {
		return s, err
	}
	for _, other := range sequels {
		s.Sequels = append(s.Sequels, other.ID)
	}
	of, err := where(at, reviews, ordering.Equal("book", b.ID))
	for _, r := range of {
		s.Reviews = append(s.Reviews, BookReview{r.ID, r.Stars, starsLabels[r.Stars-1], r.Text})
	}
	return s, err
}

// where returns the records for which a condition holds, by id.
func where[T any](at *catalogue.Catalogue, d catalogue.Definition[T], c ordering.Condition) ([]T, error) {
	of, err := d.In(at)
	if err != nil {
		return nil, err
	}
	page, err := of.Where(c).Page(pagination.Window{}, ordering.Asc("id"))
	return page.Records, err
}

// get returns a record.
func get[T any](at *catalogue.Catalogue, d catalogue.Definition[T], id int) (r T, err error) {
	of, err := d.In(at)
	if err != nil {
		return r, err
	}
	return of.Get(id)
}

// The collections of the shelf.
var (
	authors = catalogue.Define[Author]("authors", options(schema.Description{
		Ordering: []ordering.Term{ordering.Asc("name")},
		Sortable: []string{"id", "name", "born"},
		Search:   []string{"name", "books__title"},
		Filters: []string{"country", "country__in", "name__istartswith", "born__year__gte", "born__isnull", "books", "books__price__gte",
			"books__title__icontains", "books__isnull", "books__reviews__stars__gte", "books__tags__name"},
	}))
	books = catalogue.Define[Book]("books", options(schema.Description{
		Ordering: []ordering.Term{ordering.Desc("published")},
		Sortable: []string{"id", "title", "price", "published", "author", "author__name", "author__born", "author__country", "owner", "tags"},
		Search:   []string{"title", "author__name", "tags__name"},
		Filters: []string{"author", "owner", "tags", "tags__slug__in", "sequel_of", "sequel_of__isnull", "sequels__isnull", "reviews__isnull",
			"min_price", "max_price", "q", "ids", "published_after", "published_before", "written_by", "stars"},
		Parameters: map[string]string{
			"min_price": "price__gte", "max_price": "price__lte", "q": "title__icontains", "ids": "id__in",
			"published_after": "published__gte", "published_before": "published__lte", "written_by": "author__name__iexact", "stars": "reviews__stars",
		},
	}))
	reviews = catalogue.Define[Review]("reviews", options(schema.Description{
		Search:  []string{"text", "book__title"},
		Filters: []string{"book", "book__in", "stars", "stars__gte", "stars__in", "book__author", "book__author__name__icontains", "book__tags"},
	}))
	tags = catalogue.Define[Tag]("tags", options(schema.Description{
		Ordering: []ordering.Term{ordering.Asc("name")},
		Search:   []string{"name", "=slug"},
		Pages:    pagination.Whole{},

		OrderingParam: "sort",
		Filters:       []string{"books", "books__author", "slug", "slug__in", "books__author__name__startswith", "books__isnull"},
	}))
)

func options(d schema.Description) catalogue.Options { return catalogue.Options{Description: &d} }

func newShelf(func() time.Time) (*catalogue.Catalogue, error) {
	return catalogue.New(
		catalogue.Show(authors, showAuthor, books),
		catalogue.ShowInLists(catalogue.Show(books, showBook, authors, books, tags, reviews), listBook, authors, tags, reviews),
		catalogue.Show(reviews, showReview),
		catalogue.Show(tags, showTag, books),
	)
}

// described is a collection with another description.
type described struct {
	catalogue.AnyCollection
	about schema.Description
}

func (d described) Description() schema.Description { return d.about }

func (d described) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	if len(q.Terms) == 0 {
		q.Terms = d.about.Ordering
	}
	return d.AnyCollection.List(ctx, q)
}

// served returns the collections, with the books a second time: in pages by number, of which only known
// users may write.
func served(all []httpapi.Collection) []httpapi.Collection {
	books := all[1].(catalogue.AnyCollection)
	about := books.Description()
	about.Sortable = []string{"id", "title", "price", "published", "author", "author__name", "author__born"}
	all[1] = described{books, about}
	about = books.Description()
	about.Of, about.Key, about.Segment = "books", "shelves-by-number", "shelves-by-number"
	about.Ordering = []ordering.Term{ordering.Asc("id")}
	about.Pages = pagination.Numbers{Limits: pagination.Limits{Default: 5, Max: 20}, Size: "page_size"}
	return append(all, described{books, about})
}

// user returns the name of the user of a request.
func user(r *http.Request) string { return r.Header.Get("X-User") }

// secure lets the owners of books change them, and whoever creates a book be its owner.
func secure(opts *httpapi.Options) {
	opts.Authorizer = func(r *http.Request, collection string, _ schema.Actions) error {
		if collection == "shelves-by-number" && user(r) == "" {
			return httpapi.Forbidden("Authentication credentials were not provided.")
		}
		return nil
	}
	isBook := func(collection string) bool { return collection == "books" || collection == "shelves-by-number" }
	opts.Permit = func(r *http.Request, collection string, _ schema.Actions, record []byte) error {
		var book struct{ Owner string }
		if err := json.Unmarshal(record, &book); err != nil {
			return err
		}
		if isBook(collection) && user(r) == "" {
			return httpapi.Forbidden("Authentication credentials were not provided.")
		}
		if isBook(collection) && (book.Owner == "" || book.Owner != user(r)) {
			return httpapi.Forbidden("You do not have permission to perform this action.")
		}
		return nil
	}
	opts.Assign = func(r *http.Request, collection string, action schema.Actions) (owner schema.Record, err error) {
		if isBook(collection) && action == schema.Create {
			owner, err = owner.With("owner", user(r))
		}
		return owner, err
	}
}

// program is the shelf with the flags of its kind.
var program = service.Service{Title: "Shelf", New: newShelf, Forms: true, Options: secure, Served: served}

func main() { program.Main() }
