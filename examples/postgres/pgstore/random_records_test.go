package pgstore_test

import (
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// names are names of members of open records. Some have the same field, and some would
// change a statement that contained them.
var names = []string{
	"name", "Name", "title", "pageCount", "page_count", "price", "inPrint", "extra", "tags",
	"line1", "line_1", "aB", "a_b", "AB", "k", "\u212a", "\u0130", // the last two have unusual lower case
	"Id", "ID", "_id", "", "_", "__", "-", "-minus", "a,b", "a b", " ", "a\nb", `a"b`, "a'b", `a\b`, "a;b",
	"'; DROP TABLE events; --", `"; DROP TABLE events; --`, "/*", "t.", "t.id", "t.keys", "keys", "keys[1]", "record", "collections", "$1", "$2", "%s", "%[1]s",
	"select", "null", "naïve", "ключ", "名", "😀", strings.Repeat("n", 300),
}

// record returns a record of a collection with an id.
func (g generator) record(about schema.Description, id int) string {
	if about.Fields == nil {
		return g.openRecord(id)
	}
	var members []string
	for _, f := range about.Fields {
		value := strconv.Itoa(id)
		if f.Name != "id" {
			value = g.member(f)
		}
		members = append(members, quoted(f.Name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// member returns a value of a described field.
func (g generator) member(f schema.Field) string {
	if f.Nullable && g.oneIn(3) {
		return "null"
	}
	switch f.Kind {
	case schema.Integer, schema.Reference:
		return strconv.Itoa(1 + g.IntN(5))
	case schema.Timestamp:
		return quoted(pick(g, times))
	case schema.Boolean:
		return pick(g, []string{"true", "false"})
	case schema.References:
		return pick(g, []string{"[]", "[1]", "[1,2]", "[2,1]", "[1,1]", "[1,2,3]", "[4611686018427387904]", "[2]"})
	case schema.TextList:
		return pick(g, []string{"[]", `[""]`, `["a"]`, `["a","a"]`, `["a",""]`, `["A"]`, `["á"]`, `["b"]`, `["\"","\\","{","}",",","NULL","null"]`})
	case schema.JSON:
		return g.value()
	}
	return g.text()
}

// openRecord returns a record with a few members and an id between them.
func (g generator) openRecord(id int) string {
	var members []string
	few := names[:14]
	if g.oneIn(3) {
		few = names
	}
	for _, i := range g.Perm(len(few))[:g.IntN(8)] {
		members = append(members, quoted(few[i])+":"+g.value())
	}
	if g.oneIn(500) {
		members = append(members, quoted(g.long())+":1")
	}
	at := g.IntN(len(members) + 1)
	members = append(members[:at], append([]string{`"id":` + strconv.Itoa(id)}, members[at:]...)...)
	return "{" + strings.Join(members, ",") + "}"
}

// collection returns an array of records.
func (g generator) collection(about schema.Description, size int) string {
	var list []string
	for _, id := range g.ids(size) {
		list = append(list, g.record(about, id))
	}
	return "[" + strings.Join(list, ",\n") + "]"
}
