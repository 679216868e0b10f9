package layout

import (
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// describeFits sets what valid records meet, for Fits.
func (s *builder) describeFits(demands *schema.Description) {
	if s.Open() || !s.trusted || demands.Rule != nil {
		return
	}
	zero := s.New()
	s.fillLists(RecordOf(zero))
	text, err := s.encode(RecordOf(zero))
	if err != nil {
		return
	}
	members, _ := schema.ParseKeyed(text)
	members, err = s.completed(members)
	s.fits = err == nil
	for _, f := range demands.Fields {
		value, _ := members.Get(f.Name)
		m := s.Member(f.Name)
		if m == nil {
			s.fits = s.fits && f.Fits(value)
			continue
		}
		m.wanted = m.needed || !f.Fits(value)
		if f.Kind != schema.Timestamp || f.Check != nil || f.Rule != nil || m.Go.Field.Type != reflect.TypeFor[schema.DateTime]() {
			m.demands = true // others are valid if they can be decoded
		}
		m.omitted = m.wanted && !m.Go.Quoted() && slices.Contains(m.Go.Options, "omitempty")
		s.fits = s.fits && (m.omitted || !m.wanted || !m.Go.Omits()) && !m.Go.Indirect && keepsValues(m.Go.Field.Type)
	}
}

// perhapsEmpty reports whether the value of a text may be one that JSON omits.
func perhapsEmpty(text []byte) bool {
	switch c := text[0]; c {
	case '"', '[':
		return len(text) < 3 || text[1] <= ' '
	default:
		return c != 't' && (c < '1' || '9' < c)
	}
}

// keepsValues reports whether the JSON of a value of a type has the value from which it was loaded.
// Arrays are filled, numbers are rounded, and bytes lose line ends.
func keepsValues(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		t = t.Elem()
	}
	if jsontext.Writes(t) {
		return slices.Contains([]reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[schema.DateTime](), reflect.TypeFor[schema.Time](), reflect.TypeFor[schema.Duration]()}, t)
	}
	return t.Kind() <= reflect.Uint64 || t.Kind() == reflect.Float64 || t.Kind() == reflect.String
}

// Fits reports whether it is certain that validation accepts the record that was loaded from an
// object, whose members must be in the order of the struct.
func (s *Type) Fits(object []byte) bool {
	in, next := jsontext.Scan(object, jsontext.MaxTextDepth), 0
	for ok := s.fits && in.Take("{"); ok; next++ {
		switch {
		case next == len(s.members):
			return in.Take("}")
		case in.Take(s.members[next].key):
			text, _ := in.Raw()
			in.Take(",")
			m := s.members[next]
			ok = !m.demands || m.Fits(unsafe.String(unsafe.SliceData(text), len(text))) && !(m.omitted && perhapsEmpty(text))
		default:
			ok = !s.members[next].wanted
		}
	}
	return false
}
