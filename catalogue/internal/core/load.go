package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// LoadOptions are the options of a load. Package catalogue documents them.
type LoadOptions struct{ SkipUnknown, Validate, References bool }

// A Loader reads into the collections of a set, or only into one of them.
type Loader struct {
	Set     *Set
	One     *Collection // nil for all
	Options LoadOptions
}

// title returns the prefix of errors.
func (to Loader) title() string {
	if to.One != nil {
		return to.One.Type.Title()
	}
	return "catalogue"
}

// Load replaces the records of collections by the ones in r.
func (to Loader) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", to.title(), err)
	}
	return to.loadData(data)
}

// LoadFile replaces the records of collections by the ones in a file.
func (to Loader) LoadFile(path string) error {
	if path == "" {
		return errNoPath
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := to.loadData(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// loadData replaces the records of collections by the ones in data if all of it is valid. A
// syntax error takes precedence over an error of the records.
func (to Loader) loadData(data []byte) error {
	writable := to.Set.writable
	if to.One != nil {
		writable = to.One.Writable
	}
	if err := writable(); err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // which programs on Windows write
	in := newScanner(data, to.Options, to.Set.errors)
	all, err := to.read(in)
	if err == nil && in.End() {
		check := func() error { return to.check(in, all) }
		if in.found == nil {
			return to.replace(all, check)
		}
		err = check()
	}
	if syntax := schema.CheckSyntax(data); syntax != nil {
		err = syntax
	} else if errors.Is(err, ErrInvalidData) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", to.title(), ErrInvalidData, err)
}

// replace replaces the records of collections. If references are checked, no other
// collection changes while check runs, and its error means that nothing changes.
func (to Loader) replace(all []store.Replacement, check func() error) error {
	stores := storesOf(to.Set.All)
	if !to.Options.References {
		stores = slices.DeleteFunc(stores, func(s *store.Store) bool {
			return !slices.ContainsFunc(all, func(r store.Replacement) bool { return r.Store == s })
		})
	}
	return store.Replace(stores, func() ([]store.Replacement, error) {
		if to.Options.References {
			if err := check(); err != nil {
				return nil, err
			}
		}
		for _, r := range all {
			if id := &to.Set.of(r.Store).Type.Identity; id.Key != nil {
				id.NumberAll(r.Store.Current(), r.Entries)
			}
		}
		return all, nil
	})
}

// check returns an error that lists what the options find wrong with the records that have been
// read, or nil.
func (to Loader) check(s *scanner, all []store.Replacement) error {
	if s.opts.References && !s.undecoded {
		loaded := map[*Collection][]*store.Entry{}
		for _, r := range all {
			loaded[to.Set.of(r.Store)] = r.Entries
		}
		s.found = append(s.found, to.Set.violations(loaded, func(e *store.Entry) int {
			if at, read := s.starts[e]; read {
				return s.line(at)
			}
			return 0
		})...)
	}
	if s.found == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w", to.title(), ErrInvalidData, to.Set.errors.Violations(s.found))
}

// refuse returns the error of an invalid record or, if the options list all violations, lists it and
// returns nil.
func (s *scanner) refuse(e RecordError) error {
	if !s.opts.Validate && !s.opts.References {
		return s.errors.Record(e)
	}
	s.found = append(s.found, e.split()...)
	return nil
}

// read reads the replacements, in the order of the collections.
func (to Loader) read(in *scanner) ([]store.Replacement, error) {
	if to.One == nil {
		return to.readAll(in)
	}
	refers := func(f *layout.Field) bool { return f.Refers != "" }
	if to.Options.References && to.Set.byKey == nil && slices.ContainsFunc(to.One.Type.Fields, refers) {
		return nil, to.One.Type.Errorf("%w: the collection belongs to no catalogue, so its references cannot be checked", ErrInvalidData)
	}
	one, err := in.results(to.One)
	return []store.Replacement{one}, err
}

// replacement returns the replacement of the records of a collection by the ones that have been
// read. Records without an id get ids after all others and after used.
func (in *scanner) replacement(c *Collection, read list, used int) (store.Replacement, error) {
	id := &c.Type.Identity
	if id.Key != nil {
		used = 0
	}
	by := store.Replacement{Store: c.Store, Entries: read.entries, UsedID: used}
	if in.undecoded {
		return by, nil
	}
	refuse := func(i int, wrong *schema.MemberError) error {
		return in.refuse(in.fault(c.Type, read.entries[i], read.starts[i], i, wrong))
	}
	for _, e := range by.Entries {
		used = max(used, e.ID)
	}
	for i, e := range by.Entries {
		if e.ID > 0 || id.Key != nil {
			continue
		}
		id.SetID(layout.RecordOf(e), 0)
		if err := id.Assign(e, used, nil); err != nil {
			return by, refuse(i, &schema.MemberError{Member: id.Wire, Err: err})
		}
		used++
		e.ID = used
	}
	return by, c.Type.arrange(by.Entries, refuse)
}

// readAll reads a catalogue.
func (to Loader) readAll(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string]list{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return to.readLastIDs(in, used)
		}
		m, err := to.Set.Lookup(key)
		switch {
		case err != nil && in.opts.SkipUnknown:
			return in.skip()
		case err != nil:
			return to.Set.unknown(key)
		}
		found[key], err = in.records(m.Type)
		return err
	})
	for _, m := range to.Set.All {
		if read, ok := found[m.Key()]; ok && err == nil {
			var one store.Replacement
			one, err = in.replacement(m, read, used[m.Key()])
			all = append(all, one)
		}
	}
	return all, err
}

// readLastIDs reads the member of lastIDsKey into used.
func (to Loader) readLastIDs(in *scanner, used map[string]int) error {
	list, ok := in.Raw()
	if !ok {
		return errBroken
	}
	var ids []struct {
		Collection string `json:"collection"`
		ID         int    `json:"id"`
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.DisallowUnknownFields()
	if d.Decode(&ids) != nil {
		return fmt.Errorf(`%s: want an array of objects such as {"collection":"books","id":7}`, lastIDsKey)
	}
	for _, last := range ids {
		switch _, err := to.Set.Lookup(last.Collection); {
		case err != nil && in.opts.SkipUnknown:
		case err != nil:
			return fmt.Errorf("%s: %w", lastIDsKey, to.Set.unknown(last.Collection))
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want a positive integer", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
}

// results reads an array of records or an object that contains one.
func (in *scanner) results(c *Collection) (by store.Replacement, err error) {
	var read list
	used, found := 0, false // used is the id of lastIDKey
	member := func(name string) (err error) {
		switch name {
		case resultsKey:
			found = true
			read, err = in.records(c.Type)
		case lastIDKey:
			text, _ := in.Raw()
			if err = json.Unmarshal(text, &used); err == nil && used < 1 {
				err = ErrInvalidID
			}
			if err != nil {
				err = fmt.Errorf("%s: %w: want a positive integer", lastIDKey, err)
			}
		default:
			err = in.skip()
		}
		return err
	}
	if in.Next() == '{' {
		err = in.object(member)
	} else {
		err = member(resultsKey)
	}
	if err == nil && !found {
		err = errors.New("want an array of records, or an object whose results are one")
	}
	if err != nil {
		return by, err
	}
	return in.replacement(c, read, used)
}

// A list is what has been read of an array of records.
type list struct {
	entries []*store.Entry // nil for those that cannot be decoded; their id is 0 if they have none
	starts  []int          // where they begin
}

// records reads an array of records.
func (in *scanner) records(s *Type) (all list, err error) {
	if in.Next() != '[' {
		return all, s.Errorf("%w: want an array of records", ErrInvalidData)
	}
	for more := in.Open(']'); more; more = in.Another(']') {
		in.Next()
		start := in.At()
		e, err := s.Load(&in.Scanner, in.opts.SkipUnknown, len(all.entries))
		if err == nil && (s.validates || in.opts.Validate) && !s.Fits(in.data[start:in.At()]) {
			err = s.unfit(e) // the record is read all the same
		}
		switch {
		case in.Syntax != nil:
			return all, errBroken
		case err != nil:
			if err := in.refuse(in.fault(s, e, start, len(all.entries), err)); err != nil {
				return all, err
			}
		}
		all.entries, all.starts = append(all.entries, e), append(all.starts, start)
		if in.opts.References {
			in.starts[e] = start
		}
	}
	in.undecoded = in.undecoded || slices.Contains(all.entries, nil)
	return all, in.broken()
}

// fault returns the error of the i-th record of an array, which begins at start. e is its
// entry, or nil if it cannot be decoded.
func (in *scanner) fault(s *Type, e *store.Entry, start, i int, err error) RecordError {
	invalid := RecordError{Collection: s.Title(), Index: i, Line: in.line(start), Err: err}
	var members map[string]json.RawMessage
	if e != nil {
		invalid.Identity = s.Identity.Of(e)
	} else if text, _ := newScanner(in.data[start:], in.opts, in.errors).Raw(); json.Unmarshal(text, &members) == nil {
		_ = json.Unmarshal(members[s.Identity.Wire], &invalid.Identity) // it remains zero if it is invalid
		if key := s.Identity.Key; key != nil && key.Kind == schema.Integer {
			invalid.Identity = schema.Identity{Key: key.Usual(string(members[s.Identity.Wire]))}
		} else if (invalid.Identity.Key != "") != (s.Identity.Key != nil) {
			invalid.Identity = schema.Identity{}
		}
	}
	var member *schema.MemberError
	if errors.As(err, &member) {
		invalid.Field, invalid.Err = member.Member, member.Err
		switch text, has := members[s.Identity.Wire]; {
		case member.Member != s.Identity.Wire || errors.Is(member.Err, ErrExists):
		case members != nil && !has:
			invalid.Err = fmt.Errorf("%w: the record has no %s", ErrInvalidID, s.Identity.Wire)
		case errors.Is(member.Err, ErrInvalidID):
		case has && s.Identity.Key != nil && text[0] != '"':
			invalid.Err = fmt.Errorf("%w: want a string, not %s", ErrInvalidID, text)
		default:
			invalid.Err = fmt.Errorf("%w: %w", ErrInvalidID, member.Err)
		}
	}
	return invalid
}

// A scanner reads what is loaded.
type scanner struct {
	jsontext.Scanner
	data   []byte
	opts   LoadOptions
	errors *Errors

	found         []RecordError        // if they are listed
	undecoded     bool                 // there are others in found than of valid records
	starts        map[*store.Entry]int // where records begin, if references are checked
	counted, ends int                  // number of line ends before a place
}

func newScanner(data []byte, opts LoadOptions, errors *Errors) *scanner {
	return &scanner{errors: errors, Scanner: jsontext.Scan(data, jsontext.MaxTextDepth), data: data, opts: opts, starts: map[*store.Entry]int{}}
}

// line returns the line number of a place, from 1. It is fast if the place is after the last one.
func (s *scanner) line(at int) int {
	if at < s.counted {
		s.counted, s.ends = 0, 0
	}
	s.ends += bytes.Count(s.data[s.counted:at], []byte("\n"))
	s.counted = at
	return s.ends + 1
}

var errBroken = errors.New("invalid JSON") // schema.CheckSyntax finds the place

// object reads an object. It calls f with the name of each member; f must read the value.
// A repeated name is an error.
func (s *scanner) object(f func(name string) error) error {
	if s.Next() != '{' {
		return errors.New("want a JSON object")
	}
	seen := map[string]bool{}
	for more := s.Open('}'); more; more = s.Another('}') {
		name, ok := s.Name()
		switch {
		case !ok:
			return errBroken
		case seen[string(name)]:
			return fmt.Errorf("key %q is repeated", name)
		}
		seen[string(name)] = true
		if err := f(string(name)); err != nil {
			return err
		}
	}
	return s.broken()
}

// skip reads a value.
func (s *scanner) skip() error {
	s.Raw()
	return s.broken()
}

// broken returns an error if what has been read is not JSON.
func (s *scanner) broken() error {
	if s.Syntax != nil {
		return errBroken
	}
	return nil
}
