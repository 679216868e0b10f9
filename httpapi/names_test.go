package httpapi

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// newNamed returns a catalogue of countries, whose requests name fields in snake_case, and of works,
// whose requests can also name them as in JSON.
func newNamed(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	type country struct {
		ID      int    `json:"id"`
		CCA3    string `json:"cca3"`
		Capital string `json:"capitalCity" backlist:"untrimmed"`
	}
	type work struct {
		ID    int `json:"id"`
		Gross int `json:"US Gross"`
		Price struct {
			Amount   int `json:"amountInCents"`
			Discount int `json:"discount"`
		} `json:"listPrice"`
		MadeIn int   `json:"madeIn" backlist:"refers=countries"`
		SoldIn []int `json:"soldIn" backlist:"refers=countries"`
	}
	c := mustCatalogue(t, catalogue.Define[country]("countries", catalogue.Options{Description: &schema.Description{
		Filters: []string{"cca_3", "cca_3__in", "capital_city"},
	}}), catalogue.Define[work]("works", catalogue.Options{Description: &schema.Description{
		JSONNames: true,
		Sortable:  []string{"us _gross", "list_price__amount_in_cents", "made_in__capital_city", "sold_in__capital_city"},
		Search:    []string{"sold_in__capital_city"},
		Filters:   []string{"us _gross__gte", "list_price__amount_in_cents__in", "made_in__cca_3", "made_in__capital_city__startswith", "sold_in__cca_3__in"},
	}}))
	must(t, c.Load(strings.NewReader(`{"countries":[{"id":1,"cca3":"ZWE","capitalCity":"Harare"},{"id":2,"cca3":"AFG","capitalCity":"Kabul"}],
		"works":[{"id":1,"US Gross":3,"listPrice":{"amountInCents":900,"discount":1},"madeIn":1,"soldIn":[1,2]},
			{"id":2,"US Gross":1,"listPrice":{"amountInCents":1200,"discount":0},"madeIn":2,"soldIn":[2]},
			{"id":3,"US Gross":2,"listPrice":{"amountInCents":100,"discount":0},"madeIn":1,"soldIn":[]}]}`), catalogue.LoadOptions{}))
	return c
}

// TestNamesInJSON names fields in requests as JSON does. The framework would have the names of the
// fields of its models: names without capital letters can be such names.
func TestNamesInJSON(t *testing.T) {
	h := mustHandler(t, newNamed(t), Options{})
	for _, row := range []struct{ why, query, want string }{
		{"no capital letters", "countries/?ordering=cca3", "2 1"},
		{"descending", "countries/?ordering=-cca3", "1 2"},
		{"snake_case", "countries/?ordering=cca_3", "2 1"},
		{"a filter without capital letters", "countries/?cca3=ZWE", "1"},
		{"with a lookup", "countries/?cca3__in=AFG,ZWE&ordering=cca3", "2 1"},
		{"capital letters", "countries/?ordering=-capitalCity", "1 2"},
		{"which are ignored, as in the framework", "countries/?capitalCity=Kabul", "1 2"},
		{"white space and capitals", "works/?ordering=US%20Gross", "2 3 1"},
		{"descending", "works/?ordering=-US%20Gross", "1 3 2"},
		{"in an object", "works/?ordering=listPrice__amountInCents", "3 1 2"},
		{"half in snake_case", "works/?ordering=list_price__amountInCents,us%20_gross", "3 1 2"},
		{"of another collection", "works/?ordering=-madeIn__capitalCity,US%20Gross", "2 3 1"},
		{"not sortable", "works/?ordering=-listPrice__discount,-id", "3 2 1"},
		{"a filter with white space", "works/?US+Gross__gte=2&ordering=-id", "3 1"},
		{"in an object", "works/?listPrice__amountInCents__in=100,1200", "2 3"},
		{"of another collection", "works/?madeIn__capitalCity__startswith=Ha", "1 3"},
		{"in half snake_case", "works/?made_in__cca3=AFG", "2"},
		{"both, of which the last counts", "works/?madeIn__cca3=ZWE&made_in__cca_3=AFG", "2"},
		{"other letters", "works/?ordering=-us%20gross", "1 2 3"},
	} {
		w := get(h, "/api/"+row.query)
		var ids []string
		for _, part := range strings.Split(w.Body, `{"id":`)[1:] {
			id, _, _ := strings.Cut(part, ",")
			ids = append(ids, id)
		}
		if strings.Join(ids, " ") != row.want {
			t.Errorf("%s: %s lists %s, want %s", row.why, row.query, ids, row.want)
		}
	}
	w := get(h, "/api/works/?listPrice__amountInCents__in=x")
	if want := `{"listPrice_AmountInCents_In":["Enter a number."]}`; w.Status != 400 || w.Body != want {
		t.Errorf("a value that is not valid: %d %s, want %s", w.Status, w.Body, want)
	}
	w = get(h, "/api/works/?ordering=US%20Gross&madeIn__cca3=ZWE&limit=1")
	if want := `works/?limit=1&madeIn__cca3=ZWE&offset=1&ordering=US+Gross"`; !strings.Contains(w.Body, want) {
		t.Errorf("the link to the next page is not %s: %s", want, w.Body)
	}
}
