package schema

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// target returns the field by which a field refers to records, or the zero Field.
func (c *checker) target(f Field) Field {
	d := c.related[f.Refers]
	if d == nil {
		return Field{}
	}
	to, _ := d.snakeField(f.By)
	return to
}

// find returns the id of the record that has a text in the field to which f refers, which is its id
// unless By names another, or 0, and the text that the record has.
func (c *checker) find(f Field, text string) (id int, stored string) {
	to := reference{f.Refers, cmp.Or(f.By, "id"), text}
	if c.Find == nil || c.err != nil {
		return 0, text
	}
	is, ok := c.known[to]
	if !ok {
		is.id, is.stored, c.err = c.Find(c.ctx, to.collection, to.field, text)
		if is.id != 0 && !c.sees(to.collection, to.field, text) {
			is.id = 0
		}
		if c.known == nil {
			c.known = map[reference]found{}
		}
		c.known[to] = is
	}
	return is.id, cmp.Or(is.stored, text)
}

// finds reports whether a record has a text in the field to which f refers.
func (c *checker) finds(f Field, text string) bool {
	id, _ := c.find(f, text)
	return id != 0
}

// cleanReference accepts the id of an existing record. The empty string counts as null.
func (f Field) cleanReference(value string, checks *checker) (text string, messages []string) {
	if value == `""` {
		return f.cleanNull()
	}
	_, text, message := f.referred(value, checks)
	if message != "" {
		return invalid("%s", message)
	}
	return text, nil
}

// cleanReferences accepts a list of ids of existing records, or an object, whose names
// are the ids. It sorts the records by their ids or keys and removes duplicates. The message is
// about the first invalid id, or about the number of records.
func (f Field) cleanReferences(value string, checks *checker) (text string, messages []string) {
	var items iter.Seq[string]
	switch kind := jsontext.KindOf(value); kind {
	case jsontext.List:
		items = jsontext.Elements(value)
	case jsontext.Object:
		items = func(yield func(string) bool) {
			for name := range jsontext.Members(value) { // in snake_case, as the framework's parser converts them
				if !yield(string(jsontext.AppendString(nil, ordering.Snake(name)))) {
					return
				}
			}
		}
	default:
		return invalid(notAList, kind)
	}
	texts := map[int]string{}
	for item := range items {
		id, text, message := f.referred(item, checks)
		if message != "" {
			return invalid("%s", message)
		}
		texts[id] = text
	}
	if message := f.lengthMessage(len(texts)); message != "" {
		return invalid("%s", message)
	}
	ids := slices.Sorted(maps.Keys(texts))
	if to := checks.target(f); to.Key {
		compare := strings.Compare
		if to.isNumber() {
			compare = compareNumbers
		}
		slices.SortFunc(ids, func(a, b int) int { return compare(pythonText(texts[a]), pythonText(texts[b])) })
	}
	list := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, texts[id]...)
	}
	return string(append(list, ']')), nil
}

// referred returns the id of the record to which a value refers, and the JSON of the reference.
func (f Field) referred(value string, checks *checker) (id int, text, message string) {
	if f.By != "" {
		return f.named(value, checks)
	}
	id, message = f.reference(value, checks)
	return id, strconv.Itoa(id), message
}

// reference returns the id of an existing record. The value is a number, which is
// truncated to an integer, or a string that contains an integer. A number out of range
// for an int is not the id of a record.
func (f Field) reference(value string, checks *checker) (id int, message string) {
	shown, valid := value, true
	kind := jsontext.KindOf(value)
	switch kind {
	case jsontext.Null:
		shown = "None"
	case jsontext.Int:
		id, _ = integer(value)
	case jsontext.Float:
		n, _ := strconv.ParseFloat(value, 64)
		if math.Abs(n) < math.MaxInt {
			id = int(n)
		}
	case jsontext.String:
		shown = jsontext.Unquote(value)
		id, valid = integer(strings.TrimSpace(shown))
	default:
		valid = false
	}
	switch {
	case !valid:
		return 0, noKey(kind)
	case id < 1 || !checks.finds(f, strconv.Itoa(id)):
		return 0, noRecord(shown)
	}
	return id, ""
}

// integer returns the value of a text of ASCII digits with an optional sign and reports
// whether text is one. If the number is out of range for an int, it returns 0, which is
// not the id of a record.
func integer(text string) (n int, ok bool) {
	if !isInteger(text) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, true
	}
	return n, true
}

// named returns the id and the text of the record that a value refers to by its text, in JSON. The text
// of a key that is a number has its digits only.
// Other values than text count as their text in Python, except for integers that are UUIDs.
func (f Field) named(value string, checks *checker) (id int, text, message string) {
	shown, kind, to := pythonText(value), jsontext.KindOf(value), checks.target(f)
	name := shown
	switch {
	case to.Key && kind == jsontext.Bool:
		return 0, "", noKey(kind)
	case to.Kind == UUID && kind != jsontext.Null:
		quoted, _ := cleanUUID(f, value, checks)
		if quoted == "" {
			return 0, "", notAnyUUID(strings.ToValidUTF8(shown, "\ufffd"))
		}
		name = strings.Trim(quoted, `"`)
	}
	_, surrogate := jsontext.FirstSurrogate(name)
	switch unstorable := surrogate || strings.IndexByte(name, 0) >= 0; {
	case unstorable && to.Key:
		return 0, "", noKey(kind)
	case unstorable:
		return 0, "", "Invalid value."
	}
	if kind != jsontext.Null { // which is no text, although Python has one
		id, name = checks.find(f, name)
	}
	if id == 0 {
		if shown = strings.ToValidUTF8(shown, "\ufffd"); to.Key {
			return 0, "", noRecord(shown)
		}
		return 0, "", fmt.Sprintf("Object with %s=%s does not exist.", f.By, shown)
	}
	if to.Key && to.Kind == Integer {
		return id, name, ""
	}
	return id, string(jsontext.AppendString(nil, name)), ""
}

func noKey(kind jsontext.Kind) string {
	return fmt.Sprintf("Incorrect type. Expected pk value, received %s.", kind)
}

func noRecord(key string) string {
	return fmt.Sprintf(`Invalid pk "%s" - object does not exist.`, key)
}

func notAnyUUID(text string) string { return fmt.Sprintf("“%s” is not a valid UUID.", text) }

func (f Field) filterReference(_, value string, checks *checker) (text, message string) {
	switch {
	case checks.as.refuses(value):
		return "", hasNull
	case f.By != "":
		to, uuid := checks.target(f), uuidOf(value)
		switch {
		case to.Kind == UUID && uuid != "":
			value = uuid
		case to.Kind == UUID && to.Key:
			return "", notAnyUUID(value)
		}
		if !checks.finds(f, value) {
			return "", notAvailable("That choice")
		}
		return value, ""
	}
	id, ok := f.filterID(strings.TrimSpace(value), checks)
	if !ok {
		return "", notAvailable("That choice")
	}
	return strconv.Itoa(id), ""
}

// filterListed returns the id or the text that a list of references may contain, of any record or none.
func (f Field) filterListed(lookup, value string, checks *checker) (text, message string) {
	to := checks.target(f)
	if f.By == "" || to.isNumber() {
		n, message := filterNumber(value)
		return n.integer(), message
	}
	if to.Kind == UUID {
		return filterUUID(f, lookup, value, checks)
	}
	return filterText(f, lookup, value, checks)
}

// filterIDs returns the ids or the texts of a parameter for a list of references. Django checks that
// all values have the right form before it looks for the first one that no record has. It compares
// their text, so that "01" is not the id 1, and a UUID must be spelled as stored.
func (f Field) filterIDs(given []string, checks *checker) (ids []string, message string) {
	to := checks.target(f)
	uuids := to.Kind == UUID
	for _, text := range given {
		_, isInteger := integer(strings.TrimSpace(text))
		switch {
		case checks.as.refuses(text):
			return nil, hasNull
		case (f.By == "" || to.isNumber()) && !isInteger:
			return nil, fmt.Sprintf("“%s” is not a valid value.", validUTF8(text))
		case uuids && uuidOf(text) == "":
			return nil, notAnyUUID(validUTF8(text))
		}
	}
	for _, text := range given {
		var id int
		var stored string
		if f.By != "" {
			id, stored = checks.find(f, text)
		} else if n, ok := f.filterID(text, checks); ok {
			id, stored = n, strconv.Itoa(n)
		}
		if id == 0 || stored != text && (uuids || f.By == "") {
			return nil, notAvailable(validUTF8(text))
		}
	}
	return slices.Clone(given), ""
}

// filterID returns the id of an existing record. The ids of a field that refers to no
// collection are not checked.
func (f Field) filterID(text string, checks *checker) (id int, ok bool) {
	id, ok = integer(text)
	return id, ok && id > 0 && (f.Refers == "" || checks.finds(f, strconv.Itoa(id)))
}

// maxSegment is the maximum length of a text in the Lookup field, in bytes as paths escape it. The
// path of the record has at most 2,048.
const maxSegment = 1536

// CheckLookup returns [FieldErrors] if a text of the Lookup field is too long to be the last
// segment of a path: it has more than 1,536 bytes as paths escape it. A text with a slash is valid,
// although no path names its record; in a Key it is not.
func (d Description) CheckLookup(text string) error {
	if len(text) <= maxSegment/3 || len(url.PathEscape(text)) <= maxSegment {
		return nil
	}
	f, _ := d.snakeField(d.Lookup)
	message := fmt.Sprintf("Ensure this field has no more than %d bytes in a path.", maxSegment)
	return FieldErrors{{Field: f.Name, Messages: []string{message}}}
}

// NotFound returns the detail of a 404 for a segment of a path that names no record. In 3.18 it has
// the name of a record unless no record can have the segment.
func (f Framework) NotFound(d Description, segment string) string {
	possible := d.LookupText(segment) != "" && strings.IndexByte(segment, 0) < 0
	if d.Lookup == "" {
		possible = isInteger(strings.TrimSpace(segment))
	}
	if !f.has(namesModels) || !possible {
		return "Not found."
	}
	var model strings.Builder
	for _, word := range strings.Fields(d.Name) {
		first := []rune(word)
		first[0] = unicode.ToUpper(first[0])
		model.WriteString(string(first))
	}
	return "No " + model.String() + " matches the given query."
}

// LookupText returns the value of the Lookup field for a path segment: the segment or, for a UUID,
// its canonical form. It returns "" if no record can have it. A key that is a number has one form: its
// digits, without leading zeros, and a minus sign if it is negative; an Integer has 64 bits.
func (d Description) LookupText(segment string) string {
	switch f, _ := d.snakeField(d.Lookup); {
	case f.Kind == UUID:
		return uuidOf(segment)
	case f.isNumber() && !isCanonical(segment):
		return ""
	case f.isNumber() && f.Kind == Integer:
		if _, err := strconv.ParseInt(segment, 10, 64); err != nil {
			return ""
		}
	}
	return segment
}

// ParseID returns the id that a segment of a path holds, or 0, which is not the id of a record. It
// ignores white space around the number. As in Python's int(), U+001C to U+001F are not white
// space.
func ParseID(segment string) int {
	id, err := strconv.Atoi(strings.TrimSpace(segment))
	if err != nil || id < 0 {
		return 0
	}
	return id
}
