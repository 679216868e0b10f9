package browse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

// headers returns the texts of the header, each with its arrow.
func (res result) headers() []string {
	var all []string
	inHead := false
	for _, tag := range res.tags {
		switch {
		case tag.name == "th" && tag.attrs["scope"] == "col":
			inHead = true
			all = append(all, "")
		case tag.name == "/th":
			inHead = false
		}
		if inHead {
			all[len(all)-1] += tag.text
		}
	}
	return all
}

// The id comes first, then the columns that the records are ordered by, then the others in
// their order.
func TestColumnOrder(t *testing.T) {
	const records = `{"books":[{"name":"a","id":1,"price":"1.50","pages":7,"unitPrice":"2"}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	tests := []struct {
		reason, query string
		want          []string
	}{
		{"default ordering", "", []string{"ID▲", "Name⇅", "Price⇅", "Pages⇅", "Unit price⇅"}},
		{"descending id", "?ordering=-id", []string{"ID▼", "Name⇅", "Price⇅", "Pages⇅", "Unit price⇅"}},
		{"one term", "?ordering=pages", []string{"ID⇅", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
		{"a name in camelCase", "?ordering=-unit_price", []string{"ID⇅", "Unit price▼", "Name⇅", "Price⇅", "Pages⇅"}},
		{"two terms", "?ordering=-pages,name", []string{"ID⇅", "Pages▼", "Name▲", "Price⇅", "Unit price⇅"}},
		{"the id is the second term", "?ordering=pages,-id", []string{"ID▼", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
		{"unknown terms", "?ordering=x,pages", []string{"ID⇅", "Pages▲", "Name⇅", "Price⇅", "Unit price⇅"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, get(h, "/api/books/"+test.query).headers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	got := get(newHandlers(t, load(t, threeEvents), httpapi.Options{}).browse, "/api/events/").headers()
	if diff := cmp.Diff([]string{"ID⇅", "Start date▲", "Name⇅"}, got[:3]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A value stays in the column of its member.
func TestValuesOfMovedColumns(t *testing.T) {
	const records = `{"books":[{"name":"n1","id":1,"pages":7},{"pages":8,"id":2,"name":"n2"},{"id":3,"pages":9}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	if got := get(h, "/api/books/?ordering=-pages"); !strings.Contains(got.text, "ID⇅ Pages▼ Name⇅ 3 9 2 8 n2 1 7 n1") {
		t.Errorf("the table is %s", got.text)
	}
}

// A column of numbers is aligned like its header. A number in another column is too, but not
// its header.
func TestNumbers(t *testing.T) {
	const records = `{"books":[
		{"id":1,"pages":7,"price":"12.50","isbn":"9788800000000","mixed":1,"none":null,"ids":[1],"gap":5},
		{"id":2,"pages":null,"price":"1.00","isbn":"9788800000001","mixed":"x","none":null,"ids":[2],"gap":null},
		{"id":3,"pages":1e3,"price":"-0.10","isbn":"","mixed":2,"none":null,"ids":[]}]}`
	h := newHandlers(t, load(t, records), httpapi.Options{}).browse
	page := get(h, "/api/books/")
	got := make(map[string]string)
	for _, th := range page.find("th", "scope", "col") {
		got[th.attrs["class"]] += " "
	}
	want := map[string]string{"id number": " ", "number": "   ", "": "    "} // pages, price and gap; isbn, mixed, none and ids
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes of the header (-want +got):\n%s", diff)
	}
	if cells := page.find("td", "class", "number"); len(cells) != 8 {
		t.Errorf("%d cells with numbers, want 8", len(cells))
	}
	if cells := page.find("th", "class", "id number"); len(cells) != 4 {
		t.Errorf("%d ids, want 4 with the header", len(cells))
	}
}

// The text of a Decimal is a number even without a decimal point, and that of another field
// is not.
func TestDecimals(t *testing.T) {
	all := links{"price": {number: true}}
	for value, want := range map[string]string{`"15"`: "number", `"1.50"`: "number", `null`: "null"} {
		if got := all.cell(member{"price", []byte(value)}).Class; got != want {
			t.Errorf("the class of %s is %s, want %s", value, got, want)
		}
	}
	if got := all.cell(member{"isbn", []byte(`"15"`)}).Class; got != "short" {
		t.Errorf("the class of an ISBN is %s, want short", got)
	}
}
