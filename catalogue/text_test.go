package catalogue_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
		_, err := sessions.Insert(session{token, "u" + token, i % 2})
		must(t, err)
	}
	return sessions
}

func tokensOf(all iter.Seq[session]) (tokens []string) {
	for s := range all {
		tokens = append(tokens, s.Token)
	}
	return tokens
}

// numbers returns a function that returns texts with ascending numbers.
func numbers(format string) func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf(format, n) }
}

// Ties break by the key also in an order by a field of another record.
func TestOrderByReferenceAndKey(t *testing.T) {
	type team struct {
		Code   string  `json:"code" backlist:"key"`
		Name   string  `json:"name"`
		Parent *string `json:"parent" backlist:"refers=teams"`
	}
	cat := mustCatalogue(t, catalogue.DefineBare[team]("teams", catalogue.Options{
		Description: &schema.Description{Sortable: []string{"code", "name", "parent__name"}},
	}))
	must(t, cat.Load(strings.NewReader(`{"teams":[
		{"code":"z","name":"A","parent":"r"},
		{"code":"r","name":"B","parent":null},
		{"code":"é","name":"A","parent":null},
		{"code":"a","name":"B","parent":"r"},
		{"code":"m","name":"A","parent":"r"},
		{"code":"Q","name":"A","parent":"z"}]}`), catalogue.LoadOptions{}))
	for _, row := range []struct{ terms, want, why string }{
		{"parent__name", "Q a m z r é", "by the bytes of the key; no record is last"},
		{"-parent__name", "é r z m a Q", "the exact mirror"},
		{"name,parent__name", "Q m z é a r", "after an own term"},
		{"-parent__name,name", "é r z m a Q", "another term before the key"},
		{"-parent__name,code", "r é a m z Q", "an explicit direction"},
		{"code,parent__name", "Q a m r z é", "no two records have the same key"},
	} {
		list, err := collectionOf(t, cat, "teams").List(t.Context(), catalogue.Query{Terms: ordering.Parse(row.terms, nil)})
		must(t, err)
		var got []string
		for _, record := range list.Records {
			var r team
			must(t, json.Unmarshal(record, &r))
			got = append(got, r.Code)
		}
		equal(t, fmt.Sprintf("order %s: %s", row.terms, row.why), strings.Fields(row.want), got)
	}
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
	_, err := by.Upsert(session{"a", "renamed", 9})
	must(t, err)
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

func TestKeyedFiles(t *testing.T) {
	sessions := newSessions(t, "b", "a", "c")
	must(t, sessions.By("token").Delete("c"))
	var saved bytes.Buffer
	must(t, sessions.Save(&saved))
	want := `[
{"token":"a","user":"ua","uses":1},
{"token":"b","user":"ub","uses":0}]
`
	equal(t, "saved by key, without numbers", want, saved.String())
	other, now := newSessions(t, "b", "z"), uint64(2)
	load := `[{"token":"a","user":"u","uses":1},{"uses":3,"user":"v","token":"b"}]`
	must(t, other.Load(strings.NewReader(load), catalogue.LoadOptions{}))
	changes, _, err := other.Since(now)
	var got []string
	for _, ch := range changes {
		before, had := ch.Before()
		after, has := ch.After()
		got = append(got, fmt.Sprint(ch.Identity, before.Token, had, after.Token, has))
	}
	if diff := cmp.Diff([]string{`"b"btruebtrue`, `"z"ztruefalse`, `"a"falseatrue`}, got); diff != "" || err != nil {
		t.Errorf("a load changes the record with the same key (-want +got):\n%s%v", diff, err)
	}
	for _, row := range []struct {
		data string
		want error
		why  string
	}{
		{`[{"user":"u"}]`, catalogue.ErrInvalidID, "no key"},
		{`[{"token":7}]`, catalogue.ErrInvalidID, "a number as the key"},
		{`[{"token":"a","user":"u"},{"token":"a","user":"v"}]`, catalogue.ErrExists, "a repeated key"},
		{`[{"token":"a","id":7}]`, catalogue.ErrInvalidData, "an id"},
	} {
		if err := other.Load(strings.NewReader(row.data), catalogue.LoadOptions{}); !errors.Is(err, row.want) || !errors.Is(err, catalogue.ErrInvalidData) {
			t.Errorf("%s: error %v, want %v", row.why, err, row.want)
		}
	}
	if err := other.ReplaceAll(slices.Values([]session{{"b", "u", 0}, {"b", "v", 0}})); !errors.Is(err, catalogue.ErrExists) {
		t.Errorf("ReplaceAll with a repeated key: error %v", err)
	}
	if err := other.ReplaceAll(slices.Values([]session{{"y", "u", 0}, {"b", "v", 0}})); err != nil || other.Count() != 2 {
		t.Errorf("ReplaceAll: %d records, %v", other.Count(), err)
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
				_, err := tx.Insert(session{"B", "v", 2})
				return err
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

// TestKeyedPages goes on after a page when its last record has been deleted and inserted again, and
// in another collection with the same records: neither keeps the sequence number.
func TestKeyedPages(t *testing.T) {
	for _, row := range []struct{ terms, want string }{
		{"", "a b | c d e"},
		{"token", "a b | c d e"},
		{"-token", "e d | c b a"},
		{"uses", "a c | e b d"},
		{"-uses", "d b | e c a"},
		{"uses,-token", "e c | a d b"},
		{"-uses,token", "b d | a c e"},
	} {
		for _, indexed := range []bool{false, true} {
			sessions, terms := newSessions(t, "e", "d", "c", "b", "a"), ordering.Parse(row.terms, nil)
			if indexed {
				_, err := sessions.Page(pagination.Window{}, terms...)
				must(t, err)
			}
			first, token, err := sessions.Where().PageAfter("", 2, terms...)
			must(t, err)
			var saved bytes.Buffer
			other := newSessions(t)
			must(t, errors.Join(sessions.Save(&saved), other.Load(&saved, catalogue.LoadOptions{})))
			must(t, sessions.By("token").Delete(first[1].Token))
			_, err = sessions.Insert(first[1])
			must(t, err)
			for _, of := range []*catalogue.Collection[session]{sessions, other} {
				rest, _, err := of.Where().PageAfter(token, 0, terms...)
				got := strings.Join(append(append(tokensOf(slices.Values(first)), "|"), tokensOf(slices.Values(rest))...), " ")
				if got != row.want || err != nil {
					t.Errorf("order %q: %s, %v, want %s", row.terms, got, err, row.want)
				}
			}
		}
	}
}

// TestUnstableKeys expects errors where a rule, or the source of keys, breaks what keys are.
func TestUnstableKeys(t *testing.T) {
	rule := func(ctx context.Context, r *schema.Record) (err error) {
		if user, _ := r.Get("user"); user == `"rule"` {
			*r, err = r.With("token", "other")
		}
		return err
	}
	c := mustCatalogue(t,
		catalogue.Define[session]("sessions", catalogue.Options{Validate: true, Description: &schema.Description{Rule: rule}}),
		catalogue.Define[ticket]("tickets", catalogue.Options{NewKey: func() string { return "" }}),
	)
	sessions := mustIn(sessionDefinition, c)
	_, err := sessions.Insert(session{"a", "u", 0})
	must(t, err)
	tickets := collectionOf(t, c, "tickets")
	by := sessions.By("token")
	for _, row := range []struct {
		do  func() error
		why string
	}{
		{func() error { return by.Update("a", func(s *session) error { s.User = "rule"; return nil }) }, "a rule changes the key in an update"},
		{func() error {
			_, err := tickets.Create(context.Background(), []byte(`{"subject":"S"}`), schema.Record{})
			return err
		}, "the new key is empty"},
	} {
		if err := row.do(); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s: error %v, want ErrInvalidID", row.why, err)
		}
	}
	if got, err := by.Get("a"); err != nil || got.User != "u" || tickets.Count() != 0 {
		t.Errorf("a record was changed: %v, %v, or made: %d", got, err, tickets.Count())
	}
}

// TestReferencesByKey checks the errors about records that refer to others by their key and have
// one, too.
func TestReferencesByKey(t *testing.T) {
	type visit struct {
		Code    string   `json:"code" backlist:"key"`
		Session *string  `json:"session" backlist:"refers=sessions"`
		Others  []string `json:"others" backlist:"refers=sessions"`
	}
	visits := catalogue.DefineBare[visit]("visits", catalogue.Options{})
	c := mustCatalogue(t, sessionDefinition, visits)
	const data = `{"sessions":[{"token":"a","user":"ann"}],
		"visits":[{"code":"v","session":"a","others":["b","a","c"]},{"code":"w","session":null,"others":[]}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	sessions := collectionOf(t, c, "sessions")
	var found catalogue.Violations
	if err := sessions.Delete(t.Context(), "a", schema.Filter{}, nil); !errors.As(err, &found) || len(found) != 1 {
		t.Fatalf("Delete: %v, want a violation", err)
	}
	if want := `1 violation: record "v" of visits, in the field session: reference to no record: "a" of sessions`; found.Error() != want {
		t.Errorf("the text of the error is %q, want %q", found, want)
	}
	equal(t, "Delete: the record", schema.Identity{Key: "v"}, found[0].Identity)
	if err := c.Check(); !errors.As(err, &found) || len(found) != 2 {
		t.Fatalf("Check: %v, want two violations", err)
	}
	if want := `reference to no record: "c" of sessions`; found[1].Err.Error() != want {
		t.Errorf("the second violation is %v, want %s", found[1].Err, want)
	}
	if v := found[0]; v.Collection != "visits" || v.Identity != (schema.Identity{Key: "v"}) || v.Field != "others" || !errors.Is(v.Err, catalogue.ErrDangling) {
		t.Errorf("Check: %+v", v)
	}
}

// TestValidateKeys writes keys from Go to a collection that validates them, one with the name id.
func TestValidateKeys(t *testing.T) {
	visits := catalogue.Define[ticket]("visits", catalogue.Options{Validate: true})
	cat := mustCatalogue(t, visits)
	c := mustIn(visits, cat)
	const upper, id = "11111111-1111-4111-8111-11111111111A", "11111111-1111-4111-8111-11111111111a"
	if stored, err := c.By("id").Insert(ticket{ID: upper, Subject: "s"}); err != nil || stored.ID != id {
		t.Errorf("a UUID in capital letters: %v, %v, want %s", stored, err, id)
	}
	if _, err := c.By("id").Insert(ticket{ID: "x", Subject: "s"}); !errors.Is(err, catalogue.ErrInvalid) {
		t.Errorf("no UUID: error %v, want ErrInvalid", err)
	}
	if stored, err := c.By("id").Insert(ticket{Subject: "s"}); err != nil || len(stored.ID) != len(id) {
		t.Errorf("no key: %v, %v, want a new one", stored, err)
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
