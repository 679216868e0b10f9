package catalogue

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errNoPath gives the reason for what the operating system reports for an empty path.
var errNoPath = fmt.Errorf("catalogue: the path is empty: %w", fs.ErrNotExist)

// SaveFile writes the catalogue as [Catalogue.Save] does, in place of the file at
// path. If the program or the machine fails, the file is complete, with the old or
// the new content: SaveFile writes to a temporary file beside it, syncs it, renames it,
// and syncs the directory. A program that is killed may leave a temporary file whose
// name begins with .backlist-. Nothing reads it, and it can be deleted.
//
// The error wraps that of the operating system, or is that of Save. For an empty path
// it wraps [fs.ErrNotExist]. After an error the old file, or its absence, is as it
// was; only if the last step fails, the sync of the directory, is the new file in place.
//
// The new file has the mode of the old one, or else 0644 whatever the umask. Owner and
// hard links are not kept. The directory must be writable; the file need not be. A
// symbolic link stays, and the file that it points to is replaced. A link to nothing
// and a file that is not regular are refused.
//
// Others may write and save at the same time. All collections are saved as they were
// when SaveFile began. Of several calls for one path the last rename wins. On systems
// that cannot sync a directory, such as Windows, that step is omitted; elsewhere than
// on Unix the rename is as atomic as [os.Rename]. O(n).
func (c *Catalogue) SaveFile(path string) error {
	return replaceFile(path, c.Save)
}

// LoadFile is like [Catalogue.Load] with the file at path. The error begins with the
// path and wraps that of the operating system or of Load. For an empty path it wraps
// [fs.ErrNotExist]. While SaveFile runs, LoadFile reads the old file or the new one.
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

// replaceFile replaces a file by what write writes, or leaves it as it is. An error of
// write is returned as it is.
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
