package catalogue

import (
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/core"
)

// SaveFile replaces the file at path by the output of [Catalogue.Save]. If the program or
// the machine fails, the file has either the old or the new content. SaveFile writes a
// temporary file in the same directory, syncs it, renames it, and syncs the directory. A
// program that is killed may leave a temporary file. Its name begins with .backlist-, and
// it can be deleted.
//
// The error wraps the error of the operating system or of Save. It wraps [fs.ErrNotExist] if
// path is empty or a symbolic link to no file, and [fs.ErrInvalid] if the file is not
// regular. After an error the old file, or its absence, is unchanged. The exception is an
// error of the last step, the sync of the directory: the new file is in place then.
//
// The new file has the permissions of the old one, or 0644 regardless of the umask if
// none exists. Its owner may differ, and other hard links keep the old file. The
// directory must be writable; the old file need not be. If path is a symbolic link, the
// file that it points to is replaced.
//
// All collections are saved at one instant during the call; writers do not wait. Of
// concurrent calls for the same path, the last rename determines the content. The sync of
// the directory is omitted on systems without it, such as Windows. On non-Unix systems
// the rename may not be atomic; see [os.Rename]. O(n).
func (c *Catalogue) SaveFile(path string) error {
	return core.ReplaceFile(path, func(w io.Writer) error { return core.SaveAll(c.set, w) })
}

// LoadFile replaces the records of collections by the ones in the file at path, as
// [Catalogue.Load] does. The error contains the path and wraps the error of the operating
// system or of Load. If path is empty, it wraps [fs.ErrNotExist]. During a call of SaveFile,
// LoadFile reads the old or the new file.
func (c *Catalogue) LoadFile(path string, opts LoadOptions) error {
	return core.Loader{Set: c.set, Options: core.LoadOptions(opts)}.LoadFile(path)
}

// SaveFile replaces the file at path by the output of [Collection.Save]. If the program or
// the machine fails, the file has either the old or the new content. The error wraps the
// error of the operating system or of Save. It wraps [fs.ErrNotExist] if path is empty or a
// symbolic link to no file, and [fs.ErrInvalid] if the file is not regular. After an error
// the file is unchanged, unless only the sync of its directory failed. [Catalogue.SaveFile]
// describes permissions and links. O(n).
func (c *Collection[T]) SaveFile(path string) error {
	return core.ReplaceFile(path, func(w io.Writer) error { return core.Save(c.core, w) })
}

// LoadFile replaces the records by the ones in the file at path, as [Collection.Load] does.
// The error contains the path and wraps the error of the operating system or of Load. If path
// is empty, it wraps [fs.ErrNotExist].
func (c *Collection[T]) LoadFile(path string, opts LoadOptions) error {
	return core.Loader{Set: c.core.Set, One: c.core, Options: core.LoadOptions(opts)}.LoadFile(path)
}

// Save writes the catalogue in the form that [Catalogue.Load] reads: a JSON object with an array
// of records for each key, in the order of [Catalogue.All]. Records are sorted by id, or by key
// if they have one. Each is on a line of its own. Empty collections have empty arrays. All
// collections are saved at one instant; writers do not wait for w.
//
// If the highest id used since the records were last replaced no longer has a record,
// Save writes that id too, in the member $lastIds. It is then not assigned again after
// loading.
//
// Fields of T that are not in its JSON, such as those with the tag json:"-", are not saved:
// after loading they have their zero values.
//
// The error wraps the error of w, or [ErrInvalid] if a method MarshalJSON or MarshalText
// of a record returns an error. O(n).
func (c *Catalogue) Save(w io.Writer) error { return core.SaveAll(c.set, w) }

// Save writes the records of the current state as a JSON array that [Collection.Load]
// reads. Records are sorted by id, one on each line. Writers do not wait for w.
//
// If the highest id used since the records were last replaced no longer has a record,
// Save writes the object {"$lastId":id,"results":array} instead. The id is then not
// assigned again after loading.
//
// Fields of T that are not in its JSON, such as those with the tag json:"-", are not saved:
// after loading they have their zero values.
//
// The error wraps the error of w, or [ErrInvalid] if a method MarshalJSON or MarshalText
// of a record returns an error. O(n).
func (c *Collection[T]) Save(w io.Writer) error { return core.Save(c.core, w) }

// LoadOptions configures loading. With the zero value, members and keys that cannot be
// stored are errors.
type LoadOptions struct {
	// SkipUnknown drops unknown members of records and unknown keys of a catalogue.
	// Without it they are errors. It has no effect on open records, which can have any
	// member, and on types with a method UnmarshalJSON or UnmarshalText.
	SkipUnknown bool

	// Validate makes the load fail if a record is not valid, as Options.Validate does for all
	// writes. The records are stored as they are read: what rules return is discarded.
	Validate bool

	// References makes the load fail if a record, in any collection of the catalogue, would then
	// refer to a record that does not exist, or if the collection belongs to no catalogue and has
	// references. Other writers to the catalogue wait meanwhile.
	References bool
}

// Load replaces the records of collections by the ones in r, which must contain the form that
// [Catalogue.Save] writes: a JSON object with an array of records for each key of a collection,
// with or without a byte order mark. Collections whose key the object lacks are unchanged.
//
// Records without an id get one, in their order, after all others; a key must not be missing. Other
// members of a record may be missing. References are checked
// only if opts.References is set. Bounds, formats and rules are checked only if Options.Validate
// or opts.Validate is set.
//
// A member is also loaded under the names in [schema.Field].Formerly. A described member that is
// missing has its [schema.Field].Default. Without a default it has its zero
// value or, in an open record, stays missing. None of this applies to types with a method
// UnmarshalJSON. A missing member with omitempty or omitzero is zero, because Save omits it then.
//
// Load reads and checks all of r, and then replaces the collections at one instant. After an
// error the catalogue is unchanged. An error of r is wrapped. If the catalogue is a snapshot, the
// error wraps [ErrReadOnly]. All other errors wrap [ErrInvalidData]: for an invalid record the
// error is a [*RecordError], for an unknown or repeated key it names the key, and for invalid
// JSON it is a [*schema.SyntaxError]. If Validate or References is set in opts, the error wraps
// [Violations] instead of a RecordError. They list all invalid records, with each field that is
// invalid, or the first value that the type cannot hold. If all records could be read, they also
// list the records with the id or the unique values of another, and the references to no record.
//
// O(n) for records sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Catalogue) Load(r io.Reader, opts LoadOptions) error {
	return core.Loader{Set: c.set, Options: core.LoadOptions(opts)}.Load(r)
}

// Load replaces all records at one instant by the ones in r. r must contain a JSON array of
// records, or an object with such an array as the member results. A page over HTTP and the
// output of [Collection.Save] have these forms. Load ignores other members of the object, except
// the $lastId that Save writes. Records without an id get one, in their order, after all others.
// A byte order mark is skipped.
//
// After an error the collection is unchanged. An error of r is wrapped. If the collection
// belongs to a snapshot, the error wraps [ErrReadOnly]. All other errors wrap
// [ErrInvalidData]; an invalid record is reported as a [*RecordError]. O(n) for records
// sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Collection[T]) Load(r io.Reader, opts LoadOptions) error {
	return core.Loader{Set: c.core.Set, One: c.core, Options: core.LoadOptions(opts)}.Load(r)
}
