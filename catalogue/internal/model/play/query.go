package play

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Terms returns the terms of an ordering such as "-name,id". Unlike [ordering.Parse] it keeps repeated fields.
func Terms(text string) (list []ordering.Term) {
	for name := range strings.SplitSeq(text, ",") {
		if field, desc := strings.CutPrefix(name, "-"); field != "" {
			list = append(list, ordering.Term{Field: field, Desc: desc})
		}
	}
	return list
}

// conditions returns the conditions with values of the types of the fields, if those can
// hold them.
func conditions[T any](list []model.Condition) (all []ordering.Condition) {
	for _, c := range list {
		var values []any
		for _, text := range c.Values() {
			values = append(values, argument[T](c.Field, text))
		}
		all = append(all, condition(c, values))
	}
	return all
}

func condition(c model.Condition, values []any) ordering.Condition {
	switch c.Operator {
	case "null":
		return ordering.IsNull(c.Field)
	case "notnull":
		return ordering.NotNull(c.Field)
	case "in":
		return ordering.OneOf(c.Field, values...)
	case "!=":
		return ordering.Not(ordering.Equal(c.Field, values[0]))
	case "outside":
		return ordering.Or(ordering.Less(c.Field, values[0]), ordering.Greater(c.Field, values[1]))
	case "between":
		return ordering.Between(c.Field, values[0], values[1])
	case "prefix":
		var prefix string
		if err := json.Unmarshal([]byte(c.Value), &prefix); err != nil {
			panic(err)
		}
		return ordering.Prefix(c.Field, prefix)
	}
	compare := map[string]func(string, any) ordering.Condition{
		"=": ordering.Equal, "<": ordering.Less, "<=": ordering.AtMost, ">": ordering.Greater, ">=": ordering.AtLeast,
	}[c.Operator]
	return compare(c.Field, values[0])
}

// argument returns the value of a JSON text, of the type of a field of T if it can hold it.
func argument[T any](field, text string) (value any) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		v, name := reflect.New(f.Type), f.Tag.Get("json")
		if ordering.Snake(name) == field && text != "null" && json.Unmarshal([]byte(text), v.Interface()) == nil {
			return v.Elem().Interface()
		}
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

// read performs an operation that reads. The function returns its result.
func (c *typed[T]) read(r reader[T], op model.Op) func() string {
	switch op.Verb {
	case "get":
		record, err := c.index(r).Get(op.ID)
		return func() string { return result(encode(record), err) }
	case "has":
		if c, ok := r.(*typed[T]); ok && c.text == nil {
			return done(fmt.Sprint(c.Has(op.ID)))
		}
		_, err := c.index(r).Get(op.ID)
		return done(fmt.Sprint(err == nil))
	case "len":
		if c, ok := r.(interface{ Count() int }); ok {
			return done(fmt.Sprint(c.Count()))
		}
		n, err := r.Where().Count()
		return done(result(fmt.Sprint(n), err))
	}
	terms, w := Terms(op.Terms), pagination.Window{Limit: op.Limit, Offset: op.Offset}
	sel := r.Where(conditions[T](c.where(op.Where))...)
	switch op.Verb {
	case "count":
		n, err := sel.Count()
		return done(result(fmt.Sprint(n), err))
	case "first":
		record, err := sel.First(terms...)
		return func() string { return result(encode(record), err) }
	case "position":
		n, err := c.position(sel, op)
		return done(result(fmt.Sprint(n), err))
	case "all":
		seq, err := sel.All(terms...)
		return func() string {
			list := all(seq, op.Limit)
			return result(model.Page(len(list), list), err)
		}
	case "page":
		page, err := sel.Page(w, terms...)
		if c, ok := r.(*typed[T]); ok && len(op.Where) == 0 {
			page, err = c.Page(w, terms...)
		}
		return func() string { return result(model.Page(page.Count, all(slices.Values(page.Records), 0)), err) }
	case "counts":
		counts, err := sel.Counts(op.Terms)
		return func() string {
			var list []string
			for record, n := range counts {
				list = append(list, model.Count(encode(record), n))
			}
			return result(strings.Join(list, " "), err)
		}
	case "explain":
		_, err := sel.Explain(terms...)
		return done(result("ok", err))
	case "view":
		view, err := sel.View(w, terms...)
		return func() string { return result(viewed(view), err) }
	}
	return done("error: unknown operation " + op.Verb)
}

// all returns the texts of at most limit records, or of all if limit is not positive.
func all[T any](seq iter.Seq[T], limit int) (list []string) {
	for record := range seq {
		list = append(list, encode(record))
		if len(list) == limit {
			break
		}
	}
	return list
}

// viewed returns the text of a view. Its JSON has floats in the form of Python, so it is compared
// by the record that is decoded from it.
func viewed[T any](v catalogue.View[T]) string {
	var list []string
	for i, record := range v.All() {
		var read T
		data, err := v.JSON(i)
		if err == nil {
			err = json.Unmarshal(data, &read)
		}
		if err != nil || encode(read) != encode(*record) || v.At(i) != record {
			return fmt.Sprintf("View.JSON(%d) = %s, %v, View.At is %s, and View.All yields %s", i, data, err, encode(*v.At(i)), encode(*record))
		}
		list = append(list, encode(*record))
	}
	return model.Page(v.Count(), list)
}
