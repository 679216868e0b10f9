package schema

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// A Filter selects the records for which all tests hold and that have every word of the search. The
// zero Filter selects all.
type Filter struct {
	Tests []Test

	// Search has the tests of each word, without repeated words: one for each entry of
	// [Description].Search. A record has the word if one of them holds; see [Test.MatchesText].
	// Words about records of a list of references hold together for one choice of a record from
	// each list, as in a row of a join.
	Search [][]Test

	// Rows has the tests of the records that references lead to, by the key of their collection.
	// Where a test, the search or an ordering passes a reference, records for which they do not all
	// hold do not exist: a reference to one is null, and a list of references lacks it. The tests
	// themselves, and those with All, read all records.
	Rows map[string][]Test
}

// Filter returns the filter that the parameters of a query describe, as django-filter and the
// SearchFilter of Django REST framework do. The package documentation lists the lookups. params
// returns the values of a parameter, such as the method Values of a [pagination.Query], and is
// called once for each of Filters and for the search. Filter ignores entries of Filters that
// [Description.Check] rejects.
//
// Find of checks looks up what fields refer to: the ids or texts must be of existing records. If it
// returns an error, so does Filter. Other errors are [FieldErrors] in the order of Filters, and
// then that of the search. Its fields are the names that [Description.ErrorName] returns. In 3.18,
// U+0000 in the search is an error without a Field, unless there are others. A filter is for one
// request, because the work of its regular expressions is bounded. O(len of Filters × Fields + len
// of the values), without the calls of checks.
func (d Description) Filter(ctx context.Context, params func(name string) []string, checks Checks) (Filter, error) {
	var filter Filter
	var check *checker // nil as long as there are no parameters, as in most requests
	valuesOf := func(name string) []string {
		given := params(name)
		if len(given) > 0 && check == nil {
			check = d.checker(ctx, checks)
		}
		return given
	}
	var errs FieldErrors
	for _, name := range d.Filters {
		given := valuesOf(name)
		if len(given) == 0 {
			continue
		}
		f, whole, part, lookup, err := d.parameter(name)
		if err != nil {
			continue
		}
		wire := func() string { return d.ErrorName(name) } // which few errors need
		test, ok, message := f.test(lookup, given, wire, check)
		if part != nil && ok {
			test = part.test(whole, test, check.as)
		}
		if message != "" {
			if at := wire(); !slices.ContainsFunc(errs, func(e FieldError) bool { return e.Field == at }) {
				errs = append(errs, FieldError{Field: at, Messages: []string{message}})
			}
		} else if ok {
			filter.Tests = append(filter.Tests, test)
		}
	}
	if given := valuesOf(cmp.Or(d.SearchParam, searchParam)); len(given) > 0 {
		filter.Search, errs = d.search(validUTF8(given[len(given)-1]), check, errs)
	}
	if check == nil {
		return Filter{}, nil
	}
	if err := check.failure(errs); err != nil {
		return Filter{}, err
	}
	return filter, nil
}

// test returns the test of a parameter with the given values. Errors name the parameter. ok is
// false if the parameter counts as absent or if message is not empty.
func (f Field) test(lookup string, given []string, parameter func() string, checks *checker) (t Test, ok bool, message string) {
	t = Test{Field: ordering.Snake(f.Name), Lookup: lookup}
	last := validUTF8(given[len(given)-1])
	switch {
	case f.Kind == References && lookup == "exact":
		if t.Values, message = f.filterIDs(given, checks); f.ID { // of the records that refer to one
			t.Lookup = "in"
		}
	case last == "":
		return Test{}, false, ""
	case lookup == "in":
		t.Values, _, message = f.filterItems(lookup, last, checks)
	case lookup == "range":
		var items int
		t.Values, items, message = f.filterItems(lookup, last, checks)
		if message == "" && items != 2 {
			message = "Range query expects two values."
		} else if len(t.Values) != 2 {
			t = rangeTest(t.Field, nil) // nothing is in a range without a bound
		}
	default:
		var value string
		if value, message = f.filterValue(lookup, last, checks); value == "" {
			return Test{}, false, message
		}
		if t.Values = given[len(given)-1:]; value != t.Values[0] {
			t.Values = []string{value}
		}
		if message == "" && (lookup == "regex" || lookup == "iregex") {
			t.Match, message = checks.expression(parameter(), value, lookup == "iregex")
		}
	}
	return t, message == "", message
}

// filterItems returns the values in a text that is separated by commas, and the number
// of items. Only text can be empty; other kinds skip empty items.
func (f Field) filterItems(lookup, text string, checks *checker) (values []string, items int, message string) {
	for more := true; more; {
		var item string
		item, text, more = cutItem(text)
		items++
		value := ""
		if item != "" {
			if value, message = f.filterValue(lookup, item, checks); message != "" {
				return nil, items, message
			}
		}
		if value != "" || f.Kind.isText() {
			values = append(values, value)
		}
	}
	return values, items, ""
}

// cutItem cuts a text around the comma after its first item. Quotes around an item count only if it
// has a comma, so that others mean what they do for django-filter, where quotes mean nothing.
func cutItem(text string) (item, rest string, more bool) {
	end := 1
	for strings.HasPrefix(text, `"`) {
		at := strings.IndexByte(text[end:], '"')
		if at < 0 {
			break
		}
		end += at + 1
		if rest, more = strings.CutPrefix(text[end:], ","); more || rest == "" {
			if item = text[1 : end-1]; strings.Contains(item, ",") {
				return strings.ReplaceAll(item, `""`, `"`), rest, more
			}
			break
		}
		if text[end] != '"' {
			break
		}
		end++
	}
	return strings.Cut(text, ",")
}

// filterValue returns the canonical form of a value that is not empty, or "" if it counts
// as absent.
func (f Field) filterValue(lookup, value string, checks *checker) (text, message string) {
	switch {
	case lookup == "isnull":
		return filterBool(f, lookup, value, checks)
	case lookup == "exact" && f.Choices != nil && !slices.Contains(f.Choices, value):
		return "", notAvailable(value)
	case lookup == "exact" && f.Choices != nil:
		return value, ""
	}
	row := f.Kind.row()
	text, message = row.filter(f, lookup, value, checks)
	if row.of == numbers && message == "" && lookupOf(lookup).of == spelled {
		text = strings.TrimFunc(value, isSpace)
	}
	return text, message
}

// search returns the tests of each word of a search, and the errors of a request with its own.
func (d Description) search(text string, check *checker, errs FieldErrors) (all [][]Test, _ FieldErrors) {
	words, message := searchWords(text, check.as)
	_, name := d.Params()
	switch {
	case check.as.refuses(text):
		if errs == nil {
			errs = FieldErrors{{Messages: []string{hasNull}}}
		}
	case len(d.Search) == 0:
		words = nil
	case message != "":
		errs = append(errs, FieldError{Field: d.ErrorName(name), Messages: []string{message}})
	}
	for _, word := range words {
		tests, message := d.searchTests(word, d.ErrorName(name), check)
		if all = append(all, tests); message != "" {
			return all, append(errs, FieldError{Field: d.ErrorName(name), Messages: []string{message}})
		}
	}
	return all, errs
}

// searchTests returns a test for each entry of Description.Search, or a message if the word is an
// invalid regular expression. Errors of its work name the parameter.
func (d Description) searchTests(word, parameter string, check *checker) (tests []Test, message string) {
	tests = make([]Test, len(d.Search))
	var match func(string) (bool, error)
	for i, entry := range d.Search {
		field, lookup := d.SearchEntry(entry)
		tests[i] = Test{Field: field, Lookup: lookup, Values: []string{word}}
		if lookup == "iregex" {
			if match == nil {
				if match, message = check.expression(parameter, word, true); message != "" {
					return nil, message
				}
			}
			tests[i].Match = match
		}
	}
	return tests, ""
}

// SearchEntry returns the field that an entry of Search names, in snake_case, and the lookup that a
// word is compared with: icontains or, after ^, = or $, istartswith, iexact or iregex. O(fields).
func (d Description) SearchEntry(entry string) (field, lookup string) {
	if _, ok := d.anyField(entry); ok {
		return entry, "icontains"
	}
	for _, sign := range [...][2]string{{"^", "istartswith"}, {"=", "iexact"}, {"$", "iregex"}} {
		if field, ok := strings.CutPrefix(entry, sign[0]); ok {
			return field, sign[1]
		}
	}
	return entry, "icontains"
}

// maxWords is the maximum number of words in a search. Each word costs a comparison with
// each record.
const maxWords = 100

// searchWords returns the words of a search, each once. They are separated by white
// space and commas, and null characters are dropped, unless the framework keeps phrases.
func searchWords(text string, as Framework) (words []string, message string) {
	all := strings.FieldsFuncSeq(strings.ReplaceAll(text, "\x00", ""), func(r rune) bool { return r == ',' || isSpace(r) })
	if as.has(keepsPhrases) {
		all = phrases(text)
	}
	seen := map[string]bool{}
	for word := range all {
		switch {
		case seen[word]:
			continue
		case len(words) == maxWords:
			return nil, fmt.Sprintf("Too many words: at most %d are allowed.", maxWords)
		}
		seen[word] = true
		words = append(words, word)
	}
	return words, ""
}

// phrases returns an iterator over the words of a search as Django's smart_split and the
// framework cut it: parts separated by white space outside of quotes, without the commas around
// them. A part in quotes is one word, without the quotes and with \" and \\ unescaped. Others are
// cut at commas. O(len).
func phrases(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes := []rune(text)
		closing := map[rune][]int{'"': closings(runes, '"'), '\'': closings(runes, '\'')}
		for start, end := 0, 0; start < len(runes); start = max(end, start+1) {
			quoted, open := false, false // whether some quotes are closed, and the last is not
			for end = start; end < len(runes) && !isSpace(runes[end]); end++ {
				at := closing[runes[end]]
				if at == nil || open {
					continue
				}
				if open = at[end+1] < 0; open && quoted {
					break // the rest is another part
				} else if !open {
					end, quoted = at[end+1], true
				}
			}
			for word := range pieces(strings.Trim(string(runes[start:end]), ",")) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// closings returns the index of the first quote at or after each index of a text, from where
// backslashes escape what follows, or -1.
func closings(text []rune, quote rune) []int {
	at := make([]int, len(text)+2)
	at[len(text)], at[len(text)+1] = -1, -1
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == quote:
			at[i] = i
		case text[i] != '\\':
			at[i] = at[i+1]
		case i+1 < len(text) && text[i+1] == '\n':
			at[i] = -1
		default:
			at[i] = at[i+2]
		}
	}
	return at
}

// pieces returns an iterator over the words of a part of a search.
func pieces(part string) iter.Seq[string] {
	for _, quote := range [...]string{`"`, "'"} {
		if strings.HasPrefix(part, quote) && strings.HasSuffix(part, quote) {
			word := strings.ReplaceAll(part[1:max(1, len(part)-1)], `\`+quote, quote)
			return slices.Values([]string{strings.ReplaceAll(word, `\\`, `\`)})
		}
	}
	return func(yield func(string) bool) {
		for word := range strings.SplitSeq(part, ",") {
			if word != "" && !yield(strings.TrimFunc(word, isSpace)) {
				return
			}
		}
	}
}

// Position returns the text of a value of the field in a cursor, as Python's str writes it: None
// for null, True and False for booleans, and date-times in UTC, as in "2024-05-10 16:00:00+00:00".
// The value is JSON; "" is null.
func (f Field) Position(value string) string {
	switch {
	case value == "" || value == "null":
		return "None"
	case f.Kind == Boolean:
		return strings.ToUpper(value[:1]) + value[1:]
	case f.Kind == Float:
		return pythonFloat(value)
	case jsontext.KindOf(value) != jsontext.String:
		return value
	}
	text, layout := jsontext.Unquote(value), "2006-01-02 15:04:05-07:00"
	if f.Kind != Timestamp {
		return text
	}
	d, message := parseDateTime(text, Framework{})
	if message != "" {
		return text
	}
	if d.Nanosecond() != 0 {
		layout = "2006-01-02 15:04:05.000000-07:00"
	}
	return d.UTC().Format(layout)
}

// ParsePosition returns the value of a [Test] for a text that [Field.Position] returns or the
// framework accepts: also date-times in other forms, dates alone, in UTC without an offset, and t,
// f, 1 and 0 for a boolean. ok is false for all other texts, for None unless it is text, and for
// kinds without an order.
func (f Field) ParsePosition(text string, as Framework) (value string, ok bool) {
	switch kind := f.Kind.row(); {
	case f.Kind == Boolean:
		word, found := map[string]string{"True": "true", "t": "true", "1": "true", "False": "false", "f": "false", "0": "false"}[text]
		return word, found
	case f.Kind == Timestamp:
		return parseMoment(text, as)
	case f.Kind == Date:
		day, ok := parseDate(text, as)
		return day.Format(time.DateOnly), ok
	case f.Kind == Decimal && strings.EqualFold(text, "NaN"):
		return "1e1000000", true // it is greater than all numbers
	case kind.json == jsontext.String && f.Kind != Decimal || f.By != "":
		return text, strings.IndexByte(text, 0) < 0
	case kind.json == jsontext.Int:
		number := strings.TrimFunc(text, isSpace)
		return number, isInteger(number)
	case f.Kind == Decimal || f.Kind == Float:
		number := strings.TrimFunc(text, isSpace)
		_, ok = parseDecimal(number)
		return number, ok
	}
	return "", false
}

// parseMoment returns a date-time in the form of filters.
func parseMoment(text string, as Framework) (value string, ok bool) {
	for _, suffix := range []string{"", "Z", "T00:00:00Z"} {
		if d, message := parseDateTime(text+suffix, as); message == "" {
			return d.inFilter(), true
		}
	}
	return "", false
}

// Parameter returns the field and the lookup of a parameter that can be in Filters, such as gte for
// minutes__gte, or exact for minutes. The name of a field inside an Object or in another record,
// whose collection must be in Related, and of a part of a date, is the whole path. The error names
// an unknown field or lookup, and the nearest known one. O(fields) for each collection.
func (d Description) Parameter(name string) (f Field, lookup string, err error) {
	f, _, _, lookup, err = d.parameter(name)
	return f, lookup, err
}

// Params returns the names of the parameters of orderings and searches. O(1).
func (d Description) Params() (ordering, search string) {
	return cmp.Or(d.OrderingParam, "ordering"), cmp.Or(d.SearchParam, searchParam)
}

const searchParam = "search" // unless a description says otherwise

// ErrorName returns the name of a parameter in [FieldErrors]: that of [ordering.Camel], such as
// "releasedAt_Gte" for released_at__gte, unless the description is in SnakeCase. Two of Parameters that are a
// range, such as published_after and published_before, have the name without their ends. O(fields).
func (d Description) ErrorName(name string) string {
	for _, pair := range [...][2]string{{"_after", "_before"}, {"_min", "_max"}} {
		for i, end := range pair {
			if both, ok := strings.CutSuffix(name, end); ok && d.Parameters[name] != "" && d.Parameters[both+pair[1-i]] != "" {
				name = both
			}
		}
	}
	if d.SnakeCase() {
		return name
	}
	return ordering.Camel(name)
}

// parameter returns what Parameter does and, if the field is a part, the field of which it is one.
func (d Description) parameter(name string) (f, whole Field, p *part, lookup string, err error) {
	if path := d.Parameters[name]; path != "" {
		own := d             // assigning to d would move it to the heap
		own.Parameters = nil // the path is not the name of another one
		f, whole, p, lookup, err = own.parameter(path)
		f.Choices = nil // as of a filter that is declared
		return f, whole, p, lookup, err
	}
	find := func(name string) (ok bool) {
		if f, ok = d.anyField(name); ok {
			return true
		}
		if whole, p, ok = d.partOf(name); ok {
			f = p.field(whole)
			return true
		}
		if f, ok = d.referring(name); ok {
			f.Name += "__" + ordering.Snake(d.related(f).Identity().Name)
		}
		return ok
	}
	ok := find(name)
	field, lookup := name, "exact"
	if at := strings.LastIndex(name, "__"); !ok && at >= 0 {
		field, lookup = name[:at], name[at+len("__"):]
		ok = find(field)
	}
	if f.Fields != nil && field != name && lookup != "isnull" { // the lookup is a member that does not exist
		ok, field = false, name
	}
	row := lookupOf(lookup)
	has := row != nil && row.of&f.Kind.row().of != 0
	if !ok || !has {
		if reference, rest, crosses := d.follow(name); crosses && d.Related[reference.Refers] != nil {
			f, whole, p, lookup, err = d.related(reference).parameter(rest)
			path := strings.TrimSuffix(name, rest)
			f.Name, whole.Name = path+ordering.Snake(f.Name), path+ordering.Snake(whole.Name)
			return f, whole, p, lookup, err
		}
	}
	switch {
	case !ok:
		known := Description{Fields: slices.Concat(d.Fields, Nested(d.Fields))}.snakeNames()
		if first, _, _ := strings.Cut(field, "__"); !find(first) {
			field = first
		}
		err = fmt.Errorf("unknown field %q: %s", field, ordering.Suggest(field, append(known, d.backwardNames()...)))
	case lookup == "exact" && field != name:
		err = fmt.Errorf("the lookup exact is written %q", field)
	case !has:
		err = fmt.Errorf("field %q has no lookup %q: %s", field, lookup, ordering.Suggest(lookup, f.lookups()))
	}
	if err != nil {
		return f, whole, nil, "", err
	}
	return f, whole, p, lookup, nil
}

// Named returns the name of a term or a parameter in snake_case, such as unit_price__gte for
// unitPrice__gte, if JSONNames permits the name, and otherwise the name itself. O(fields).
func (d Description) Named(name string) string {
	var outer Field
	first := "" // the longest name of a field with which the name begins
	for _, f := range d.Fields {
		known := f.Name
		if !strings.HasPrefix(name, known) && strings.Contains(name, "__") {
			known = ordering.Snake(known)
		}
		rest, ok := strings.CutPrefix(name, known)
		if ok && len(known) > len(first) && (rest == "" || strings.HasPrefix(rest, "__")) {
			outer, first = f, known
		}
	}
	snake := first
	if d.JSONNames || strings.ToLower(first) == first {
		snake = ordering.Snake(first)
	}
	rest, nested := strings.CutPrefix(name[len(first):], "__")
	if !nested || first == "" {
		return cmp.Or(snake, name)
	}
	inside := Description{Fields: outer.Fields}
	if outer.Refers != "" {
		inside = d.related(outer)
	}
	inside.JSONNames = d.JSONNames
	if inner := inside.Named(rest); inner != rest || snake != first {
		return snake + "__" + inner
	}
	return name
}

// follow returns the reference with which a path such as director__name begins, and the rest. ok
// is false if the path is that of a field of the record.
func (d Description) follow(path string) (reference Field, rest string, ok bool) {
	if _, own := d.anyField(path); own {
		return Field{}, "", false
	}
	for at := range path {
		if rest, ok = strings.CutPrefix(path[at:], "__"); ok {
			if reference, ok = d.anyField(path[:at]); !ok {
				reference, ok = d.referring(path[:at])
			}
			if ok && reference.Refers != "" {
				return reference, rest, true
			}
		}
	}
	return Field{}, "", false
}

// referring returns a list of references to the records that refer to one, by their name in Related.
func (d Description) referring(name string) (f Field, ok bool) {
	if d.Related == nil || strings.Contains(name, "__") {
		return Field{}, false
	}
	by := d.backwards(name)
	if len(by) == 0 {
		return Field{}, false
	}
	f = Field{Name: name, Kind: References, ID: true, Refers: by[0].Refers}
	if identity := d.related(f).Identity(); identity.Key {
		f.By = ordering.Snake(identity.Name)
	}
	return f, true
}

// backwards returns the fields that refer to the records and have a name for what does, or that name if it is
// not empty, by the keys of their collections, which their Refers is.
func (d Description) backwards(name string) (all []Field) {
	for key, other := range d.Related {
		for i := 0; other != nil && i < len(other.Fields); i++ { // a Field is large
			if f := &other.Fields[i]; f.Related != "" && f.Related == cmp.Or(name, f.Related) && f.Refers == cmp.Or(d.Of, d.Key) {
				all = append(all, *f)
				all[len(all)-1].Refers = key
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Field) int { return strings.Compare(a.Refers, b.Refers) })
	return all
}

// backwardNames returns the names of what refers to the records.
func (d Description) backwardNames() (names []string) {
	for _, f := range d.backwards("") {
		names = append(names, f.Related)
	}
	return names
}

// related returns the description of the records to which a field refers. That of a collection that
// is not in Related has no fields.
func (d Description) related(reference Field) Description {
	var other Description
	if r := d.Related[reference.Refers]; r != nil {
		other = *r
	}
	other.Related, other.Parameters = d.Related, nil
	return other
}
