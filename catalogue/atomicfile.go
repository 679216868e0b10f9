package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// atomicFile is a temporary file that takes another's place once it is whole.
type atomicFile struct {
	temp *os.File
	dir  *os.File // where both are
	path string   // of the one that is replaced
	mode fs.FileMode

	renamed bool
}

// newAtomicFile makes the temporary file. All that can be known to fail fails
// here: so the directory is opened now, and synced later.
func newAtomicFile(path string) (*atomicFile, error) {
	path, mode, err := target(path)
	if err != nil {
		return nil, err
	}
	name, _ := filepath.Split(path) // filepath.Dir would be wrong: it shortens link/.. to nothing
	if name == "" {
		name = "."
	}
	dir, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(name, ".backlist-*")
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &atomicFile{temp: temp, dir: dir, path: path, mode: mode}, nil
}

// target finds the file that a path leads to, which may not be there yet, and
// the mode that it is to have.
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
		return "", 0, fmt.Errorf("%s: %w: no regular file", path, fs.ErrInvalid)
	}
	return path, info.Mode().Perm(), nil
}

// commit brings the file to the disk, and then its new name.
func (f *atomicFile) commit() error {
	if err := f.temp.Chmod(f.mode); err != nil {
		return err
	}
	if err := f.temp.Sync(); err != nil {
		return err
	}
	if err := f.temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.temp.Name(), f.path); err != nil {
		return err
	}
	f.renamed = true
	return syncDirectory(f.dir)
}

// syncDirectory brings a rename to the disk, where that can be asked for.
func syncDirectory(dir *os.File) error {
	err := dir.Sync()
	if runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// discard removes the temporary file, unless it has another name by now.
func (f *atomicFile) discard() {
	if !f.renamed {
		f.temp.Close()
		os.Remove(f.temp.Name())
	}
	f.dir.Close()
}
