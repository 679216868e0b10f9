package pgstore_test

import (
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// names are members of open records. Some are one field in snake_case, and some
// would be something else if they got into a statement.
var names = []string{
	"name", "Name", "title", "pageCount", "page_count", "price", "inPrint", "extra", "tags",
	"line1", "line_1", "aB", "a_b", "AB", "k", "\u212a", "\u0130", // the last two are letters whose lower case is another's, or two
	"Id", "ID", "_id", "", "_", "__", "-", "-minus", "a,b", "a b", " ", "a\nb", `a"b`, "a'b", `a\b`, "a;b",
	"'; DROP TABLE events; --", `"; DROP TABLE events; --`, "/*", "t.", "t.id", "t.keys", "keys", "keys[1]", "record", "collections", "$1", "$2", "%s", "%[1]s",
	"select", "null", "naïve", "ключ", "名", "😀", strings.Repeat("n", 300),
}

// record makes one of a collection, with an id.
func (d dice) record(about resources.Description, id int) string {
	if about.Fields == nil {
		return d.openRecord(id)
	}
	var members []string
	for _, f := range about.Fields {
		value := strconv.Itoa(id)
		if f.Name != "id" {
			value = d.member(f)
		}
		members = append(members, quoted(f.Name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// member is a value of a described field.
func (d dice) member(f resources.Field) string {
	if f.Nullable && d.oneIn(3) {
		return "null"
	}
	switch f.Kind {
	case resources.Integer, resources.Reference:
		return strconv.Itoa(1 + d.IntN(5))
	case resources.Timestamp:
		return quoted(pick(d, times))
	case resources.Boolean:
		return pick(d, []string{"true", "false"})
	case resources.References:
		return pick(d, []string{"[]", "[1]", "[1,2]", "[2,1]", "[1,1]", "[1,2,3]", "[4611686018427387904]", "[2]"})
	case resources.TextList:
		return pick(d, []string{"[]", `[""]`, `["a"]`, `["a","a"]`, `["a",""]`, `["A"]`, `["á"]`, `["b"]`, `["\"","\\","{","}",",","NULL","null"]`})
	case resources.JSON:
		return d.value()
	}
	return d.text()
}

// openRecord has a few members, each once, and its id somewhere among them.
func (d dice) openRecord(id int) string {
	var members []string
	few := names[:14]
	if d.oneIn(3) {
		few = names
	}
	for _, i := range d.Perm(len(few))[:d.IntN(8)] {
		members = append(members, quoted(few[i])+":"+d.value())
	}
	if d.oneIn(500) {
		members = append(members, quoted(d.long())+":1")
	}
	at := d.IntN(len(members) + 1)
	members = append(members[:at], append([]string{`"id":` + strconv.Itoa(id)}, members[at:]...)...)
	return "{" + strings.Join(members, ",") + "}"
}

// collection is an array of records.
func (d dice) collection(about resources.Description, size int) string {
	var list []string
	for _, id := range d.ids(size) {
		list = append(list, d.record(about, id))
	}
	return "[" + strings.Join(list, ",\n") + "]"
}
