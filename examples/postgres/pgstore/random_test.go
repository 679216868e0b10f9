package pgstore_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// dice make up records and requests: of the same seed the same.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0))} }

func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// texts are near one another in the ways in which collations and indexes differ.
var texts = []string{
	"", " ", "a", "A", "á", "a\u0301", "ä", "Ä", "aa", "ab", "b", "B", "z", "ß", "ss",
	"same", "same", "Same", "same ", "\t", "\n", "\u0001", "\u007f", "\u00a0", "\ufffd", "\uffff", "\U00010000", "😀",
	"'", `"`, `\`, `\\`, ";", "--", "/*", "$1", "t.id", "'; DROP TABLE events; --", "%s", "<b>&amp;</b>", "null", "NULL", "{}",
	strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 256) + "a", strings.Repeat("x", 256) + "b", strings.Repeat("x", 256) + "B",
	strings.Repeat("é", 256) + "a", strings.Repeat("é", 256) + "b", strings.Repeat("😀", 256) + "a", strings.Repeat("😀", 256) + "b",
}

// long are texts that no entry of an index holds, and that differ late.
func (d dice) long() string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéäß😀"
	alphabet := []rune(letters)
	var b strings.Builder
	b.WriteString(strings.Repeat("x", 300*d.IntN(2)))
	for range 10_001 {
		b.WriteRune(pick(d, alphabet))
	}
	return b.String()
}

// text is a JSON string.
func (d dice) text() string {
	s := pick(d, texts)
	if d.oneIn(300) {
		s = d.long()
	}
	return quoted(s)
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings marshal
	}
	return string(text)
}

// times have ties among different offsets, and both ends of what can be written.
var times = []string{
	"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00-12:00", "0001-01-01T00:00:00.000001Z",
	"9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999-12:00", "9999-12-31T23:59:59+14:00",
	"2026-05-10T18:00:00+02:00", "2026-05-10T16:00:00Z", "2026-05-10T16:00:00+00:00", "2026-05-10T21:30:00+05:30", "2026-05-10T15:30:00-00:30",
	"2026-05-10T16:00:00.000001Z", "2026-05-10T16:00:00.000002Z", "2026-05-10T16:00:00.0000019Z", "2026-05-10T16:00:00.1Z",
	"1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00Z", "1582-10-10T00:00:00Z",
}

// values are JSON of all kinds, with numbers that no machine word holds.
var values = []string{
	"null", "null", "true", "false",
	"0", "-0", "0.0", "-0.0", "1", "1.0", "10e-1", "1e0", "2", "10", "-1", "-1.5", "0.1", "1e400", "-1e400", "1e-400", "1e401",
	"1e9223372036854775808", "9007199254740992", "9007199254740993", "9007199254740992.5", "18446744073709551616",
	"1234567890123456789012345678901234567890", "1234567890123456789012345678901234567891", "0.1234567890123456789012345678901234567890",
	`""`, `"\u0000"`, `"a\u0000b"`, `"a\u0000"`, `"\u00e9"`, `"\ud83d\ude00"`, `"1"`, `"true"`,
	"[]", "[1]", "[1,2]", "[2]", "[null]", "[[]]", `["a"]`, `["a\u0000"]`, "[true,1,null]",
	"{}", `{"a":1}`, `{"a":1,"b":[{"c":null}]}`, `{"b":1}`, `{"a":"\u0000"}`,
}

// value is JSON of any kind.
func (d dice) value() string {
	if d.oneIn(3) {
		return d.text()
	}
	return pick(d, values)
}

// ids are distinct, and up to half of the largest.
func (d dice) ids(n int) []int {
	seen := map[int]bool{}
	for len(seen) < n {
		id := 1 + d.IntN(2*n+1)
		if d.oneIn(20) {
			id = math.MaxInt/2 - d.IntN(3)
		}
		seen[id] = true
	}
	list := make([]int, 0, n)
	for id := range seen {
		list = append(list, id)
	}
	slices.Sort(list) // a map's order is of no seed
	d.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
