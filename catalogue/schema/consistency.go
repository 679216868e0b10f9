package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Check returns an error wrapping [ErrInvalid] if the description contradicts itself, for example
// if a filter names an unknown field. The error names the first fault and, for an unknown name, the
// nearest known one. A name is not that of two things: a field, what refers to the records, a field
// in bodies, or a parameter. Paths in Search and Sortable to collections that are not in Related are not
// checked.
func (d Description) Check() error {
	for _, check := range []func() error{d.checkNames, d.checkFields, d.checkShown, d.checkRelated, d.checkParameters, d.checkFilters, d.checkSearch} {
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
	case !isPrintable(d.Query) || strings.ContainsAny(d.Query, "\"#<>\\^`{|}"):
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
	written := func(f Field) (string, []string) { return ordering.Snake(f.Name), strings.Fields(f.Write) }
	if err := cmp.Or(checkMembers(d.Fields, false), checkNamesOf(d.Fields, "name in bodies", written)); err != nil {
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
		case d.Loose && f.Write != "":
			return fmt.Errorf("field %q: it has the name %q in bodies, whose members a Loose collection stores as they are sent", f.Name, f.Write)
		case f.IsID() && slices.ContainsFunc(d.Fields[:i], Field.IsID):
			return fmt.Errorf("field %q: records have another id, %q: give the field another name", f.Name, d.Identity().Name)
		case !f.Key:
		case !f.isKey() || f.Nullable || f.Hidden || f.Computed || f.Default != "":
			return fmt.Errorf("field %q: a key is a unique text, or integer of open records, that is neither null, hidden nor computed, and has no default", f.Name)
		case slices.ContainsFunc(d.Fields[:i], func(f Field) bool { return f.Key }):
			return fmt.Errorf("field %q: there are two keys", f.Name)
		case slices.ContainsFunc(d.Fields, Field.IsID):
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

// checkShown checks the members of what is shown.
func (d Description) checkShown() error {
	for _, fields := range [...][]Field{d.Shown, d.ShownInLists} {
		if err := checkMembers(fields, false); err != nil {
			return fmt.Errorf("what is shown: %w", err)
		}
		for _, f := range fields {
			if stored, ok := d.snakeField(ordering.Snake(f.Name)); f.Hidden || ok && stored.Hidden {
				return fmt.Errorf("what is shown: field %q is hidden", f.Name)
			} else if ok && d.Shown != nil && !slices.ContainsFunc(d.Shown, func(g Field) bool { return g.Name == f.Name }) {
				return fmt.Errorf("what is shown: lists have the field %q, but records have not", f.Name)
			}
		}
	}
	return nil
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
	return checkNamesOf(fields, "former name", func(f Field) (string, []string) { return f.Name, f.Formerly })
}

// checkNamesOf checks that no other name of a field is empty or a name of another field.
func checkNamesOf(fields []Field, kind string, of func(Field) (name string, others []string)) error {
	owners := map[string]string{}
	for _, f := range fields {
		name, _ := of(f)
		owners[name] = f.Name
	}
	for _, f := range fields {
		_, others := of(f)
		for _, name := range others {
			owner, taken := owners[name]
			switch {
			case name == "":
				return fmt.Errorf("field %q: a %s is empty", f.Name, kind)
			case taken:
				return fmt.Errorf("field %q: the %s %q is a name of %q", f.Name, kind, name, owner)
			}
			owners[name] = f.Name
		}
	}
	return nil
}

func (f Field) check(inside bool) error {
	composite := f.Kind == Array || f.Kind == Map
	switch {
	case inside && (f.Unique || f.Key || f.Created || f.Hidden || f.Computed || f.By != "" || f.OnDelete != Protect || f.Related != "" || f.Write != "" || f.Formerly != nil):
		return errors.New("a field inside another one cannot be unique, a key, created, hidden or computed, nor have By, OnDelete, Related, Write or Formerly")
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
	case f.Kind != Object && f.Fields != nil:
		return errors.New("only an Object has Fields")
	case f.OnDelete > SetNull || f.OnDelete != Protect && (f.Kind != Reference || f.Refers == ""):
		return errors.New("only a Reference to a collection has an OnDelete, which is Protect, Cascade or SetNull")
	case f.OnDelete == SetNull && !f.Nullable:
		return errors.New("OnDelete is SetNull, but the field is not Nullable")
	case f.Related != "" && (f.Refers == "" || ordering.Snake(f.Related) != f.Related || strings.Contains(f.Related, "__")):
		return fmt.Errorf("the name %q for what refers to another record is not in snake_case, or the field does not refer to a collection", f.Related)
	case f.Write != "" && (f.ReadOnly || ordering.Snake(f.Write) != f.Write):
		return fmt.Errorf("the name %q in bodies is not in snake_case, or the field is read-only", f.Write)
	case f.MinLength < 0 || f.MaxLength < 0 || f.MaxLength > 0 && f.MinLength > f.MaxLength:
		return fmt.Errorf("the lengths %d to %d are invalid", f.MinLength, f.MaxLength)
	}
	if err := cmp.Or(f.checkBounds(), f.checkChoices()); err != nil {
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
			_, err := strconv.ParseInt(bound, 10, 64)
			if _, wrong := strconv.ParseUint(bound, 10, 64); err != nil && wrong != nil {
				return fmt.Errorf("the bound %q is not an integer of 64 bits", bound)
			}
		}
	}
	if f.Min != "" && f.Max != "" && compareNumbers(f.Min, f.Max) > 0 {
		return fmt.Errorf("the minimum %s is greater than the maximum %s", f.Min, f.Max)
	}
	return nil
}

// checkChoices checks the choices of an Integer.
func (f Field) checkChoices() error {
	for _, choice := range f.Choices {
		n, err := strconv.ParseInt(choice, 10, 64)
		switch {
		case f.Kind == Choice:
		case f.Kind != Integer:
			return errors.New("only a Choice or an Integer has choices")
		case f.Min != "" || f.Max != "":
			return errors.New("an integer with choices has no bounds")
		case err != nil || strconv.FormatInt(n, 10) != choice:
			return fmt.Errorf("the choice %q is not an integer of 64 bits", choice)
		}
	}
	return nil
}

// checkRelated checks the names by which paths lead to what refers to the records.
func (d Description) checkRelated() error {
	owners, members := map[string]string{}, d.snakeNames()
	for _, f := range d.backwards("") {
		name := f.Related
		member := slices.IndexFunc(members, func(other string) bool { return other == name || strings.HasPrefix(other, name+"__") })
		at := "field " + strconv.Quote(f.Name) + " of " + f.Refers
		switch {
		case owners[name] != "":
			return fmt.Errorf("related: %q is the name of both %s and %s", name, owners[name], at)
		case member >= 0:
			return fmt.Errorf("related: %q of %s is a name of field %q", name, at, d.Fields[member].Name)
		case d.Parameters[name] != "":
			return fmt.Errorf("related: %q of %s is a name in Parameters", name, at)
		}
		owners[name] = at
	}
	return nil
}

// checkParameters checks the names of filters in Parameters.
func (d Description) checkParameters() error {
	own := d
	own.Parameters = nil
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		_, member := d.anyField(name)
		_, _, unknown := own.Parameter(name)
		_, _, err := own.Parameter(d.Parameters[name])
		switch {
		case !slices.Contains(d.Filters, name):
			return fmt.Errorf("parameter %q is not in Filters: %s", name, ordering.Suggest(name, d.Filters))
		case member || unknown == nil || d.Named(name) != name:
			return fmt.Errorf("parameter %q is another filter or a field", name)
		case err != nil:
			return fmt.Errorf("parameter %q: %w", name, err)
		}
	}
	return nil
}

// maxSteps is the most relations that a path crosses.
const maxSteps = 5

// checkSteps checks how many relations a path crosses.
func (d Description) checkSteps(path string) error {
	n, at := 0, d
	for relation, rest, ok := at.follow(path); ok; relation, rest, ok = at.follow(rest) {
		at = at.related(relation)
		n++
	}
	if n > maxSteps {
		return fmt.Errorf("the path leads through %d relations, want at most %d", n, maxSteps)
	}
	return nil
}

// checkFilters checks the parameters, whose names must not be reserved for pages and formats.
func (d Description) checkFilters() error {
	pages := pagination.TraitsOf(d.Pages)
	taken := []string{"limit", "offset", "format", pages.Place, pages.Size}
	order, search := d.Params()
	for _, name := range []string{order, search} {
		switch {
		case slices.Contains(taken, name) || d.OrderingParam+d.SearchParam != "" && d.Named(name) != name:
			return fmt.Errorf("parameter %q of orderings or searches is another one, too", name)
		case url.QueryEscape(name) != name:
			return fmt.Errorf("parameter %q of orderings or searches contains characters that a URL escapes", name)
		}
		taken = append(taken, name)
	}
	for i, name := range d.Filters {
		if slices.Contains(taken, name) && name != "" {
			return fmt.Errorf("filter %q is another parameter", name)
		}
		if slices.Contains(d.Filters[:i], name) {
			return fmt.Errorf("filter %q is repeated", name)
		}
		f, _, err := d.Parameter(name)
		if err = cmp.Or(err, d.checkSteps(f.Name)); err != nil {
			return fmt.Errorf("filter %q: %w", name, err)
		}
	}
	return nil
}

// checkSearch checks the search fields, which must be text, and Sortable.
func (d Description) checkSearch() error {
	for _, entry := range d.Search {
		name, _ := d.SearchEntry(entry)
		if err := cmp.Or(d.checkPath(name, true), d.checkSteps(name)); err != nil {
			return fmt.Errorf("search %q: %w", entry, err)
		}
	}
	for _, name := range d.Sortable {
		if d.Fields == nil || d.isFree(name) || name == ordering.Snake(d.Identity().Name) {
			continue
		}
		if err := cmp.Or(d.checkPath(name, false), d.checkSteps(name)); err != nil {
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

// checkPath checks a path to a field through references, as far as the collections
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
	case crosses && rest == "":
		return fmt.Errorf("want a field of %s after %s", reference.Refers, path)
	case crosses && d.Related[reference.Refers] == nil:
		return nil
	case crosses:
		return d.related(reference).checkPath(rest, text)
	case known && path != first:
		return fmt.Errorf("field %q does not refer to a collection", outer.Name)
	}
	return fmt.Errorf("unknown field %q: %s", first, ordering.Suggest(first, slices.Concat(d.snakeNames(), d.backwardNames())))
}

// isKey reports whether the values of a field are unique texts that are compared as they are, or those
// of a key that is a number.
func (f Field) isKey() bool {
	row := f.Kind.row()
	return f.Unique && (row.json == jsontext.String && row.key == nil || f.isNumber())
}

// isNumber reports whether the field is a key whose values are integers: numbers or texts of digits.
func (f Field) isNumber() bool {
	return f.Key && !f.Quoted && f.Choices == nil && (f.Kind == Integer || f.Kind == Decimal && f.Places == 0)
}
