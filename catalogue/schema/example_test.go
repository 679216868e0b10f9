package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

func ExampleAppendQuote() {
	fmt.Printf("%s\n", schema.AppendQuote(nil, "a \"b\"\n<\u2028"))
	// Output: "a \"b\"\n<\u2028"
}

func ExampleAt() {
	zone := time.FixedZone("LMT", 49*60+56) // Rome before 1866
	text, err := json.Marshal(schema.At(time.Date(1850, 1, 1, 0, 49, 56, 1999, zone)))
	fmt.Println(string(text), err)
	// Output: "1850-01-01T00:50:00.000001+00:50" <nil>
}

func ExampleParseRecord() {
	book, err := schema.ParseRecord([]byte(`{ "title": "Sea", "id": 5, "price": 14.90 }`))
	fmt.Println(book.ID, book, err)

	_, err = schema.ParseRecord([]byte(`{"title":"Sea","title":"Land"}`))
	fmt.Println(err)
	// Output:
	// 5 {"title":"Sea","id":5,"price":14.90} <nil>
	// schema: invalid record: member "title": is repeated
}

// mustParse parses a valid record.
func mustParse(text string) schema.Record {
	record, err := schema.ParseRecord([]byte(text))
	if err != nil {
		panic(err)
	}
	return record
}

func ExampleRecord_Get() {
	book := mustParse(`{"id":5,"price":14.90}`)
	fmt.Println(book.Get("price"))
	fmt.Println(book.Get("id"))
	fmt.Println(book.Get("pages"))
	// Output:
	// 14.90 true
	// 5 true
	//  false
}

func ExampleRecord_With() {
	book := mustParse(`{"id":5,"price":14.90,"pages":240}`)
	cheaper, err := book.With("price", json.Number("9.90"))
	fmt.Println(cheaper, err)
	fmt.Println(book)
	// Output:
	// {"id":5,"price":9.90,"pages":240} <nil>
	// {"id":5,"price":14.90,"pages":240}
}

func ExampleRecord_Without() {
	fmt.Println(mustParse(`{"id":5,"price":14.90}`).Without("price"))
	// Output: {"id":5}
}

func ExampleRecord_All() {
	book := mustParse(`{"title":"Sea","id":5,"price":14.90}`)
	for name, text := range book.All() {
		fmt.Println(name, text)
	}
	// Output:
	// title "Sea"
	// id 5
	// price 14.90
}

// A Film is a record of the examples.
type Film struct {
	ID       int             `json:"id"`
	Title    string          `json:"title"`
	Slug     string          `json:"slug" backlist:"slug,unique"`
	Released *string         `json:"released" backlist:"date"`
	Price    string          `json:"price" backlist:"decimal=8.2"`
	Status   string          `json:"status" backlist:"choices=announced|released,default=announced"`
	Director int             `json:"director" backlist:"refers=directors"`
	Added    schema.DateTime `json:"added" backlist:"created"`
}

func films() schema.Description {
	d, err := schema.DescriptionOf[Film]("films")
	if err != nil {
		panic(err)
	}
	return d
}

func ExampleDescription_Validate() {
	checks := schema.Checks{
		Find: func(_ context.Context, collection, field, text string) (id int, stored string, err error) {
			if collection == "directors" && field == "id" && text == "7" {
				return 7, "", nil
			}
			return 0, "", nil
		},
		Now: func() time.Time { return time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC) },
	}
	record, err := films().Validate(context.Background(), []byte(`{"title":" Night ","slug":"night","price":5,"director":"7"}`), checks)
	record.ID = 1
	fmt.Println(record, err)

	_, err = films().Validate(context.Background(), []byte(`{"title":"","slug":"a b","price":"5","director":8}`), checks)
	response, _ := json.Marshal(err)
	fmt.Println(string(response))
	// Output:
	// {"id":1,"title":"Night","slug":"night","released":null,"price":"5.00","status":"announced","director":7,"added":"2024-05-10T18:00:00Z"} <nil>
	// {"title":["This field may not be blank."],"slug":["Enter a valid \"slug\" consisting of letters, numbers, underscores or hyphens."],"director":["Invalid pk \"8\" - object does not exist."]}
}

func ExampleDescription_ValidateUpdate() {
	current := mustParse(`{"id":1,"title":"Night","slug":"night","price":"5.00","director":7}`)

	record, err := films().ValidateUpdate(context.Background(), current, []byte(`{"title": " City "}`), true, schema.Checks{})
	fmt.Println(record, err)

	_, err = films().ValidateUpdate(context.Background(), current, []byte(`{"title": "City", "slug": "city"}`), false, schema.Checks{})
	response, _ := json.Marshal(err)
	fmt.Println(string(response))
	// Output:
	// {"id":1,"title":"City","slug":"night","price":"5.00","director":7} <nil>
	// {"price":["This field is required."],"director":["This field is required."]}
}

func ExampleDescriptionOf() {
	for _, f := range films().Fields {
		fmt.Println(f.Name, f.Kind, f.Required)
	}
	// Output:
	// id integer false
	// title string true
	// slug slug true
	// released date false
	// price decimal true
	// status choice false
	// director field true
	// added datetime false
}

func ExampleField_SortKey() {
	price := schema.Field{Kind: schema.Decimal}
	fmt.Println(price.SortKey("9.50").Compare(price.SortKey("12.00")) < 0, "12.00" < "9.50")
	// Output: true true
}

func ExampleSyntaxError() {
	_, err := films().Validate(context.Background(), []byte(`{"title":}`), schema.Checks{})
	var syntax *schema.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax)
	}
	// Output: JSON parse error - unexpected character '}' at the start of a value: line 1 column 10
}

func ExampleFieldErrors() {
	_, err := films().Validate(context.Background(), []byte(`{"slug":"a b","price":"9.999","status":"lost"}`), schema.Checks{})
	var fields schema.FieldErrors
	errors.As(err, &fields)
	for _, f := range fields {
		fmt.Println(f.Field, f.Messages)
	}
	// Output:
	// title [This field is required.]
	// slug [Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.]
	// price [Ensure that there are no more than 2 decimal places.]
	// status ["lost" is not a valid choice.]
	// director [This field is required.]
}

func ExampleDescription_Filter() {
	films := schema.Description{
		Fields: []schema.Field{
			{Name: "title", Kind: schema.Text},
			{Name: "minutes", Kind: schema.Integer},
		},
		Filters: []string{"minutes__gte", "minutes__lt"},
		Search:  []string{"title"},
	}
	query := pagination.ParseQuery("minutes__gte=90.7&search=night+city")
	filter, _ := films.Filter(context.Background(), query.Values, schema.Checks{})
	fmt.Println(filter.Tests, len(filter.Search), "words")

	query = pagination.ParseQuery("minutes__lt=x")
	_, err := films.Filter(context.Background(), query.Values, schema.Checks{})
	data, _ := json.Marshal(err)
	fmt.Println(string(data))
	// Output:
	// [minutes gte ["90"]] 2 words
	// {"minutes_Lt":["Enter a number."]}
}

// Stored records can have former names of fields, and lack new ones.
func ExampleDescription_Upgrade_olderRecord() {
	films := schema.Description{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Formerly: []string{"name"}},
		{Name: "minutes", Kind: schema.Integer, Default: "90"},
	}}
	older, _ := schema.ParseRecord([]byte(`{"id":1,"name":"Rope"}`))
	film, err := films.Upgrade(older)
	fmt.Println(film, err)

	both, _ := schema.ParseRecord([]byte(`{"id":1,"name":"Rope","title":"Rope"}`))
	_, err = films.Upgrade(both)
	fmt.Println(err)
	// Output:
	// {"id":1,"title":"Rope","minutes":90} <nil>
	// schema: invalid record: member "name": is a former name of "title", and "title" is there too
}

func ExampleDescription_Parameter() {
	films := schema.Description{Fields: []schema.Field{{Name: "premiereAt", Kind: schema.Timestamp}}}
	field, lookup, err := films.Parameter("premiere_at__gte")
	fmt.Println(field.Label(), lookup, err)

	_, _, err = films.Parameter("premiere_at__gtr")
	fmt.Println(err)
	// Output:
	// premiere at gte <nil>
	// field "premiere_at" has no lookup "gtr": did you mean gt?
}

func ExampleTest_MatchesText() {
	films := schema.Description{Search: []string{"title", "^director__name"}}
	filter, _ := films.Filter(context.Background(), pagination.ParseQuery("search=NIGHT").Values, schema.Checks{})
	for _, test := range filter.Search[0] { // the tests of the first word
		has, err := test.MatchesText("Midnight")
		fmt.Println(test.Field, test.Lookup, has, err)
	}
	// Output:
	// title icontains true <nil>
	// director__name istartswith false <nil>
}
