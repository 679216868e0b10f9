package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// checkValues checks the order of values in a field of one of the kinds.
func (s *subject) checkValues(why string, nullable bool, kinds []schema.Kind, values []string, orders ...func(string) []ordering.Term) error {
	f, err := s.impl.find(nullable, kinds...)
	if err != nil {
		return err
	}
	var terms [][]ordering.Term
	for _, order := range orders {
		terms = append(terms, order(ordering.Snake(f.Name)))
	}
	return s.checkOrders(why, s.impl.records(column{f, values}), terms...)
}

func checkText(s *subject) error {
	return s.checkValues("text is compared by the bytes of its UTF-8", false, []schema.Kind{schema.Text}, []string{
		`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`, `"�"`, `"😀"`,
	}, asc, desc)
}

// The first two values, and the next two, are equal as float64s. Their order differs
// from that of the ids.
func checkBigIntegers(s *subject) error {
	const why = "integers are compared exactly"
	values := []string{"9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775806", "10", "9", "1"}
	var m model
	for _, value := range values {
		id, err := strconv.Atoi(value)
		if err != nil {
			return skip("an int has 32 bits")
		}
		m = append(m, s.impl.withID(id))
	}
	if err := s.checkOrders(why, m, byID(), byIDDown()); err != nil {
		return err
	}
	err := s.checkValues(why, false, []schema.Kind{schema.Integer, schema.Reference}, values, asc, desc)
	if _, ok := err.(skip); ok { // the order by id has been checked
		return nil
	}
	return err
}

func checkNumbers(s *subject) error {
	return s.checkValues("numbers of any length are compared by value", true, []schema.Kind{schema.JSON},
		[]string{"10", "9.5", "1e1", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891", "0.1", "0"}, asc)
}

func checkDecimals(s *subject) error {
	f, err := s.impl.find(false, schema.Decimal)
	if err != nil {
		return err
	}
	var values []string
	for _, n := range []int{9, 3, 1, 0, 24, 2} {
		values = append(values, decimal(f, n*step(f)))
	}
	m := s.impl.records(column{f, values})
	name := ordering.Snake(f.Name)
	return s.checkOrders("decimals are compared by value", m, asc(name), desc(name))
}

func checkTimes(s *subject) error {
	return s.checkValues("times are compared by instant, regardless of their offsets", false, []schema.Kind{schema.Timestamp}, []string{
		`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`, `"2024-05-10T16:00:00Z"`,
		`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`,
	}, asc)
}

func checkBooleans(s *subject) error {
	return s.checkValues("false is less than true", false, []schema.Kind{schema.Boolean}, []string{"false", "true"}, asc, desc)
}

func checkLists(s *subject) error {
	return s.checkValues("lists are compared element by element, and a prefix is less than a longer list", false,
		[]schema.Kind{schema.References}, []string{"[2]", "[1,2]", "[10]", "[1]", "[]", "[1,1]"}, asc, desc)
}

func checkMixedKinds(s *subject) error {
	return s.checkValues("the order of kinds is booleans, numbers, text, lists, objects", true, []schema.Kind{schema.JSON},
		[]string{`{"a":1}`, `"a"`, "[1]", "true", "-1", `""`, "[]", "false", "5"}, asc, desc)
}

// checkNulls checks the order of null and other values in a field that can be null. Each
// letter is a value, greater for later letters, and n is null.
func (s *subject) checkNulls(places string, order func(string) []ordering.Term) error {
	f, err := s.impl.find(true, schema.Text, schema.URL, schema.Date, schema.Timestamp, schema.Float)
	if err != nil {
		return err
	}
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
	m := s.impl.records(column{f, values})
	return s.checkOrders("null is greater than all other values", m, order(ordering.Snake(f.Name)))
}

func checkNullsAscending(s *subject) error  { return s.checkNulls("mnzna", asc) }
func checkNullsDescending(s *subject) error { return s.checkNulls("mnza", desc) }

func checkTiesAscending(s *subject) error {
	return s.checkValues("ties are broken by the last term, id", false, []schema.Kind{schema.Text},
		[]string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, asc)
}

func checkTiesDescending(s *subject) error {
	return s.checkValues("ties are broken by the last term, id", false, []schema.Kind{schema.Text},
		[]string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, desc,
		func(name string) []ordering.Term { return []ordering.Term{ordering.Asc(name), ordering.Desc("id")} })
}

func checkMixedDirections(s *subject) error {
	one, err := s.impl.find(false, schema.Text)
	if err != nil {
		return err
	}
	two, err := s.impl.find(false, schema.Boolean, schema.Integer, schema.Reference)
	if err != nil {
		return err
	}
	values := []string{"true", "false", "false", "true"}
	if two.Kind != schema.Boolean {
		values = []string{"2", "1", "1", "2"}
	}
	a, b := ordering.Snake(one.Name), ordering.Snake(two.Name)
	m := s.impl.records(column{one, []string{`"a"`, `"b"`, `"a"`, `"b"`}}, column{two, values})
	return s.checkOrders("each term has its own direction", m,
		[]ordering.Term{ordering.Asc(a), ordering.Desc(b), ordering.Asc("id")},
		[]ordering.Term{ordering.Desc(a), ordering.Asc(b), ordering.Desc("id")},
		[]ordering.Term{ordering.Asc(b), ordering.Desc(a), ordering.Asc("id")},
		[]ordering.Term{ordering.Asc(b), ordering.Asc(a), ordering.Asc("id")},
	)
}
