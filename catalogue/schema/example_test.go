package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func ExampleEvent() {
	event := schema.Event{
		ID:        1,
		Name:      "Reading",
		Slug:      "reading",
		StartDate: schema.At(time.Date(2024, 5, 10, 18, 0, 0, 0, time.FixedZone("", 2*60*60))),
		EndDate:   schema.At(time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)),
		Authors:   []int{3, 7},
	}
	text, err := json.Marshal(event)
	fmt.Println(string(text), err)
	// Output:
	// {"id":1,"name":"Reading","slug":"reading","summary":"","description":"","location":"","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T18:00:00Z","published":false,"poster":"","posterWebp":"","labels":[],"authors":[3,7]} <nil>
}

func ExampleEvent_UnmarshalJSON() {
	var event schema.Event
	fmt.Println(json.Unmarshal([]byte(`{"id":1,"name":null}`), &event))
	fmt.Println(json.Unmarshal([]byte(`{"id":1,"Name":"x"}`), &event))
	fmt.Println(json.Unmarshal([]byte(`{"id":1,"name":"x"}`), &event), event.Name)
	// Output:
	// schema: invalid record: member "name": may not be null
	// schema: invalid record: member "Name": is unknown: did you mean name?
	// <nil> x
}

func ExampleEvent_Clone() {
	event := schema.Event{Labels: []int{1, 2}}
	clone := event.Clone()
	clone.Labels[0] = 9
	fmt.Println(event.Labels, clone.Labels, clone.Authors != nil)
	// Output: [1 2] [9 2] true
}

func ExampleLabel() {
	var label schema.Label
	err := json.Unmarshal([]byte(`{"id":2,"name":"Blue","facebookPage":null,"globalMessage":{"text":"Closed"}}`), &label)
	fmt.Println(label.Name, label.FacebookPage == nil, string(label.GlobalMessage), err)
	// Output: Blue true {"text":"Closed"} <nil>
}

func ExampleLabel_Clone() {
	page := "https://facebook.example/blue"
	label := schema.Label{FacebookPage: &page}
	clone := label.Clone()
	*clone.FacebookPage = ""
	fmt.Println(*label.FacebookPage)
	// Output: https://facebook.example/blue
}

func ExampleSocialLink() {
	link := schema.SocialLink{ID: 3, Title: "Anna", URL: "https://www.instagram.com/anna/", Type: "instagram", Author: 7}
	text, err := json.Marshal(link)
	fmt.Println(string(text), err)
	// Output: {"id":3,"title":"Anna","url":"https://www.instagram.com/anna/","logo":null,"type":"instagram","author":7} <nil>
}

func ExampleSocialLink_Clone() {
	logo := "https://x.example/a.png"
	link := schema.SocialLink{Logo: &logo}
	clone := link.Clone()
	*clone.Logo = ""
	fmt.Println(*link.Logo)
	// Output: https://x.example/a.png
}

func ExampleAt() {
	zone := time.FixedZone("LMT", 49*60+56) // Rome before 1866
	text, err := json.Marshal(schema.At(time.Date(1850, 1, 1, 0, 49, 56, 1999, zone)))
	fmt.Println(string(text), err)
	// Output: "1850-01-01T00:50:00.000001+00:50" <nil>
}

func ExampleParseDateTime() {
	d, err := schema.ParseDateTime("2024-5-10 18:00+02")
	fmt.Println(d.Format(time.RFC3339), err)

	_, err = schema.ParseDateTime("2024-05-10T18:00")
	fmt.Println(errors.Is(err, schema.ErrInvalid))
	// Output:
	// 2024-05-10T18:00:00+02:00 <nil>
	// true
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

func ExampleRecord_Decode() {
	book := mustParse(`{"id":5,"price":14.90}`)
	var price float64
	fmt.Println(book.Decode("price", &price), price)
	fmt.Println(errors.Is(book.Decode("pages", new(int)), schema.ErrNoMember))
	// Output:
	// <nil> 14.9
	// true
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
	fmt.Println(book.Len())
	for name, text := range book.All() {
		fmt.Println(name, text)
	}
	// Output:
	// 3
	// title "Sea"
	// id 5
	// price 14.90
}

func ExampleRecord_Equal() {
	fmt.Println(mustParse(`{"price":14.90}`).Equal(mustParse(`{ "price" : 14.90 }`)))
	fmt.Println(mustParse(`{"price":14.90}`).Equal(mustParse(`{"price":14.9}`)))
	// Output:
	// true
	// false
}

func ExampleRecord_AppendJSON() {
	os.Stdout.Write(mustParse(`{"id":5}`).AppendJSON([]byte("book: ")))
	// Output: book: {"id":5}
}

func ExampleDescriptions() {
	for _, d := range schema.Descriptions() {
		if d.Actions.Has(schema.Create) {
			fmt.Println(d.Key)
		}
	}
	// Output:
	// events
	// social-links
}

func ExampleLookup() {
	d, ok := schema.Lookup("itemVariants")
	fmt.Println(d.Segment, ok)
	_, ok = schema.Lookup("item_variants")
	fmt.Println(ok)
	// Output:
	// item_variants true
	// false
}

func ExampleDescription_Title() {
	for _, key := range []string{"events", "itemVariants", "inventories", "news"} {
		d, _ := schema.Lookup(key)
		fmt.Println(d.Title())
	}
	// Output:
	// Event List
	// Item Variant List
	// Inventory List
	// News List
}

func ExampleDescription_Validate() {
	links, _ := schema.Lookup("social-links")
	authors := func(collection string, id int) bool { return collection == "authors" && id == 7 }

	record, err := links.Validate([]byte(`{
		"title": " Anna ", "url": "https://www.instagram.com/anna/", "type": "instagram", "author": "7"
	}`), schema.Checks{Exists: authors})
	record.ID = 1
	fmt.Println(record, err)

	_, err = links.Validate([]byte(`{"title":"","url":"x","type":"instagram","author":8}`), schema.Checks{Exists: authors})
	response, _ := json.Marshal(err)
	fmt.Println(string(response))
	// Output:
	// {"id":1,"title":"Anna","url":"https://www.instagram.com/anna/","logo":null,"type":"instagram","author":7} <nil>
	// {"title":["This field may not be blank."],"url":["Enter a valid URL."],"author":["Invalid pk \"8\" - object does not exist."]}
}

func ExampleDescription_ValidateUpdate() {
	links, _ := schema.Lookup("social-links")
	var current schema.Record
	current.UnmarshalJSON([]byte(`{"id":1,"title":"Anna","url":"https://x.example/","logo":null,"type":"web","author":7}`))

	record, err := links.ValidateUpdate(current, []byte(`{"title": " Anna B. "}`), true, schema.Checks{})
	fmt.Println(record, err)

	_, err = links.ValidateUpdate(current, []byte(`{"title": "Anna B.", "url": "x"}`), false, schema.Checks{})
	response, _ := json.Marshal(err)
	fmt.Println(string(response))
	// Output:
	// {"id":1,"title":"Anna B.","url":"https://x.example/","logo":null,"type":"web","author":7} <nil>
	// {"url":["Enter a valid URL."],"type":["This field is required."],"author":["This field is required."]}
}

func ExampleDescriptionOf() {
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
	films, err := schema.DescriptionOf[Film]("films")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = films.Validate([]byte(`{"slug":"a b","price":"9.999","status":"lost"}`), schema.Checks{})
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

func ExampleSyntaxError() {
	links, _ := schema.Lookup("social-links")
	_, err := links.Validate([]byte(`{"title":}`), schema.Checks{})
	var syntax *schema.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax.Detail())
	}
	// Output: JSON parse error - unexpected character '}' at the start of a value: line 1 column 10
}

func ExampleFieldErrors() {
	events, _ := schema.Lookup("events")
	_, err := events.Validate([]byte(`{"name":"Reading","slug":"a b","startDate":"2024-05-10T18:00Z"}`), schema.Checks{})
	var fields schema.FieldErrors
	if errors.As(err, &fields) {
		for _, f := range fields {
			fmt.Println(f.Field, f.Messages[0])
		}
	}
	// Output:
	// slug Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.
	// endDate This field is required.
}
