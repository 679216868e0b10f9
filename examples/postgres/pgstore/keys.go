package pgstore

import (
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// keys returns the sort keys of an open record. The key of a field is at its number
// minus one, and nil if the member is absent or null. If several members have the same
// field, the one in the service's spelling counts, or else the first.
func keys(r schema.Record, numbers map[string]int) [][]byte {
	list := [][]byte{} // not NULL
	seen := map[string]bool{}
	for name, text := range r.All() {
		field := ordering.Snake(name)
		n := numbers[field]
		if n == 0 || seen[field] && name != ordering.Camel(field) {
			continue
		}
		seen[field] = true
		if len(list) < n {
			list = append(list, make([][]byte, n-len(list))...)
		}
		list[n-1] = nil
		if text != "null" {
			list[n-1] = sortkey.JSON(text).Append(nil)
		}
	}
	return list
}

// keyExprs returns the expressions of ORDER BY for a member.
func keyExprs(number int) []expr {
	key := "t.keys[" + strconv.Itoa(number) + "]"
	return []expr{{text: "substring(" + key + ", 1, 256)", prefix: true}, {text: key}}
}
