package sample

import "github.com/gobacklist/backlist/ordering"

// Keys returns functions that sort amounts and prices by value. The service writes
// decimals as text, which otherwise is sorted by its bytes. The result is for the open
// collections and has no effect on those without such a member. Pass it as
// catalogue.Options.Keys.
func Keys() []ordering.KeyFunc {
	var keys []ordering.KeyFunc
	for _, name := range []string{"amount", "price", "raised", "total"} {
		keys = append(keys, ordering.FieldKey(name, ordering.Decimal))
	}
	return keys
}
