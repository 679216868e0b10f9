package schema

import "time"

// Checks are the functions with which Validate and ValidateUpdate ask about stored
// records. They are called before the method returns and not afterwards.
type Checks struct {
	// Exists reports whether a collection has a record with an id, which is at least 1.
	// If nil, no record exists.
	Exists func(collection string, id int) bool

	// Taken reports whether another record than the one that is written has a value of a
	// unique field. The field is its JSON name, and the value is JSON. If nil, no value
	// is taken.
	Taken func(field, value string) bool

	// Now returns the time for fields that are Created. If nil, it is [time.Now].
	Now func() time.Time
}

// exists reports whether a collection has a record.
func (c Checks) exists(collection string, id int) bool {
	return c.Exists != nil && c.Exists(collection, id)
}

// created returns the JSON of the current time.
func (c Checks) created() string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return `"` + string(At(now().UTC()).appendWire(nil)) + `"`
}
