package conformance

import (
	"strconv"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// by checks the order of values in a field of one of the kinds.
func (s *subject) by(why string, nullable bool, kinds []resources.Kind, values []string, orders ...func(string) []ordering.Term) error {
	f, err := s.impl.find(nullable, kinds...)
	if err != nil {
		return err
	}
	var terms [][]ordering.Term
	for _, order := range orders {
		terms = append(terms, order(ordering.Snake(f.Name)))
	}
	return s.ordered(why, s.impl.records(column{f, values}), terms...)
}

func checkText(s *subject) error {
	return s.by("text is compared by the bytes of its UTF-8", false, []resources.Kind{resources.Text}, []string{
		`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`, `"�"`, `"😀"`,
	}, up, down)
}

// The first two, and the next two, are apart only where they are no float64s, and
// then in the other order than that of their ids.
func checkBigIntegers(s *subject) error {
	const why = "whole numbers are compared digit by digit"
	values := []string{"9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775806", "10", "9", "1"}
	var m model
	for _, id := range values {
		m = append(m, s.impl.record(func(f resources.Field) string {
			if f.Name == "id" {
				return id
			}
			return filler(f)
		}))
	}
	if err := s.ordered(why, m, byID(), byIDDown()); err != nil {
		return err
	}
	err := s.by(why, false, []resources.Kind{resources.Integer, resources.Reference}, values, up, down)
	if _, none := err.(skip); none {
		return nil
	}
	return err
}

func checkNumbers(s *subject) error {
	return s.by("numbers are compared by value, however many digits they have", true, []resources.Kind{resources.JSON},
		[]string{"10", "9.5", "1e1", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891", "0.1", "0"}, up)
}

func checkTimes(s *subject) error {
	return s.by("times are compared by instant, whatever their offsets", false, []resources.Kind{resources.Timestamp}, []string{
		`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`, `"2024-05-10T16:00:00Z"`,
		`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`,
	}, up)
}

func checkBooleans(s *subject) error {
	return s.by("false is before true", false, []resources.Kind{resources.Boolean}, []string{"false", "true"}, up, down)
}

func checkLists(s *subject) error {
	return s.by("lists are compared element by element, and the shorter is first if it begins the longer", false,
		[]resources.Kind{resources.References}, []string{"[2]", "[1,2]", "[10]", "[1]", "[]", "[1,1]"}, up, down)
}

func checkMixedKinds(s *subject) error {
	return s.by("booleans, then numbers, text, lists, objects", true, []resources.Kind{resources.JSON},
		[]string{`{"a":1}`, `"a"`, "[1]", "true", "-1", `""`, "[]", "false", "5"}, up, down)
}

// A kind of text that can be null, whose values are as good as URLs.
func (s *subject) nulls(values []string, order func(string) []ordering.Term) error {
	for i, v := range values {
		if v != "null" {
			values[i] = strconv.Quote("https://" + v + ".example/")
		}
	}
	return s.by("null is larger than all else: last ascending, first descending", true,
		[]resources.Kind{resources.Text, resources.URL}, values, order)
}

func checkNullsAscending(s *subject) error {
	return s.nulls([]string{"m", "null", "z", "null", "a"}, up)
}

func checkNullsDescending(s *subject) error { return s.nulls([]string{"m", "null", "z", "a"}, down) }

func checkTiesAscending(s *subject) error {
	return s.by("ties break by id, as the last term says", false, []resources.Kind{resources.Text},
		[]string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, up)
}

func checkTiesDescending(s *subject) error {
	return s.by("ties break by id, as the last term says", false, []resources.Kind{resources.Text},
		[]string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, down,
		func(name string) []ordering.Term { return []ordering.Term{ordering.Asc(name), ordering.Desc("id")} })
}

func checkMixedDirections(s *subject) error {
	one, err := s.impl.find(false, resources.Text)
	if err != nil {
		return err
	}
	two, err := s.impl.find(false, resources.Boolean, resources.Integer, resources.Reference)
	if err != nil {
		return err
	}
	values := []string{"true", "false", "false", "true"}
	if two.Kind != resources.Boolean {
		values = []string{"2", "1", "1", "2"}
	}
	a, b := ordering.Snake(one.Name), ordering.Snake(two.Name)
	m := s.impl.records(column{one, []string{`"a"`, `"b"`, `"a"`, `"b"`}}, column{two, values})
	return s.ordered("each term has a direction of its own", m,
		[]ordering.Term{ordering.Asc(a), ordering.Desc(b), ordering.Asc("id")},
		[]ordering.Term{ordering.Desc(a), ordering.Asc(b), ordering.Desc("id")},
		[]ordering.Term{ordering.Asc(b), ordering.Desc(a), ordering.Asc("id")},
		[]ordering.Term{ordering.Asc(b), ordering.Asc(a), ordering.Asc("id")},
	)
}
