package catalogue_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A session has a key that clients choose, a ticket one that the server makes if they do not, and a
// maker one of a type that is text only in JSON.
type session struct {
	Token string `json:"token" backlist:"key"`
	User  string `json:"user" backlist:"unique"`
	Uses  int    `json:"uses"`
}

type ticket struct {
	ID      string `json:"id" backlist:"key,uuid,optional"`
	Subject string `json:"subject"`
}

type maker struct {
	ID   octets `json:"id" backlist:"key,readonly"`
	Name string `json:"name"`
}

type octets [2]byte

func (o octets) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(o[:])), nil }

func (o *octets) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != len(o) {
		return errors.New("want 4 hexadecimal digits")
	}
	copy(o[:], b)
	return nil
}

var sessionDefinition = catalogue.Define[session]("sessions", catalogue.Options{History: 100})

func newSessions(t *testing.T, tokens ...string) *catalogue.Collection[session] {
	t.Helper()
	c := mustCatalogue(t, sessionDefinition)
	sessions := mustIn(sessionDefinition, c)
	for i, token := range tokens {
		must(t, second(sessions.Insert(session{token, "u" + token, i % 2})))
	}
	return sessions
}

// numbers returns a function that returns texts with ascending numbers.
func numbers(format string) func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf(format, n) }
}

func TestTextIndex(t *testing.T) {
	sessions := newSessions(t, "a", "b")
	by := sessions.By("token")
	for _, row := range []struct {
		do   func() error
		want error
		why  string
	}{
		{func() error { _, err := by.Insert(session{"a", "x", 0}); return err }, catalogue.ErrExists, "a taken key"},
		{func() error { _, err := by.Insert(session{"", "x", 0}); return err }, catalogue.ErrInvalidID, "no key, which clients choose"},
		{func() error { _, err := by.Insert(session{"c", "ua", 0}); return err }, catalogue.ErrDuplicate, "another unique field"},
		{func() error { _, err := by.Upsert(session{"a", "ub", 0}); return err }, catalogue.ErrDuplicate, "the same in a replacement"},
		{func() error { return by.Update("a", func(s *session) error { s.Token = "z"; return nil }) }, catalogue.ErrInvalidID, "a change of the key"},
		{func() error { return by.Update("z", func(*session) error { return nil }) }, catalogue.ErrNotFound, "a missing record"},
		{func() error { return by.Delete("z") }, catalogue.ErrNotFound, "a missing record"},
		{func() error { _, err := by.Get("A"); return err }, catalogue.ErrNotFound, "letters differ"},
		{func() error { _, err := sessions.Get(1); return err }, catalogue.ErrNotFound, "records have no id"},
		{func() error { return sessions.Delete(1) }, catalogue.ErrNotFound, "records have no id"},
		{func() error { return sessions.Update(1, func(*session) error { return nil }) }, catalogue.ErrNotFound, "records have no id"},
		{func() error { _, err := sessions.Where().Position(1); return err }, catalogue.ErrNotFound, "records have no id"},
		{func() error { _, err := sessions.By("uses").Get("1"); return err }, ordering.ErrUnknownField, "a field that is not unique"},
		{func() error { return sessions.By("id").Delete("1") }, ordering.ErrUnknownField, "no such field"},
		{func() error { _, err := sessions.Page(pagination.Window{}, ordering.Asc("id")); return err }, ordering.ErrUnknownField, "an order by an id"},
		{func() error { _, err := sessions.Page(pagination.Window{}, ordering.Asc("sequence")); return err }, ordering.ErrUnknownField, "by the number of the engine"},
		{func() error { return sessions.Snapshot().By("token").Delete("a") }, catalogue.ErrReadOnly, "a snapshot"},
	} {
		if err := row.do(); !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want one that wraps %v", row.why, err, row.want)
		}
	}
	if sessions.Has(1) || by.Has("z") || !by.Has("a") || !sessions.Snapshot().By("user").Has("ub") {
		t.Error("Has is wrong")
	}
	if got, err := by.Upsert(session{"c", "uc", 7}); err != nil || got != (session{"c", "uc", 7}) {
		t.Errorf("Upsert = %v, %v", got, err)
	}
	if got, err := sessions.By("user").Get("uc"); err != nil || got.Token != "c" {
		t.Errorf("Get by another unique field = %v, %v", got, err)
	}
	must(t, by.Update("c", func(s *session) error { s.Uses++; return nil }))
	must(t, second(by.Upsert(session{"a", "renamed", 9})))
	must(t, sessions.By("user").Delete("ub"))
	want := []session{{"a", "renamed", 9}, {"c", "uc", 8}}
	equal(t, "records", want, slices.Collect(sessions.All()))
}

func TestNewKeys(t *testing.T) {
	tickets := mustCollection[ticket](t, catalogue.Options{NewKey: numbers("00000000-0000-4000-8000-%012d")})
	by := tickets.By("id")
	first, err1 := by.Insert(ticket{Subject: "S"})
	_, err2 := by.Insert(ticket{"11111111-1111-4111-8111-11111111111a", "chosen"})
	second, err3 := by.Insert(ticket{Subject: "T"})
	must(t, errors.Join(err1, err2, err3))
	if !strings.HasSuffix(first.ID, "001") || !strings.HasSuffix(second.ID, "002") {
		t.Errorf("keys %s and %s, want the first two", first.ID, second.ID)
	}
	for _, text := range []string{"11111111-1111-4111-8111-11111111111A", "1111111111114111811111111111111a", "{11111111-1111-4111-8111-11111111111a}"} {
		if got, err := by.Get(text); err != nil || got.Subject != "chosen" {
			t.Errorf("Get(%s) = %v, %v", text, got, err)
		}
	}
	if by.Has("x") {
		t.Error("there is a record with a key that is no UUID")
	}
	const capitals = "22222222-2222-4222-8222-22222222222A"
	if _, err := by.Insert(ticket{capitals, "capitals"}); err != nil || !by.Has(capitals) || by.Has(strings.ToLower(capitals)) {
		t.Errorf("a program stores another spelling: error %v, found by it: %t, and by the usual one: %t", err, by.Has(capitals), by.Has(strings.ToLower(capitals)))
	}
	must(t, by.Delete(capitals))
	plain := mustCollection[ticket](t, catalogue.Options{})
	made, err := plain.By("id").Insert(ticket{})
	if err != nil || len(made.ID) != 36 || made.ID[14] != '4' || !strings.ContainsRune("89ab", rune(made.ID[19])) || !plain.By("id").Has(made.ID) {
		t.Errorf("the key is %q, %v, want a UUID of version 4", made.ID, err)
	}
	broken := mustCollection[ticket](t, catalogue.Options{NewKey: func() string { return "\xff" }})
	if _, err := broken.By("id").Insert(ticket{}); !errors.Is(err, catalogue.ErrInvalidID) || broken.Count() > 0 {
		t.Errorf("a new key that is not UTF-8: error %v, want ErrInvalidID", err)
	}
	makers := mustCollection[maker](t, catalogue.Options{NewKey: numbers("%04d")})
	if got, err := makers.By("id").Insert(maker{Name: "N"}); err != nil || got.ID != (octets{0, 1}) {
		t.Errorf("Insert = %v, %v", got, err)
	}
	if got, err := makers.By("id").Get("0001"); err != nil || got.Name != "N" {
		t.Errorf("Get by the text of another type = %v, %v", got, err)
	}
}

// TestKeyedJournal applies what a journal gets to a map, which must then have the records.
func TestKeyedJournal(t *testing.T) {
	type session struct { // with the fields of the other
		Token string `json:"token" backlist:"key,fold"`
		User  string `json:"user"`
		Uses  int    `json:"uses"`
	}
	sessions := mustCollection[session](t, catalogue.Options{})
	var got []string
	stored := map[string]string{}
	err := sessions.Journal(func(batch []catalogue.Commit) error {
		for _, commit := range batch {
			for id, record := range commit.Changes {
				got = append(got, fmt.Sprintf("%d %s %s", commit.LastID, id.Key, record))
				if stored[id.Key] = string(record); record == nil {
					delete(stored, id.Key)
				}
			}
		}
		return nil
	})
	must(t, err)
	by := sessions.By("token")
	for _, row := range []struct {
		write func() error
		want  []string
		why   string
	}{
		{func() error { _, err := sessions.Insert(session{"b", "u", 0}); return err },
			[]string{`0 b {"token":"b","user":"u","uses":0}`}, "a new record"},
		{func() error { _, err := by.Upsert(session{"B", "u", 1}); return err },
			[]string{"0 b ", `0 B {"token":"B","user":"u","uses":1}`}, "the same key with another text"},
		{func() error {
			return sessions.Batch(func(tx *catalogue.Tx[session]) error {
				if err := tx.By("token").Delete("b"); err != nil {
					return err
				}
				return second(tx.Insert(session{"B", "v", 2}))
			})
		}, []string{`0 B {"token":"B","user":"v","uses":2}`}, "a record that is deleted and inserted"},
		{func() error {
			return sessions.Load(strings.NewReader(`[{"token":"c"},{"token":"b","user":"w"}]`), catalogue.LoadOptions{})
		}, []string{"0 B ", `0 b {"token":"b","user":"w","uses":0}`, `0 c {"token":"c","user":"","uses":0}`}, "a load"},
		{func() error { return by.Delete("C") }, []string{"0 c "}, "a deletion"},
	} {
		got = nil
		if err := row.write(); err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		equal(t, row.why, row.want, got)
		for s := range sessions.All() {
			if !strings.Contains(stored[s.Token], s.User) || len(stored) != sessions.Count() {
				t.Errorf("%s: the map has %v, want %v", row.why, stored, s)
			}
		}
	}
}

func TestInvalidKeys(t *testing.T) {
	type both struct {
		ID    int    `json:"id"`
		Token string `json:"token" backlist:"key"`
	}
	type number struct {
		Key int `json:"key" backlist:"key"`
	}
	type two struct {
		A string `json:"a" backlist:"key"`
		B string `json:"b" backlist:"key"`
	}
	type visit struct {
		ID      int `json:"id"`
		Session int `json:"session" backlist:"refers=sessions"`
	}
	type child struct {
		ID     int    `json:"id"`
		Parent string `json:"parent" backlist:"refers=children"`
	}
	for _, row := range []struct {
		reason     string
		definition catalogue.AnyDefinition
		want       string
	}{
		{"a number that refers to keys", catalogue.DefineBare[visit]("visits", catalogue.Options{}), "field session: it refers to texts of sessions, their token, but is a number"},
		{"a text that refers to ids", catalogue.DefineBare[child]("children", catalogue.Options{}), "field parent: it refers to ids of children, but is text"},
	} {
		if _, err := catalogue.New(sessionDefinition, row.definition); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %q", row.reason, err, row.want)
		}
	}
	type bytes struct {
		Key []byte `json:"key" backlist:"key"`
	}
	type word struct {
		Code string `json:"code" backlist:"key"`
		N    int    `json:"n" backlist:"mim=1"`
	}
	for _, row := range []struct {
		errs      []error // of a catalogue, and of a collection alone
		why, want string
	}{
		{refusals[both](), "an id too", ""},
		{refusals[number](), "a number", "want a string or a type with MarshalText, got int"},
		{refusals[two](), "two keys", ""},
		{refusals[bytes](), "bytes", "want a string or a type with MarshalText, got []uint8"},
		{refusals[word](), "another mistake", `unknown tag word "mim": did you mean min?`},
	} {
		for _, err := range row.errs {
			if !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: error %v, want ErrInvalidType: %s", row.why, err, row.want)
			}
		}
	}
}

func refusals[T any]() []error { return []error{defined[T](), refusal[T](catalogue.Options{})} }
