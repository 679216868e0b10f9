package httpapitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// record is a record of the model, with its values by their names in orderings.
type record struct {
	id     int
	json   []byte
	values map[string]any
}

// model is the reference implementation: records in a slice, sorted on demand.
type model []record

// ids returns the ids of all records in the order of the terms. Ties are in the order of
// their ids, in the direction of the first term.
func (m model) ids(terms []ordering.Term) []int {
	terms = append(slices.Clip(terms), ordering.Term{Field: "id", Desc: terms[0].Desc})
	sorted := slices.Clone(m)
	slices.SortFunc(sorted, func(a, b record) int {
		for _, t := range terms {
			c := compare(a.values[t.Field], b.values[t.Field])
			if t.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	ids := make([]int, len(sorted))
	for i, r := range sorted {
		ids[i] = r.id
	}
	return ids
}

func (m model) encoded() [][]byte {
	list := make([][]byte, len(m))
	for i, r := range m {
		list[i] = bytes.Clone(r.json)
	}
	return list
}

// stored holds the JSON of all records by their ids.
type stored map[int][]byte

func (m model) stored() stored {
	all := stored{}
	for _, r := range m {
		all[r.id] = bytes.Clone(r.json)
	}
	return all
}

// rank returns the rank of a value's kind. Null has the highest.
func rank(v any) int {
	switch v.(type) {
	case bool:
		return 0
	case json.Number:
		return 1
	case string, time.Time:
		return 2
	case []any:
		return 3
	case map[string]any:
		return 4
	}
	return 5
}

// compare compares values by kind, and then within the kind.
func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case bool:
		return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b.(bool)))
	case json.Number:
		return number(a).Cmp(number(b.(json.Number)))
	case string:
		return strings.Compare(a, b.(string))
	case time.Time:
		return a.Compare(b.(time.Time))
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	case map[string]any:
		return bytes.Compare(encode(a), encode(b)) // objects in checks have one member
	}
	return 0
}

func number(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// parse parses a JSON value of a field of the given kind.
func parse(kind schema.Kind, value string) any {
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(fmt.Sprintf("%s: %v", value, err))
	}
	switch s, ok := v.(string); {
	case ok && kind == schema.Timestamp:
		return instant(s)
	case ok && kind == schema.Decimal:
		return json.Number(s)
	}
	return v
}

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}

// equal reports whether two values of a field are equal. Absent ones are not.
func equal(f schema.Field, a, b json.RawMessage) bool {
	return a != nil && b != nil && compare(parse(f.Kind, string(a)), parse(f.Kind, string(b))) == 0
}

// members are the JSON values of an object by name.
type members map[string]json.RawMessage

// decode returns the members of an object. It panics if the text is not an object.
func decode(object []byte) members {
	var m members
	if err := json.Unmarshal(object, &m); err != nil {
		panic(fmt.Sprintf("%s: %v", object, err))
	}
	return m
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are valid JSON
	}
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

// records returns a model with the given columns. All other fields are the same in all
// records, unless they are unique. Ids are distinct, but neither ascending nor descending.
func (s *subject) records(columns ...column) model {
	n := len(columns[0].values)
	var m model
	for i := range n {
		values := map[string]string{}
		for _, c := range columns {
			values[c.field.Name] = c.values[i]
		}
		m = append(m, s.record(scattered(i, n), values))
	}
	return m
}

// scattered returns the id of record i of n: 2, 4, 6, … and then …, 5, 3, 1.
func scattered(i, n int) int {
	if 2*i+2 <= n {
		return 2*i + 2
	}
	return 2*(n-i) - 1
}

// record returns a record with the given JSON values. It has fillers in its other fields.
func (s *subject) record(id int, values map[string]string) record {
	r := record{id: id, values: map[string]any{}}
	separator := "{"
	for _, f := range s.fields() {
		value, ok := values[f.Name]
		if f.Name == "id" {
			value = strconv.Itoa(id)
		} else if !ok {
			value = filler(f, id)
		}
		r.json = fmt.Appendf(r.json, `%s"%s":%s`, separator, f.Name, value)
		r.values[ordering.Snake(f.Name)] = parse(f.Kind, value)
		separator = ","
	}
	r.json = append(r.json, '}')
	return r
}

// plain returns n records that differ only in their ids and unique fields.
func (s *subject) plain(n int) model {
	if n == 0 {
		return nil
	}
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
	s.skip("the collection has no suitable field")
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

// numbered returns the value number n of a field, as JSON. The values are different,
// unless the field has fewer than n, and those of numbers and times ascend.
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

// invalid returns values that a field must not have, as JSON.
func invalid(f schema.Field) []string {
	var values []string
	if !f.Nullable {
		values = append(values, "null")
	}
	switch f.Kind {
	case schema.Text, schema.Slug, schema.URL, schema.Choice:
		values = append(values, "[]", "{}")
	case schema.References, schema.TextList:
		values = append(values, "5", `"x"`)
	case schema.JSON:
	default:
		values = append(values, `"x"`, "[]")
	}
	switch f.Kind {
	case schema.Slug, schema.URL:
		values = append(values, `"a b"`)
	case schema.Choice:
		values = append(values, `"no such choice"`)
	case schema.Date:
		values = append(values, `"2024-02-30"`)
	case schema.Decimal:
		values = append(values, `"0.`+fmt.Sprintf("%0*d", f.Places+1, 1)+`"`)
	}
	if f.Max != nil && *f.Max+1 > *f.Max {
		values = append(values, strconv.Itoa(*f.Max+1))
	}
	if f.Min != nil && *f.Min-1 < *f.Min {
		values = append(values, strconv.Itoa(*f.Min-1))
	}
	return values
}

// sent returns the members of the Body by the names of their fields. Others are omitted.
func (s *subject) sent() members {
	if s.Body == "" {
		return members{}
	}
	body, sent := decode([]byte(s.Body)), members{}
	for name, value := range body {
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

// another returns a value of a field other than that of existing records. ok is false if
// there may be none.
func (s *subject) another(f schema.Field) (value json.RawMessage, ok bool) {
	switch {
	case f.Kind == schema.Reference || f.Kind == schema.References:
		value = s.sent()[f.Name]
	case f.Unique:
		value = json.RawMessage(numbered(f, unused))
	default:
		value = json.RawMessage(numbered(f, 1))
	}
	return value, value != nil && !equal(f, value, json.RawMessage(filler(f, 0)))
}

// change returns a body that changes all fields that can be changed.
func (s *subject) change() []byte { return encode(s.changes()) }

func (s *subject) changes() members {
	body := s.sent()
	for _, f := range s.fields() {
		if value, ok := s.another(f); ok && !f.ReadOnly {
			body[f.Name] = value
		}
	}
	return body
}
