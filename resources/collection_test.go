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
	list := Collections()
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
	if fresh := Collections()[0]; fresh.Key == "x" || fresh.Ordering[0].Field == "x" {
		t.Error("the list is shared")
	}
}

func TestDescriptions(t *testing.T) {
	for _, c := range Collections() {
		segment, methods, vary, term := c.Key, "GET, HEAD, OPTIONS", "Accept", "id"
		switch c.Key {
		case "itemVariants":
			segment = "item_variants"
		case "events":
			methods, vary, term = "GET, POST, HEAD, OPTIONS", "Authorization, Accept", "start_date"
		case "social-links":
			methods = "GET, POST, HEAD, OPTIONS"
		}
		if c.Segment != segment || c.Methods() != methods || c.Vary != vary {
			t.Errorf("%s: segment %s, methods %s, vary %s", c.Key, c.Segment, c.Methods(), c.Vary)
		}
		if diff := cmp.Diff([]ordering.Term{{Field: term}}, c.Ordering); diff != "" {
			t.Errorf("%s: ordering (-want +got):\n%s", c.Key, diff)
		}
		if shown := c.Key == "events" || c.Key == "labels" || c.Key == "social-links"; shown != (c.Fields != nil) {
			t.Errorf("%s: fields %v", c.Key, c.Fields)
		}
		found, ok := Find(c.Key)
		if diff := cmp.Diff(c, found); !ok || diff != "" {
			t.Errorf("%s: found %v (-want +got):\n%s", c.Key, ok, diff)
		}
	}
	for _, key := range []string{"", "Events", "item_variants", "events/", "label"} {
		if _, ok := Find(key); ok {
			t.Errorf("found %q", key)
		}
	}
}

// TestOptions compares kinds, labels and what is required with the answers to
// OPTIONS that were recorded.
func TestOptions(t *testing.T) {
	want := map[string]string{
		"events": `id integer false true ID
name string true false Name
slug slug true false Slug
summary string false false Summary
description string false false Description
location string false false Location
startDate datetime true false Start date
endDate datetime true false End date
published boolean false false Published
poster url false false Poster
posterWebp url false false Poster webp
labels field false false Labels
authors field false false Authors
`,
		"social-links": `id integer false true ID
title string true false Title
url url true false Url
logo url false false Logo
type string true false Type
author field true false Author
`,
	}
	flag := map[bool]string{true: "true", false: "false"}
	for key, want := range want {
		var got strings.Builder
		for _, f := range must(t, key).Fields {
			got.WriteString(strings.Join([]string{f.Name, f.Kind.Type(), flag[f.Required], flag[f.ReadOnly], f.Label()}, " ") + "\n")
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestKindType(t *testing.T) {
	for kind, want := range map[Kind]string{TextList: "list", JSON: "field", 0: "field", 200: "field"} {
		if got := kind.Type(); got != want {
			t.Errorf("kind %d: got %s, want %s", kind, got, want)
		}
	}
}

// TestFieldsMakeSense: what can be sent is required or has a default, and
// refers to collections that exist.
func TestFieldsMakeSense(t *testing.T) {
	for _, c := range Collections() {
		for _, f := range c.Fields {
			if !f.ReadOnly && f.Required == (f.Default != "") || f.ReadOnly && (f.Required || f.Default != "") {
				t.Errorf("%s %s: required %v, read-only %v, default %q", c.Key, f.Name, f.Required, f.ReadOnly, f.Default)
			}
			if _, ok := Find(f.Refers); f.Refers != "" && !ok {
				t.Errorf("%s %s refers to %s", c.Key, f.Name, f.Refers)
			}
			if c.Key == "labels" && !f.ReadOnly {
				t.Errorf("%s can be written", f.Name)
			}
		}
	}
}
