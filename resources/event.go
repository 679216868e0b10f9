package resources

// An Event is a public appearance, such as a signing session.
//
// The zero Event is valid to marshal: its dates are the first of January of
// year 1. Slugs are not unique.
type Event struct {
	ID          int      `json:"id"`
	Name        string   `json:"name"`
	Slug        string   `json:"slug"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"` // HTML fragment
	Location    string   `json:"location"`
	StartDate   DateTime `json:"startDate"`
	EndDate     DateTime `json:"endDate"` // may be on a later day
	Published   bool     `json:"published"`
	Poster      string   `json:"poster"`     // URL or empty
	PosterWebp  string   `json:"posterWebp"` // URL or empty
	Labels      []int    `json:"labels"`     // ids of labels
	Authors     []int    `json:"authors"`    // ids of authors
}

// wireEvent is an Event without methods, for encoding/json to walk.
type wireEvent Event

// Clone is a deep copy. Nil lists become empty, as they are written.
// O(size of the lists).
func (e Event) Clone() Event {
	e.Labels = copied(e.Labels)
	e.Authors = copied(e.Authors)
	return e
}

// MarshalJSON writes the event as the service does; nil lists are written [].
// The only error is a date outside the years 1 to 9999. Text that is not UTF-8
// is written with U+FFFD in place of the bad bytes. O(size).
func (e Event) MarshalJSON() ([]byte, error) {
	return encode(wireEvent(e.Clone()))
}

// UnmarshalJSON reads an event as MarshalJSON writes it, members in any order.
// Members that are absent leave their fields as they are. An unknown or
// repeated member, a null, a name in another spelling, half a surrogate pair or
// a value of another type is an error that names the member and matches
// [ErrInvalid]; the event is then unchanged. O(size).
func (e *Event) UnmarshalJSON(data []byte) error {
	wire := wireEvent(e.Clone())
	if err := decodeStrict(data, eventFields(), &wire); err != nil {
		return err
	}
	*e = Event(wire)
	return nil
}

// copied clones a list; nil becomes empty.
func copied[T any](list []T) []T {
	return append(make([]T, 0, len(list)), list...)
}

// cloned copies what a pointer points at; nil stays nil.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
