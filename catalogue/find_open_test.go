package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// openTexts are JSON texts that compare as decimals in the field list_price.
var openTexts = []string{`"12.00"`, `"12"`, `"012.0"`, `"-0.5"`, `"7"`, `"free"`, `"a"`, `""`, `"ab"`, `12`, `7.0`, `-0.5`}

// openKeys returns the key functions of a collection of open records.
func openKeys() []ordering.KeyFunc {
	return []ordering.KeyFunc{ordering.FieldKey("list_price", ordering.Decimal)}
}

// findOpen is the type of open records for conditions. A record can have two members for
// the field published_on: the one whose name is its camelCase form counts.
var findOpen = func() recordType[schema.Record] {
	typ := openType
	typ.random = randomFindOpen
	typ.values = findOpenValues
	typ.names = func(records []*schema.Record) []string {
		names := []string{"id"}
		for _, r := range records {
			for member := range r.All() {
				name := openFields[member]
				if member == "published_on" {
					name = member
				}
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	return typ
}()

func randomFindOpen(rng *rand.Rand) schema.Record {
	var members []string
	for _, m := range []string{"published_on", "name", "publishedOn", "listPrice", "x", "seldomSet"} {
		if rng.IntN(4) == 0 || m == "seldomSet" && rng.IntN(40) > 0 || m == "published_on" && rng.IntN(4) > 0 {
			continue
		}
		members = append(members, fmt.Sprintf("%q:%s", m, pick(rng, pick(rng, openValues...), pick(rng, openTexts...))))
	}
	rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return mustRecord("{" + strings.Join(members, ",") + "}")
}

func findOpenValues(r *schema.Record) map[string]value {
	values := map[string]value{}
	for member, text := range r.All() {
		if field := openFields[member]; field != "" {
			values[field] = jsonOf(text)
		}
	}
	if text, ok := r.Get("published_on"); ok {
		if _, found := values["published_on"]; !found {
			values["published_on"] = jsonOf(text)
		}
	}
	if v, ok := values["list_price"]; ok {
		values["list_price"] = priceIn(v)
	}
	return values
}
