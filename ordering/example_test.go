package ordering_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

type Title struct {
	Name        string    `json:"name"`
	Pages       int       `json:"pages"`
	PublishedOn time.Time `json:"publishedOn"`
}

func titles() []Title {
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	return []Title{{"Dune", 412, day(3)}, {"Emma", 474, day(1)}, {"Ulysses", 730, day(2)}, {"Solaris", 204, day(2)}}
}

func print(titles []Title) {
	var names []string
	for _, t := range titles {
		names = append(names, t.Name)
	}
	fmt.Println(strings.Join(names, " "))
}

func Example() {
	fields, err := ordering.FieldsOf[Title]()
	if err != nil {
		panic(err)
	}
	books := titles()
	terms := fields.Parse("-published_on,bogus,pages") // from a request
	if err := fields.Sort(books, terms...); err != nil {
		panic(err)
	}
	fmt.Println(ordering.Format(terms))
	print(books)
	// Output:
	// -published_on,pages
	// Dune Solaris Ulysses Emma
}

func ExampleParse() {
	known := func(name string) bool { return name == "name" || name == "start_date" }
	fmt.Println(ordering.Parse(" -start_date, startDate, name", known))
	// Output: [-start_date name]
}

func ExampleParseStrict() {
	known := func(name string) bool { return name == "name" }
	_, err := ordering.ParseStrict("name,pagse", known)
	fmt.Println(err)
	// Output: ordering "name,pagse": unknown field: "pagse"
}

func ExampleSnake() {
	fmt.Println(ordering.Snake("featureAuthors"), ordering.Camel("feature_authors"))
	// Output: feature_authors featureAuthors
}

func ExampleNewFields() {
	fields, err := ordering.NewFields(
		ordering.By("length", func(t *Title) int { return len(t.Name) }),
		ordering.ByTime("published", func(t *Title) time.Time { return t.PublishedOn }),
	)
	if err != nil {
		panic(err)
	}
	books := titles()
	err = fields.Sort(books, ordering.Desc("length"), ordering.Asc("published"))
	print(books)
	fmt.Println(err)
	// Output:
	// Ulysses Solaris Emma Dune
	// <nil>
}

func ExampleFields_Comparator() {
	fields, _ := ordering.FieldsOf[Title]()
	byPages, err := fields.Comparator(ordering.Asc("pages"))
	if err != nil {
		panic(err)
	}
	fmt.Println(slices.MinFunc(titles(), byPages).Name)
	// Output: Solaris
}

func ExampleTerm() {
	t := ordering.Desc("name")
	fmt.Println(t, t.Reverse(), t.Reverse() == ordering.Asc("name"))
	// Output: -name name true
}

func ExampleKey() {
	keys := []ordering.Key{ordering.Null(), ordering.Text("b"), ordering.Int(7), ordering.JSON(`[1, "x"]`), ordering.Bool(true)}
	slices.SortFunc(keys, ordering.Key.Compare)
	fmt.Println(keys[0].Compare(ordering.Bool(true)), keys[4].Compare(ordering.Null()))
	// Output: 0 0
}
