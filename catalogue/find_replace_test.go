package catalogue_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// randomRecords returns records with random ids, some of them zero unless all need one.
// One list in four has an id twice.
func (fr *findRun[T]) randomRecords(all bool) []T {
	used := map[int]bool{}
	twice := fr.rng.IntN(4) == 0
	var list []T
	for range fr.rng.IntN(fr.size + 1) {
		record := fr.typ.random(fr.rng)
		if all || fr.rng.IntN(2) == 0 {
			id := 1 + fr.rng.IntN(2*fr.size)
			if used[id] && !twice {
				continue
			}
			used[id] = true
			*fr.typ.id(&record) = id
		}
		list = append(list, record)
	}
	return list
}

// replaced returns the model with only the given records, whose ids are assigned, or an
// error if two have the same id.
func (fr *findRun[T]) replaced(list []T) (*model[T], error) {
	next := &model[T]{typ: fr.typ, highest: fr.m.highest, ordered: fr.m.ordered}
	for _, record := range list {
		id := *fr.typ.id(&record)
		if id > 0 && next.find(id) >= 0 {
			return nil, catalogue.ErrExists
		}
		next.highest = max(next.highest, id)
		next.rows = append(next.rows, row[T]{id: id, record: record})
	}
	for i, r := range next.rows {
		if r.id == 0 {
			next.highest++
			*fr.typ.id(&r.record) = next.highest
		}
		next.rows[i] = next.row(r.record)
	}
	return next, nil
}

// replaceAll calls ReplaceAll.
func (fr *findRun[T]) replaceAll() error {
	list := fr.randomRecords(false)
	next, want := fr.replaced(list)
	return fr.replace("ReplaceAll", next, want, fr.c.ReplaceAll(slices.Values(list)))
}

// load calls Load with records that have ids.
func (fr *findRun[T]) load() error {
	list := fr.randomRecords(true)
	next, want := fr.replaced(list)
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = fr.typ.encode(&list[i])
	}
	err := fr.c.Load(strings.NewReader("[" + strings.Join(texts, ",") + "]"))
	if want != nil && errors.Is(err, catalogue.ErrDuplicate) && errors.Is(err, catalogue.ErrInvalidData) {
		return nil // the records also have a value twice
	}
	return fr.replace("Load", next, want, err)
}

// replace compares the result of a replacement of all records with what it must be.
func (fr *findRun[T]) replace(what string, next *model[T], want, err error) error {
	if want == nil && repeats(next.rows, fr.unique) {
		fr.mix["replacements refused"]++
		return checkRepeated(err, next.rows, fr.unique)
	}
	if want == nil {
		fr.mix["replacements made"]++
		fr.m = next
		fr.revision++
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: %v, want %v", what, err, want)
	}
	return nil
}
