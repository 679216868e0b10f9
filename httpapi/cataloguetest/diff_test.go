package cataloguetest

import (
	"fmt"
	"log"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// booksCatalogue returns a catalogue with the given books only.
func booksCatalogue(t *testing.T, books ...string) *catalogue.Catalogue {
	t.Helper()
	c := mustNew()
	fill(t, c, "books", books...)
	return c
}

func fill(t *testing.T, c *catalogue.Catalogue, key string, records ...string) {
	t.Helper()
	if err := c.Load(strings.NewReader(`{"`+key+`":[`+strings.Join(records, ",")+`]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
}

// numbered returns books with consecutive ids and numbered names, such as "Book 1".
func numbered(from, to int, name string) (books []string) {
	for id := from; id <= to; id++ {
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"%s %d"}`, id, name, id))
	}
	return books
}

// spaces matches white space. go-cmp varies it between spaces and no-break spaces.
var spaces = regexp.MustCompile(`[\s\x{a0}]+`)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		want, got    []string
		report       []string // parts of the report, with single spaces; nil for ""
	}{
		{"empty", "two empty catalogues are equal", nil, nil, nil},
		{"same", "the encodings are equal", numbered(1, 50, "Book"), numbered(1, 50, "Book"), nil},
		{"order of members", "it is ignored", []string{`{"id":1,"name":"Onda","pages":96}`}, []string{`{"pages":96,"id":1,"name":"Onda"}`}, nil},
		{"digits", "1.00 and 1.0 differ",
			[]string{`{"id":1,"price":1.00}`}, []string{`{"id":1,"price":1.0}`},
			[]string{"books: want 1 record, got 1", "record 1 (-want +got):", `- "price":`, `"1.00",`, `+ "price":`}},
		{"missing record", "its id is only in want", numbered(1, 3, "Book"), numbered(1, 2, "Book"),
			[]string{"books: want 3 records, got 2", "only in want: 3 record 3 (only in want): {\"id\":3,\"name\":\"Book 3\"}"}},
		{"additional record", "its id is only in got", numbered(2, 3, "Book"), numbered(1, 3, "Book"),
			[]string{"books: want 2 records, got 3", "only in got: 1 record 1 (only in got): {\"id\":1,\"name\":\"Book 1\"}"}},
		{"long record", "its beginning is shown, of at most 500 bytes", []string{`{"id":1,"name":"` + strings.Repeat("é", 300) + `"}`}, nil,
			[]string{`record 1 (only in want): {"id":1,"name":"` + strings.Repeat("é", 242) + "…"}},
		{"largest id", "it does not end the list",
			[]string{`{"id":9223372036854775807}`}, nil, []string{"only in want: 9223372036854775807"}},
		{"other records", "both lists are read to the end", numbered(1, 2, "Book"), numbered(3, 4, "Book"),
			[]string{"only in want: 1, 2", "only in got: 3, 4"}},
		{"missing member", "absent and null differ", []string{`{"id":1,"isbn":null}`}, []string{`{"id":1}`},
			[]string{"record 1 (-want +got):", `- "isbn": nil,`}},
		{"many ids", "the report is bounded", numbered(1, 27, "Book"), nil,
			[]string{"only in want: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 17 more", "record 10 (only in want): {"}},
		{"many records", "the report is bounded", numbered(1, 27, "Book"), numbered(1, 27, "Other"),
			[]string{"record 1 (-want +got):", "record 10 (-want +got):", "and 17 more records differ"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := booksCatalogue(t, c.want...), booksCatalogue(t, c.got...)
			report := Diff(want, got)
			if c.report == nil && report != "" {
				t.Fatalf("%s, but Diff returned\n%s", c.reason, report)
			}
			plain := spaces.ReplaceAllString(report, " ")
			for _, line := range c.report {
				if !strings.Contains(plain, line) {
					t.Errorf("%s, but Diff returned no %q:\n%s", c.reason, line, report)
				}
			}
			for _, shown := range []string{"-want +got", "(only in want)", "(only in got)"} {
				if n := strings.Count(report, shown); n > 10 {
					t.Errorf("report shows %d records with %q", n, shown)
				}
			}
		})
	}
}

// An invalidBook has an encoding that is not a valid record once it is stored.
type invalidBook struct {
	ID     int `json:"id"`
	stored *bool
}

func (b invalidBook) Clone() invalidBook { return b }

func (b invalidBook) MarshalJSON() ([]byte, error) {
	if *b.stored {
		return []byte(`{"id":1,"id":2}`), nil
	}
	return []byte(`{"id":1}`), nil
}

func (b *invalidBook) UnmarshalJSON([]byte) error {
	b.ID = 1
	return nil
}

func TestDiffInvalidEncoding(t *testing.T) {
	want, err := resources.New(catalogue.Define[invalidBook]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	books, err := catalogue.Define[invalidBook]("books", catalogue.Options{}).In(want)
	if err != nil {
		t.Fatal(err)
	}
	stored := false
	if _, err := books.Insert(invalidBook{stored: &stored}); err != nil {
		t.Fatal(err)
	}
	stored = true
	if report := Diff(want, mustNew()); !strings.Contains(report, "books: cannot be compared: ") {
		t.Errorf("unexpected report %q", report)
	}
}

func twoBooks() *catalogue.Catalogue {
	server := mustNew()
	if err := server.Load(strings.NewReader(`{"books":[{"id":1,"name":"Atlante"},{"id":2,"name":"Onda"}]}`), catalogue.LoadOptions{}); err != nil {
		log.Fatal(err)
	}
	return server
}

func ExampleDiff() {
	want := twoBooks()
	got := want.Clone()
	books, err := resources.Records("books").In(got)
	if err != nil {
		log.Fatal(err)
	}
	if err := books.Delete(2); err != nil {
		log.Fatal(err)
	}
	fmt.Print(Diff(want, got))
	// Output:
	// books: want 2 records, got 1
	//   only in want: 2
	//   record 2 (only in want): {"id":2,"name":"Onda"}
}
