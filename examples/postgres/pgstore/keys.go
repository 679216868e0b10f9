package pgstore

import (
	"strconv"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// keys are an open record's sort keys, each at its field's number less one; what
// it has not, and null, are nil. Of several members of a field the one counts that
// is spelt as the service would, or else the first.
func keys(r resources.Record, numbers map[string]int) [][]byte {
	list := [][]byte{} // none is no NULL
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
			list[n-1] = ordering.JSON(text).Append(nil)
		}
	}
	return list
}

// keyExprs are what ORDER BY needs for a member.
func keyExprs(number int) []expr {
	key := "t.keys[" + strconv.Itoa(number) + "]"
	return []expr{{text: "substring(" + key + ", 1, 256)", prefix: true}, {text: key}}
}
