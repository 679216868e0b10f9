package play

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
)

// A Keyed is a film with a key, a string or a UUID, in place of the id of the model. Keys are in
// the order of the ids. Results have the ids in place of the keys.
type Keyed[K any] struct {
	ID   K `json:"id" backlist:"key"`
	Film   // whose id is hidden
}

// A UUID is a key whose JSON is its usual form.
type UUID [16]byte

// MarshalText returns the usual form.
func (u UUID) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// UnmarshalText parses the usual form.
func (u *UUID) UnmarshalText(text []byte) error {
	_, err := hex.Decode(u[:], []byte(strings.ReplaceAll(string(text), "-", "")))
	return err
}

// keyOf returns the function that returns the text of a key for an id, or nil if the records of
// type T have ids. A negative id is an empty key.
func keyOf[T any]() func(id int) string {
	var record T
	switch any(record).(type) {
	case Keyed[string]:
		return func(id int) string {
			if digits := strconv.Itoa(id); id >= 0 {
				return fmt.Sprintf("film %c%s", 'a'+len(digits), digits)
			}
			return ""
		}
	case Keyed[UUID]:
		return func(id int) string {
			digits := fmt.Sprintf("%016x", max(id, 0))
			last := map[bool]string{true: "000000000001", false: "000000000000"}[id >= 0]
			return digits[:8] + "-" + digits[8:12] + "-" + digits[12:] + "-0000-" + last
		}
	}
	return nil
}

// idOf returns the id for which a key stands.
func idOf(key string) (id int) {
	if digits, ok := strings.CutPrefix(key, "film "); ok {
		id, _ = strconv.Atoi(digits[1:])
		return id
	}
	n, _ := strconv.ParseInt(strings.ReplaceAll(key, "-", "")[:min(len(key), 16)], 16, 64)
	return int(n)
}

var (
	idMember  = regexp.MustCompile(`^\{"id":(-?[0-9]+)`)
	keyMember = regexp.MustCompile(`^\{"id":"([^"]*)"`)
	idValue   = regexp.MustCompile(`"[^"]*"|-?[0-9]+`)
)

// keyed returns the JSON of a record with a key in place of the id.
func (c *typed[T]) keyed(text string) string {
	if m := idMember.FindStringSubmatch(text); m != nil && c.text != nil {
		id, _ := strconv.Atoi(m[1])
		return fmt.Sprintf(`{"id":%q%s`, c.text(id), text[len(m[0]):])
	}
	return text
}

// numbered returns the JSON of a record with the id in place of the key.
func numbered(text string) string {
	if m := keyMember.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf(`{"id":%d%s`, idOf(m[1]), text[len(m[0]):])
	}
	return text
}

// idIn returns the id in the JSON of a record.
func idIn(text string) (id int) {
	fmt.Sscanf(text, `{"id":%d`, &id)
	return id
}

// where returns conditions with keys in place of ids. A text in place of an id is a value of the
// wrong type, as a number is in place of a key.
func (c *typed[T]) where(list []model.Condition) []model.Condition {
	list = slices.Clone(list)
	for i, cond := range list {
		if c.text == nil || cond.Field != "id" {
			continue
		}
		if cond.Operator == "prefix" {
			list[i].Operator = "="
		}
		list[i].Value = idValue.ReplaceAllStringFunc(cond.Value, func(value string) string {
			if id, err := strconv.Atoi(value); err == nil {
				return strconv.Quote(c.text(id))
			}
			return "1"
		})
	}
	return list
}

// byKey reads and writes records with keys by the ids for which these stand.
type byKey[T any] struct {
	writer[T]
	by   *catalogue.TextIndex[T]
	text func(id int) string
}

// index returns r or, if records have keys, an adapter that reads and writes them by their ids.
func (c *typed[T]) index(r reader[T]) reader[T] {
	if c.text == nil {
		return r
	}
	w, _ := r.(writer[T])
	return byKey[T]{w, r.(interface {
		By(string) *catalogue.TextIndex[T]
	}).By("id"), c.text}
}

func (k byKey[T]) Get(id int) (T, error)                 { return k.by.Get(k.text(id)) }
func (k byKey[T]) Update(id int, f func(*T) error) error { return k.by.Update(k.text(id), f) }
func (k byKey[T]) Delete(id int) error                   { return k.by.Delete(k.text(id)) }
func (k byKey[T]) Insert(record T) (int, error)          { return numberOf(k.by.Insert(record)) }
func (k byKey[T]) Upsert(record T) (int, error)          { return numberOf(k.by.Upsert(record)) }
func numberOf[T any](record T, err error) (int, error)   { return idIn(encode(record)), err }

// position returns the position of a record among those that are selected.
func (c *typed[T]) position(sel catalogue.Selection[T], op model.Op) (int, error) {
	if c.text == nil {
		return sel.Position(op.ID, Terms(op.Terms)...)
	}
	seq, err := sel.All(Terms(op.Terms)...)
	if err != nil {
		return 0, err
	}
	n := 0
	for record := range seq {
		if idIn(encode(record)) == op.ID {
			return n, nil
		}
		n++
	}
	return 0, catalogue.ErrNotFound
}
