package sample_test

import (
	"testing"

	"github.com/gobacklist/backlist/resources/sample"
)

// references returns the collections that members refer to.
func references() map[string]map[string]string {
	return map[string]map[string]string{
		"attributes":            {"type": "attribute-types"},
		"bookshop-sales":        {"book": "books"},
		"books":                 {"author": "authors", "label": "labels"},
		"carts":                 {"items": "items", "voucher": "vouchers"},
		"collaborator-invoices": {"collaborator": "collaborators"},
		"commissions":           {"collaborator": "collaborators", "project": "projects"},
		"compensations":         {"author": "authors", "book": "books"},
		"contributions":         {"crowdfunding": "crowdfundings"},
		"credit-note-lines":     {"creditNote": "credit-notes", "book": "books"},
		"crowdfundings":         {"project": "projects"},
		"direct-debit-payments": {"directDebit": "direct-debits"},
		"direct-sales":          {"book": "books", "event": "events"},
		"events":                {"labels": "labels", "authors": "authors"},
		"expenses":              {"project": "projects"},
		"inventories":           {"book": "books"},
		"itemVariants":          {"variant": "variants"},
		"items":                 {"itemVariant": "itemVariants"},
		"news":                  {"label": "labels"},
		"products":              {"label": "labels", "book": "books"},
		"projects":              {"label": "labels", "authors": "authors"},
		"reshipments":           {"shipment": "shipments"},
		"restockings":           {"supplier": "suppliers", "book": "books"},
		"shipments":             {"cart": "carts"},
		"social-links":          {"author": "authors"},
		"tieins":                {"book": "books"},
		"variants":              {"product": "products", "attributes": "attributes"},
		"wires":                 {"cart": "carts"},
	}
}

func TestReferencesResolve(t *testing.T) {
	for _, opts := range []sample.Options{{}, {Seed: 9, Books: 3, Authors: 2, Labels: 1}, {Books: -1}, {Authors: -1, Labels: -1, Others: 2}} {
		house := read(t, opts)
		for key, members := range references() {
			for member, target := range members {
				ids := map[any]bool{}
				for _, r := range house[target] {
					ids[r["id"]] = true
				}
				found := 0
				for _, r := range house[key] {
					value, ok := r[member]
					if !ok {
						t.Fatalf("%s %v has no %s", key, r["id"], member)
					}
					found += resolve(t, ids, value, key+"."+member)
				}
				if found == 0 && len(ids) > 10 && len(house[key]) > 10 {
					t.Errorf("%+v: all %s are null or empty, want references to %s", opts, key+"."+member, target)
				}
			}
		}
	}
}

// resolve checks a reference or a list of references and returns the number of ids.
func resolve(t *testing.T, ids map[any]bool, value any, where string) int {
	t.Helper()
	switch value := value.(type) {
	case nil:
		return 0
	case []any:
		found := 0
		last := 0.0
		for _, id := range value {
			if n, ok := id.(float64); !ok || n <= last {
				t.Errorf("%s = %v, want ascending ids without duplicates", where, value)
			} else {
				last = n
			}
			found += resolve(t, ids, id, where)
		}
		return found
	}
	if !ids[value] {
		t.Errorf("%s = %v, which does not exist", where, value)
	}
	return 1
}

func TestCartTotals(t *testing.T) {
	house := read(t, sample.Options{Others: 30})
	prices := map[any]int{}
	for _, item := range house["items"] {
		prices[item["id"]] = cents(t, item["price"]) * int(item["quantity"].(float64))
	}
	owner := map[any]any{}
	for _, cart := range house["carts"] {
		total := 0
		for _, id := range cart["items"].([]any) {
			total += prices[id]
			if owner[id] != nil {
				t.Errorf("item %v is in carts %v and %v", id, owner[id], cart["id"])
			}
			owner[id] = cart["id"]
		}
		if got := cents(t, cart["total"]); got != total {
			t.Errorf("total of cart %v = %d cents, want %d", cart["id"], got, total)
		}
	}
	if len(owner) != 30 {
		t.Errorf("%d of 30 items are in carts", len(owner))
	}
}

// cents parses an amount such as "12.50".
func cents(t *testing.T, amount any) (n int) {
	t.Helper()
	s, _ := amount.(string)
	if len(s) < 4 || s[len(s)-3] != '.' {
		t.Fatalf("amount %v does not have two decimals", amount)
	}
	for _, digit := range s[:len(s)-3] + s[len(s)-2:] {
		n = n*10 + int(digit-'0')
	}
	return n
}
