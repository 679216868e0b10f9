package httpapitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// members are the JSON values of an object by name.
type members map[string]json.RawMessage

// decode returns the members of an object, or none if the text is not an object.
func decode(object []byte) (m members) {
	_ = json.Unmarshal(object, &m)
	return m
}

func encode(m members) []byte {
	text, _ := json.Marshal(m) // of valid values
	return text
}

// fields returns the fields of test records. For open records they are arbitrary.
func (s *subject) fields() []schema.Field {
	if s.Description.Fields != nil {
		return s.Description.Fields
	}
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "name", Kind: schema.Text},
		{Name: "runningTime", Kind: schema.Integer},
		{Name: "tagline", Kind: schema.Text, Nullable: true},
		{Name: "inColor", Kind: schema.Boolean},
		{Name: "genres", Kind: schema.References},
		{Name: "extra", Kind: schema.JSON, Nullable: true},
	}
}

// column is a field with its values in the records of a check.
type column struct {
	field  schema.Field
	values []string // JSON
}

// records returns records with the given columns. All other fields are the same in all
// records, unless they are unique. Ids are distinct, but neither ascending nor descending.
func (s *subject) records(columns ...column) (list [][]byte) {
	n := len(columns[0].values)
	for i := range n {
		values := map[string]string{}
		for _, c := range columns {
			values[c.field.Name] = c.values[i]
		}
		list = append(list, s.record(scattered(i, n), values))
	}
	return list
}

// scattered returns the id of record i of n: 2, 4, 6, … and then …, 5, 3, 1.
func scattered(i, n int) int {
	if 2*i+2 <= n {
		return 2*i + 2
	}
	return 2*(n-i) - 1
}

// record returns a record with the given JSON values. It has fillers in its other fields.
func (s *subject) record(id int, values map[string]string) []byte {
	text := []byte{}
	for _, f := range s.fields() {
		value, ok := values[f.Name]
		if f.Name == "id" {
			value = strconv.Itoa(id)
		} else if !ok {
			value = filler(f, id)
		}
		text = fmt.Appendf(text, `,"%s":%s`, f.Name, value)
	}
	text[0] = '{'
	return append(text, '}')
}

// plain returns n records that differ only in their ids and unique fields.
func (s *subject) plain(n int) [][]byte {
	return s.records(column{values: make([]string, n)})
}

// find returns a field other than id of the first possible kind. It skips the check if none
// exists. It ignores unique fields and integers with bounds, because not all values are
// valid.
func (s *subject) find(nullable bool, kinds ...schema.Kind) schema.Field {
	for _, k := range kinds {
		for _, f := range s.fields() {
			if f.Kind == k && f.Nullable == nullable && f.Name != "id" && !f.Unique && f.Min == nil && f.Max == nil {
				return f
			}
		}
	}
	s.Skipf("the collection has no suitable field")
	return schema.Field{}
}

// filler returns the value of a field that a check is not about. It is the same in all
// records, unless the field is unique.
func filler(f schema.Field, id int) string {
	if f.Unique {
		return numbered(f, id%1_000_000)
	}
	return numbered(f, 0)
}

// numbered returns the value number n of a field, as JSON. The values are different, unless
// the field has fewer than n, and numbers and times ascend.
func numbered(f schema.Field, n int) string {
	suffix := ""
	if n != 0 {
		suffix = strconv.Itoa(n)
	}
	switch f.Kind {
	case schema.Integer:
		return strconv.Itoa(integer(f, n))
	case schema.Reference:
		return strconv.Itoa(1 + n)
	case schema.Float:
		return strconv.Itoa(n) + ".5"
	case schema.Decimal:
		return decimal(f, n)
	case schema.Timestamp:
		begin := time.Date(2024, 5, 10, 18, 0, 0, 0, time.FixedZone("", 2*60*60))
		return strconv.Quote(begin.Add(time.Duration(n) * time.Minute).Format(time.RFC3339))
	case schema.Date:
		return strconv.Quote(time.Date(2024, 5, 10+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	case schema.Boolean:
		return strconv.FormatBool(n%2 == 1)
	case schema.Choice:
		return strconv.Quote(f.Choices[n%len(f.Choices)])
	case schema.URL:
		return strconv.Quote("https://films.example/" + suffix)
	case schema.References:
		return "[" + suffix + "]"
	case schema.TextList:
		if n != 0 {
			suffix = strconv.Quote(suffix)
		}
		return "[" + suffix + "]"
	case schema.JSON:
		return cmp.Or(suffix, "null")
	}
	if n != 0 {
		suffix = "-" + suffix
	}
	return strconv.Quote("same" + suffix)
}

// integer returns an integer within the bounds of a field, if possible 1+n.
func integer(f schema.Field, n int) int {
	low := 1
	if f.Max != nil && *f.Max < low {
		low = *f.Max
		if f.Min != nil {
			low = *f.Min
		}
	}
	if f.Min != nil {
		low = max(low, *f.Min)
	}
	if f.Max != nil && n > *f.Max-low {
		return low + n%(*f.Max-low+1)
	}
	return low + n
}

// decimal returns n units of the last place.
func decimal(f schema.Field, n int) string {
	digits := fmt.Sprintf("%0*d", f.Places+1, n)
	point := len(digits) - f.Places
	if f.Places == 0 {
		return strconv.Quote(digits)
	}
	return strconv.Quote(digits[:point] + "." + digits[point:])
}

// sent returns the members of the Body by the names of their fields. Others are omitted.
func (s *subject) sent() members {
	sent := members{}
	for name, value := range decode([]byte(s.Body)) {
		for _, f := range s.fields() {
			if ordering.Snake(name) == ordering.Snake(f.Name) {
				sent[f.Name] = value
			}
		}
	}
	return sent
}

// body returns the Body with other values in unique fields for each n. For 0 it is the
// Body itself.
func (s *subject) body(n int) []byte {
	if n == 0 {
		return []byte(s.Body)
	}
	body := s.sent()
	for _, f := range s.fields() {
		if f.Unique && !f.ReadOnly && f.Kind != schema.Reference {
			body[f.Name] = json.RawMessage(numbered(f, unused+n))
		}
	}
	return encode(body)
}

// without returns the Body without a field.
func (s *subject) without(name string) []byte {
	body := s.sent()
	delete(body, name)
	return encode(body)
}

// unused is a number that no record has as its id, nor a value for it in a unique field.
const unused = 900

// another returns a value of a field that no existing record has, or nil if there may be
// none.
func (s *subject) another(f schema.Field) json.RawMessage {
	switch {
	case f.Kind == schema.Reference || f.Kind == schema.References:
		return s.sent()[f.Name]
	case f.Unique:
		return json.RawMessage(numbered(f, unused))
	}
	return json.RawMessage(numbered(f, 1))
}

// changes returns the members of a body that changes all fields that can be changed.
func (s *subject) changes() members {
	body := s.sent()
	for _, f := range s.fields() {
		if value := s.another(f); value != nil && !f.ReadOnly {
			body[f.Name] = value
		}
	}
	return body
}

// change returns a body that changes all fields that can be changed.
func (s *subject) change() []byte { return encode(s.changes()) }
