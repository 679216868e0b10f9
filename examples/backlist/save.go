package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// save writes records to a file, in the form of that of the source.
func (from source) save(path string, records *catalogue.Catalogue) error {
	if from.read == nil {
		return records.SaveFile(path)
	}
	var text bytes.Buffer
	if err := from.read.Write(&text, records); err != nil {
		return err
	}
	return replaceFile(path, text.Bytes())
}

// saveAtEnd writes the records to the file of -save, unless they come from it and no request has changed them, or, if somebody else has changed that since the program
// read or wrote it, to a new file beside it, which the error names.
func (p *program) saveAtEnd() error {
	if p.save == p.file && !p.written() {
		return nil
	}
	s := p.current.Load()
	now, err := digest(p.save)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(now, s.saved) {
		return s.save(p.save, s.records)
	}
	extension := filepath.Ext(p.save)
	file, err := os.CreateTemp(filepath.Dir(p.save), strings.TrimSuffix(filepath.Base(p.save), extension)+"-*"+extension)
	if err != nil {
		return fmt.Errorf("-save: %w", err)
	}
	beside := filepath.Clean(file.Name())
	if err := cmp.Or(file.Close(), s.save(beside, s.records)); err != nil {
		return fmt.Errorf("-save: %w", err)
	}
	return fmt.Errorf("-save: %s has changed since it was read and stays as it is: the records are in %s", p.save, beside)
}

// digest returns a digest of the contents of a file.
func digest(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return h.Sum(nil), err
}

// replaceFile replaces a file at once, or leaves it as it is, even if the system crashes.
func replaceFile(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if about, err := os.Stat(path); err == nil {
		mode = about.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".backlist-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // unless it has been renamed
	_, err = file.Write(data)
	if err := cmp.Or(err, file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
