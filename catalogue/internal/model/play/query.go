package play

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/ordering"
)

// terms returns the terms of an ordering. Unlike [ordering.Parse] it keeps repeated fields.
func terms(text string) (list []ordering.Term) {
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
		argument := func(text string) any { return argument[T](c.Field, text) }
		var values []any
		if c.Operator == "in" || c.Operator == "between" || c.Operator == "outside" {
			var texts []json.RawMessage
			if err := json.Unmarshal([]byte(c.Value), &texts); err != nil {
				panic(err)
			}
			for _, text := range texts {
				values = append(values, argument(string(text)))
			}
		}
		all = append(all, condition(c, argument, values))
	}
	return all
}

func condition(c model.Condition, argument func(string) any, values []any) ordering.Condition {
	switch c.Operator {
	case "null":
		return ordering.IsNull(c.Field)
	case "notnull":
		return ordering.NotNull(c.Field)
	case "in":
		return ordering.OneOf(c.Field, values...)
	case "!=":
		return ordering.Not(ordering.Equal(c.Field, argument(c.Value)))
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
	return compare(c.Field, argument(c.Value))
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
