package httpapitest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/httpapi/internal/broken"
)

// members are the JSON values of an object by name.
type members map[string]json.RawMessage

// decode returns the members of an object, or none if the text is not an object.
func decode(object []byte) (m members) {
	_ = json.Unmarshal(object, &m)
	return m
}

func encode(m members) string {
	text, _ := json.Marshal(m) // of valid values
	return string(text)
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

// find returns the suitable fields other than id. It skips the check if none exists.
func (s *subject) find(suitable func(schema.Field) bool) []schema.Field {
	fields := slices.DeleteFunc(slices.Clone(s.fields()), func(f schema.Field) bool { return f.IsID() || !suitable(f) })
	if len(fields) == 0 {
		s.Skipf("the collection has no suitable field")
	}
	return fields
}

// A column is a field with its first values in the records of a check, as JSON. Further
// records have the same values again or, in a unique field, others.
type column struct {
	field  schema.Field
	values []string
}

// records returns n records with the given columns. All other fields are the same in all
// records, unless they are unique. Ids are distinct, but neither ascending nor descending.
func (s *subject) records(n int, columns ...column) (list [][]byte) {
	for i := range n {
		id := 2*i + 2 // 2, 4, 6, … and then …, 5, 3, 1
		if id > n {
			id = 2*(n-i) - 1
		}
		values := map[string]string{}
		for _, c := range columns {
			if i < len(c.values) || !c.field.Unique {
				values[c.field.Name] = c.values[i%len(c.values)]
			}
		}
		list = append(list, s.record(id, values))
	}
	return list
}

// record returns a record with the given JSON values. Its other fields have the same values in
// all records, unless they are unique.
func (s *subject) record(id int, values map[string]string) []byte {
	text := []byte{}
	for _, f := range s.fields() {
		value, ok := values[f.Name]
		switch {
		case f.IsID():
			value = strconv.Itoa(id)
		case !ok && f.Unique:
			value = s.value(f, 100+id%1_000_000)
		case !ok:
			value = s.value(f, 0)
		}
		text = fmt.Appendf(text, `,"%s":%s`, f.Name, value)
	}
	text[0] = '{'
	return append(text, '}')
}

// values returns different values of a field as JSON, in no order. A wrong comparison puts
// some in another order than a right one. They are valid, except in fields that refer to others.
func (s *subject) values(f schema.Field) []string {
	if list, ok := s.known[f.Name]; ok {
		return slices.Clone(list)
	}
	list := s.candidates(f)
	if f.Kind != schema.Reference && f.Kind != schema.References {
		for i, value := range list {
			list[i] = normal(f, value)
		}
		list = slices.DeleteFunc(list, func(value string) bool { return value == "" })
	}
	if len(list) < 2 && f.Choices == nil {
		list = made(f, 12)
	}
	if len(list) == 0 {
		s.Skipf("no valid value of the field %s is known", f.Name)
	}
	s.known[f.Name] = list
	return slices.Clone(list)
}

// normal returns the form in which a value of a field is stored, or "" if the value is not valid.
func normal(f schema.Field, value string) string {
	f.Name, f.Required, f.ReadOnly, f.Created, f.Unique, f.Untrimmed = "f", true, false, false, false, true
	alone := schema.Description{Name: "record", Fields: []schema.Field{f}}
	record, err := alone.Validate(context.Background(), []byte(`{"f":`+value+`}`), schema.Checks{})
	if err != nil {
		return ""
	}
	text, _ := record.Get("f")
	return text
}

// made returns up to n different values of a field that are made up.
func made(f schema.Field, n int) (list []string) {
	m := broken.New(0, uint64(f.Kind))
	f.Nullable = false
	seen := map[string]bool{"": true}
	for range 20 * n {
		if value := normal(f, m.Value(f)); !seen[value] && len(list) < n {
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

// candidates returns values of a field that may not be valid, or none of a kind for which any values
// do.
func (s *subject) candidates(f schema.Field) (values []string) {
	if f.Choices != nil {
		return f.ChoiceValues()
	}
	switch f.Kind {
	case schema.Text:
		return []string{`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`,
			`"�"`, `"😀"`, `"ßa"`, `"éa"`, `"Éa b"`, `"b%"`}
	case schema.Timestamp:
		return []string{`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`,
			`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`}
	case schema.Reference:
		return append(s.referred(f), "109", "99", "120", "100") // not in the Body
	case schema.References:
		values = []string{"[]", "[120]", "[99,120]", "[100]", "[99]", "[99,99]"}
		for _, id := range s.referred(f) {
			values = append(values, "["+id+"]")
		}
	case schema.JSON:
		return []string{"10", "9.5", "1e2", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891",
			"9007199254740993", "9007199254740992", "0", `{"a":1}`, `"a"`, "[1]", "true", `""`, "[]", "false"}
	case schema.Integer: // some are equal as float64s
		for _, n := range []int{9, 1, 10, 0, 2, math.MaxInt>>10 + 1, math.MaxInt >> 10, math.MaxInt - 1, math.MaxInt - 2} {
			values = append(values, strconv.Itoa(n))
		}
	}
	return values
}

// value returns value number n of a field. It is another one for each n if the field is unique.
func (s *subject) value(f schema.Field, n int) string {
	list := s.values(f)
	switch {
	case n < len(list):
		return list[n]
	case f.Kind == schema.Reference:
		return strconv.Itoa(100 + n)
	case !f.Unique:
		return list[n%len(list)]
	}
	if s.more[f.Name] == nil {
		s.more[f.Name] = map[int]string{}
	}
	more, m := s.more[f.Name], values.Maker{Choose: rand.New(rand.NewPCG(uint64(n), 0)).IntN}
	f.Nullable = false
	taken := slices.AppendSeq(list, maps.Values(more))
	for try := 0; more[n] == "" && try < 1000; try++ {
		if value := normal(f, m.Value(f)); !slices.Contains(taken, value) {
			more[n] = value
		}
	}
	return cmp.Or(more[n], list[n%len(list)])
}

// referred returns the ids in a field of the Body that refers to others.
func (s *subject) referred(f schema.Field) []string {
	if f.Kind != schema.Reference && f.Kind != schema.References {
		return nil
	}
	return strings.FieldsFunc(string(s.body(0)[f.Name]), func(r rune) bool { return r < '0' || r > '9' })
}

// unused is a number that no record has as its id, also in other collections, nor a value for it
// in a unique field.
const unused = 977

// body returns the Body with other values in unique fields for each n. For 0 it is the
// Body itself.
func (s *subject) body(n int) members {
	body := members{}
	_ = json.Unmarshal([]byte(s.Body), &body)
	for _, f := range s.fields() {
		if n > 0 && f.Unique && !f.ReadOnly && f.Kind != schema.Reference {
			body[f.Name] = json.RawMessage(s.value(f, unused+n))
		}
	}
	return body
}

// changes returns a body that changes all fields that can be changed to values that no record
// has.
func (s *subject) changes() members {
	body := s.body(1)
	for _, f := range s.fields() {
		switch {
		case f.ReadOnly:
			delete(body, f.Name)
		case !f.Unique && f.Kind != schema.Reference && f.Kind != schema.References:
			body[f.Name] = json.RawMessage(s.value(f, 1))
		}
	}
	return body
}

// A subject is the implementation under test, in one check.
type subject struct {
	testing.TB
	Implementation
	ctx   context.Context
	known map[string][]string       // values of fields
	more  map[string]map[int]string // further values of unique fields
}

// isOwn reports whether a parameter is about a field of the records, not about one of others to
// which they refer.
func (s *subject) isOwn(parameter string) bool {
	own := s.Description
	own.Related = nil
	_, _, err := own.Parameter(parameter)
	return err == nil
}
