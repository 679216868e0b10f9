package house

import "context"

// The names of what a Store keeps.
const (
	recordsName = "records" // in the form that [catalogue.Catalogue.Save] writes
	pastedName  = "pasted"  // the JSON of a visitor
)

// A Store keeps texts by name. The methods are not called concurrently.
type Store interface {
	// Load returns a saved text. Without one, it returns the records of the sample, and nothing of any
	// other name.
	Load(ctx context.Context, name string) ([]byte, error)
	// Save replaces the saved text completely or not at all.
	Save(ctx context.Context, name string, text []byte) error
	// Delete deletes all texts, if there are any.
	Delete(ctx context.Context) error
}
