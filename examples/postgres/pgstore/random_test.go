package pgstore_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator generates records and requests. The same seed gives the same ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 0))} }

func (g generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g generator, list []T) T { return list[g.IntN(len(list))] }

// texts are texts that collations and indexes may confuse or order differently.
var texts = []string{
	"", " ", "a", "A", "á", "a\u0301", "ä", "Ä", "aa", "ab", "b", "B", "z", "ß", "ss",
	"same", "same", "Same", "same ", "\t", "\n", "\u0001", "\u007f", "\u00a0", "\ufffd", "\uffff", "\U00010000", "😀",
	"'", `"`, `\`, `\\`, ";", "--", "/*", "$1", "t.id", "'; DROP TABLE events; --", "%s", "<b>&amp;</b>", "null", "NULL", "{}",
	strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 256) + "a", strings.Repeat("x", 256) + "b", strings.Repeat("x", 256) + "B",
	strings.Repeat("é", 256) + "a", strings.Repeat("é", 256) + "b", strings.Repeat("😀", 256) + "a", strings.Repeat("😀", 256) + "b",
}

// long returns a text that is too long for an index.
func (g generator) long() string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéäß😀"
	alphabet := []rune(letters)
	var b strings.Builder
	b.WriteString(strings.Repeat("x", 300*g.IntN(2)))
	for range 10_001 {
		b.WriteRune(pick(g, alphabet))
	}
	return b.String()
}

// text returns a JSON string.
func (g generator) text() string {
	s := pick(g, texts)
	if g.oneIn(300) {
		s = g.long()
	}
	return quoted(s)
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot happen
	}
	return string(text)
}

// times are times with ties in different zones, and the first and last valid times.
var times = []string{
	"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00-12:00", "0001-01-01T00:00:00.000001Z",
	"9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999-12:00", "9999-12-31T23:59:59+14:00",
	"2026-05-10T18:00:00+02:00", "2026-05-10T16:00:00Z", "2026-05-10T16:00:00+00:00", "2026-05-10T21:30:00+05:30", "2026-05-10T15:30:00-00:30",
	"2026-05-10T16:00:00.000001Z", "2026-05-10T16:00:00.000002Z", "2026-05-10T16:00:00.0000019Z", "2026-05-10T16:00:00.1Z",
	"1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00Z", "1582-10-10T00:00:00Z",
}

// values are JSON values of all kinds, including very large numbers.
var values = []string{
	"null", "null", "true", "false",
	"0", "-0", "0.0", "-0.0", "1", "1.0", "10e-1", "1e0", "2", "10", "-1", "-1.5", "0.1", "1e400", "-1e400", "1e-400", "1e401",
	"1e9223372036854775808", "9007199254740992", "9007199254740993", "9007199254740992.5", "18446744073709551616",
	"1234567890123456789012345678901234567890", "1234567890123456789012345678901234567891", "0.1234567890123456789012345678901234567890",
	`""`, `"\u0000"`, `"a\u0000b"`, `"a\u0000"`, `"\u00e9"`, `"\ud83d\ude00"`, `"1"`, `"true"`,
	"[]", "[1]", "[1,2]", "[2]", "[null]", "[[]]", `["a"]`, `["a\u0000"]`, "[true,1,null]",
	"{}", `{"a":1}`, `{"a":1,"b":[{"c":null}]}`, `{"b":1}`, `{"a":"\u0000"}`,
}

// value returns a JSON value.
func (g generator) value() string {
	if g.oneIn(3) {
		return g.text()
	}
	return pick(g, values)
}

// ids returns n distinct ids in random order.
func (g generator) ids(n int) []int {
	seen := map[int]bool{}
	for len(seen) < n {
		id := 1 + g.IntN(2*n+1)
		if g.oneIn(20) {
			id = math.MaxInt/2 - g.IntN(3)
		}
		seen[id] = true
	}
	list := make([]int, 0, n)
	for id := range seen {
		list = append(list, id)
	}
	slices.Sort(list) // the order of a map does not depend on the seed
	g.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
