package schema

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Description describes a collection, independently of its records.
type Description struct {
	Key      string          // name in the root listing, such as filmRoles
	Segment  string          // path segment, such as film_roles
	Name     string          // of a record in titles and messages, such as "film role"
	Actions  Actions         // the operations that are served
	Vary     string          // value of the Vary header
	Query    string          // of the URL in the root listing, such as "format=api"
	Ordering []ordering.Term // default ordering
	Fields   []Field         // in wire order; nil if they are not known

	// Sortable are the names of the fields that requests can order records by, in snake_case,
	// besides the id. If nil, they are those of Fields that are neither hidden nor computed, or any
	// that records have if Fields is nil. Members of an Object, such as address__city, must be
	// listed. A path through references to one record, such as "director__born", orders by a field
	// of another record; a reference to none, or to one that does not exist, is null.
	Sortable []string

	// Filters are the parameters that select records: the snake_case name of a field, alone or
	// followed by two underscores and a lookup, such as "minutes__gte". [Description.Filter]
	// lists the lookups. Instead of a field it may name one of a record to which the record
	// refers, at any distance, if Related has the descriptions, as in "director__born__gte" and
	// "genres__name". Parameters that are not in Filters are ignored. A filter, or an ordering,
	// by a Hidden field reveals its values to clients that try enough of them.
	Filters []string

	// Search names the fields, in snake_case, in which the parameter search finds text. The text
	// of a UUID has hyphens. As in Django REST framework, "^name" finds text at the beginning of
	// the field only, "=slug" compares the whole field, and "director__name" is the field of the
	// record that director refers to, which must be one record and not a list. There may be
	// several references, as in "film__director__name".
	Search []string

	// Unique are the sets of at least two fields, in snake_case, of which no two records have
	// the same values, unless one is null. Requests must have all of them. A field that is
	// unique alone is a Unique field.
	Unique [][]string

	// Rule, if not nil, checks a record whose fields are valid, and whose values are unique,
	// before it is stored, and may change it. For a PATCH it is the record with what was
	// not sent. It must not write to the collection. If it returns an
	// error, the record is invalid: the response contains the [FieldErrors] that the error
	// wraps, such as those of [Invalid], or otherwise its text. As in Django REST framework, they
	// may have the names of any fields, described or not. An error that wraps that of ctx is not
	// sent.
	Rule func(ctx context.Context, r *Record) error

	// Related are the descriptions of collections to which fields refer, and of those to which
	// their fields refer, by their keys. A catalogue sets it if there are references.
	Related map[string]*Description

	// Lookup names the unique field of text, in snake_case, by which the paths of records
	// address them. If empty, paths have ids. Records without an id have it: it is their Key unless
	// it is another field.
	Lookup string

	// Pages is the style of the pages of the collection. If nil, it is that of the handler. With
	// [pagination.Cursors], requests can order records only by the id and by Fields of scalar
	// kinds, and not at all if Sortable is empty but not nil.
	Pages pagination.Style

	// Label is the field that pages show as the name of a record, in snake_case. If empty, it
	// is title, name or slug: the first that exists.
	Label string
}

// SnakeCase reports whether the JSON of records is in snake_case: some field has a name with an
// underscore. The names of parameters in errors, and all that a response has besides the fields,
// are then in snake_case, otherwise in camelCase. O(len of Fields).
func (d Description) SnakeCase() bool {
	return slices.ContainsFunc(d.Fields, func(f Field) bool { return strings.Contains(f.Name, "_") })
}

// Actions is a set of operations on a collection.
type Actions uint8

// The actions, which are named as in Django REST framework. The first two are requests to the
// path of the collection, the others to the path of a record.
const (
	List          Actions = 1 << iota // GET of a page
	Create                            // POST
	Retrieve                          // GET of a record
	Update                            // PUT
	PartialUpdate                     // PATCH
	Destroy                           // DELETE

	AllActions = List | Create | Retrieve | Update | PartialUpdate | Destroy
)

// Has reports whether the set contains all of the others. O(1).
func (a Actions) Has(others Actions) bool { return a&others == others }

// A Field describes one member of a collection's records.
type Field struct {
	Name     string   // name in JSON
	Formerly []string // names in JSON that stored records may have instead; see [Description.Upgrade]
	Kind     Kind
	ReadOnly bool   // ignored in posted objects; has its Default
	Required bool   // must be present, except in a PATCH
	Nullable bool   // may be null
	Blank    bool   // may be empty text
	Unique   bool   // no two records have the same value, except null
	Fold     bool   // text that compares without regard to case, as by [strings.EqualFold]
	Key      bool   // Unique text that identifies the record instead of an id; never changes
	Created  bool   // a Timestamp that is the time of the post, unless it is sent and not ReadOnly
	Hidden   bool   // stored, but never served
	Computed bool   // served, but not stored; read-only, and kept until the record changes
	Default  string // JSON of the value if absent from a post; empty if none exists
	Reset    bool   // a PUT without the field sets it to Default, even if it is read-only

	Refers   string   // key of the collection to which a Reference or References refers; by id inside other fields
	By       string   // snake_case name of the unique text there that is the value; if empty, the key or id
	OnDelete OnDelete // what a deletion of the record to which a Reference refers does
	Choices  []string // the values of a Choice
	Labels   []string // what OPTIONS shows for the Choices; if nil, their words with a capital
	Digits   int      // maximum number of digits of a Decimal
	Places   int      // number of digits of a Decimal after the point

	// Min and Max are the bounds of an Integer, Float or Decimal, as messages show them. If
	// empty, there is no bound.
	Min, Max string

	// MinLength and MaxLength are the bounds of the number of code points of a text, or of
	// the number of elements of an Array or of References. If 0, there is no bound.
	MinLength, MaxLength int

	Untrimmed bool           // white space at the ends of a Text is kept
	Pattern   *regexp.Regexp // is found in valid text; ^ and $ make it match all of it
	Message   string         // for a text in which Pattern is not found; has a default

	Item   *Field  // of an Array or Map: its elements; the field has no name
	Fields []Field // of an Object: its members

	// Check, if not nil, returns the error of a value of the right kind, which is canonical
	// JSON. Its messages are listed before those about bounds, lengths and forms.
	Check func(value string) error

	// Rule, if not nil, checks a valid value, which is canonical JSON, and returns the
	// value to store. Its error is as for [Description.Rule].
	Rule func(ctx context.Context, value string) (string, error)
}

// An OnDelete is what happens to a record, at the same instant, when a request deletes the one to
// which a Reference of it refers. A list of references loses the item. References inside other
// fields stay as they are.
type OnDelete uint8

// What a deletion does.
const (
	Protect OnDelete = iota // the deletion is refused
	Cascade                 // the record is deleted, too
	SetNull                 // the field becomes null
)

// Label returns the name of the field in words, such as "start date" for startDate. O(len of
// Name).
func (f Field) Label() string { return strings.ReplaceAll(ordering.Snake(f.Name), "_", " ") }

// Check returns an error wrapping [ErrInvalid] if the description contradicts itself, for
// example if a filter names an unknown field. The error names the first fault and, for an
// unknown name, the nearest known one. Of other collections, Check sees those in Related: others
// need not exist, and paths to their fields in Search and Sortable are not checked.
func (d Description) Check() error {
	for _, check := range []func() error{d.checkNames, d.checkFields, d.checkFilters, d.checkSearch} {
		if err := check(); err != nil {
			return fmt.Errorf("%w description of %q: %w", ErrInvalid, d.Key, err)
		}
	}
	return nil
}

func (d Description) checkNames() error {
	for _, text := range [...]struct{ of, is string }{{"key", d.Key}, {"segment", d.Segment}, {"name", d.Name}, {"Vary", d.Vary}} {
		switch {
		case text.is == "" && text.of != "Vary":
			return fmt.Errorf("the %s is empty", text.of)
		case !isPlain(text.is):
			return fmt.Errorf("the %s contains control characters or invalid UTF-8", text.of)
		}
	}
	switch {
	case strings.ContainsAny(d.Segment, "/.?#%") || strings.ContainsFunc(d.Segment, isSpace):
		return fmt.Errorf("segment %q contains white space or one of / . ? # %%", d.Segment)
	case strings.ContainsFunc(d.Query, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(d.Query, "\"#<>\\^`{|}"):
		return fmt.Errorf("query %q contains characters that a URL escapes", d.Query)
	}
	return nil
}

// isPlain reports whether text is UTF-8 without control characters.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// checkFields checks the fields, those that are unique together, and the label.
func (d Description) checkFields() error {
	if err := checkMembers(d.Fields, false); err != nil {
		return err
	}
	for _, set := range d.Unique {
		for i, name := range set {
			switch _, ok := d.snakeField(name); {
			case !ok && d.Fields != nil:
				return fmt.Errorf("unique: unknown field %q: %s", name, ordering.Suggest(name, d.snakeNames()))
			case slices.Contains(set[:i], name):
				return fmt.Errorf("unique: field %q is repeated", name)
			}
		}
		if len(set) < 2 {
			return fmt.Errorf("unique: %q: want at least two fields", set)
		}
	}
	for i, f := range d.Fields {
		switch {
		case !f.Key:
		case !f.isKey() || f.Nullable || f.Hidden || f.Computed || f.Default != "":
			return fmt.Errorf("field %q: a key is a unique text that is neither null, hidden nor computed, and has no default", f.Name)
		case slices.ContainsFunc(d.Fields[:i], func(f Field) bool { return f.Key }):
			return fmt.Errorf("field %q: there are two keys", f.Name)
		case slices.ContainsFunc(d.Fields, Field.isID):
			return fmt.Errorf("field %q: records have an id: remove the id, or make the field unique and the Lookup", f.Name)
		case d.Lookup == "":
			return fmt.Errorf("lookup: it is empty, but records have no id: want %q, the key", ordering.Snake(f.Name))
		}
	}
	if f, ok := d.snakeField(d.Lookup); d.Lookup != "" && (!ok || !f.isKey()) {
		return fmt.Errorf("lookup: %q is not a unique field of text", d.Lookup)
	}
	if _, ok := d.snakeField(d.Label); !ok && d.Label != "" && d.Fields != nil {
		return fmt.Errorf("label: unknown field %q: %s", d.Label, ordering.Suggest(d.Label, d.snakeNames()))
	}
	return nil
}

// isID reports whether a field is the id, and not a key of that name.
func (f Field) isID() bool { return f.Name == "id" && !f.Key }

// isKey reports whether the values of a field are unique texts that are compared as they are.
func (f Field) isKey() bool {
	row := f.Kind.row()
	return f.Unique && row.json == jsontext.String && row.key == nil
}

// checkMembers checks the fields of a record, or those inside another one, whose names must also
// differ in snake_case.
func checkMembers(fields []Field, inside bool) error {
	seen := make(map[string]string, len(fields))
	for i, f := range fields {
		if f.Name == "" {
			return fmt.Errorf("field %d has no name", i)
		}
		snake := ordering.Snake(f.Name)
		if other, repeated := seen[snake]; repeated {
			return fmt.Errorf("fields %q and %q are both %q in snake_case", other, f.Name, snake)
		}
		seen[snake] = f.Name
		if err := f.check(inside); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return checkFormerly(fields)
}

// checkFormerly checks that no former name of a member of an object is a name of another member.
func checkFormerly(fields []Field) error {
	owners := map[string]string{}
	for _, f := range fields {
		owners[f.Name] = f.Name
	}
	for _, f := range fields {
		for _, name := range f.Formerly {
			if name == "" {
				return fmt.Errorf("field %q: a former name is empty", f.Name)
			}
			if owner, taken := owners[name]; taken {
				return fmt.Errorf("field %q: the former name %q is a name of %q", f.Name, name, owner)
			}
			owners[name] = f.Name
		}
	}
	return nil
}

func (f Field) check(inside bool) error {
	composite := f.Kind == Array || f.Kind == Map
	switch {
	case inside && (f.Unique || f.Key || f.Created || f.Hidden || f.Computed || f.By != "" || f.OnDelete != Protect):
		return errors.New("a field inside another one cannot be unique, a key, created, hidden or computed, nor have By or OnDelete")
	case f.Kind == 0 || int(f.Kind) >= len(kinds):
		return fmt.Errorf("kind %d is unknown", f.Kind)
	case f.Fold && (!f.Kind.isText() || f.Name == ""):
		return errors.New("only a text that is not the element of a list can be compared without regard to case")
	case f.Kind == Choice && len(f.Choices) == 0:
		return errors.New("there are no choices")
	case f.Labels != nil && len(f.Labels) != len(f.Choices):
		return fmt.Errorf("%d labels of %d choices", len(f.Labels), len(f.Choices))
	case f.Kind == Decimal && (f.Places < 0 || f.Places > f.Digits):
		return fmt.Errorf("%d places of %d digits", f.Places, f.Digits)
	case f.Kind == Regex && f.Pattern == nil:
		return errors.New("there is no pattern")
	case composite != (f.Item != nil):
		return errors.New("an Array or Map, and no other kind, has an Item")
	case f.Name == "" && f.Formerly != nil:
		return errors.New("elements of an Array or Map have no former names")
	case f.Kind != Object && f.Fields != nil:
		return errors.New("only an Object has Fields")
	case f.OnDelete > SetNull || f.OnDelete != Protect && (f.Kind != Reference || f.Refers == ""):
		return errors.New("only a Reference to a collection has an OnDelete, which is Protect, Cascade or SetNull")
	case f.OnDelete == SetNull && !f.Nullable:
		return errors.New("OnDelete is SetNull, but the field is not Nullable")
	case f.MinLength < 0 || f.MaxLength < 0 || f.MaxLength > 0 && f.MinLength > f.MaxLength:
		return fmt.Errorf("the lengths %d to %d are invalid", f.MinLength, f.MaxLength)
	}
	if err := f.checkBounds(); err != nil {
		return err
	}
	if err := checkMembers(f.Fields, true); err != nil {
		return err
	}
	if f.Item != nil {
		if err := f.Item.check(true); err != nil {
			return fmt.Errorf("item: %w", err)
		}
	}
	if f.Default == "" {
		return nil
	}
	if syntax := jsontext.Check([]byte(f.Default), jsontext.MaxDepth); syntax != nil {
		return fmt.Errorf("the default is not JSON: %s", syntax.Reason)
	}
	return nil
}

// checkBounds checks Min and Max.
func (f Field) checkBounds() error {
	for _, bound := range []string{f.Min, f.Max} {
		_, ok := parseDecimal(bound)
		switch {
		case bound == "":
		case f.Kind != Integer && f.Kind != Float && f.Kind != Decimal:
			return fmt.Errorf("bound %s: the field is not a number", bound)
		case !ok:
			return fmt.Errorf("the bound %q is not a number", bound)
		case f.Kind == Integer:
			if _, err := strconv.ParseInt(bound, 10, 64); err != nil {
				return fmt.Errorf("the bound %q is not an integer of 64 bits", bound)
			}
		}
	}
	if f.Min != "" && f.Max != "" && compareNumbers(f.Min, f.Max) > 0 {
		return fmt.Errorf("the minimum %s is greater than the maximum %s", f.Min, f.Max)
	}
	return nil
}

// checkFilters checks the parameters, whose names must not be reserved for pages and formats.
func (d Description) checkFilters() error {
	taken := []string{"limit", "offset", "ordering", "search", "format"}
	for i, name := range d.Filters {
		if slices.Contains(taken, name) {
			return fmt.Errorf("filter %q is another parameter", name)
		}
		if slices.Contains(d.Filters[:i], name) {
			return fmt.Errorf("filter %q is repeated", name)
		}
		if _, _, err := d.Parameter(name); err != nil {
			return fmt.Errorf("filter %q: %w", name, err)
		}
	}
	return nil
}

// checkSearch checks the search fields, which must be text, and Sortable.
func (d Description) checkSearch() error {
	for _, entry := range d.Search {
		name, _ := searchEntry(entry)
		if err := d.checkPath(name, true); err != nil {
			return fmt.Errorf("search %q: %w", entry, err)
		}
	}
	for _, name := range d.Sortable {
		if d.Fields == nil || d.isFree(name) || name == "id" && !slices.ContainsFunc(d.Fields, func(f Field) bool { return f.Key }) {
			continue
		}
		if err := d.checkPath(name, false); err != nil {
			return fmt.Errorf("sortable %q: %w", name, err)
		}
	}
	return nil
}

// isFree reports whether a name is that of a member of a field that may be any JSON.
func (d Description) isFree(name string) bool {
	outer, _, inside := strings.Cut(name, "__")
	f, _ := d.snakeField(outer)
	return inside && f.Kind == JSON
}

// checkPath checks a path to a field through references to one record, as far as the collections
// are in Related.
func (d Description) checkPath(path string, text bool) error {
	f, own := d.anyField(path)
	reference, rest, crosses := d.follow(path)
	first, _, _ := strings.Cut(path, "__")
	outer, known := d.snakeField(first)
	switch {
	case own && text && !f.Kind.isText() && f.Kind != UUID:
		return fmt.Errorf("field %q is not text", path)
	case own:
		return nil
	case crosses && reference.Kind == References:
		return fmt.Errorf("field %q is a list: want a reference to one record", reference.Name)
	case crosses && rest == "":
		return fmt.Errorf("want a field of %s after %s", reference.Refers, path)
	case crosses && d.Related[reference.Refers] == nil:
		return nil
	case crosses:
		return d.related(reference).checkPath(rest, text)
	case known && path != first:
		return fmt.Errorf("field %q does not refer to a collection", outer.Name)
	}
	return fmt.Errorf("unknown field %q: %s", first, ordering.Suggest(first, d.snakeNames()))
}
