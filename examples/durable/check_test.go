package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/gobacklist/backlist/catalogue"
)

func TestTwoProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.db")
	opened(t, file)
	out, err := child(t, "writers", file).Output()
	if want := "another process has the file open"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("the second process prints %s (%v), want %s", out, err, want)
	}
}

// TestFileCut cuts a file at every page. The error names the file and what is wrong.
func TestFileCut(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "films.db")
	cat, db := opened(t, file)
	for range 100 {
		if _, err := produce(cat); err != nil {
			t.Fatal(err)
		}
	}
	var used int64
	db.View(func(tx *bbolt.Tx) error { used = tx.Size(); return nil })
	db.Close()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for size := int64(1); size < used; size += int64(os.Getpagesize()) / 2 {
		cut := filepath.Join(dir, fmt.Sprint(size))
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(t.Context(), cut, cat); err == nil || !strings.HasPrefix(err.Error(), cut+": ") {
			t.Fatalf("%d of %d bytes: %v, want an error that names the file", size, used, err)
		}
	}
}

func TestFileReadOnly(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "films.db")
	_, db := opened(t, file)
	db.Close()
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "writers", file)
	if os.Getuid() == 0 { // may write to any file
		for path := dir; path != "/" && path != os.TempDir(); path = filepath.Dir(path) {
			os.Chmod(path, 0o755)
		}
		program := filepath.Join(dir, "program")
		if err := exec.Command("cp", os.Args[0], program).Run(); err != nil {
			t.Fatal(err)
		}
		cmd.Path = program
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.Output()
	if want := "open: " + file + ": "; err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "permission denied") {
		t.Errorf("%s (%v), want %s and permission denied", out, err, want)
	}
}

func TestFileEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, file, errEmpty)
}

// TestFileDamaged damages each page of a file, and bits of what connects pages. Either the
// error names the file, or all records are there.
func TestFileDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "films.db")
	cat, db := opened(t, file)
	people := mustIn(directors, cat)
	for i := range 10 { // some pages are free, others are not
		err := people.Batch(func(tx *catalogue.Tx[Director]) (err error) {
			for j := range 100 {
				_, err = tx.Insert(Director{Name: fmt.Sprintf("director %d of %d", j, i)})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := slices.Collect(people.All())
	size := db.Info().PageSize
	db.Close()
	_, db = opened(t, file) // after a damage of the last transaction, bbolt uses the one before
	db.Close()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	errs, damages := 0, 0
	damage := func(page []byte, f func(page []byte)) {
		sound := bytes.Clone(page)
		f(page)
		defer copy(page, sound)
		damages++
		file := filepath.Join(dir, fmt.Sprint(damages)) // bbolt's panics leave files locked
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		cat, err := newCatalogue()
		if err != nil {
			t.Fatal(err)
		}
		db, _, err := open(t.Context(), file, cat)
		if err != nil {
			if errs++; !strings.HasPrefix(err.Error(), file+": ") {
				t.Fatalf("%v, want an error that names the file", err)
			}
			return
		}
		db.Close()
		if got := slices.Collect(mustIn(directors, cat).All()); !slices.Equal(got, want) {
			t.Fatalf("%d records, want the %d that were stored", len(got), len(want))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for page := range slices.Chunk(whole, size) {
		other := bytes.Clone(whole[size*rng.IntN(len(whole)/size):][:size])
		damage(page, func(p []byte) { clear(p) })
		damage(page, func(p []byte) { copy(p, other) })
		damage(page, func(p []byte) {
			for i := range p {
				p[i] = byte(rng.Uint32())
			}
		})
		for i := range 32 { // the header and the first element
			if i/2 == 5 || testing.Short() { // the number of elements: bbolt cannot know that it is too low
				continue
			}
			damage(page, func(p []byte) { p[i] ^= 1 << rng.IntN(8) })
		}
	}
	if t.Logf("%d of %d damages are errors", errs, damages); errs < damages/4 {
		t.Error("most of them are unnoticed")
	}
}

// refuses expects an error from opening a file, which names it.
func refuses(t *testing.T, file string, want error) {
	t.Helper()
	cat, err := newCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t.Context(), file, cat); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), file+": ") {
		t.Fatalf("%v, want %v and the name of the file", err, want)
	}
}
