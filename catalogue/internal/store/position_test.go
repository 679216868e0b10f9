package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// A token is of one order and one set of conditions, however these are written.
func TestTokenOfAnotherQuery(t *testing.T) {
	c := newStore(t, newType(0), 70)
	query := func(terms string, list ...ordering.Condition) Query {
		return Query{Terms: parse(terms), Where: conditions(t, list...)}
	}
	less, text := ordering.Less("number", 5), ordering.AtLeast("text", "2")
	filtered := query("-number,text", less, text)
	filtered.Match = func(*Entry) bool { return true }
	_, token, err := of(c).After(t.Context(), "", 3, query("-number,text", less, text))
	must(t, err)
	for _, row := range []struct {
		reason string
		query  Query
		same   bool
	}{
		{"the same", query("-number,text", less, text), true},
		{"terms without effect", query("-number,text,-number,-id", less, text), true},
		{"conditions in another order", query("-number,text", text, less), true},
		{"the reverse", query("number,-text", less, text), false},
		{"another order", query("-number", less, text), false},
		{"the default order", query("", less, text), false},
		{"another value", query("-number,text", ordering.Less("number", 6), text), false},
		{"another bound", query("-number,text", ordering.AtMost("number", 5), text), false},
		{"a condition less", query("-number,text", less), false},
		{"no condition", query("-number,text"), false},
		{"a function in addition", filtered, false},
	} {
		_, _, err := of(c).After(t.Context(), token, 3, row.query)
		if (err == nil) != row.same || err != nil && (!errors.Is(err, ErrInvalidToken) || !strings.Contains(err.Error(), "of another query")) {
			t.Errorf("%s: error %v", row.reason, err)
		}
	}
}

// FuzzToken checks that a text is an error that wraps ErrInvalidToken, unless it is the token.
func FuzzToken(f *testing.F) {
	c := newStore(f, newType(0), 70)
	q := Query{Terms: parse("-number,text")}
	_, token, err := of(c).After(f.Context(), "", 3, q)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{token, token[1:], token[:len(token)-1], "", "AAAA", "====", "é", strings.Repeat("A", 100), token + "\n", strings.ToLower(token)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := of(c).After(t.Context(), text, 3, q)
		valid := text == "" || strings.NewReplacer("\r", "", "\n", "").Replace(text) == token // encoding/base64 ignores these
		if valid != (err == nil) || err != nil && !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%q: error %v", text, err)
		}
	})
}

// A token remains valid when its record and those near it are gone, and when all are.
func TestTokenOfDeletedRecord(t *testing.T) {
	c := newStore(t, newType(0), 70)
	for _, terms := range []string{"id", "-id", "number,-text", "-note"} {
		q := Query{Terms: parse(terms)}
		all := found(t, c, q)
		_, token, err := of(c).After(t.Context(), "", 3, q)
		must(t, err)
		remove(c, all[2])
		remove(c, all[3])
		page, _, err := of(c).After(t.Context(), token, 2, q)
		if diff := cmp.Diff(all[4:6], ids(page.list())); diff != "" || err != nil {
			t.Errorf("by %s: %v (-want +got):\n%s", terms, err, diff)
		}
	}
	open := New(newMemberType())
	put(open, &record{number: 1, members: []string{"a"}})
	put(open, &record{number: 2, members: []string{"a"}})
	q := Query{Where: conditions(t, ordering.AtLeast("a", 1))}
	_, token, _ := of(open).After(t.Context(), "", 1, q)
	remove(open, 1)
	remove(open, 2)
	if page, next, err := of(open).After(t.Context(), token, 1, q); page.Len() > 0 || next != "" || err != nil {
		t.Errorf("of no records: %v, %q, %v", ids(page.list()), next, err)
	}
}

// A position and a page after a token that an index has are read from the published state, so the
// next write changes it in place. A panic of a callback does not change that.
func TestPositionsAmongWrites(t *testing.T) {
	typ := newType(0)
	must(t, typ.AddIndex(parse("number")))
	c := newStore(t, typ, 100)
	for _, row := range []struct {
		reason  string
		read    func() error
		inPlace bool
	}{
		{"a position", func() error { _, err := of(c).Position(within(t), 7, Query{Terms: parse("-number")}); return err }, true},
		{"a position by id", func() error { _, err := of(c).Position(within(t), 7, Query{Terms: parse("id")}); return err }, true},
		{"the position of no record", func() error { _, err := of(c).Position(within(t), 777, Query{}); return err }, true},
		{"a page after a token", func() error {
			_, token, err := of(c).After(within(t), "", 2, Query{Terms: parse("number")})
			if err == nil {
				_, _, err = of(c).After(within(t), token, 2, Query{Terms: parse("number")})
			}
			return err
		}, true},
		{"a position among records that are filtered", func() error {
			_, err := of(c).Position(within(t), 7, Query{Match: func(*Entry) bool { return true }})
			return err
		}, false},
	} {
		before := c.published.Load()
		for range hotWrites + 1 { // the state is not frozen by earlier reads
			put(c, &record{Entry: Entry{7}, number: 3})
			before = c.published.Load()
		}
		if err := row.read(); err != nil {
			t.Fatal(row.reason, err)
		}
		put(c, &record{Entry: Entry{7}, number: 4})
		if got := c.published.Load() == before; got != row.inPlace {
			t.Errorf("after %s, a write is in place: %v, want %v", row.reason, got, row.inPlace)
		}
	}
}
