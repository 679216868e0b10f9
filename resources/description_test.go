package resources

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// The document's table, and the titles by drf.md's rule, written out.
const documented = `
attribute-types       Attribute Type List
attributes            Attribute List
authors               Author List
collaborators         Collaborator List
direct-sales          Direct Sale List
books                 Book List
bookshop-sales        Bookshop Sale List
carts                 Cart List
commissions           Commission List
compensations         Compensation List
collaborator-invoices Collaborator Invoice List
contributions         Contribution List
credit-notes          Credit Note List
crowdfundings         Crowdfunding List
direct-debit-payments Direct Debit Payment List
credit-note-lines     Credit Note Line List
restockings           Restocking List
direct-debits         Direct Debit List
events                Event List
expenses              Expense List
inventories           Inventory List
items                 Item List
itemVariants          Item Variant List
labels                Label List
products              Product List
projects              Project List
proposals             Proposal List
reshipments           Reshipment List
services              Service List
shipments             Shipment List
social-links          Social Link List
tieins                Tiein List
vouchers              Voucher List
variants              Variant List
wires                 Wire List
publishers            Publisher List
suppliers             Supplier List
news                  News List
faqs                  Faq List`

func TestCollections(t *testing.T) {
	var got []string
	list := Descriptions()
	for _, c := range list {
		got = append(got, c.Key+" "+c.Title())
	}
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(documented), "\n") {
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(list) != 39 {
		t.Errorf("%d collections", len(list))
	}
	list[0].Key, list[0].Ordering[0].Field = "x", "x"
	if fresh := Descriptions()[0]; fresh.Key == "x" || fresh.Ordering[0].Field == "x" {
		t.Error("the list is shared")
	}
}

func TestDescriptions(t *testing.T) {
	for _, c := range Descriptions() {
		segment, creatable, vary, term := c.Key, false, "Accept", "id"
		switch c.Key {
		case "itemVariants":
			segment = "item_variants"
		case "events":
			creatable, vary, term = true, "Authorization, Accept", "start_date"
		case "social-links":
			creatable = true
		}
		if c.Segment != segment || c.Creatable != creatable || c.Vary != vary {
			t.Errorf("%s: segment %s, creatable %v, vary %s", c.Key, c.Segment, c.Creatable, c.Vary)
		}
		if diff := cmp.Diff([]ordering.Term{{Field: term}}, c.Ordering); diff != "" {
			t.Errorf("%s: ordering (-want +got):\n%s", c.Key, diff)
		}
		if shown := c.Key == "events" || c.Key == "labels" || c.Key == "social-links"; shown != (c.Fields != nil) {
			t.Errorf("%s: fields %v", c.Key, c.Fields)
		}
		found, ok := Lookup(c.Key)
		if diff := cmp.Diff(c, found); !ok || diff != "" {
			t.Errorf("%s: found %v (-want +got):\n%s", c.Key, ok, diff)
		}
	}
	for _, key := range []string{"", "Events", "item_variants", "events/", "label"} {
		if _, ok := Lookup(key); ok {
			t.Errorf("found %q", key)
		}
	}
}

// TestFieldsMakeSense: what can be sent is required or has a default, and
// refers to collections that exist.
func TestFieldsMakeSense(t *testing.T) {
	for _, c := range Descriptions() {
		for _, f := range c.Fields {
			if !f.ReadOnly && f.Required == (f.Default != "") || f.ReadOnly && (f.Required || f.Default != "") {
				t.Errorf("%s %s: required %v, read-only %v, default %q", c.Key, f.Name, f.Required, f.ReadOnly, f.Default)
			}
			if _, ok := Lookup(f.Refers); f.Refers != "" && !ok {
				t.Errorf("%s %s refers to %s", c.Key, f.Name, f.Refers)
			}
			if c.Key == "labels" && !f.ReadOnly {
				t.Errorf("%s can be written", f.Name)
			}
		}
	}
}
