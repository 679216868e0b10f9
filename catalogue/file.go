package catalogue

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errNoPath is what the operating system says of an empty path, in words that
// tell the reason.
var errNoPath = fmt.Errorf("catalogue: the path is empty: %w", fs.ErrNotExist)

// SaveFile writes the whole house as [Catalogue.Save] does, in the place of the
// file at path. Whenever the program or the machine dies, the file is whole, the
// old one or the new one: what is written goes to a temporary file beside it,
// which is synced and then renamed, and the directory is synced before SaveFile
// returns.
//
// On an error the old file, or its absence, stays as it was and the temporary
// file is removed; only when the directory's sync fails, which is the last step,
// is the new file in place. The error wraps the operating system's or is Save's;
// that of an empty path matches [fs.ErrNotExist].
// A program that is killed may leave its temporary file, .backlist- and a
// number, which nothing reads and anybody may delete.
//
// The mode is the old file's, else 0644 whatever the umask; owner and hard links
// are not kept. The old file need not be writable, its directory must be. A
// symbolic link stays and the file that it leads to is replaced; a link to
// nothing, and what is no regular file, are refused.
//
// Others may write and save meanwhile: each collection is saved as it was when
// SaveFile began, and of several SaveFile to one path the last rename wins, with
// a whole file. Where the system cannot sync a directory, as on Windows, that
// step is left out; where it is no Unix, the rename is as atomic as [os.Rename].
// O(n).
func (c *Catalogue) SaveFile(path string) error {
	return replaceFile(path, c.Save)
}

// LoadFile is [Catalogue.Load] from the file at path. On an error nothing has
// changed. The error names the path and wraps the operating system's or Load's;
// that of an empty path matches [fs.ErrNotExist]. Beside a SaveFile it reads the
// old file or the new one.
func (c *Catalogue) LoadFile(path string) error {
	if path == "" {
		return errNoPath
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := load("catalogue", data, c.read); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// replaceFile puts what write writes in the place of a file, whole or not at
// all. An error of write is returned as it is.
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
