package catalogue_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestFloat32IsTheNumberInItsJSON finds float32s by the numbers that clients see.
func TestFloat32IsTheNumberInItsJSON(t *testing.T) {
	type price struct {
		ID    int      `json:"id"`
		Price float32  `json:"price"`
		Old   *float32 `json:"old"`
	}
	prices := catalogue.Define[price]("prices", catalogue.Options{
		Unique:      []string{"price"},
		Description: &schema.Description{Filters: []string{"price", "price__lt", "price__in", "old"}},
	})
	house, err := catalogue.NewOnly(prices)
	must(t, err)
	c, err := prices.In(house)
	must(t, err)
	e, err := house.Encoded("prices")
	must(t, err)
	old := float32(0.3)
	for _, p := range []price{{Price: 0.1}, {Price: 0.2, Old: &old}} {
		_, err := c.Insert(p)
		must(t, err)
	}
	for query, want := range map[string]int{"price=0.1": 1, "price__lt=0.2": 1, "price__in=0.1,0.2": 2, "old=0.3": 1, "price=0.10000000149011612": 0} {
		params, err := url.ParseQuery(query)
		must(t, err)
		n, _, err := e.PageWhere(t.Context(), params, pagination.Window{}, nil)
		if err != nil || n != want {
			t.Errorf("?%s finds %d records, %v, want %d", query, n, err, want)
		}
	}
	n, err := c.Where(ordering.Equal("price", 0.1)).Count()
	if err != nil || n != 1 {
		t.Errorf("Equal(price, 0.1) finds %d records, %v", n, err)
	}
	if _, err := c.Insert(price{Price: 0.1}); !errors.Is(err, catalogue.ErrDuplicate) {
		t.Errorf("a second 0.1: %v, want ErrDuplicate", err)
	}
	page, err := c.Page(pagination.Window{}, ordering.Desc("price"))
	must(t, err)
	var got []float32
	for _, p := range page.Records {
		got = append(got, p.Price)
	}
	if diff := cmp.Diff([]float32{0.2, 0.1}, got); diff != "" {
		t.Errorf("by -price (-want +got):\n%s", diff)
	}
}
