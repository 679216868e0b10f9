package httpapitest

import (
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// checkOrders checks all records of a collection in several orders. why is the rule
// under test.
func (s *subject) checkOrders(why string, m model, orders ...[]ordering.Term) {
	c := s.open(m)
	for _, terms := range orders {
		s.checkPage(c, m, all(), terms, why)
	}
}

// checkValues checks the order of values in a field of one of the kinds.
func (s *subject) checkValues(why string, nullable bool, kinds []schema.Kind, values []string, orders ...func(string) []ordering.Term) {
	f := s.find(nullable, kinds...)
	var terms [][]ordering.Term
	for _, order := range orders {
		terms = append(terms, order(ordering.Snake(f.Name)))
	}
	s.checkOrders(why, s.records(column{f, values}), terms...)
}

func checkText(s *subject) {
	s.checkValues("text is compared by the bytes of its UTF-8", false, []schema.Kind{schema.Text}, []string{
		`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`, `"�"`, `"😀"`,
	}, asc, desc)
}

// The first two values, and the next two, are equal as float64s. Their order differs
// from that of the ids, which are checked even if there is no field to check.
func checkBigIntegers(s *subject) {
	const why = "integers are compared exactly"
	values := []string{"9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775806", "10", "9", "1"}
	var m model
	for _, value := range values {
		id, err := strconv.Atoi(value)
		if err != nil {
			s.skip("an int has 32 bits")
		}
		m = append(m, s.record(id, nil))
	}
	s.checkOrders(why, m, byID(), byIDDown())
	s.checkValues(why, false, []schema.Kind{schema.Integer, schema.Reference}, values, asc, desc)
}

func checkNumbers(s *subject) {
	s.checkValues("numbers of any length are compared by value", true, []schema.Kind{schema.JSON},
		[]string{"10", "9.5", "1e1", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891", "0.1", "0"}, asc)
}

func checkDecimals(s *subject) {
	f := s.find(false, schema.Decimal)
	var values []string
	for _, n := range []int{9, 3, 1, 0, 24, 2} {
		values = append(values, decimal(f, n*step(f)))
	}
	s.checkValues("decimals are compared by value", false, []schema.Kind{schema.Decimal}, values, asc, desc)
}

func checkTimes(s *subject) {
	s.checkValues("times are compared by instant, regardless of their offsets", false, []schema.Kind{schema.Timestamp}, []string{
		`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`, `"2024-05-10T16:00:00Z"`,
		`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`,
	}, asc)
}

func checkBooleans(s *subject) {
	s.checkValues("false is less than true", false, []schema.Kind{schema.Boolean}, []string{"false", "true"}, asc, desc)
}

func checkLists(s *subject) {
	s.checkValues("lists are compared element by element, and a prefix is less than a longer list", false,
		[]schema.Kind{schema.References}, []string{"[2]", "[1,2]", "[10]", "[1]", "[]", "[1,1]"}, asc, desc)
}

func checkMixedKinds(s *subject) {
	s.checkValues("the order of kinds is booleans, numbers, text, lists, objects", true, []schema.Kind{schema.JSON},
		[]string{`{"a":1}`, `"a"`, "[1]", "true", "-1", `""`, "[]", "false", "5"}, asc, desc)
}

// checkNulls checks the order of null and other values in a field that can be null. Each
// letter is a value, greater for later letters, and n is null.
func (s *subject) checkNulls(places string, order func(string) []ordering.Term) {
	f := s.find(true, schema.Text, schema.URL, schema.Date, schema.Timestamp, schema.Float)
	var values []string
	for _, place := range places {
		switch {
		case place == 'n':
			values = append(values, "null")
		case f.Kind == schema.Text || f.Kind == schema.URL:
			values = append(values, strconv.Quote("https://"+string(place)+".example/"))
		default:
			values = append(values, numbered(f, int(place)))
		}
	}
	s.checkOrders("null is greater than all other values", s.records(column{f, values}), order(ordering.Snake(f.Name)))
}

func checkNullsAscending(s *subject)  { s.checkNulls("mnzna", asc) }
func checkNullsDescending(s *subject) { s.checkNulls("mnza", desc) }

const tiesByID = "ties are broken by id, in the direction of the leading term"

func checkTiesAscending(s *subject) {
	s.checkValues(tiesByID, false, []schema.Kind{schema.Text}, []string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, asc)
}

func checkTiesDescending(s *subject) {
	mixed := func(name string) []ordering.Term { return []ordering.Term{ordering.Asc(name), ordering.Desc("id")} }
	s.checkValues(tiesByID, false, []schema.Kind{schema.Text}, []string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, desc, mixed)
}

func checkMixedDirections(s *subject) {
	one := s.find(false, schema.Text)
	two := s.find(false, schema.Boolean, schema.Integer, schema.Reference)
	values := []string{"true", "false", "false", "true", "true"}
	if two.Kind != schema.Boolean {
		values = []string{"2", "1", "1", "2", "2"}
	}
	a, b := ordering.Snake(one.Name), ordering.Snake(two.Name)
	m := s.records(column{one, []string{`"a"`, `"b"`, `"a"`, `"b"`, `"a"`}}, column{two, values})
	s.checkOrders("each term has its own direction", m,
		[]ordering.Term{ordering.Asc(a), ordering.Desc(b)},
		[]ordering.Term{ordering.Desc(a), ordering.Asc(b)},
		[]ordering.Term{ordering.Asc(b), ordering.Desc(a)},
		[]ordering.Term{ordering.Asc(b), ordering.Asc(a)},
	)
}

// defaultOrder returns the terms of the default order.
func (s *subject) defaultOrder() []ordering.Term {
	if len(s.Description.Ordering) == 0 {
		return byID()
	}
	return s.Description.Ordering
}

// unordered returns records whose default order is not that of their ids.
func (s *subject) unordered() model {
	columns := []column{{values: make([]string, 5)}}
	for _, t := range s.Description.Ordering {
		i := slices.IndexFunc(s.fields(), func(f schema.Field) bool { return ordering.Snake(f.Name) == t.Field })
		if i < 0 {
			s.skip("test records lack a field of the default order")
		}
		c := column{field: s.fields()[i]}
		for _, n := range []int{3, 1, 4, 0, 2} {
			c.values = append(c.values, numbered(c.field, n))
		}
		columns = append(columns, c)
	}
	return s.records(columns...)
}

// checkOrder checks the terms that a list of all records returns, and that it has the order
// of these or, if there are none, the default order.
func (s *subject) checkOrder(c httpapi.Collection, m model, terms, known []ordering.Term) {
	list, got := s.list(c, everything(terms))
	if !slices.Equal(list.Terms, known) {
		s.fail("List by %v returns the terms %v, want %v, those that name a field", terms, list.Terms, known)
	}
	order := known
	if len(order) == 0 {
		order = s.defaultOrder()
	}
	if want := m.ids(order); !slices.Equal(got, want) {
		s.fail("List by %v: ids %v, want %v, in the order %v", terms, got, want, order)
	}
}

func checkDefaultOrder(s *subject) {
	m := s.unordered()
	s.checkOrder(s.open(m), m, nil, nil)
}

// List drops terms that name no field. If none is left, it uses the default order.
func checkUnknownField(s *subject) {
	m := s.unordered()
	c := s.open(m)
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		s.checkOrder(c, m, asc(name), nil)
		s.checkOrder(c, m, []ordering.Term{ordering.Asc(name), ordering.Desc("id")}, byIDDown())
		s.checkOrder(c, m, []ordering.Term{ordering.Desc("id"), ordering.Asc(name)}, byIDDown())
	}
}
