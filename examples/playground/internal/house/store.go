package house

import "context"

// A Store keeps the records in the form that [catalogue.Catalogue.Save] writes. The methods
// are not called concurrently.
type Store interface {
	// Load returns the saved records or, if there are none, those of the sample.
	Load(ctx context.Context) ([]byte, error)
	// Save replaces the saved records completely or not at all.
	Save(ctx context.Context, data []byte) error
	// Delete deletes the saved records, if there are any.
	Delete(ctx context.Context) error
}
