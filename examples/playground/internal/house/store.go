package house

import "context"

// A Store keeps the records of the catalogues, in the form that [catalogue.Catalogue.Save]
// writes. The names are "publisher" and "films". The methods are not called concurrently for
// one name.
type Store interface {
	// Load returns the saved records or, if there are none, those of the sample.
	Load(ctx context.Context, name string) ([]byte, error)

	// Save replaces the saved records completely or not at all.
	Save(ctx context.Context, name string, data []byte) error

	// Delete deletes the saved records, if there are any.
	Delete(ctx context.Context, name string) error
}
