package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// repeats reports whether two rows have the same value of a unique field.
func repeats[T any](rows []row[T], unique []string) bool {
	for i, r := range rows {
		if slices.ContainsFunc(rows[:i], func(s row[T]) bool {
			return slices.ContainsFunc(unique, func(field string) bool { return sameUnique(r, s, field) })
		}) {
			return true
		}
	}
	return false
}

// sameUnique reports whether two rows have the same value of a field. Null equals nothing.
func sameUnique[T any](a, b row[T], field string) bool {
	v, w := valueIn(a.values, field), valueIn(b.values, field)
	return v.kind != isNull && v.kind == w.kind && compareValues(v, w) == 0
}

var (
	duplicateText = regexp.MustCompile(`^\S+: duplicate value: (\S+) (.+) is that of id (\d+)$`)
	repeatedText  = regexp.MustCompile(`: record (\d+): (?:member "\S+": )?duplicate value: (\S+) (.+) is that of record (\d+)$`)
)

// checkDuplicate checks the error of a write after which the records would be the given
// rows: its text must contain a unique field, a value that two rows have, and the id of
// one of them.
func checkDuplicate[T any](err error, rows []row[T], unique []string) error {
	if !errors.Is(err, catalogue.ErrDuplicate) {
		return fmt.Errorf("%v, want ErrDuplicate", err)
	}
	parts := duplicateText.FindStringSubmatch(err.Error())
	if parts == nil {
		return fmt.Errorf("unexpected text of %v", err)
	}
	id, _ := strconv.Atoi(parts[3])
	i := slices.IndexFunc(rows, func(r row[T]) bool { return r.id == id })
	for j := range rows {
		if i >= 0 && i != j && names(parts[1], parts[2], rows[j], rows[i], unique) {
			return nil
		}
	}
	return fmt.Errorf("no two records have this value: %v", err)
}

// checkRepeated checks the error of a replacement by the given rows: its text must
// contain a unique field, and the value and the indexes of two rows that have the same.
func checkRepeated[T any](err error, rows []row[T], unique []string) error {
	if !errors.Is(err, catalogue.ErrDuplicate) {
		return fmt.Errorf("%v, want ErrDuplicate", err)
	}
	parts := repeatedText.FindStringSubmatch(err.Error())
	if parts == nil {
		return fmt.Errorf("unexpected text of %v", err)
	}
	i, _ := strconv.Atoi(parts[1])
	j, _ := strconv.Atoi(parts[4])
	if j >= i || i >= len(rows) || !names(parts[2], parts[3], rows[i], rows[j], unique) {
		return fmt.Errorf("the records do not have this value: %v", err)
	}
	return nil
}

// names reports whether the rows a and b have the same value of the unique field with the
// given name, in either form, and the value of a has the given JSON.
func names[T any](name, text string, a, b row[T], unique []string) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.text), &members); err != nil {
		return false
	}
	same := func(other string) bool {
		return strings.EqualFold(strings.ReplaceAll(name, "_", ""), strings.ReplaceAll(other, "_", ""))
	}
	for member, value := range members {
		if same(member) && string(value) == text {
			return slices.ContainsFunc(unique, func(field string) bool { return same(field) && sameUnique(a, b, field) })
		}
	}
	return false
}
