package catalogue

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errNoPath is more specific than the error of the operating system for an empty path.
var errNoPath = fmt.Errorf("catalogue: the path is empty: %w", fs.ErrNotExist)

// SaveFile replaces the file at path by the output of [Catalogue.Save]. If the program or
// the machine fails, the file has either the old or the new content. SaveFile writes a
// temporary file in the same directory, syncs it, renames it, and syncs the directory. A
// program that is killed may leave a temporary file. Its name begins with .backlist-, and
// it can be deleted.
//
// The error wraps that of the operating system, or is that of Save. It wraps
// [fs.ErrNotExist] if path is empty or a symbolic link to no file, and [fs.ErrInvalid] if
// the file is not regular. After an error the old file, or its absence, is unchanged. The
// exception is an error of the last step, the sync of the directory: the new file is in
// place then.
//
// The new file has the permissions of the old one, or 0644 regardless of the umask if
// there is none. Its owner may differ, and other hard links keep the old file. The
// directory must be writable; the old file need not be. If path is a symbolic link, the
// file that it points to is replaced.
//
// All collections are saved at one instant during the call; writers do not wait. Of
// concurrent calls for the same path, the last rename determines the content. The sync of
// the directory is omitted on systems without it, such as Windows. On non-Unix systems
// the rename may not be atomic; see [os.Rename]. O(n).
func (c *Catalogue) SaveFile(path string) error {
	return replaceFile(path, c.Save)
}

// LoadFile is like [Catalogue.Load] for the file at path. The error contains the path and
// wraps that of the operating system or of Load. If path is empty, it wraps
// [fs.ErrNotExist]. During a call of SaveFile, LoadFile reads the old or the new file.
func (c *Catalogue) LoadFile(path string) error {
	return loadFile(path, func(data []byte) error { return c.load(data, LoadOptions{}) })
}

// SaveFile writes the records as [Collection.Save] does, in place of the file at path,
// like [Catalogue.SaveFile].
func (c *Collection[T]) SaveFile(path string) error { return replaceFile(path, c.Save) }

// LoadFile is like [Collection.Load] with the file at path. Its errors are like those of
// [Catalogue.LoadFile].
func (c *Collection[T]) LoadFile(path string) error {
	return loadFile(path, func(data []byte) error { return c.Load(bytes.NewReader(data)) })
}

// loadFile calls load with the content of a file.
func loadFile(path string, load func(data []byte) error) error {
	if path == "" {
		return errNoPath
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := load(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// replaceFile replaces the content of a file by the output of write. An error of write is
// returned unchanged; the file is unchanged then.
func replaceFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return errNoPath
	}
	f, err := newAtomicFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	defer f.discard() // also when a record's MarshalJSON panics
	if err := write(f.temp); err != nil {
		return err
	}
	if err := f.commit(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}
