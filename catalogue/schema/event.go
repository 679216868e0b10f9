package schema

// An Event is a public appearance, such as a signing session. Slugs are not unique.
//
// The zero Event can be marshalled. Its dates are January 1, year 1.
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

// wireEvent is an Event without methods, for encoding/json.
type wireEvent Event

// Clone returns a deep copy of the event. Nil lists become empty, as in JSON.
// O(size of the lists).
func (e Event) Clone() Event {
	e.Labels = copied(e.Labels)
	e.Authors = copied(e.Authors)
	return e
}

// MarshalJSON returns the JSON of the event as the service writes it. Nil lists are [].
// Invalid UTF-8 becomes U+FFFD. MarshalJSON returns an error wrapping [ErrInvalid] if a
// date is outside the years 1 to 9999. O(size).
func (e Event) MarshalJSON() ([]byte, error) {
	return encode(wireEvent(e.Clone()))
}

// UnmarshalJSON parses the JSON of an event. Members may be in any order. Fields whose
// members are absent are unchanged.
//
// UnmarshalJSON returns an error matching [ErrInvalid], and leaves the event unchanged,
// if the JSON is invalid. If a member is unknown, misspelled, repeated, null or of the
// wrong type, or contains an unpaired surrogate, the error names the member. O(size).
func (e *Event) UnmarshalJSON(data []byte) error {
	wire := wireEvent(e.Clone())
	if err := decodeStrict(data, eventFields(), &wire); err != nil {
		return err
	}
	*e = Event(wire)
	return nil
}

// copied returns a copy of a list. It is not nil.
func copied[T any](list []T) []T {
	return append(make([]T, 0, len(list)), list...)
}

// cloned returns a pointer to a copy of the value that p points to, or nil if p is nil.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
