package ordering_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

func ExampleSuggest() {
	fields := []string{"id", "name", "created_at"}
	fmt.Println(ordering.Suggest("createdAt", fields))
	fmt.Println(ordering.Suggest("price", fields))
	// Output:
	// did you mean created_at?
	// want one of id, name, created_at
}

func TestSuggest(t *testing.T) {
	many := strings.Split(strings.Repeat("field,", 30)+"field", ",")
	for _, row := range []struct {
		reason, name string
		known        []string
		want         string
	}{
		{"different case convention", "item_variants", []string{"items", "itemVariants"}, "did you mean itemVariants?"},
		{"additional letter", "boooks", []string{"authors", "books"}, "did you mean books?"},
		{"two letters swapped", "pulbished", []string{"name", "published"}, "did you mean published?"},
		{"leading minus", "-name", []string{"id", "name"}, "did you mean name?"},
		{"nearest of two", "labels", []string{"tables", "label"}, "did you mean label?"},
		{"short name that differs by a letter", "ip", []string{"id"}, "did you mean id?"},
		{"name that has only letters in common with a short one", "kind", []string{"id", "title"}, "want one of id, title"},
		{"removed field", "paid", []string{"id", "name"}, "want one of id, name"},
		{"single letters", "a", []string{"b"}, "want one of b"},
		{"single letter in another case", "A", []string{"a"}, "did you mean a?"},
		{"two letters swapped in a short name", "naem", []string{"id", "name"}, "did you mean name?"},
		{"known name", "id", []string{"id"}, "did you mean id?"},
		{"empty", "", []string{"id"}, "want one of id"},
		{"no letters", "--", []string{"id"}, "want one of id"},
		{"no known names", "id", nil, "there are none"},
		{"many known names", "x", many, "want one of " + strings.Join(many[:20], ", ") + ", …"},
	} {
		if got := ordering.Suggest(row.name, row.known); got != row.want {
			t.Errorf("%s: Suggest(%q, %q) = %q, want %q", row.reason, row.name, row.known, got, row.want)
		}
	}
}

func TestUnknownFieldSuggests(t *testing.T) {
	fields, err := ordering.FieldsOf[book]()
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := fields.ParseStrict("createdAt")
	_, err2 := fields.Comparator(ordering.Asc("createdAt"))
	err3 := fields.Sort([]book{{}}, ordering.Asc("createdAt"))
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, ordering.ErrUnknownField) || !strings.HasSuffix(err.Error(), `"createdAt": did you mean created_at?`) {
			t.Errorf("err = %v, want ErrUnknownField with a suggestion", err)
		}
	}
}

func ExampleTerms() {
	for _, term := range ordering.Terms("-start_date, name") {
		fmt.Println(term.Field, term.Desc)
	}
	// Output:
	// start_date true
	// name false
}

func TestTerms(t *testing.T) {
	for _, row := range []struct {
		reason, text string
		want         []ordering.Term
	}{
		{"empty", "", nil},
		{"white space and commas", " , ,", nil},
		{"only a minus", "-", nil},
		{"repeated field", "name,-name", []ordering.Term{ordering.Asc("name")}},
		{"unknown fields", "no such,-x", []ordering.Term{ordering.Asc("no such"), ordering.Desc("x")}},
	} {
		if got := ordering.Terms(row.text); !slices.Equal(got, row.want) {
			t.Errorf("%s: Terms(%q) = %v, want %v", row.reason, row.text, got, row.want)
		}
	}
}
