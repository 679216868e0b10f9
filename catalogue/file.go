package catalogue

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// errNoPath is more specific than the error of the operating system for an empty path.
var errNoPath = fmt.Errorf("catalogue: the path is empty: %w", fs.ErrNotExist)

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
	return replaceFile(path, func(w io.Writer) error { return saveAll(c.set, w) })
}

// LoadFile replaces the records of collections by the ones in the file at path, as
// [Catalogue.Load] does. The error contains the path and wraps the error of the operating
// system or of Load. If path is empty, it wraps [fs.ErrNotExist]. During a call of SaveFile,
// LoadFile reads the old or the new file.
func (c *Catalogue) LoadFile(path string, opts LoadOptions) error {
	return loader{c.set, nil, loadOptions(opts)}.loadFile(path)
}

// SaveFile replaces the file at path by the output of [Collection.Save]. If the program or
// the machine fails, the file has either the old or the new content. The error wraps the
// error of the operating system or of Save. It wraps [fs.ErrNotExist] if path is empty or a
// symbolic link to no file, and [fs.ErrInvalid] if the file is not regular. After an error
// the file is unchanged, unless only the sync of its directory failed. [Catalogue.SaveFile]
// describes permissions and links. O(n).
func (c *Collection[T]) SaveFile(path string) error {
	return replaceFile(path, func(w io.Writer) error { return save(c.core, w) })
}

// LoadFile replaces the records by the ones in the file at path, as [Collection.Load] does.
// The error contains the path and wraps the error of the operating system or of Load. If path
// is empty, it wraps [fs.ErrNotExist].
func (c *Collection[T]) LoadFile(path string, opts LoadOptions) error {
	return loader{c.core.set, c.core, loadOptions(opts)}.loadFile(path)
}

// replaceFile replaces the content of a file by the output of write. An error of write is
// returned unchanged; the file is unchanged then.
func replaceFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return errNoPath
	}
	var failed error
	err := replaceAtomically(path, func(w io.Writer) error {
		failed = write(w)
		return failed
	})
	if err != nil && failed == nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return err
}

// replaceAtomically writes to a temporary file, which then replaces the file at path.
func replaceAtomically(path string, write func(io.Writer) error) error {
	path, mode, err := target(path)
	if err != nil {
		return err
	}
	name, _ := filepath.Split(path) // not filepath.Dir, which would clean link/.. to .
	dir, err := os.Open(cmp.Or(name, "."))
	if err != nil { // before anything is written
		return err
	}
	defer dir.Close()
	temp, err := os.CreateTemp(dir.Name(), ".backlist-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // unless it was renamed; also when a record's MarshalJSON panics
	defer temp.Close()
	if err := write(temp); err != nil {
		return err
	}
	if err := cmp.Or(temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDirectory(dir)
}

// Keys of saved data that name no collection.
const (
	// lastIDsKey has a list of the collections of a catalogue in which the record with the
	// highest used id was deleted, and these ids.
	lastIDsKey = "$lastIds"
	// lastIDKey has the highest used id of a single collection.
	lastIDKey  = "$lastId"
	resultsKey = "results"
)

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
func (c *Catalogue) Save(w io.Writer) error { return saveAll(c.set, w) }

// saveAll writes the collections of a set.
func saveAll(c *set, w io.Writer) error {
	states := store.Freeze(storesOf(c.all)...)
	b := bufio.NewWriter(w)
	lead := "{"
	for i, m := range c.all {
		fmt.Fprintf(b, "%s%s:", lead, quotedKey(m))
		if err := writeArray(b, m.typ, states[i]); err != nil {
			return err
		}
		lead = ",\n"
	}
	writeLastIDs(c, b, states)
	b.WriteString("}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}

// quotedKey returns the key of a collection as a JSON string.
func quotedKey(m *core) []byte {
	return jsontext.AppendString(nil, m.key())
}

func writeLastIDs(c *set, b *bufio.Writer, states []*store.State) {
	lead, end := fmt.Sprintf(",\n%q:[\n", lastIDsKey), ""
	for i, s := range states {
		if last := s.UsedID(); last > s.MaxID() && c.all[i].typ.identity.key == nil {
			fmt.Fprintf(b, `%s{"collection":%s,"id":%d}`, lead, quotedKey(c.all[i]), last)
			lead, end = ",\n", "]"
		}
	}
	b.WriteString(end)
}

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
func (c *Collection[T]) Save(w io.Writer) error { return save(c.core, w) }

func save(c *core, w io.Writer) error {
	s := c.store.Current()
	b := bufio.NewWriter(w)
	end := "\n"
	if last := s.UsedID(); last > s.MaxID() && c.typ.identity.key == nil {
		fmt.Fprintf(b, "{%q:%d,%q:", lastIDKey, last, resultsKey)
		end = "}\n"
	}
	if err := writeArray(b, c.typ, s); err != nil {
		return err
	}
	b.WriteString(end)
	if err := b.Flush(); err != nil {
		return c.typ.errorf("%w", err)
	}
	return nil
}

// writeArray writes the records of a state as an array.
func writeArray(w *bufio.Writer, s *recordType, state *store.State) error {
	lead := "[\n"
	entries := state.Entries()
	if key := s.identity.key; key != nil {
		slices.SortFunc(entries, func(a, b *store.Entry) int { return key.key(a).Compare(key.key(b)) })
	}
	for _, e := range entries {
		record, err := s.stored(e)
		if err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return s.errorf("%w", err)
		}
		lead = ",\n"
	}
	if state.Len() == 0 {
		w.WriteString("[")
	}
	w.WriteString("]")
	return nil
}

// target returns the path of the file to replace, following symbolic links, and the mode
// of the new file. The file need not exist.
func target(path string) (string, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, 0o644, nil
	}
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Lstat(path)
		}
	}
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, fmt.Errorf("%s: %w: not a regular file", path, fs.ErrInvalid)
	}
	return path, info.Mode().Perm(), nil
}

// syncDirectory syncs a directory. It returns nil on systems that do not support that.
func syncDirectory(dir *os.File) error {
	err := dir.Sync()
	if runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
