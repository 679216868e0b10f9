package browse

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Collections whose records refer to customers in each way.
type (
	customer struct {
		ID     int    `json:"id"`
		Slug   string `json:"slug" backlist:"unique"`
		Name   string `json:"name"`
		Friend *int   `json:"friend" backlist:"refers=customers,ondelete=cascade"`
	}
	order struct {
		ID       int    `json:"id"`
		Title    string `json:"title"`
		Owner    string `json:"owner"`
		Customer int    `json:"customer" backlist:"refers=customers,ondelete=cascade"`
		Payer    *int   `json:"payer" backlist:"refers=customers,ondelete=cascade"`
	}
	remark struct {
		ID      int    `json:"id"`
		Name    string `json:"name"`
		About   *int   `json:"about" backlist:"refers=orders,ondelete=setnull"`
		Readers []int  `json:"readers" backlist:"refers=customers"`
	}
	audit struct {
		ID    int  `json:"id"`
		Order *int `json:"order" backlist:"refers=orders,ondelete=cascade"`
	}
	invoice struct {
		ID    int    `json:"id"`
		Name  string `json:"name"`
		Order int    `json:"order" backlist:"refers=orders"`
	}
)

// unknowing is a collection that does not say what a deletion does.
type unknowing struct{ httpapi.Deleter }

func (u unknowing) all() catalogue.AnyCollection { return u.Deleter.(catalogue.AnyCollection) }

func (u unknowing) Description() schema.Description { return u.all().Description() }

func (u unknowing) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	return u.all().List(ctx, q)
}

func (u unknowing) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	return u.all().Get(ctx, segment, filter)
}

// customerPages returns pages of customers and of what refers to them. The visitor sees the orders of Ann.
// Audits are not served.
func customerPages(t *testing.T, records string, wrap func(catalogue.AnyCollection) httpapi.Collection) (http.Handler, *catalogue.Catalogue) {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[customer]("customers", catalogue.Options{Description: &schema.Description{Lookup: "slug"}}),
		catalogue.Define[order]("orders", catalogue.Options{}), catalogue.Define[remark]("notes", catalogue.Options{}),
		catalogue.Define[audit]("audits", catalogue.Options{}), catalogue.Define[invoice]("invoices", catalogue.Options{}))
	must(t, err)
	must(t, cat.Load(strings.NewReader(records), catalogue.LoadOptions{}))
	var all []httpapi.Collection
	for key, c := range cat.All() {
		switch key {
		case "orders":
			all = append(all, httpapi.Restrict(c, func(context.Context) (url.Values, error) { return url.Values{"owner": {"Ann"}}, nil }))
		case "audits":
		default:
			all = append(all, wrap(c))
		}
	}
	h, err := httpapi.NewHandler(all, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	return browsing(t, h, Options{}), cat
}

func whole(c catalogue.AnyCollection) httpapi.Collection { return c }

const customers = `{"customers":[{"id":1,"slug":"bo","name":"Bo","friend":2},{"id":2,"slug":"cy","name":"Cy <b>","friend":1},{"id":3,"slug":"di","name":"Di","friend":3},{"id":4,"slug":"ed","name":"Ed","friend":null},{"id":5,"slug":"fi","name":"Fi","friend":null}],
	"orders":[{"id":1,"title":"A-1","owner":"Ann","customer":1,"payer":2},{"id":2,"title":"Secret","owner":"Eve","customer":1,"payer":null},{"id":3,"title":"A-3","owner":"Ann","customer":4,"payer":null}],
	"notes":[{"id":1,"name":"N1","about":2,"readers":[1,2]},{"id":2,"name":"N2","about":null,"readers":[3]}],
	"audits":[{"id":1,"order":1}%s],"invoices":[{"id":1,"name":"I1","order":3}%s]}`

// The page that asks whether to delete a record says what else the deletion does, with the names of
// records that the visitor may read; so does the page that follows.
func TestDeletionSaysWhatItDoes(t *testing.T) {
	tests := []struct {
		reason, slug, audits, invoices string
		says                           []string
		done                           string // "" if the deletion is prevented
	}{
		{"a cycle, a record reached twice, one that is hidden, and a collection that is not served", "bo", "", "",
			[]string{"Will be deleted too: 1 customer (Cy <b>), 2 orders (A-1 and 1 more), 1 other record", "Will lose the reference: 1 remark (N1)"},
			"Bo has been deleted, and with it 1 customer, 2 orders, 1 other record."},
		{"a record that refers to itself", "di", "", "", []string{"Will lose the reference: 1 remark (N2) This cannot"}, "Di has been deleted."},
		{"no other record", "fi", "", "", []string{"No other record changes. This cannot be undone."}, "Fi has been deleted."},
		{"protected by what refers to a record that would be deleted", "ed", "", "", []string{"Prevent the deletion: 1 invoice (I1)"}, ""},
		{"protected by more than a page names", "ed", "", many(`,{"id":%d,"name":"I%[1]d","order":3}`, 2, 1_500),
			[]string{"Prevent the deletion: 1,500 invoices (I1, I2, I3, I4, I5, I6, I7, I8, I9, I10 and 1,490 more)"}, ""},
		{"many records that are not served", "bo", many(`,{"id":%d,"order":2}`, 2, 100_000), "", []string{"2 orders (A-1 and 1 more), 100,000 other records"},
			"Bo has been deleted, and with it 1 customer, 2 orders, 100,000 other records."},
	}
	for _, test := range tests {
		h, cat := customerPages(t, fmt.Sprintf(customers, test.audits, test.invoices), whole)
		target := "/api/customers/" + test.slug + "/?_method=DELETE"
		page := get(h, target)
		checkAccessible(t, page)
		for _, want := range test.says {
			if !strings.Contains(page.text, want) {
				t.Errorf("%s: the page does not say %q: %s", test.reason, want, page.text)
			}
		}
		if strings.Contains(page.body, "Secret") || strings.Contains(page.body, "orders/2/") || strings.Contains(page.text, "Will lose") != strings.Contains(fmt.Sprint(test.says), "Will lose") && test.audits == "" {
			t.Errorf("%s: the page says too much: %s", test.reason, page.body)
		}
		if len(page.body) > 20_000 {
			t.Errorf("%s: the page has %d bytes", test.reason, len(page.body))
		}
		if test.done == "" {
			if len(page.find("form", "method", "post")) > 0 {
				t.Errorf("%s: the page has a form", test.reason)
			}
			continue
		}
		got := confirm(t, h, target, page)
		cookie, _ := cookieOf(t, got, doneCookie)
		if page := do(h, request("GET", "/api/customers/", "", "Cookie", cookie)); got.status != 303 || !strings.Contains(page.text, test.done) {
			t.Errorf("%s: %d, the next page does not say %q: %s", test.reason, got.status, test.done, page.text)
		}
		must(t, cat.Check())
	}
	links := func(slug string) map[string]string {
		h, _ := customerPages(t, fmt.Sprintf(customers, "", ""), whole)
		return get(h, "/api/customers/"+slug+"/?_method=DELETE").links()
	}
	if at := links("bo"); at["A-1"] != "../../orders/1/" || at["Cy <b>"] != "../../customers/cy/" || at["N1"] != "../../notes/1/" {
		t.Errorf("the links are %q", at)
	}
}

// confirm sends the form of a page that asks.
func confirm(t *testing.T, h http.Handler, target string, page result) result {
	t.Helper()
	path, _, _ := strings.Cut(target, "?")
	return do(h, formRequest(path+page.one(t, "form", "method", "post").attrs["action"], ""))
}

// many returns a text for each number from the first to the last.
func many(format string, first, last int) string {
	var b strings.Builder
	for n := first; n <= last; n++ {
		fmt.Fprintf(&b, format, n)
	}
	return b.String()
}

// A page says that it does not know what refers to a record of a collection without Dependents.
func TestDeletionOfUnknownReferrers(t *testing.T) {
	h, _ := customerPages(t, fmt.Sprintf(customers, "", ""), func(c catalogue.AnyCollection) httpapi.Collection { return unknowing{c} })
	page := get(h, "/api/customers/bo/?_method=DELETE")
	if !strings.Contains(page.text, "Which records refer to this one is not known.") || strings.Contains(page.text, "Will be") {
		t.Errorf("the page says %s", page.text)
	}
	if got := confirm(t, h, "/api/customers/bo/", page); got.status != 303 {
		t.Errorf("%d %s", got.status, got.text)
	}
}

// A record is not deleted if it or what refers to it has changed since the visitor was asked.
func TestDeletionOfChangedRecord(t *testing.T) {
	for reason, change := range map[string]struct{ key, segment, body string }{
		"the record":                        {"customers", "bo", `{"name":"Bob"}`},
		"another order":                     {"orders", "", `{"title":"A-4","owner":"Ann","customer":2}`},
		"one that the visitor does not see": {"orders", "", `{"title":"A-4","owner":"Eve","customer":2}`},
		"an order of another customer":      {"orders", "", `{"title":"A-4","owner":"Eve","customer":4}`},
	} {
		h, cat := customerPages(t, fmt.Sprintf(customers, "", ""), whole)
		page := get(h, "/api/customers/bo/?_method=DELETE")
		c, err := cat.Collection(change.key)
		must(t, err)
		if change.segment == "" {
			_, err = c.Create(t.Context(), []byte(change.body), schema.Record{})
		} else {
			_, err = c.Update(t.Context(), change.segment, catalogue.Edit{Body: []byte(change.body), Partial: true})
		}
		must(t, err)
		page = confirm(t, h, "/api/customers/bo/", page)
		if strings.Contains(change.body, `"customer":4`) { // does not concern the record
			equal(t, reason, 303, page.status)
			continue
		}
		if page.status != 412 || !strings.Contains(page.text, "so it was not deleted") || !strings.Contains(page.text, "Will be deleted too: 1 customer") {
			t.Fatalf("%s: %d %s", reason, page.status, page.text)
		}
		checkAccessible(t, page)
		if page = confirm(t, h, "/api/customers/bo/", page); page.status != 303 {
			t.Errorf("%s: the second attempt: %d %s", reason, page.status, page.text)
		}
	}
}
