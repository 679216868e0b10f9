package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// read returns what an operation that changes nothing must return.
func (s *State) read(op Op) string {
	switch op.Verb {
	case "get":
		return found(s.find(op.ID))
	case "has":
		return fmt.Sprint(s.find(op.ID) != nil)
	case "len":
		return fmt.Sprint(len(s.records))
	case "revision":
		return fmt.Sprint(s.revision)
	case "since":
		return s.since(uint64(op.ID))
	}
	if err := s.invalid(op); err != "" {
		return "error: " + err
	}
	list := s.selected(op)
	switch op.Verb {
	case "explain":
		return "ok" // the text is not specified
	case "count":
		return fmt.Sprint(len(list))
	case "first":
		return found(append(list, nil)[0])
	case "position":
		if at := slices.IndexFunc(list, func(r *record) bool { return r.id == op.ID }); at >= 0 {
			return fmt.Sprint(at)
		}
		return "error: not found"
	case "all":
		list = window(list, 0, op.Limit)
		return Page(len(list), texts(list))
	case "counts":
		return counts(list, op.Terms)
	case "page", "view":
		return Page(len(list), texts(window(list, op.Offset, op.Limit)))
	}
	return "error: unknown operation " + op.Verb
}

// found returns the text of a record, which is nil if none was found.
func found(r *record) string {
	if r == nil {
		return "error: not found"
	}
	return r.text
}

// counts returns the text of the values of a field by which records are sorted.
func counts(list []*record, field string) string {
	var texts []string
	for len(list) > 0 {
		first, n := list[0], 1
		for n < len(list) && list[n].value(field).compare(first.value(field)) == 0 {
			n++
		}
		texts, list = append(texts, Count(first.text, n)), list[n:]
	}
	return strings.Join(texts, " ")
}

// Count returns the text of the number of records that have a value.
func Count(record string, n int) string { return fmt.Sprintf("%s x %d", record, n) }

// Page returns the text of a page of some records.
func Page(count int, records []string) string {
	return strings.Join(append([]string{fmt.Sprint(count)}, records...), " ")
}

func texts(list []*record) (all []string) {
	for _, r := range list {
		all = append(all, r.text)
	}
	return all
}

// window returns the records in a window. There is no limit unless it is positive.
func window(list []*record, offset, limit int) []*record {
	list = list[min(max(0, offset), len(list)):]
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}

// since returns the changes after a revision, if all of them are kept.
func (s *State) since(revision uint64) string {
	if revision > s.revision || revision < s.trimmed || s.c.History == 0 && revision < s.revision {
		return "error: trimmed"
	}
	var b strings.Builder
	fmt.Fprint(&b, "now ", s.revision)
	for i, c := range s.changes {
		if c.revision > revision {
			last := i+1 == len(s.changes) || s.changes[i+1].revision > c.revision
			fmt.Fprintf(&b, ", %s", Change(c.revision, c.id, c.before, c.after, last))
		}
	}
	return b.String()
}

// Change returns the text of a change from one record to another. Both are JSON; null is
// no record.
func Change(revision uint64, id int, before, after string, last bool) string {
	end := ""
	if last {
		end = "."
	}
	return fmt.Sprintf("%d id %d %s -> %s%s", revision, id, before, after, end)
}

// known reports whether there is a field, which for open records must be a member of one, or
// inside of one. Unique fields count as members.
func (s *State) known(field string) bool {
	outer, _, _ := strings.Cut(field, "__")
	if field == "id" || slices.Contains(slices.Concat(s.c.Unique...), outer) || !s.c.Open {
		return field == "id" || s.c.field(field) != nil
	}
	return slices.ContainsFunc(s.records, func(r *record) bool { _, ok := r.values[field]; return ok })
}

func (s *State) unknown(t term) bool { return !s.known(t.field) }

// invalid returns the error of a query, or "".
func (s *State) invalid(op Op) string {
	unknown := false
	for _, c := range op.Where {
		if s.c.invalid(c) {
			return "invalid condition"
		}
		unknown = unknown || !s.known(c.Field) && !(s.c.Open && len(s.records) == 0)
	}
	unknown = unknown || op.Verb != "count" && slices.ContainsFunc(terms(op.Terms), s.unknown)
	if unknown {
		return "unknown field"
	}
	return ""
}

type term struct {
	field string
	desc  bool
}

func terms(text string) (list []term) {
	for name := range strings.SplitSeq(text, ",") {
		if field, desc := strings.CutPrefix(name, "-"); field != "" {
			list = append(list, term{field, desc})
		}
	}
	return list
}

// selected returns the records that satisfy all conditions of a query, in its order.
func (s *State) selected(op Op) []*record {
	list := slices.Clone(s.records)
	for _, c := range op.Where {
		values := s.c.values(c)
		list = slices.DeleteFunc(list, func(r *record) bool { return !holds(c.Operator, r.value(c.Field), values) })
	}
	by := terms(op.Terms)
	if len(by) == 0 {
		by = terms(s.c.Order)
		if slices.ContainsFunc(by, s.unknown) {
			by = nil
		}
	}
	byID := term{"id", len(by) > 0 && by[0].desc}
	slices.SortFunc(list, func(a, b *record) int {
		for _, t := range append(slices.Clip(by), byID) {
			if c := a.value(t.field).compare(b.value(t.field)); c != 0 && t.desc {
				return -c
			} else if c != 0 {
				return c
			}
		}
		return 0
	})
	return list
}

// values returns the values of a condition.
func (c *Config) values(cond Condition) (list []value) {
	f := cmp.Or(c.field(cond.Field), &Field{})
	for _, text := range cond.Values() {
		list = append(list, f.value(text))
	}
	return list
}

// invalid reports whether a condition has a value that the field does not accept.
func (c *Config) invalid(cond Condition) bool {
	f, values := c.field(cond.Field), c.values(cond)
	for _, v := range values {
		if v.kind == isNull || cond.Operator == "prefix" && v.kind != isText {
			return true
		}
		if cond.Field == "id" && v.kind != isNumber || f != nil && f.Like != "" && v.kind != f.value(f.Like).kind {
			return true
		}
	}
	return cond.Operator == "between" && (values[0].kind != values[1].kind || values[0].compare(values[1]) > 0)
}

// holds reports whether a condition with some values holds for v.
func holds(operator string, v value, values []value) bool {
	switch operator {
	case "null":
		return v.kind == isNull
	case "notnull":
		return v.kind != isNull
	case "!=":
		return !holds("=", v, values)
	case "outside":
		return holds("<", v, values[:1]) || holds(">", v, values[1:])
	case "between":
		return holds(">=", v, values[:1]) && holds("<=", v, values[1:])
	case "prefix":
		return v.kind == isText && strings.HasPrefix(v.text, values[0].text)
	case "contains":
		return v.kind == isText && strings.Contains(v.text, values[0].text)
	case "icontains":
		return v.kind == isText && strings.Contains(strings.ToUpper(v.text), strings.ToUpper(values[0].text))
	}
	return slices.ContainsFunc(values, func(w value) bool {
		return v.kind == w.kind && accepts(operator, v.compare(w))
	})
}

// accepts reports whether a condition holds for the result of a comparison.
func accepts(operator string, result int) bool {
	switch operator {
	case "=", "in":
		return result == 0
	case "<":
		return result < 0
	case "<=":
		return result <= 0
	case ">":
		return result > 0
	case ">=":
		return result >= 0
	}
	return false
}
