package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/gobacklist/backlist/catalogue"
)

// The test program is also the process that tests kill.
func TestMain(m *testing.M) {
	file := os.Getenv("DURABLE_FILE")
	switch os.Getenv("DURABLE_ROLE") {
	case "":
		os.Exit(m.Run())
	case "writers":
		write(file)
	case "full":
		signal.Ignore(syscall.SIGXFSZ)
		const most = 256 << 10
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			panic(err)
		}
		write(file)
	}
}

// child returns a command that runs the test program in another role.
func child(t *testing.T, role, file string) *exec.Cmd {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "DURABLE_ROLE="+role, "DURABLE_FILE="+file)
	cmd.Stderr = os.Stderr
	return cmd
}

// write inserts films with a director each from four goroutines, and deletes some, until a
// write fails. It prints a line after each write, and another one before each deletion.
func write(file string) {
	cat, err := catalogue.New(directors, films)
	if err != nil {
		panic(err)
	}
	if _, _, err := open(file, cat); err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
			for {
				var err error
				if last := mustIn(films, cat).Count(); last > 0 && rng.IntN(4) == 0 {
					id := 1 + rng.IntN(last)
					fmt.Println("deleting", id)
					if err = unmake(cat, id); err == nil {
						fmt.Println("deleted", id)
					}
				} else {
					var id int
					if id, err = produce(cat); err == nil {
						fmt.Println("inserted", id)
					}
				}
				if err != nil && !errors.Is(err, catalogue.ErrNotFound) {
					fmt.Println("refused:", err)
					return
				}
			}
		})
	}
	writers.Wait()
	if err := cat.Check(); err != nil {
		fmt.Println("after the failure:", err)
	}
	fmt.Println("left:", mustIn(films, cat).Count())
}

// opened returns a catalogue of the records of a file, and its database.
func opened(t testing.TB, file string) (*catalogue.Catalogue, *bbolt.DB) {
	t.Helper()
	cat, err := catalogue.New(directors, films)
	if err != nil {
		t.Fatal(err)
	}
	db, _, err := open(file, cat)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return cat, db
}

func mustIn[T any](d catalogue.Definition[T], cat *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(cat)
	if err != nil {
		panic(err)
	}
	return coll
}

// produce inserts a director and a film, which get the same id, in one batch.
func produce(cat *catalogue.Catalogue) (id int, err error) {
	err = cat.Batch(func(b *catalogue.Batch) error {
		people, err := directors.Tx(b)
		if err != nil {
			return err
		}
		if id, err = people.Insert(Director{Name: strings.Repeat("x", 300) + fmt.Sprint(rand.Uint64())}); err != nil {
			return err
		}
		made, err := films.Tx(b)
		if err != nil {
			return err
		}
		_, err = made.Insert(Film{Name: "film", Year: 2000, Director: id})
		return err
	})
	return id, err
}

// unmake deletes a film and its director in one batch.
func unmake(cat *catalogue.Catalogue, id int) error {
	return cat.Batch(func(b *catalogue.Batch) error {
		people, err := directors.Tx(b)
		if err != nil {
			return err
		}
		if err := people.Delete(id); err != nil {
			return err
		}
		made, err := films.Tx(b)
		if err != nil {
			return err
		}
		return made.Delete(id)
	})
}

// TestKill kills a process with four writers at random moments. Afterwards each write that
// it has acknowledged is in the file, no batch is there by half, and no id is used twice.
func TestKill(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 20
	}
	file := filepath.Join(t.TempDir(), "films.db")
	known, inserted, writes := map[int]string{}, map[int]bool{}, 0 // known is what was last printed about an id
	for range rounds {
		cmd := child(t, "writers", file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("the process says %q", lines.Text())
		}
		time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			what, id := "", 0
			if _, err := fmt.Sscan(lines.Text(), &what, &id); err != nil {
				t.Fatal(lines.Text())
			}
			switch { // other writers may delete a record before its insertion is printed
			case what == "inserted" && inserted[id]:
				t.Fatalf("id %d was assigned twice", id)
			case what == "inserted":
				inserted[id] = true
				known[id] = cmp.Or(known[id], what)
			case known[id] != "deleted":
				known[id] = what
			}
			writes++
		}
		cmd.Wait()
		compare(t, file, known, inserted)
	}
	t.Logf("%d lines about writes, %d processes killed", writes, rounds)
}

// compare checks the file against what is known of the records. A write that was not
// acknowledged may be there too; then it is known afterwards.
func compare(t *testing.T, file string, known map[int]string, inserted map[int]bool) {
	t.Helper()
	cat, db := opened(t, file)
	defer db.Close()
	people, made := mustIn(directors, cat), mustIn(films, cat)
	for f := range made.All() {
		if !people.Has(f.ID) {
			t.Fatalf("id %d: half of a batch is there", f.ID)
		}
		if known[f.ID] == "deleted" {
			t.Fatalf("id %d was deleted and is there", f.ID)
		}
		known[f.ID], inserted[f.ID] = "inserted", true
	}
	if people.Count() != made.Count() {
		t.Fatalf("%d directors, %d films: half of a batch is there", people.Count(), made.Count())
	}
	for id, what := range known {
		switch {
		case made.Has(id):
		case what == "inserted":
			t.Fatalf("id %d was acknowledged and is not there", id)
		default:
			known[id] = "deleted"
		}
	}
}

func TestDiskFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.db")
	out, err := child(t, "full", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	if n := strings.Count(text, "refused: the write could not be stored: "); n != 4 || strings.Contains(text, "after the failure") {
		t.Fatalf("%d of 4 writers got an error: %.2000s", n, text)
	}
	cat, _ := opened(t, file)
	if want := fmt.Sprintf("left: %d\n", mustIn(films, cat).Count()); !strings.HasSuffix(text, want) {
		t.Errorf("the file has %s, the process ended with %s", want, text[strings.LastIndex(text, "left"):])
	}
}

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
		cut := filepath.Join(dir, "cut.db")
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(cut, cat); err == nil || !strings.HasPrefix(err.Error(), cut+": ") {
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

// TestShell runs the commands of the README with another address and file, and expects the
// output that it shows.
func TestShell(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, session, _ := strings.Cut(string(readme), "```sh\n")
	session, _, _ = strings.Cut(session, "```")
	session = strings.NewReplacer(" &\n", " -addr "+address+" &\n", "127.0.0.1:8080", address,
		"films.db", filepath.Join(t.TempDir(), "films.db"), "curl ", "curl -sSf --retry 100 --retry-delay 1 --retry-connrefused ",
	).Replace(session)
	var commands, want []string
	for line := range strings.Lines(session) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, command)
		} else {
			want = append(want, strings.TrimSpace(line))
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	shell := exec.CommandContext(ctx, "bash", "-euc", strings.Join(commands, "")+"kill $!")
	bin := t.TempDir()
	shell.Env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH"))
	shell.WaitDelay = time.Second
	out, err := shell.CombinedOutput()
	for _, line := range want {
		if n, m := strings.Count(string(out), line), strings.Count(session, line); err != nil || n != m {
			t.Fatalf("%v: %d times %s, want %d:\n%s", err, n, line, m, out)
		}
	}
}

// BenchmarkWrite compares insertions with transactions that store the same values, with
// batches, and with a catalogue without a journal.
func BenchmarkWrite(b *testing.B) {
	film := Film{Name: "Psycho", Year: 1960, Director: 1}
	batch := func(db *bbolt.DB, made *catalogue.Collection[Film], id int) error {
		return made.Batch(func(tx *catalogue.Tx[Film]) (err error) {
			for range 100 {
				_, err = tx.Insert(film)
			}
			return err
		})
	}
	insert := func(db *bbolt.DB, made *catalogue.Collection[Film], id int) error {
		_, err := made.Insert(film)
		return err
	}
	for _, bench := range []struct {
		name    string
		journal bool
		write   func(db *bbolt.DB, made *catalogue.Collection[Film], id int) error
	}{
		{"journal", true, insert},
		{"bbolt", false, func(db *bbolt.DB, _ *catalogue.Collection[Film], id int) error {
			text := fmt.Appendf(nil, `{"id":%d,"name":"Psycho","year":1960,"director":1}`, id)
			return db.Update(func(tx *bbolt.Tx) error {
				bucket := tx.Bucket([]byte("films"))
				return errors.Join(bucket.SetSequence(uint64(id)), put(bucket, id, text))
			})
		}},
		{"journal, batch of 100", true, batch},
		{"no journal", false, insert},
	} {
		b.Run(bench.name, func(b *testing.B) {
			cat, db := opened(b, filepath.Join(b.TempDir(), "films.db"))
			if !bench.journal {
				cat.Journal(nil)
			}
			for id := 1; b.Loop(); id++ {
				if err := bench.write(db, mustIn(films, cat), id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
