package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

type Film struct {
	ID         int      `json:"id"`
	Name       string   `json:"name"`
	Minutes    int      `json:"minutes"`
	ReleasedOn *string  `json:"releasedOn"`
	Tags       []string `json:"tags"`
}

// newFilms returns a collection of four films.
func newFilms() *catalogue.Collection[Film] {
	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films"})
	if err != nil {
		panic(err)
	}
	err = films.Batch(func(tx *catalogue.Tx[Film]) error {
		for _, f := range []Film{
			{Name: "Heat", Minutes: 170},
			{Name: "Alien", Minutes: 117},
			{Name: "Rope", Minutes: 80},
			{Name: "Spartacus", Minutes: 197},
		} {
			if _, err := tx.Insert(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return films
}

func Example() {
	films := newFilms()
	page, err := films.Page(pagination.Window{Limit: 2}, ordering.Desc("minutes"))
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Count, page.Records[0].Name, page.Records[1].Name)

	heat, err := films.Where(ordering.Equal("name", "Heat")).First()
	fmt.Println(heat.ID, heat.Minutes, err)
	_, err = films.Where(ordering.Equal("name", "Persona")).First()
	fmt.Println(errors.Is(err, catalogue.ErrNotFound))
	// Output:
	// 4 Spartacus Heat
	// 1 170 <nil>
	// true
}

func ExampleNewCollection_idAndOrder() {
	type Shop struct {
		Code int    `json:"code"`
		City string `json:"city"`
	}
	shops, err := catalogue.NewCollection[Shop](catalogue.Options{
		Name:     "shops",
		ID:       "code",
		Ordering: []ordering.Term{ordering.Desc("city")},
	})
	if err != nil {
		panic(err)
	}
	shops.Insert(Shop{City: "Bern"})
	shops.Insert(Shop{Code: 7, City: "Zurich"})
	for s := range shops.All() {
		fmt.Println(s.Code, s.City)
	}
	_, err = catalogue.NewCollection[struct{ Name string }](catalogue.Options{Name: "names"})
	fmt.Println(errors.Is(err, catalogue.ErrInvalidType))
	// Output:
	// 7 Zurich
	// 1 Bern
	// true
}

var (
	Films     = catalogue.Define[Film]("films", catalogue.Options{})
	Directors = catalogue.Define[schema.Record]("directors", catalogue.Options{})
)

// newCatalogue returns an empty catalogue of films and directors.
func newCatalogue() *catalogue.Catalogue {
	cat, err := catalogue.New(Films, Directors)
	if err != nil {
		panic(err)
	}
	return cat
}

func ExampleDefine() {
	cat, err := catalogue.New(Films, Directors)
	if err != nil {
		panic(err)
	}
	films, err := Films.In(cat)
	if err != nil {
		panic(err)
	}
	id, _ := films.Insert(Film{Name: "Heat", Minutes: 170})
	fmt.Println(id, films.Count())

	_, err = catalogue.Define[Film]("directors", catalogue.Options{}).In(cat)
	fmt.Println(err)
	// Output:
	// 1 1
	// catalogue: directors: invalid record type: its records are schema.Record, not catalogue_test.Film: make the catalogue with this definition
}

func ExampleDefinition_In_openRecords() {
	directors, err := Directors.In(newCatalogue())
	if err != nil {
		panic(err)
	}
	director, err := schema.ParseRecord([]byte(`{"name": "Agnès Varda", "rating": 9.50, "genres": [3, 4]}`))
	if err != nil {
		panic(err)
	}
	id, _ := directors.Insert(director)
	stored, _ := directors.Get(id)
	fmt.Println(stored)
	_, err = catalogue.Define[schema.Record]("director", catalogue.Options{}).In(newCatalogue())
	fmt.Println(err)
	// Output:
	// {"id":1,"name":"Agnès Varda","rating":9.50,"genres":[3,4]}
	// catalogue: unknown collection: "director": did you mean directors?
}

func ExampleCatalogue_Load_mistakes() {
	cat := newCatalogue()
	err := cat.Load(strings.NewReader(`{
		"directors": [{"id": 7, "name": "Agnès Varda"}, {"id": 9, "name": "Jane Campion"}],
		"films":     [{"id": 1, "name": "The Piano", "minutes": 121}]
	}`), catalogue.LoadOptions{})
	directors, _ := Directors.In(cat)
	fmt.Println(directors.Count(), err)

	err = cat.Load(strings.NewReader(`{"directors": [], "films": [{"id": 1, "minutes": "long"}]}`), catalogue.LoadOptions{})
	var invalid *catalogue.RecordError
	if errors.As(err, &invalid) {
		fmt.Println(invalid)
	}
	fmt.Println(directors.Count(), "directors, as before")
	// Output:
	// 2 <nil>
	// films: cannot load: record 1 (line 1): minutes: want an integer, not "long"
	// 2 directors, as before
}

// Records of an earlier version have former names, lack new fields, and may not meet new rules.
func ExampleLoadOptions_olderFile() {
	type Poster struct {
		ID    int    `json:"id"`
		Name  string `json:"name" backlist:"formerly=title"`
		Width int    `json:"width" backlist:"default=60,min=30"`
		Film  *int   `json:"film" backlist:"refers=films"`
	}
	posters := catalogue.Define[Poster]("posters", catalogue.Options{})
	cat, err := catalogue.New(posters, Films, Directors)
	if err != nil {
		panic(err)
	}
	const older = `{"posters": [
		{"id": 1, "title": "Rope", "width": 20},
		{"id": 2, "title": "Rear Window", "film": 7, "price": 12}
	]}`
	err = cat.Load(strings.NewReader(older), catalogue.LoadOptions{SkipUnknown: true, Validate: true, References: true})
	var found catalogue.Violations
	if errors.As(err, &found) {
		for _, v := range found {
			fmt.Println(v.Collection, v.Identity, "line", v.Line, v.Field, v.Err)
		}
	}
	err = cat.Load(strings.NewReader(older), catalogue.LoadOptions{SkipUnknown: true})
	fmt.Println(err)
	err = cat.Save(os.Stdout)
	fmt.Println(err)
	// Output:
	// posters 1 line 2 width invalid record: width: Ensure this value is greater than or equal to 30.
	// posters 2 line 3 film reference to no record: 7 of films
	// <nil>
	// {"posters":[
	// {"id":1,"name":"Rope","width":20,"film":null},
	// {"id":2,"name":"Rear Window","width":60,"film":7}],
	// "films":[],
	// "directors":[]}
	// <nil>
}

func ExampleCollection_Load_savedPage() {
	films := newFilms()
	page := `{"count": 1, "next": null, "previous": null, "results": [{"id": 3, "name": "Rope"}]}`
	err := films.Load(strings.NewReader(page), catalogue.LoadOptions{})
	fmt.Println(films.Count(), err)
	// Output: 1 <nil>
}

func ExampleCatalogue_SaveFile_restart() {
	dir, err := os.MkdirTemp("", "backlist")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "films.json")

	cat := newCatalogue()
	err = cat.LoadFile(path, catalogue.LoadOptions{}) // on the first start of a program, for example
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	films, _ := Films.In(cat)
	films.Insert(Film{Name: "Heat"})
	fmt.Println(cat.SaveFile(path))

	again := newCatalogue()
	films, _ = Films.In(again)
	fmt.Println(again.LoadFile(path, catalogue.LoadOptions{}), films.Count())
	// Output:
	// true
	// <nil>
	// <nil> 1
}

func ExampleCollection_Insert() {
	films := newFilms()
	id, err := films.Insert(Film{Name: "Frenzy"})
	fmt.Println(id, err)
	_, err = films.Insert(Film{ID: 2, Name: "Notorious"})
	fmt.Println(errors.Is(err, catalogue.ErrExists), err)
	// Output:
	// 5 <nil>
	// true films: id or key is taken: 2
}

func ExampleCollection_Update() {
	films := newFilms()
	err := films.Update(1, func(f *Film) error {
		f.Minutes++
		return nil
	})
	fmt.Println(err, films.Update(9, func(*Film) error { return nil }))
	// Output: <nil> films: no such record: id 9
}

func ExampleCollection_Delete() {
	films := newFilms()
	fmt.Println(films.Delete(1), films.Delete(1))
	// Output: <nil> films: no such record: id 1
}

func ExampleCollection_Batch_allOrNothing() {
	films := newFilms()
	err := films.Batch(func(tx *catalogue.Tx[Film]) error {
		if _, err := tx.Insert(Film{Name: "Stalker"}); err != nil {
			return err
		}
		return tx.Delete(99) // fails, so the batch has no effect
	})
	fmt.Println(err, films.Count())
	// Output: films: no such record: id 99 4
}

// An order and what is left of its goods become visible together.
func ExampleCatalogue_Batch_severalCollections() {
	goods := catalogue.Define[schema.Record]("goods", catalogue.Options{})
	orders := catalogue.Define[schema.Record]("orders", catalogue.Options{})
	cat, err := catalogue.New(goods, orders)
	if err != nil {
		panic(err)
	}
	if err := cat.Load(strings.NewReader(`{"goods": [{"id": 1, "left": 1}]}`), catalogue.LoadOptions{}); err != nil {
		panic(err)
	}
	order := func() error {
		return cat.Batch(func(b *catalogue.Batch) error {
			stock, err := goods.Tx(b)
			if err != nil {
				return err
			}
			placed, err := orders.Tx(b)
			if err != nil {
				return err
			}
			item, _ := schema.ParseRecord([]byte(`{"goods": 1}`))
			if _, err := placed.Insert(item); err != nil {
				return err
			}
			return stock.Update(1, func(r *schema.Record) (err error) {
				if left, _ := r.Get("left"); left == "0" {
					return errors.New("sold out") // nothing is ordered
				}
				*r, err = r.With("left", 0)
				return err
			})
		})
	}
	fmt.Println(order(), order())
	cat.Save(os.Stdout)
	// Output:
	// <nil> sold out
	// {"goods":[
	// {"id":1,"left":0}],
	// "orders":[
	// {"id":1,"goods":1}]}
}

// A journal appends each batch to a log before it is visible.
func ExampleCatalogue_Journal_log() {
	cat := newCatalogue()
	err := cat.Journal(func(batch []catalogue.Commit) error {
		for _, commit := range batch {
			for id, record := range commit.Changes {
				if _, err := fmt.Printf("%s %v %s\n", commit.Collection, id, record); err != nil {
					return err // the write fails, and nothing changes
				}
			}
		}
		return nil // after os.File.Sync, if the changes are to survive a crash
	})
	if err != nil {
		panic(err)
	}
	films, _ := Films.In(cat)
	films.Insert(Film{Name: "Rope", Minutes: 80})
	films.Delete(1)
	// Output:
	// films 1 {"id":1,"name":"Rope","minutes":80,"releasedOn":null,"tags":[]}
	// films 1
}

func ExampleCollection_Page() {
	films := newFilms()
	page, err := films.Page(pagination.Window{Limit: 2, Offset: 1}, ordering.Desc("minutes"))
	for _, f := range page.Records {
		fmt.Println(f.Name, f.Minutes)
	}
	fmt.Println("of", page.Count, err)
	_, err = films.Page(pagination.Window{Limit: 2}, ordering.Asc("releasdOn"))
	fmt.Println(err)
	// Output:
	// Heat 170
	// Alien 117
	// of 4 <nil>
	// films: unknown field: "releasdOn": did you mean released_on?
}

// Records expire: a condition on a field selects those to delete.
func ExampleSelection_Delete_expired() {
	type Session struct {
		ID      int       `json:"id"`
		User    string    `json:"user"`
		Expires time.Time `json:"expires"`
	}
	sessions, err := catalogue.NewCollection[Session](catalogue.Options{Name: "sessions"})
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	sessions.Insert(Session{User: "anna", Expires: now.Add(time.Minute)})
	sessions.Insert(Session{User: "bruno", Expires: now.Add(-time.Minute)})
	expire := func(now time.Time) {
		n, err := sessions.Where(ordering.AtMost("expires", now)).Delete()
		fmt.Println(n, "expired,", sessions.Count(), "left", err)
	}
	expire(now) // in a program: for now := range time.Tick(time.Second) { expire(now) }
	// Output: 1 expired, 1 left <nil>
}

func ExampleSelection_Update() {
	films := newFilms()
	n, err := films.Where(ordering.AtLeast("minutes", 120)).Update(func(f *Film) error {
		f.Tags = append(f.Tags, "long")
		return nil
	})
	fmt.Println(n, err)
	// Output: 2 <nil>
}

func ExampleSelection_View() {
	view, err := newFilms().Where().View(pagination.Window{Limit: 2}, ordering.Desc("name"))
	if err != nil {
		panic(err)
	}
	for i, film := range view.All() {
		json, err := view.JSON(i)
		fmt.Println(film.Name, len(json) > 0, err)
	}
	fmt.Println(view.Len(), "of", view.Count())
	// Output:
	// Spartacus true <nil>
	// Rope true <nil>
	// 2 of 4
}

func ExampleCollection_Snapshot() {
	films := newFilms()
	before := films.Snapshot()
	films.Delete(1)
	count, err := before.Where().Count()
	fmt.Println(count, films.Count(), err)
	// Output: 4 3 <nil>
}

func ExampleAnyCollection_Create() {
	films, err := newCatalogue().Collection("films")
	if err != nil {
		panic(err)
	}
	record, err := films.Create(context.Background(), []byte(`{"name": "Heat", "minutes": 170, "releasedOn": "1995-12-15", "tags": ["heist"]}`), schema.Record{})
	os.Stdout.Write(record)
	fmt.Println("", err)
	_, err = films.Create(context.Background(), []byte(`{"name": "Heat", "tags": []}`), schema.Record{})
	fmt.Println(err)
	// Output:
	// {"id":1,"name":"Heat","minutes":170,"releasedOn":"1995-12-15","tags":["heist"]} <nil>
	// schema: invalid record: minutes: This field is required.
}

func ExampleCollection_Where() {
	films := newFilms()
	long := films.Where(ordering.AtLeast("minutes", 100), ordering.Less("name", "I"))
	byMinutes, err := long.All(ordering.Desc("minutes"))
	if err != nil {
		panic(err)
	}
	for f := range byMinutes {
		fmt.Println(f.Name, f.Minutes)
	}
	// Output:
	// Heat 170
	// Alien 117
}

// Fields of structs inside records have names with two underscores. They are null if a pointer
// to the struct is nil.
func ExampleCollection_Where_insideObject() {
	type Address struct {
		City string `json:"city"`
	}
	type Customer struct {
		ID      int      `json:"id"`
		Name    string   `json:"name"`
		Address *Address `json:"address"`
	}
	customers, err := catalogue.NewCollection[Customer](catalogue.Options{Name: "customers"})
	if err != nil {
		panic(err)
	}
	customers.Insert(Customer{Name: "Ada", Address: &Address{City: "Bonn"}})
	customers.Insert(Customer{Name: "Bob"})
	customers.Insert(Customer{Name: "Cyd", Address: &Address{City: "Bern"}})

	first, err := customers.Where(ordering.Equal("address__city", "Bonn")).First()
	fmt.Println(first.Name, err)
	page, err := customers.Page(pagination.Window{}, ordering.Asc("address__city"))
	if err != nil {
		panic(err)
	}
	for _, c := range page.Records {
		fmt.Println(c.ID, c.Name)
	}
	// Output:
	// Ada <nil>
	// 3 Cyd
	// 1 Ada
	// 2 Bob
}

// The filter panel of a shop shows how many products each choice would leave: the counts of a
// field with the conditions on the other fields.
func ExampleSelection_Counts_filterPanel() {
	type Product struct {
		ID    int    `json:"id"`
		Kind  string `json:"kind"`
		Color string `json:"color"`
	}
	products, err := catalogue.NewCollection[Product](catalogue.Options{Name: "products"})
	if err != nil {
		panic(err)
	}
	for _, p := range []Product{{0, "shirt", "red"}, {0, "shirt", "blue"}, {0, "hat", "red"}, {0, "shirt", "red"}} {
		products.Insert(p)
	}
	shirts := ordering.Equal("kind", "shirt") // what the customer has chosen
	colors, err := products.Where(shirts).Counts("color")
	if err != nil {
		panic(err)
	}
	for p, n := range colors {
		fmt.Println("shirts,", p.Color, n)
	}
	// Output:
	// shirts, blue 1
	// shirts, red 2
}

func ExampleSelection_Filter() {
	films := newFilms()
	fair := films.Where(ordering.AtLeast("minutes", 100)).Filter(func(f *Film) bool { return len(f.Name)%2 == 0 })
	n, err := fair.Count()
	fmt.Println(n, err)
	// Output: 1 <nil>
}

// An index is declared for the lists that a program shows: the open tasks by their date. Without
// the option, the first lists are sorted until there is an index.
func ExampleOptions_declareIndex() {
	type Task struct {
		ID     int    `json:"id"`
		Status string `json:"status"`
		Due    string `json:"due"`
	}
	tasks, err := catalogue.NewCollection[Task](catalogue.Options{
		Name:    "tasks",
		Indexes: [][]ordering.Term{{ordering.Asc("status"), ordering.Asc("due")}},
	})
	if err != nil {
		panic(err)
	}
	tasks.Insert(Task{Status: "open", Due: "2026-05-02"})
	tasks.Insert(Task{Status: "done", Due: "2026-05-01"})
	tasks.Insert(Task{Status: "open", Due: "2026-05-01"})
	open := tasks.Where(ordering.Equal("status", "open"))
	page, err := open.Page(pagination.Window{Limit: 10}, ordering.Desc("due"))
	for _, task := range page.Records {
		fmt.Println(task.ID, task.Due, err)
	}
	fmt.Println(open.Explain(ordering.Desc("due")))
	// Output:
	// 1 2026-05-02 <nil>
	// 3 2026-05-01 <nil>
	// range of status: 2 of 3 records, in order <nil>
}

// To show the page that contains a record, find its position first. Both calls use the
// same snapshot, so that no write comes between them.
func ExampleSelection_Position_pageOfRecord() {
	const limit = 2
	long := newFilms().Snapshot().Where(ordering.AtLeast("minutes", 100))
	byName := ordering.Asc("name")

	p, err := long.Position(4, byName)
	if err != nil {
		panic(err)
	}
	page, err := long.Page(pagination.Window{Limit: limit, Offset: p - p%limit}, byName)
	if err != nil {
		panic(err)
	}
	fmt.Println("position", p, "of", page.Count)
	for _, f := range page.Records {
		fmt.Println(f.ID, f.Name)
	}
	// Output:
	// position 2 of 3
	// 4 Spartacus
}

// This example reads a collection two records at a time. A deletion moves no page, as it would
// with offsets.
func ExampleSelection_PageAfter_walk() {
	films := newFilms()
	all := films.Where()
	for token := ""; ; {
		page, next, err := all.PageAfter(token, 2, ordering.Asc("name"))
		if err != nil {
			panic(err)
		}
		for _, f := range page {
			fmt.Println(f.ID, f.Name)
		}
		if token = next; token == "" {
			break
		}
		if err := films.Delete(page[0].ID); err != nil {
			panic(err)
		}
	}
	// Output:
	// 2 Alien
	// 1 Heat
	// 3 Rope
	// 4 Spartacus
}

// Of the shelves on one floor no two have the same name. A null, as of shelves that are in no place
// yet, equals nothing.
func Example_uniqueTogether() {
	type Shelf struct {
		ID    int    `json:"id"`
		Floor *int   `json:"floor"`
		Name  string `json:"name"`
	}
	defined := catalogue.Define[Shelf]("shelves", catalogue.Options{Unique: [][]string{{"floor", "name"}}})
	cat, err := catalogue.New(defined)
	if err != nil {
		panic(err)
	}
	served, err := cat.Collection("shelves") // as a server writes to it
	if err != nil {
		panic(err)
	}
	for _, body := range []string{`{"floor":1,"name":"A"}`, `{"floor":2,"name":"A"}`, `{"floor":1,"name":" A "}`, `{"name":"A"}`} {
		if record, err := served.Create(context.Background(), []byte(body), schema.Record{}); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(string(record))
		}
	}
	shelves, err := defined.In(cat)
	if err != nil {
		panic(err)
	}
	err = shelves.Update(2, func(s *Shelf) error { *s.Floor = 1; return nil })
	fmt.Println(errors.Is(err, catalogue.ErrDuplicate), err)
	// Output:
	// {"id":1,"floor":1,"name":"A"}
	// {"id":2,"floor":2,"name":"A"}
	// schema: invalid record: nonFieldErrors: The fields floor, name must make a unique set.
	// schema: invalid record: floor: This field is required.
	// true shelves: duplicate value: floor 1 and name "A" are those of id 1
}

// A Title is a text without blanks at the ends and repeated ones.
type Title string

// Validate is the rule of all fields of the type.
func (t *Title) Validate(context.Context) error {
	*t = Title(strings.Join(strings.Fields(string(*t)), " "))
	if strings.EqualFold(string(*t), "untitled") {
		return schema.Invalid("Give it a title.")
	}
	return nil
}

// A Sale is of a book at a price below the usual one.
type Sale struct {
	ID        int    `json:"id"`
	Title     Title  `json:"title" backlist:"maxlength=40"`
	Price     string `json:"price" backlist:"decimal=6.2,min=0.01"`
	SalePrice string `json:"salePrice" backlist:"decimal=6.2,min=0"`
}

// Validate is the rule of the record. It is called if all fields are valid.
func (s Sale) Validate(context.Context) error {
	if sortkey.Decimal(s.SalePrice).Compare(sortkey.Decimal(s.Price)) >= 0 {
		return schema.Invalid("The sale price must be below the price.")
	}
	return nil
}

// Methods Validate are rules of records and of types of fields. Requests obey them, and writes of
// the program too if Options.Validate is set.
func Example_rules() {
	defined := catalogue.Define[Sale]("sales", catalogue.Options{Validate: true})
	cat, err := catalogue.New(defined)
	if err != nil {
		panic(err)
	}
	served, err := cat.Collection("sales")
	if err != nil {
		panic(err)
	}
	for _, body := range []string{
		`{"title":"  A   room ","price":"10","salePrice":"7.5"}`,
		`{"title":"untitled","price":"0","salePrice":"7.5"}`,
		`{"title":"A room","price":"10","salePrice":"10.00"}`,
	} {
		record, err := served.Create(context.Background(), []byte(body), schema.Record{})
		if errs := (schema.FieldErrors)(nil); errors.As(err, &errs) {
			record, _ = errs.MarshalJSON()
		}
		fmt.Println(string(record))
	}
	sales, err := defined.In(cat)
	if err != nil {
		panic(err)
	}
	err = sales.Update(1, func(s *Sale) error { s.Price = "7.50"; return nil })
	fmt.Println(err)
	// Output:
	// {"id":1,"title":"A room","price":"10.00","salePrice":"7.50"}
	// {"title":["Give it a title."],"price":["Ensure this value is greater than or equal to 0.01."]}
	// {"nonFieldErrors":["The sale price must be below the price."]}
	// sales: invalid record: id 1: nonFieldErrors: The sale price must be below the price.
}

// An Address has a method Clone, because netip.Addr has unexported fields with references.
type Address struct{ netip.Addr }

func (a Address) Clone() Address { return a }

// OrderingKey makes addresses compare by value. Without it they compare as text.
func (a Address) OrderingKey() sortkey.Key {
	b := a.As16()
	return sortkey.Text(string(b[:]))
}

// In this example, the type of a field decides how its values compare.
func ExampleCollection_ownOrder() {
	type Server struct {
		ID   int     `json:"id"`
		Addr Address `json:"addr"`
	}
	servers, err := catalogue.NewCollection[Server](catalogue.Options{})
	if err != nil {
		panic(err)
	}
	for _, addr := range []string{"10.0.0.10", "10.0.0.9", "192.168.0.1"} {
		if _, err := servers.Insert(Server{Addr: Address{netip.MustParseAddr(addr)}}); err != nil {
			panic(err)
		}
	}
	network := netip.MustParsePrefix("10.0.0.0/24")
	inside, err := servers.Where(
		ordering.AtLeast("addr", Address{network.Addr()}),
		ordering.AtMost("addr", Address{netip.MustParseAddr("10.0.0.255")}),
	).All(ordering.Asc("addr"))
	if err != nil {
		panic(err)
	}
	for s := range inside {
		fmt.Println(s.Addr)
	}
	// Output:
	// 10.0.0.9
	// 10.0.0.10
}

func ExampleCollection_Since_poll() {
	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films", History: 3})
	if err != nil {
		panic(err)
	}
	films.Insert(Film{Name: "Heat", Minutes: 170})
	films.Insert(Film{Name: "Alien", Minutes: 117})

	start := films.Snapshot() // start with the current records
	count, _ := start.Where().Count()
	fmt.Println(count, "films")
	films.Batch(func(tx *catalogue.Tx[Film]) error {
		tx.Update(1, func(f *Film) error { f.Minutes = 171; return nil })
		tx.Update(1, func(f *Film) error { f.Name = "Heat, restored"; return nil })
		return tx.Delete(2)
	})
	changes, now, err := films.Since(start.Revision()) // continue with the changes since
	for _, ch := range changes {
		before, _ := ch.Before()
		after, ok := ch.After()
		fmt.Println(ch.Identity, before.Minutes, after.Minutes, ok, ch.Last)
	}
	fmt.Println(now-start.Revision(), err)

	films.Insert(Film{Name: "Rope"})
	films.Insert(Film{Name: "Spartacus"})
	_, _, err = films.Since(start.Revision()) // four changes ago; three are kept
	fmt.Println(errors.Is(err, catalogue.ErrHistoryTrimmed), err)
	// Output:
	// 2 films
	// 1 170 171 true false
	// 2 117 0 false true
	// 1 <nil>
	// true films: history has been trimmed: want changes after revision 2, only those after 3 are kept
}

// Changes can keep a copy of a collection up to date, such as a cache or a search index.
func ExampleCollection_Changes_mirror() {
	films, err := catalogue.NewCollection[Film](catalogue.Options{History: 1000})
	if err != nil {
		panic(err)
	}
	films.Insert(Film{Name: "Blue"})

	ctx, stop := context.WithCancel(context.Background())
	show := func(names map[int]string) { // prints the films once there are two
		if len(names) == 2 {
			fmt.Println(names)
			stop()
		}
	}
	done := make(chan error)
	go func() {
		for {
			names := map[int]string{}
			start := films.Snapshot()
			all, _ := start.Where().All()
			for f := range all {
				names[f.ID] = f.Name
			}
			show(names)
			for ch, err := range films.Changes(ctx, start.Revision()) {
				if errors.Is(err, catalogue.ErrHistoryTrimmed) {
					break // fell behind: start again with a snapshot
				} else if err != nil {
					done <- err
					return
				}
				if after, ok := ch.After(); ok {
					names[ch.Identity.ID] = after.Name
				} else {
					delete(names, ch.Identity.ID)
				}
				if ch.Last {
					show(names)
				}
			}
		}
	}()
	films.Insert(Film{Name: "Red"})
	fmt.Println(<-done)
	// Output:
	// map[1:Blue 2:Red]
	// context canceled
}

// A reference can name a record by its id or by a unique text. Filters cross it; a new text and a
// deletion, by requests, change the records that refer to it.
func Example_references() {
	type Author struct {
		ID   int    `json:"id"`
		Slug string `json:"slug" backlist:"unique"`
		Name string `json:"name"`
	}
	type Book struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Author string `json:"author" backlist:"refers=authors.slug,ondelete=cascade"`
	}
	authors := catalogue.Define[Author]("authors", catalogue.Options{})
	books := catalogue.Define[Book]("books", catalogue.Options{
		Description: &schema.Description{Filters: []string{"author__name__icontains"}},
	})
	cat, err := catalogue.New(authors, books)
	if err != nil {
		panic(err)
	}
	const data = `{"authors":[{"id":1,"slug":"calvino","name":"Italo Calvino"},{"id":2,"slug":"levi","name":"Primo Levi"}],
		"books":[{"id":1,"title":"Cities","author":"calvino"},{"id":2,"title":"Table","author":"levi"}]}`
	if err := cat.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		panic(err)
	}
	ctx := context.Background()
	people, _ := cat.Collection("authors")
	c, _ := cat.Collection("books")
	_, _ = people.Update(ctx, "2", catalogue.Edit{Body: []byte(`{"slug":"primo-levi"}`), Partial: true})
	filter, _ := c.Description().Filter(ctx, pagination.ParseQuery("author__name__icontains=PRIMO").Values, schema.Checks{Find: c.Find})
	list, _ := c.List(ctx, catalogue.Query{Filter: filter})
	fmt.Printf("%s\n", list.Records[0])
	_ = people.Delete(ctx, "2", schema.Filter{}, nil)
	fmt.Println(c.Count(), cat.Check())

	typed, _ := authors.In(cat)
	_ = typed.Delete(1) // from Go: references are not checked
	var found catalogue.Violations
	if errors.As(cat.Check(), &found) {
		for _, v := range found {
			fmt.Println(v.Collection, v.Identity, v.Field, v.Err)
		}
	}
	// Output:
	// {"id":2,"title":"Table","author":"primo-levi"}
	// 1 <nil>
	// books 1 author reference to no record: "calvino" of authors
}

// Records without an int id have a key.
func Example_keys() {
	type Session struct {
		Token string `json:"token" backlist:"key,readonly"`
		User  string `json:"user"`
	}
	last := 0
	sessions, err := catalogue.NewCollection[Session](catalogue.Options{
		NewKey: func() string { last++; return fmt.Sprintf("token-%d", last) }, // a real one would be random
	})
	if err != nil {
		panic(err)
	}
	byToken := sessions.By("token")
	session, _ := byToken.Insert(Session{User: "ann"})
	fmt.Println(session.Token)
	byToken.Update("token-1", func(s *Session) error { s.User = "bob"; return nil })
	fmt.Println(byToken.Get("token-1"))
	byToken.Delete("token-1")
	fmt.Println(byToken.Has("token-1"))
	// Output:
	// token-1
	// {token-1 bob} <nil>
	// false
}

type Singer struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type Song struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Singer int    `json:"singer" backlist:"refers=singers,write=singer_id"`
}

type SongShown struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Singer Singer `json:"singer"`
}

// A song is read with its singer, and written with the singer's id.
func ExampleShow() {
	singers := catalogue.Define[Singer]("singers", catalogue.Options{})
	songs := catalogue.Define[Song]("songs", catalogue.Options{})
	show := func(at *catalogue.Catalogue, s *Song) (SongShown, error) {
		all, err := singers.In(at)
		if err != nil {
			return SongShown{}, err
		}
		singer, err := all.Get(s.Singer)
		return SongShown{s.ID, s.Title, singer}, err
	}
	c, err := catalogue.New(singers, catalogue.Show(songs, show, singers))
	if err != nil {
		panic(err)
	}
	for _, post := range []struct{ key, body string }{
		{"singers", `{"name": "Nina Simone"}`},
		{"songs", `{"title": "Sinnerman", "singerId": 1}`},
		{"songs", `{"title": "Feeling Good", "singerId": 2}`},
	} {
		of, err := c.Collection(post.key)
		if err != nil {
			panic(err)
		}
		record, err := of.Create(context.Background(), []byte(post.body), schema.Record{})
		fmt.Println(string(record), err)
	}
	// Output:
	// {"id":1,"name":"Nina Simone"} <nil>
	// {"id":1,"title":"Sinnerman","singer":{"id":1,"name":"Nina Simone"}} <nil>
	//  schema: invalid record: singerId: Invalid pk "2" - object does not exist.
}
