package core

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

// Keys of saved data that name no collection.
const (
	// lastIDsKey has a list of the collections of a catalogue in which the record with the
	// highest used id was deleted, and these ids.
	lastIDsKey = "$lastIds"
	// lastIDKey has the highest used id of a single collection.
	lastIDKey  = "$lastId"
	resultsKey = "results"
)

// SaveAll writes the collections of a set.
func SaveAll(c *Set, w io.Writer) error {
	states := store.Freeze(storesOf(c.All)...)
	b := bufio.NewWriter(w)
	lead := "{"
	for i, m := range c.All {
		fmt.Fprintf(b, "%s%s:", lead, jsontext.AppendString(nil, m.Key()))
		if err := writeArray(b, m.Type, states[i]); err != nil {
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

func writeLastIDs(c *Set, b *bufio.Writer, states []*store.State) {
	lead, end := fmt.Sprintf(",\n%q:[\n", lastIDsKey), ""
	for i, s := range states {
		if last := c.All[i].Type.Identity.Served(s.UsedID()); last > s.MaxID() {
			fmt.Fprintf(b, `%s{"collection":%s,"id":%d}`, lead, jsontext.AppendString(nil, c.All[i].Key()), last)
			lead, end = ",\n", "]"
		}
	}
	b.WriteString(end)
}

// Save writes the records of a collection.
func Save(c *Collection, w io.Writer) error {
	s := c.Store.Current()
	b := bufio.NewWriter(w)
	end := "\n"
	if last := c.Type.Identity.Served(s.UsedID()); last > s.MaxID() {
		fmt.Fprintf(b, "{%q:%d,%q:", lastIDKey, last, resultsKey)
		end = "}\n"
	}
	if err := writeArray(b, c.Type, s); err != nil {
		return err
	}
	b.WriteString(end)
	if err := b.Flush(); err != nil {
		return c.Type.Errorf("%w", err)
	}
	return nil
}

// writeArray writes the records of a state as an array.
func writeArray(w *bufio.Writer, s *Type, state *store.State) error {
	w.WriteString("[")
	lead := "\n"
	entries := state.Entries()
	if key := s.Identity.Key; key != nil && !s.Loose() {
		slices.SortFunc(entries, func(a, b *store.Entry) int { return key.Engine.Key(a).Compare(key.Engine.Key(b)) })
	}
	for _, e := range entries {
		record, err := s.Stored(e)
		if err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return s.Errorf("%w", err)
		}
		lead = ",\n"
	}
	w.WriteString("]")
	return nil
}

// errNoPath is more specific than the error of the operating system for an empty path.
var errNoPath = fmt.Errorf("catalogue: the path is empty: %w", fs.ErrNotExist)

// ReplaceFile replaces the content of a file by the output of write. An error of write is
// returned unchanged; the file is unchanged then.
func ReplaceFile(path string, write func(io.Writer) error) error {
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
