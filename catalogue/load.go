package catalogue

import (
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/core"
)

// SaveFile replaces the file at path by the output of [Catalogue.Save]. If the program or the
// machine fails, the file has either the old or the new content: SaveFile writes a temporary file
// in the same directory, syncs it, renames it, and syncs the directory. A program that is killed
// may leave this file, whose name begins with .backlist-.
//
// The error wraps the error of the operating system or of Save, [fs.ErrNotExist] if path is empty
// or a symbolic link to no file, or [fs.ErrInvalid] if the file is not regular. After an error the
// old file, or its absence, is unchanged, unless only the sync of the directory failed.
//
// The new file has the permissions of the old one, or 0644 regardless of the umask if none exists.
// Its owner may differ, and other hard links keep the old file. The directory must be writable; the
// old file need not be. If path is a symbolic link, the file that it points to is replaced.
//
// Of concurrent calls for the same path, the last rename determines the content. The directory is
// not synced on systems without that, such as Windows, and on non-Unix systems the rename may not
// be atomic; see [os.Rename]. O(n).
func (c *Catalogue) SaveFile(path string) error {
	return core.ReplaceFile(path, func(w io.Writer) error { return core.SaveAll(c.set, w) })
}

// LoadFile replaces the records of collections by the ones in the file at path, as [Catalogue.Load]
// does. The error contains the path and wraps the error of the operating system or of Load, or
// [fs.ErrNotExist] if path is empty. During a call of SaveFile, LoadFile reads the old or the new
// file.
func (c *Catalogue) LoadFile(path string, opts LoadOptions) error {
	return core.Loader{Set: c.set, Options: core.LoadOptions(opts)}.LoadFile(path)
}

// SaveFile replaces the file at path by the output of [Collection.Save], as [Catalogue.SaveFile]
// does, with the same errors. O(n).
func (c *Collection[T]) SaveFile(path string) error {
	return core.ReplaceFile(path, func(w io.Writer) error { return core.Save(c.core, w) })
}

// LoadFile replaces the records by the ones in the file at path, as [Collection.Load] does. The
// error contains the path and wraps the error of the operating system or of Load, or
// [fs.ErrNotExist] if path is empty.
func (c *Collection[T]) LoadFile(path string, opts LoadOptions) error {
	return core.Loader{Set: c.core.Set, One: c.core, Options: core.LoadOptions(opts)}.LoadFile(path)
}

// Save writes the catalogue in the form that [Catalogue.Load] reads: a JSON object with an array of
// records for each key, in the order of [Catalogue.All]. Records are sorted by id or key, each on a
// line of its own. All collections are saved at one instant; writers do not wait for w.
//
// If the highest id used since the records were last replaced no longer has a record, Save writes
// that id too, in the member $lastIds, so that it is not assigned again after loading. Fields of T
// that are not in its JSON, such as those with the tag json:"-", are not saved: after loading they
// have their zero values.
//
// The error wraps the error of w, or [ErrInvalid] if a method MarshalJSON or MarshalText of a
// record returns an error. O(n).
func (c *Catalogue) Save(w io.Writer) error { return core.SaveAll(c.set, w) }

// Save writes the records of the current state as a JSON array that [Collection.Load] reads, as
// [Catalogue.Save] does, with the same errors. If the highest id is to be saved, it writes the
// object {"$lastId":id,"results":array} instead. O(n).
func (c *Collection[T]) Save(w io.Writer) error { return core.Save(c.core, w) }

// LoadOptions configures loading. The zero value makes members and keys that cannot be stored
// errors.
type LoadOptions struct {
	// SkipUnknown drops unknown members of records and unknown keys of a catalogue. It has no
	// effect on open records, which can have any member, and on types with a method UnmarshalJSON
	// or UnmarshalText.
	SkipUnknown bool

	// Validate makes the load fail if a record is not valid, as [Options].Validate does. The
	// records are stored as they are read: what rules return is discarded.
	Validate bool

	// References makes the load fail if a record, in any collection of the catalogue, would then
	// refer to a record that does not exist, or if the collection belongs to no catalogue and has
	// references. Other writers to the catalogue wait meanwhile.
	References bool
}

// Load replaces the records of collections by the ones in r, which must contain the form that
// [Catalogue.Save] writes: a JSON object with an array of records for each key of a collection,
// with or without a byte order mark. Collections whose key the object lacks are unchanged. Load
// reads and checks all of r, and then replaces the collections at one instant.
//
// Records without an id get one, in their order, after all others; a key must not be missing. A
// member is also loaded under the names in [schema.Field].Formerly. A described member that is
// missing has its [schema.Field].Default or, without one, its zero value; in an open record it
// stays missing. None of this applies to types with a method UnmarshalJSON. A missing member with
// omitempty or omitzero is zero, because Save omits it then. Bounds, formats and rules are checked
// only if opts.Validate or [Options].Validate is set, and references only if opts.References is.
//
// After an error the catalogue is unchanged. The error wraps the error of r, [ErrReadOnly] if the
// catalogue is a snapshot, or [ErrInvalidData]: for an invalid record it is a [*RecordError], for
// an unknown or repeated key it names the key, and for invalid JSON it is a [*schema.SyntaxError].
// If Validate or References is set in opts, it wraps [Violations] instead of a RecordError: each
// invalid field of all records, or the first value that the type cannot hold and, if all records
// could be read, those with the id or the unique values of another, and the references to no
// record.
//
// O(n) for records sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Catalogue) Load(r io.Reader, opts LoadOptions) error {
	return core.Loader{Set: c.set, Options: core.LoadOptions(opts)}.Load(r)
}

// Load replaces all records at one instant by the ones in r. r must contain a JSON array of
// records, or an object with such an array as the member results, such as a page over HTTP or the
// output of [Collection.Save]. Other members of the object are ignored, except the $lastId that
// Save writes. The records, the errors and the cost are those of [Catalogue.Load].
func (c *Collection[T]) Load(r io.Reader, opts LoadOptions) error {
	return core.Loader{Set: c.core.Set, One: c.core, Options: core.LoadOptions(opts)}.Load(r)
}
