package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A filter is a [schema.Filter] for the entries of a collection.
type filter struct {
	where   []restriction
	match   []func(*store.Entry) bool
	instant *instant // nil unless the query reads other collections
}

// A restriction restricts a column to ranges of keys.
type restriction struct {
	column *column
	ranges []ordering.Range
}

func (r restriction) holds(e *store.Entry) bool {
	return ordering.InRanges(r.ranges, r.column.key(e))
}

// holds reports whether the filter selects an entry.
func (f filter) holds(e *store.Entry) bool {
	for _, r := range f.where {
		if !r.holds(e) {
			return false
		}
	}
	return f.matches(e)
}

func (f filter) matches(e *store.Entry) bool {
	for _, match := range f.match {
		if !match(e) {
			return false
		}
	}
	return true
}

// test returns the function holds, or an equivalent one that is faster.
func (f filter) test() func(*store.Entry) bool {
	if len(f.where) == 0 && len(f.match) == 1 {
		return f.match[0]
	}
	return f.holds
}

// addTo adds the filter to a query. Restrictions of columns without an index become part
// of the function that the store calls for entries.
func (f filter) addTo(q *store.Query) {
	for _, r := range f.where {
		if r.column.indexed {
			q.Where = append(q.Where, store.Condition{Field: r.column.name, Ranges: r.ranges})
		} else {
			f.match = append(f.match, r.holds)
		}
	}
	if len(f.match) > 0 {
		q.Match = f.matches
	}
}

// filter returns the filter for a query with the terms that reads n entries of the collection, or
// all if n is 0. If the query reads other collections, the filter is for the entries of its
// instant.
func (c *core) filter(ctx context.Context, wanted schema.Filter, terms []ordering.Term, n int) (f filter, err error) {
	if err := ctx.Err(); err != nil {
		return f, err
	}
	return c.instant(ctx, wanted, terms).filter(c, wanted, n)
}

// filter returns the filter for a query of the instant, which is nil if it reads no other
// collection, that reads n entries of a collection, or all if n is 0.
func (in *instant) filter(c *core, wanted schema.Filter, n int) (f filter, err error) {
	if f.instant = in; in != nil && n == 0 {
		n = in.states[c].Len()
	}
	for _, t := range wanted.Tests {
		if err := in.add(&f, c, t, n); err != nil {
			return f, err
		}
	}
	for _, tests := range wanted.Search {
		found := make([]func(*store.Entry) bool, len(tests))
		for i, t := range tests {
			var one filter
			if err := in.add(&one, c, t, n); err != nil {
				return f, err
			}
			found[i] = one.test()
		}
		f.match = append(f.match, func(e *store.Entry) bool {
			return slices.ContainsFunc(found, func(holds func(*store.Entry) bool) bool { return holds(e) })
		})
	}
	return f, nil
}

// isComplete reports whether a test has the values that its lookup needs.
func isComplete(t schema.Test) bool {
	switch t.Lookup {
	case "in":
		return true
	case "range":
		return len(t.Values) == 2
	}
	return len(t.Values) > 0
}

// add adds a test of a column.
func (f *filter) add(c *column, t schema.Test) {
	if c.Kind == schema.References {
		f.match = append(f.match, c.contains(t))
		return
	}
	list := conditions(c.name, t)
	if list == nil {
		f.match = append(f.match, c.textual(t))
	}
	for _, condition := range list {
		ranges, err := condition.Ranges(func(value any) (sortkey.Key, error) { return c.keyOf(value.(string)), nil })
		if err != nil {
			ranges = nil // a prefix of a field that is not text
		}
		f.where = append(f.where, restriction{c, ranges})
	}
}

// conditions returns the conditions that a test is equivalent to, or nil if it is not
// about the order of values.
func conditions(field string, t schema.Test) []ordering.Condition {
	switch t.Lookup {
	case "exact", "in":
		return []ordering.Condition{ordering.OneOf(field, t.Values...)}
	case "gt":
		return []ordering.Condition{ordering.Greater(field, t.Values[0])}
	case "gte":
		return []ordering.Condition{ordering.AtLeast(field, t.Values[0])}
	case "lt":
		return []ordering.Condition{ordering.Less(field, t.Values[0])}
	case "lte":
		return []ordering.Condition{ordering.AtMost(field, t.Values[0])}
	case "range":
		return []ordering.Condition{ordering.AtLeast(field, t.Values[0]), ordering.AtMost(field, t.Values[1])}
	case "startswith":
		return []ordering.Condition{ordering.Prefix(field, t.Values[0])}
	case "isnull":
		if t.Values[0] == "true" {
			return []ordering.Condition{ordering.IsNull(field)}
		}
		return []ordering.Condition{ordering.NotNull(field)}
	}
	return nil
}

// contains returns the function of a test of a list of ids: whether it contains one of
// the values, or, for isnull, whether it is empty.
func (c *column) contains(t schema.Test) func(*store.Entry) bool {
	if t.Lookup == "isnull" {
		empty := t.Values[0] == "true"
		return func(e *store.Entry) bool {
			return c.refers(e, func(sortkey.Key) bool { return true }) != empty
		}
	}
	texts, ids := make(map[string]bool, len(t.Values)), make(map[int]bool, len(t.Values))
	for _, v := range t.Values {
		texts[v] = c.By != ""
		if id, err := strconv.Atoi(v); err == nil { // otherwise it is out of range: no record has it
			ids[id] = c.By == ""
		}
	}
	return func(e *store.Entry) bool {
		return c.refers(e, func(k sortkey.Key) bool {
			text, _ := k.AsText()
			id, ok := referenceOf(k)
			return texts[text] || ok && ids[id]
		})
	}
}

// textual returns the function of a test of text.
func (c *column) textual(t schema.Test) func(*store.Entry) bool {
	return func(e *store.Entry) bool {
		text, ok := c.key(e).AsText()
		return ok && t.MatchesText(text)
	}
}

// A column reads the values of a described field from entries.
type column struct {
	schema.Field
	name    string // in snake_case, or a path such as address__city
	path    *path  // of name
	indexed bool   // key is that of the engine, so conditions can use its index

	// key returns the value. Decimals are numbers, even if they are text in JSON.
	key func(*store.Entry) sortkey.Key
	// keyOf returns the key of a value of a [schema.Test].
	keyOf func(value string) sortkey.Key
	// refers reports whether the value, a reference or a list of references, has one whose
	// key satisfies the function: an id, or a text if the field refers By it.
	refers func(*store.Entry, func(sortkey.Key) bool) bool
}

// column returns the column of a field, which may be inside another one, or nil if none exists.
func (s *recordType) column(name string) *column {
	return cmp.Or(columnIn(s.columns, name), columnIn(s.nested, name))
}

func columnIn(columns []column, name string) *column {
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); i >= 0 {
		return &columns[i]
	}
	return nil
}

// unsortable reports whether requests cannot order records by the field of a term.
func (s *recordType) unsortable(t ordering.Term) bool {
	switch {
	case t.Field == s.identity.number:
		return s.identity.key != nil
	case t.Field == s.engine.Key, s.about.Sortable == nil && s.about.Fields == nil, s.inDefault(t.Field):
		return false
	case s.about.Sortable == nil:
		c := columnIn(s.columns, t.Field)
		return c == nil || c.Hidden || c.Computed
	}
	return !slices.Contains(s.about.Sortable, t.Field)
}

// inDefault reports whether the default order has a field, which the reverse of it has too.
func (s *recordType) inDefault(field string) bool {
	return slices.ContainsFunc(s.about.Ordering, func(t ordering.Term) bool { return t.Field == field })
}

// unknownColumn returns the error for a field that is not described.
func (s *recordType) unknownColumn(name string) error {
	known := suggest(name, slices.Concat(s.columns, s.nested), func(c column) string { return c.name })
	return s.errorf("%w: %q: %s", ordering.ErrUnknownField, name, known)
}

// columnsOf returns the columns of described fields. own are the functions of Options.Keys:
// orderings use them, but filters compare values.
func (s *recordType) columnsOf(fields []schema.Field, own []ordering.KeyFunc) []column {
	plain, _ := ordering.ValueFields(s.reflect, s.textKeys(fields)...) // without own only that of open records is an error
	columns := make([]column, len(fields))
	for i, f := range fields {
		c := &columns[i]
		c.Field, c.name = f, ordering.Snake(f.Name)
		c.path = pathOf(c.name)
		c.keyOf = f.Kind.Key
		if f.By != "" {
			f.Kind, c.keyOf = schema.Text, sortkey.Text
		}
		c.indexed = !slices.ContainsFunc(own, func(k ordering.KeyFunc) bool {
			name, _, _ := k.ForText()
			return name == c.name || name == "" // of a type, which may be that of the field
		})
		switch {
		case hasValue(f.Kind, s.typeOf(f.Name)):
			p := plain[slices.IndexFunc(plain, func(f ordering.ValueField) bool { return f.Name == c.name })]
			c.key = s.keyIn(p)
			if f.Kind == schema.Timestamp {
				c.keyOf = func(value string) sortkey.Key { return timeKey(p, value) }
			}
		default:
			c.indexed = c.indexed && s.open()
			c.key = func(e *store.Entry) sortkey.Key { return s.jsonKey(c, e) }
		}
		c.refers = s.references(c)
	}
	return columns
}

// jsonKey returns the value of a column in the JSON of an entry.
func (s *recordType) jsonKey(c *column, e *store.Entry) sortkey.Key {
	return withText(sortkey.JSON(s.valueIn(e, c)), c.Kind.TextKey())
}

// typeOf returns the type of a member or of a nested field, or nil if none exists.
func (s *recordType) typeOf(name string) reflect.Type {
	if m := s.member(name); m != nil {
		return m.Field.Type
	}
	return s.types[name]
}

// hasValue reports whether package ordering derives the key of a type from the value in its
// JSON. Otherwise methods of the type decide how it is sorted or written.
func hasValue(kind schema.Kind, t reflect.Type) bool {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return false
	case value.IsTime(t):
		return kind == schema.Timestamp
	case value.WritesJSON(t) || value.ReadsJSON(t):
		return false
	}
	if _, keyed := t.MethodByName("OrderingKey"); keyed {
		return false
	}
	number := reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr
	switch kind {
	case schema.Integer, schema.Reference:
		return number
	case schema.Float:
		return number || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
	case schema.Boolean:
		return t.Kind() == reflect.Bool
	case schema.Decimal, schema.Timestamp:
		return t == reflect.TypeFor[string]()
	}
	return t.Kind() == reflect.String
}

// timeKey returns the key of a date-time for a field of a struct, whose type decides how
// date-times compare.
func timeKey(f ordering.ValueField, value string) sortkey.Key {
	if t, err := time.Parse(time.RFC3339, value); err == nil && f.KeyOf != nil {
		if k, err := f.KeyOf(t); err == nil {
			return k
		}
	}
	return schema.Timestamp.Key(value)
}

// valueKeys returns the key functions of the fields, and of those inside them, that are text in
// JSON but compare by another value.
func (s *recordType) valueKeys(fields []schema.Field) []ordering.KeyFunc {
	return s.textKeys(slices.Concat(fields, schema.Nested(fields)))
}

func (s *recordType) textKeys(fields []schema.Field) (keys []ordering.KeyFunc) {
	for _, f := range fields {
		if key := f.Kind.TextKey(); key != nil && (s.open() || isString(s.typeOf(f.Name))) {
			keys = append(keys, ordering.FieldKey(ordering.Snake(f.Name), key))
		}
	}
	return keys
}

func isString(t reflect.Type) bool {
	return t == reflect.TypeFor[string]() || t == reflect.TypeFor[*string]()
}

// allKeys returns the key functions of a collection: the ones of its fields, and
// Options.Keys, which take precedence.
func (s *recordType) allKeys(fields []schema.Field, own []ordering.KeyFunc) []ordering.KeyFunc {
	for _, k := range own {
		if name, text, _ := k.ForText(); name == "" && text != nil { // of all strings
			return own
		}
	}
	return slices.Concat(s.valueKeys(fields), own)
}

// references returns the function refers of a column.
func (s *recordType) references(c *column) func(*store.Entry, func(sortkey.Key) bool) bool {
	if c.Kind != schema.References {
		return func(e *store.Entry, is func(sortkey.Key) bool) bool {
			k := c.key(e)
			return k.Compare(sortkey.Null()) != 0 && is(k)
		}
	}
	if m := s.member(c.Name); m != nil && m.Field.Type == reflect.TypeFor[[]int]() {
		index := m.Field.Index
		return func(e *store.Entry, is func(sortkey.Key) bool) bool {
			v, err := s.value(recordOf(e)).FieldByIndexErr(index)
			return err == nil && slices.ContainsFunc(*v.Addr().Interface().(*[]int), func(id int) bool { return is(sortkey.Int(int64(id))) })
		}
	}
	return func(e *store.Entry, is func(sortkey.Key) bool) bool {
		for item := range elements(s.valueIn(e, c)) {
			if is(sortkey.JSON(item)) {
				return true
			}
		}
		return false
	}
}

// referenceOf returns the id that a stored value refers to. Only a whole number is a reference,
// so filters by the id find exactly the records that refer to it. The service refuses
// booleans, and converts text that it accepts before it stores it.
func referenceOf(k sortkey.Key) (id int, ok bool) {
	n, ok := k.AsInt()
	return int(n), ok && int64(int(n)) == n && k.Compare(sortkey.Int(n)) == 0 // a boolean is not a number
}

// elements returns the elements of a list, which is canonical JSON. Other values have
// none.
func elements(list string) iter.Seq[string] {
	inside, ok := strings.CutPrefix(list, "[")
	if !ok || inside == "]" {
		return func(func(string) bool) {}
	}
	if !strings.ContainsAny(inside, `"[{`) {
		return strings.SplitSeq(strings.TrimSuffix(inside, "]"), ",")
	}
	return func(yield func(string) bool) {
		var items []json.RawMessage
		_ = json.Unmarshal([]byte(list), &items) // stored JSON is valid
		for _, item := range items {
			if !yield(string(item)) {
				return
			}
		}
	}
}

// valueIn returns the value of a column in the JSON of an entry, or "" if it is absent.
func (s *recordType) valueIn(e *store.Entry, c *column) string {
	r, err := s.parsed(e)
	if err != nil {
		return ""
	}
	return c.path.value(r)
}

// parsed returns the members of the JSON of an entry.
func (s *recordType) parsed(e *store.Entry) (schema.Record, error) {
	if s.open() {
		return *typed[schema.Record](recordOf(e)), nil
	}
	b, err := s.stored(e)
	if err != nil {
		return schema.Record{}, err
	}
	r, err := s.parse(b)
	if err != nil {
		return r, s.invalid(e, err)
	}
	return r, nil
}

// memberOf returns the name and the JSON of the member that is the field with a name in
// snake_case, or "" if none exists.
// wire is the camelCase form of the name, which takes precedence.
func memberOf(r schema.Record, wire, field string) (name, value string) {
	if value, ok := r.Get(wire); ok {
		return wire, value
	}
	for name, value := range r.All() {
		if isNamed(name, field) {
			return name, value
		}
	}
	return "", ""
}

// memberIn returns the value that memberOf returns for an object inside a record. Other JSON
// has no members.
func memberIn(object, wire, field string) (value string) {
	for name, text := range jsontext.Members(object) {
		switch {
		case name == wire:
			return text
		case value == "" && isNamed(name, field):
			value = text
		}
	}
	return value
}

// isNamed reports whether a member is the field with a name in snake_case.
func isNamed(member, field string) bool {
	if strings.Contains(field, "__") && !strings.Contains(member, "_") {
		return false // one underscore can precede a word; Snake may allocate
	}
	return ordering.Snake(member) == field
}

// A path finds a field in the JSON of a record. It is the member with its name or, if there is
// none, a field in the object that is the member with the name up to the first two underscores.
type path struct {
	field, wire           string // the name, and its camelCase form
	outerField, outerWire string // the part before two underscores
	inner                 *path  // after them; nil if there are none
}

func pathOf(field string) *path {
	p := &path{field: field, wire: ordering.Camel(field)}
	if outer, inner, ok := strings.Cut(field, "__"); ok {
		p.outerField, p.outerWire, p.inner = outer, ordering.Camel(outer), pathOf(inner)
	}
	return p
}

// value returns the JSON of the field in a record, or "" if it is absent.
func (p *path) value(r schema.Record) string {
	_, value := memberOf(r, p.wire, p.field)
	if value == "" && p.inner != nil {
		_, object := memberOf(r, p.outerWire, p.outerField)
		return p.inner.in(object)
	}
	return value
}

// in returns the JSON of the field in an object, or "" if it is absent.
func (p *path) in(object string) string {
	value := memberIn(object, p.wire, p.field)
	if value == "" && p.inner != nil {
		return p.inner.in(memberIn(object, p.outerWire, p.outerField))
	}
	return value
}
