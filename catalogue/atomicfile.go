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

// atomicFile is a temporary file that replaces another when it is complete.
type atomicFile struct {
	temp *os.File
	dir  *os.File // the directory of both files
	path string   // of the file to replace
	mode fs.FileMode

	renamed bool
}

// newAtomicFile creates the temporary file. It opens the directory, which is synced
// later, so that an error is found before anything is written.
func newAtomicFile(path string) (*atomicFile, error) {
	path, mode, err := target(path)
	if err != nil {
		return nil, err
	}
	name, _ := filepath.Split(path) // not filepath.Dir, which would clean link/.. to .
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

// commit syncs the file, renames it and syncs the directory.
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

// syncDirectory syncs a directory. It returns nil on systems that do not support that.
func syncDirectory(dir *os.File) error {
	err := dir.Sync()
	if runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// discard closes the directory and removes the temporary file if it was not renamed.
func (f *atomicFile) discard() {
	if !f.renamed {
		f.temp.Close()
		os.Remove(f.temp.Name())
	}
	f.dir.Close()
}
