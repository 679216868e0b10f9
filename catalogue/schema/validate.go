package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// Validate converts a posted JSON object to a record without an id. The record has all fields, in
// wire order and with normalized values. Fields that are absent or read-only have their default, or
// are omitted if they have none; Created fields have the current time in UTC. If the Fields are not
// known, the record is empty. The Actions are not checked.
//
// An empty body counts as {}. Names may be in camelCase or snake_case. If a field is repeated, the
// last value counts. Unknown members are ignored. If the description is Loose, the record has what
// was sent, and a new one lacks the Key if it is absent or null. The error is a [*SyntaxError], that of a callback
// of checks, or [FieldErrors]; then the record has the fields that are valid. O(len of body),
// without the calls of checks.
func (d Description) Validate(ctx context.Context, body []byte, checks Checks) (Record, error) {
	if d.Loose {
		return d.loosely(ctx, nil, body, false, checks)
	}
	v, err := d.validationOf(ctx, body, checks)
	if err != nil {
		return Record{}, err
	}
	var record Record
	for i, f := range v.Fields {
		var text string
		var wrong FieldError
		switch {
		case f.IsID():
			record.idAt = len(record.members)
		case f.Computed:
		case f.Created && (f.ReadOnly || v.sent[i] == ""):
			text = v.check.created()
		case f.ReadOnly:
			text = f.Default
		default:
			text, wrong = f.clean(v.sent[i], v.check)
		}
		if v.take(f, text, wrong) && text != "" {
			record.members = append(record.members, member{f.Name, text})
		}
	}
	return v.result(record)
}

// A validation is that of one record.
type validation struct {
	Description
	check *checker
	sent  []string // the values of the fields in the body
	errs  FieldErrors
}

// validationOf returns the validation of a body, with the values that are assigned.
func (d Description) validationOf(ctx context.Context, body []byte, checks Checks) (v validation, err error) {
	v.Description = frameworkOf(ctx).Describe(d)
	unread, _ := ctx.Value(unreadKey{}).(unread)
	if v.sent, err = v.Description.sent(body, unread); err == nil {
		v.Fields, err = v.assign(v.sent, checks.Assigned)
	}
	v.check = v.checker(ctx, checks)
	v.check.unread = unread
	v.check.room = max(v.check.room, len(body))
	return v, err
}

// take appends the error of a field, or of its text as the Lookup, and reports whether nothing is
// wrong.
func (v *validation) take(f Field, text string, wrong FieldError) (ok bool) {
	if wrong.ok() && v.Lookup != "" && ordering.Snake(f.Name) == v.Lookup && strings.HasPrefix(text, `"`) {
		if err, ok := v.CheckLookup(jsontext.Unquote(text)).(FieldErrors); ok {
			wrong = err[0]
		}
	}
	ok = v.errs.take(f.Name, wrong)
	if !ok && f.Write != "" {
		v.errs[len(v.errs)-1].Field = v.inBodies(f)
	}
	return ok
}

// result returns the record, or the errors of its fields, or else those of fields that are unique
// together, or else those of the rule.
func (v *validation) result(record Record) (Record, error) {
	if v.errs == nil {
		v.errs = v.together(record, v.check)
	}
	if v.errs == nil && v.Rule != nil && v.check.err == nil {
		if err := v.Rule(v.check.ctx, &record); err != nil {
			v.errs = v.check.judge(err)
		}
	}
	return record, v.check.failure(v.errs)
}

// together returns an error with a message for each set of fields whose values another record has.
func (d Description) together(record Record, checks *checker) FieldErrors {
	var messages []string
	for _, set := range d.Unique {
		var fields, values []string
		for _, name := range set {
			f, _ := d.snakeField(name)
			if value, _ := record.Get(f.Name); value != "" && value != "null" {
				fields, values = append(fields, f.Name), append(values, value)
			}
		}
		if len(fields) == len(set) && checks.taken(fields, values) {
			messages = append(messages, "The fields "+strings.Join(set, ", ")+" must make a unique set.")
		}
	}
	if messages == nil {
		return nil
	}
	return wholeError(messages...)
}

// ValidateUpdate converts the JSON object of a PUT or, if partial is set, of a PATCH to the record
// that replaces current, as Validate converts that of a POST, with the same errors. A field that is
// absent from the object keeps its value; it is an error if the field is required and partial is
// not set. The id, read-only fields, and unknown members of current are kept too. A number that is
// sent as current has it keeps its digits. Members keep their place; new ones are appended. With
// FieldErrors, invalid fields have the values of current, which is not modified. If current is the
// zero Record, the result has the fields that were sent and can be written. O(len of body + members
// × fields).
//
// If the description is Loose, the record that replaces current has its ID and the Key, at its place
// unless that is sent, and otherwise what was sent or, if partial is set, also the other members.
func (d Description) ValidateUpdate(ctx context.Context, current Record, body []byte, partial bool, checks Checks) (Record, error) {
	if d.Loose {
		return d.loosely(ctx, &current, body, partial, checks)
	}
	v, err := d.validationOf(ctx, body, checks)
	if err != nil {
		return Record{}, err
	}
	record := current
	record.members = slices.Clone(current.members)
	for i, f := range v.Fields {
		absent := v.sent[i] == ""
		stored, _ := current.Get(f.Name)
		var text string
		var wrong FieldError
		switch {
		case f.Reset && !partial && (absent || f.ReadOnly):
			text = f.Default
		case absent && (partial || !f.Required), f.ReadOnly, f.Computed, f.IsID():
			continue
		case partial:
			text, wrong = f.cleanPart(v.sent[i], stored, v.check)
		default:
			text, wrong = f.clean(v.sent[i], v.check)
		}
		if wrong.ok() && !absent && stored == v.sent[i] && (f.Kind == Float || !f.Kind.Scalar()) {
			text = stored // with the digits of its numbers
		}
		if v.take(f, text, wrong) {
			record.set(f.Name, text)
		}
	}
	return v.result(record)
}

// loosely returns the record that a body describes if the description is Loose, in place of current
// unless that is nil.
func (d Description) loosely(ctx context.Context, current *Record, body []byte, partial bool, checks Checks) (Record, error) {
	v := validation{Description: frameworkOf(ctx).Describe(d)}
	v.check = v.checker(ctx, checks)
	sent, err := parseSent(body)
	if err != nil {
		return Record{}, err
	}
	for name, value := range checks.Assigned.All() {
		sent.set(name, value)
	}
	identity := v.Identity()
	text, has := sent.Get(identity.Name)
	if has && (text == "null" || !identity.Key) {
		sent, has = sent.Without(identity.Name), false
	}
	if identity.Key && !has && current == nil {
		_, wrong := identity.clean("", v.check)
		v.take(identity, "", wrong)
	}
	fields := map[string]Field{}
	for _, f := range v.Fields {
		name := ordering.Snake(f.Name)
		if f.Refers != "" || f.Unique || slices.Contains(slices.Concat(v.Unique...), name) {
			fields[name] = f
		}
	}
	for i := range sent.members {
		m := &sent.members[i]
		if f, ok := fields[ordering.Snake(m.name)]; ok && (!f.Key || f.Name == m.name) {
			text, wrong := f.cleanSent(m.value, v.check)
			if v.take(f, text, wrong) {
				m.value = text
			}
		}
	}
	if current != nil {
		sent = current.changed(sent, identity.Name, partial)
	}
	return v.result(sent)
}

// parseSent returns the members of a body that is sent to a Loose collection.
func parseSent(body []byte) (Record, error) {
	if len(body) == 0 {
		return Record{}, nil
	}
	r, err := ParseKeyed(body)
	var syntax *SyntaxError
	var member *MemberError
	switch kind := jsontext.KindOf(strings.Trim(string(body), jsontext.Space)); {
	case err == nil, errors.As(err, &syntax):
		return r, err
	case errors.As(err, &member):
		return r, FieldErrors{{Field: member.Member, Messages: []string{member.Err.Error()}}}
	case kind == jsontext.Null:
		return r, wholeError("No data provided")
	case kind != jsontext.Object:
		return r, wholeError(notADictionary(kind))
	}
	return r, wholeError(strings.TrimPrefix(err.Error(), ErrInvalid.Error()+" record: "))
}

// cleanSent returns the JSON to store for a value of a field of a Loose collection, which is a Key, a
// reference, Unique, or in a set. To compare long lists takes much memory.
func (f Field) cleanSent(value string, checks *checker) (text string, wrong FieldError) {
	switch kind := jsontext.KindOf(value); {
	case f.Key, f.Refers != "":
		f.Nullable = !f.Key
		return f.clean(value, checks)
	case kind == jsontext.List, kind == jsontext.Object:
		return value, FieldError{Messages: []string{"A unique value is neither a list nor an object."}}
	}
	return value, FieldError{Messages: f.taken(value, checks)}
}

// changed returns the record after a PUT or, if partial is set, a PATCH of the members of sent. After a
// PUT it has these and the key, which keeps its place unless it is sent. O(members).
func (r Record) changed(sent Record, key string, partial bool) Record {
	if !partial {
		sent.ID, sent.idAt = r.ID, min(r.idAt, len(sent.members))
		if i := r.index(key); i >= 0 && sent.index(key) < 0 {
			sent.members = slices.Insert(sent.members, min(i, len(sent.members)), r.members[i])
		}
		return sent
	}
	places := make(map[string]int, len(r.members))
	for i, m := range r.members {
		places[m.name] = i
	}
	r.members = slices.Clone(r.members)
	for _, m := range sent.members {
		if i, ok := places[m.name]; ok {
			r.members[i] = m
		} else {
			r.members = append(r.members, m)
		}
	}
	return r
}

// assign replaces values, one of each field, by the assigned ones. In the fields that it returns, these
// can be written.
func (d Description) assign(values []string, assigned Record) ([]Field, error) {
	if len(assigned.members) == 0 && assigned.ID == 0 {
		return d.Fields, nil
	}
	fields := slices.Clone(d.Fields)
	for name, value := range assigned.All() {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && !f.IsID() })
		if i < 0 {
			return nil, fmt.Errorf("%w assigned member %q: no field of %s has this name", ErrInvalid, name, d.Key)
		}
		fields[i].ReadOnly, fields[i].Created, values[i] = false, false, value
	}
	return fields, nil
}

// ValidateRecord checks a stored record, or one that a program stores, as Validate checks a body,
// and returns the record to store: values are normalized, absent members have their default, and
// rules may change it. Read-only fields, at any depth, and unknown members keep their values.
// References are not looked up, and no value counts as taken. Members keep their place; new ones
// are appended. Of a Loose description, only the Key and the Rule are checked. record is not
// modified. The error is [FieldErrors], or wraps that of ctx. O(size × fields).
func (d Description) ValidateRecord(ctx context.Context, record Record) (Record, error) {
	record.members = slices.Clone(record.members)
	v := validation{Description: d, check: d.checker(ctx, Checks{})}
	v.check.stored = true
	for _, f := range d.Fields {
		value, _ := record.Get(f.Name)
		if f.ReadOnly || f.Computed || f.IsID() || f.Created && value == "" || d.Loose && !f.Key {
			continue
		}
		if text, wrong := f.clean(value, v.check); v.take(f, text, wrong) && text != "" {
			record.set(f.Name, text)
		}
	}
	return v.result(record)
}

// stored is the checker of Fits. It is never written.
var stored = checker{ctx: context.Background(), stored: true}

// Fits reports whether ValidateRecord certainly accepts the JSON of the field, or "" for no member,
// in any spelling, in a record without a Rule. It calls no functions of the program.
func (f *Field) Fits(value string) bool {
	switch {
	case f.ReadOnly, f.Computed, f.IsID():
		return true
	case value == "":
		return !f.Required || f.Created
	case f.Check != nil, f.Rule != nil, f.Unique && len(value) > maxSegment/3:
		return false
	case value == "null":
		return f.Nullable && f.Kind.Scalar()
	case f.Kind == Reference, f.Kind == References:
		return true
	case f.Kind == Array && f.Pattern == nil && value[0] == '[':
		n, fit := 0, true
		for item := range jsontext.Elements(value) {
			n++
			fit = fit && f.Item.Fits(item)
		}
		return fit && f.lengthMessage(n) == ""
	case !f.Kind.Scalar():
		return false
	}
	text, messages := f.Kind.row().clean(*f, value, &stored)
	return messages == nil && f.checked(text, &stored) == nil
}

// Written returns the Fields with their names in bodies. O(fields).
func (d Description) Written() []Field {
	fields := d.Fields
	for i := range fields { // a Field is large
		if fields[i].Write != "" {
			if &fields[0] == &d.Fields[0] {
				fields = slices.Clone(fields)
			}
			fields[i].Name = d.inBodies(fields[i])
		}
	}
	return fields
}

// inBodies returns the name of a field in the bodies of requests, and in their errors.
func (d Description) inBodies(f Field) string {
	switch {
	case f.Write == "":
		return f.Name
	case d.SnakeCase():
		return f.Write
	}
	return ordering.Camel(f.Write)
}

// Requested returns the fields as OPTIONS lists them: the members of what is shown, and after them those
// fields that have other names in bodies. O(fields).
func (d Description) Requested() (list []Field) {
	written := d.Written()
	if d.Shown == nil {
		return written
	}
	for _, f := range d.Shown {
		i := slices.IndexFunc(d.Fields, func(g Field) bool { return g.Name == f.Name })
		list = append(list, f)
		if i >= 0 && d.Fields[i].Write != "" {
			list = append(list, written[i])
		}
	}
	return list
}

// unshown returns a function that calls unread with names that responses do not have: clients send back
// what they have read.
func (d Description) unshown(unread unread) unread {
	if unread == nil {
		return nil
	}
	shown := Description{Fields: slices.Concat(d.Fields, d.Shown, d.ShownInLists)}.snakeNames()
	return func(name string, known []string) {
		if name != "id" && !slices.Contains(shown, ordering.Snake(name)) {
			unread(name, known)
		}
	}
}

// sent returns the JSON of each field in a body, or "" if the field is absent.
func (d Description) sent(body []byte, unread unread) ([]string, error) {
	if len(body) == 0 {
		return make([]string, len(d.Fields)), nil
	}
	if syntax := jsontext.Check(body, jsontext.MaxDepth); syntax != nil {
		return nil, (*SyntaxError)(syntax)
	}
	text := strings.Trim(string(body), jsontext.Space)
	switch kind := jsontext.KindOf(text); kind {
	case jsontext.Object:
		return fieldsIn(text, d.Written(), d.unshown(unread)), nil
	case jsontext.Null:
		return nil, wholeError("No data provided")
	default:
		return nil, wholeError(notADictionary(kind))
	}
}

// Upgrade returns a stored record, which may be older than the description, in the form that the
// description has. A member with one of the names in Formerly is renamed and keeps its place. A
// missing field is appended with its Default, if there is one. No value is checked. If the record
// has two names of one field, the error is a [*MemberError] that names both. r is not modified.
// O(members × fields).
func (d Description) Upgrade(r Record) (Record, error) {
	r.members = slices.Clone(r.members)
	for _, f := range d.Fields {
		i := r.index(f.Name)
		for _, old := range f.Formerly {
			switch j := r.index(old); {
			case j >= 0 && i >= 0:
				return Record{}, &MemberError{old, fmt.Errorf("is a former name of %q, and %q is there too", f.Name, r.members[i].name)}
			case j >= 0:
				i = j
			}
		}
		if i >= 0 {
			r.members[i].name = f.Name
		} else if f.Default != "" {
			r.members = append(r.members, member{f.Name, f.Default})
		}
	}
	return r, nil
}
