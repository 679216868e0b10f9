package httpapi

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A backward number compares in the other direction.
type backward int

func (b backward) OrderingKey() int64 { return -int64(b) }

// A nickname compares without regard to case.
type nickname string

func (n nickname) OrderingKey() sortkey.Key { return sortkey.Fold(string(n)) }

type lot struct {
	ID    int       `json:"id"`
	Price string    `json:"price" backlist:"decimal=8.2"`
	Owner string    `json:"owner" backlist:"fold"`
	Rank  backward  `json:"rank"`
	Buyer nickname  `json:"buyer"`
	At    time.Time `json:"at"`
}

// TestWalksInTheOrderOfFields reads pages by cursors in orders that are not those of the JSON of the
// values: each record is on one page.
func TestWalksInTheOrderOfFields(t *testing.T) {
	typed := catalogue.Define[lot]("lots", catalogue.Options{})
	open := catalogue.Define[schema.Record]("boxes", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{
		{Name: "price", Kind: schema.Decimal, Digits: 8, Places: 2}, {Name: "owner", Kind: schema.Text, Fold: true},
	}}})
	cat := mustCatalogue(t, typed, open)
	lots, _ := typed.In(cat)
	boxes, _ := open.In(cat)
	at := time.Date(2026, 11, 27, 12, 0, 0, 123456789, time.UTC)
	for i, price := range []string{"9.50", "10.00", "10", "100.00", "-1.00"} {
		owner := []string{"Ann", "bob", "ANN", "Bob", "carl"}[i]
		_, err1 := lots.Insert(lot{Price: price, Owner: owner, Buyer: nickname(owner), Rank: backward(i / 2), At: at.Add(time.Duration(i/3)*time.Millisecond + time.Duration(-i))})
		box, _ := schema.Record{}.With("price", price)
		box, _ = box.With("owner", owner)
		_, err2 := boxes.Insert(box)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
	}
	for _, row := range []struct{ path, order, want string }{
		{"lots", "price", "5 1 2 3 4"}, {"lots", "-price", "4 3 2 1 5"},
		{"lots", "owner", "1 3 2 4 5"}, {"lots", "-owner", "5 4 2 3 1"},
		{"lots", "buyer", "1 3 2 4 5"}, {"lots", "-buyer", "5 4 2 3 1"},
		{"lots", "rank", "5 3 4 1 2"}, {"lots", "-rank", "2 1 4 3 5"},
		{"lots", "at", "1 2 3 4 5"}, {"lots", "-at", "5 4 3 2 1"},
		{"boxes", "price", "5 1 2 3 4"}, {"boxes", "-owner", "5 4 2 3 1"},
	} {
		for size := range 4 {
			h := mustHandler(t, cat, Options{Pages: pagination.Cursors{Limits: pagination.Limits{Default: size + 1}}})
			var ids []string
			for target := "/api/" + row.path + "/?ordering=" + row.order; target != "" && len(ids) < 10; {
				var page struct {
					Next    string
					Results []struct{ ID int }
				}
				must(t, json.Unmarshal([]byte(get(h, target).Body), &page))
				for _, r := range page.Results {
					ids = append(ids, strconv.Itoa(r.ID))
				}
				target = strings.TrimPrefix(page.Next, "http://host.example")
			}
			if got := strings.Join(ids, " "); got != row.want {
				t.Errorf("%s by %s, %d on a page: %s, want %s", row.path, row.order, size+1, got, row.want)
			}
		}
	}
}
