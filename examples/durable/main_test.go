package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/internal/freeport"
	"github.com/gobacklist/backlist/examples/internal/server"
)

// A receipt has a key in place of an id: there is one of each film, and one of the last.
type receipt struct {
	Key  string `json:"key" backlist:"key"`
	Film int    `json:"film"`
}

var receipts = catalogue.Define[receipt]("receipts", catalogue.Options{})

func newCatalogue() (*catalogue.Catalogue, error) { return catalogue.New(directors, films, receipts) }

// receiptOf returns the key of the receipt of a film.
func receiptOf(id int) string { return fmt.Sprintf("film/%d é", id) }

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
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
		limitFile(256<<10, limit.Max)
		cat := write(file)
		limitFile(limit.Max, limit.Max)
		_, err := produce(cat)
		fmt.Println("with space:", err)
	case "sync":
		rename(file)
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

func limitFile(size, most uint64) {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: most}); err != nil {
		panic(err)
	}
}

// write inserts films with a director each from four goroutines, and deletes some, until a
// write fails. It prints a line after each write, and another one before each deletion.
func write(file string) *catalogue.Catalogue {
	cat, err := newCatalogue()
	if err != nil {
		panic(err)
	}
	if _, _, err := open(context.Background(), file, cat); err != nil {
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
	return cat
}

// rename renames a director until a write fails, and then tries to insert one with the name
// that was refused.
func rename(file string) {
	runtime.LockOSThread() // strace counts the system calls of each thread
	cat, err := newCatalogue()
	if err != nil {
		panic(err)
	}
	if _, _, err := open(context.Background(), file, cat); err != nil {
		fmt.Println("open:", err)
		return
	}
	people, d := mustIn(directors, cat), Director{ID: 1, Name: "0"}
	for i := range 5 {
		d.Name = fmt.Sprint(i)
		if _, err := people.Upsert(d); err != nil {
			_, again := people.Insert(Director{Name: d.Name})
			fmt.Printf("refused: %v\nagain: %v\n", err, again)
			return
		}
		fmt.Println("stored:", d.Name)
	}
}

// opened returns a catalogue of the records of a file, and its database.
func opened(tb testing.TB, file string) (*catalogue.Catalogue, *bbolt.DB) {
	tb.Helper()
	cat, err := newCatalogue()
	if err != nil {
		tb.Fatal(err)
	}
	db, _, err := open(tb.Context(), file, cat)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return cat, db
}

func mustIn[T any](d catalogue.Definition[T], cat *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(cat)
	if err != nil {
		panic(err)
	}
	return coll
}

// produce inserts a director and a film, which get the same id, and their receipt in one batch. It
// also makes a new receipt of the last film.
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
		if _, err := made.Insert(Film{Name: "film", Year: 2000, Director: id}); err != nil {
			return err
		}
		paid, err := receipts.Tx(b)
		if err != nil {
			return err
		}
		if err := paid.By("key").Delete("last"); err != nil && !errors.Is(err, catalogue.ErrNotFound) {
			return err
		}
		_, err1 := paid.Insert(receipt{"last", id})
		_, err2 := paid.Insert(receipt{receiptOf(id), id})
		return errors.Join(err1, err2)
	})
	return id, err
}

// unmake deletes a film, its director and its receipt in one batch.
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
		paid, err := receipts.Tx(b)
		if err != nil {
			return err
		}
		return errors.Join(made.Delete(id), paid.By("key").Delete(receiptOf(id)))
	})
}

// TestKill kills a process with four writers at random moments. Afterwards each write that
// it has acknowledged is in the file, no batch is stored in part, and no id is used twice.
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
	people, made, paid := mustIn(directors, cat), mustIn(films, cat), mustIn(receipts, cat)
	for f := range made.All() {
		if !people.Has(f.ID) {
			t.Fatalf("id %d: half of a batch is there", f.ID)
		}
		if known[f.ID] == "deleted" {
			t.Fatalf("id %d was deleted and is there", f.ID)
		}
		if r, err := paid.By("key").Get(receiptOf(f.ID)); err != nil || r.Film != f.ID {
			t.Fatalf("id %d: the receipt is %v, %v", f.ID, r, err)
		}
		known[f.ID], inserted[f.ID] = "inserted", true
	}
	last, err := paid.By("key").Get("last")
	if err == nil {
		inserted[last.Film] = true // it may be deleted
	}
	for id := range inserted {
		if id > last.Film {
			t.Fatalf("the last receipt is that of %d (%v), but there was %d", last.Film, err, id)
		}
	}
	if people.Count() != made.Count() || paid.Count() > made.Count()+1 {
		t.Fatalf("%d directors, %d films, %d receipts: half of a batch is there", people.Count(), made.Count(), paid.Count())
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

// TestFresh opens a file whose records all have keys. It is fresh until the first write.
func TestFresh(t *testing.T) {
	file := filepath.Join(t.TempDir(), "receipts.db")
	for _, row := range []struct {
		fresh bool
		write func(paid *catalogue.Collection[receipt]) error
		want  []receipt
		why   string
	}{
		{true, func(paid *catalogue.Collection[receipt]) error { return nil }, nil, "a new file"},
		{true, func(paid *catalogue.Collection[receipt]) error {
			_, err := paid.Insert(receipt{Key: strings.Repeat("x", bbolt.MaxKeySize+1)})
			_, again := paid.Insert(receipt{"b", 1})
			if err == nil {
				err = errors.New("the key is stored")
				again = errors.Join(err, again)
			}
			return again
		}, []receipt{{"b", 1}}, "a long key is refused, and no other"},
		{false, func(paid *catalogue.Collection[receipt]) error {
			return paid.Load(strings.NewReader(`[{"key":"c","film":2},{"key":"a","film":3}]`), catalogue.LoadOptions{})
		}, []receipt{{"a", 3}, {"c", 2}}, "a load replaces all"},
		{false, func(paid *catalogue.Collection[receipt]) error {
			_, err := paid.Where().Delete()
			return err
		}, nil, "all are deleted"},
		{false, func(paid *catalogue.Collection[receipt]) error { return nil }, nil, "there was a record"},
	} {
		cat, err := catalogue.New(receipts)
		if err != nil {
			t.Fatal(err)
		}
		db, fresh, err := open(t.Context(), file, cat)
		if err != nil || fresh != row.fresh {
			t.Fatalf("%s: fresh is %t, %v, want %t", row.why, fresh, err, row.fresh)
		}
		if err := errors.Join(row.write(mustIn(receipts, cat)), db.Close()); err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		again, err := catalogue.New(receipts)
		if err != nil {
			t.Fatal(err)
		}
		if db, _, err = open(t.Context(), file, again); err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(mustIn(receipts, again).All()); !slices.Equal(got, row.want) {
			t.Errorf("%s: the file has %v, want %v", row.why, got, row.want)
		}
		db.Close()
	}
}

func TestDiskFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.db")
	out, err := child(t, "full", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	failed, refused := strings.Count(text, "refused: the write could not be stored: "), strings.Count(text, "refused: ")
	if failed != 1 || refused != 4 || strings.Contains(text, "after the failure") {
		t.Fatalf("%d writes failed, want 1, and %d of 4 writers ended: %.2000s", failed, refused, text)
	}
	cat, _ := opened(t, file)
	want := fmt.Sprintf("left: %d\nwith space: httpapi: collection is unavailable: %v\n", mustIn(films, cat).Count(), errUnknown)
	if !strings.HasSuffix(text, want) {
		t.Errorf("the file has %s, the process ended with %s", want, text[strings.LastIndex(text, "left"):])
	}
}

// TestSync makes each call to sync the file fail. The file then has all acknowledged writes and,
// of the others, at most the one that was refused first.
func TestSync(t *testing.T) {
	if err := exec.Command("strace", "-o", os.DevNull, "true").Run(); err != nil {
		if os.Getenv("BACKLIST_STRACE") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	refused := 0
	for n := 1; n <= 10; n++ {
		file := filepath.Join(t.TempDir(), "films.db")
		cmd := child(t, "sync", file)
		cmd.Args = []string{"strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace=fsync,fdatasync",
			"-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n), cmd.Path}
		cmd.Path, _ = exec.LookPath("strace")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		text := string(out)
		names, next := []string{""}, 0 // names that a restart may find
		for line := range strings.Lines(text) {
			switch what, value, _ := strings.Cut(strings.TrimSpace(line), ": "); what {
			case "stored":
				names = []string{value}
				next++
			case "refused":
				refused++
				names = append(names, fmt.Sprint(next))
			case "again":
				if want := "unavailable: " + errUnknown.Error(); !strings.Contains(value, want) {
					t.Errorf("call %d: the next write returns %q, want %q", n, value, want)
				}
			}
		}
		cat, _ := opened(t, file)
		found := ""
		for d := range mustIn(directors, cat).All() {
			found += d.Name
		}
		if !slices.Contains(names, found) {
			t.Errorf("call %d: the file has a director %q, want one of %q after\n%s", n, found, names, text)
		}
	}
	if refused < 4 {
		t.Errorf("%d writes were refused", refused)
	}
}

// TestEnd ends the program while writes wait for another one. Those that have not begun to be
// stored are refused.
func TestEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	file := filepath.Join(t.TempDir(), "films.db")
	cat, err := newCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	db, _, err := open(ctx, file, cat)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	handler, err := newHandler(cat, "T")
	if err != nil {
		t.Fatal(err)
	}
	const requests = 50
	var waiting sync.WaitGroup
	waiting.Add(requests)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(ctx, listener, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			waiting.Done()
			handler.ServeHTTP(w, r)
		})})
	}()
	slow, err := db.Begin(true) // until it ends, no other transaction begins
	if err != nil {
		t.Fatal(err)
	}
	statuses := make(chan int, requests)
	for i := range requests {
		go func() {
			r, err := http.NewRequest("POST", "http://"+listener.Addr().String()+"/v1/directors/", strings.NewReader(fmt.Sprintf(`{"name":"%d"}`, i)))
			if err != nil {
				panic(err)
			}
			r.Header = http.Header{"Authorization": {"Bearer T"}, "Content-Type": {"application/json"}}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			resp.Body.Close()
			statuses <- resp.StatusCode
		}()
	}
	waiting.Wait()
	end()
	if err := slow.Rollback(); err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for range requests {
		count[<-statuses]++
	}
	if stored := count[http.StatusCreated]; stored > 1 || stored+count[http.StatusServiceUnavailable] != requests {
		t.Errorf("the statuses are %v, want at most one 201, and 503", count)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := mustIn(directors, cat).Count(); got != count[http.StatusCreated] {
		t.Errorf("%d records, want %d", got, count[http.StatusCreated])
	}
}

// TestPages expects a page for browsers, with a form to sign in if writes are permitted, and
// JSON for other clients.
func TestPages(t *testing.T) {
	cat, _ := opened(t, filepath.Join(t.TempDir(), "films.db"))
	if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ token, accept, want, not string }{
		{"T", "text/html", "Token", `{"count"`},
		{"", "text/html", "Vertigo", "Token"},
		{"T", "*/*", `{"count":3,`, "<html"},
	} {
		handler, err := newHandler(cat, test.token)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "http://127.0.0.1:8080/v1/films/", nil)
		r.Header.Set("Accept", test.accept)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, test.want) || strings.Contains(body, test.not) {
			t.Errorf("token %q, Accept %s: %d %.500s, want %q and no %q", test.token, test.accept, w.Code, body, test.want, test.not)
		}
	}
}

func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	const remedy = "-addr 127.0.0.1:0 chooses a free port"
	err = run(t.Context(), busy.Addr().String(), filepath.Join(t.TempDir(), "films.db"), "")
	if err == nil || !strings.Contains(err.Error(), remedy) {
		t.Errorf("error %v, want one with %q", err, remedy)
	}
}

// TestShell runs the commands of the README with another address and file, and expects the
// output that it shows.
func TestShell(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	address := free[0]
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
				return errors.Join(bucket.SetSequence(uint64(id)), put(bucket, numbered(id), text))
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

// TestOlderFile opens a file that an earlier version of the program has written. Its records have
// the present form in memory, and in the file after they have changed.
func TestOlderFile(t *testing.T) {
	type older struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	type newer struct {
		ID    int    `json:"id"`
		Name  string `json:"name" backlist:"formerly=title"`
		Stars int    `json:"stars" backlist:"default=3"`
	}
	file := filepath.Join(t.TempDir(), "films.db")
	reopen := func(d catalogue.AnyDefinition) (*catalogue.Catalogue, *bbolt.DB) {
		t.Helper()
		cat, err := catalogue.New(d)
		if err != nil {
			t.Fatal(err)
		}
		db, _, err := open(t.Context(), file, cat)
		if err != nil {
			t.Fatal(err)
		}
		return cat, db
	}
	before := catalogue.Define[older]("films", catalogue.Options{})
	cat, db := reopen(before)
	for _, title := range []string{"Rope", "Vertigo"} {
		if _, err := mustIn(before, cat).Insert(older{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	now := catalogue.Define[newer]("films", catalogue.Options{})
	want := []newer{{1, "Rope", 3}, {2, "Vertigo", 3}}
	for range 2 { // both forms are in the file the second time
		cat, db = reopen(now)
		if got := slices.Collect(mustIn(now, cat).All()); !slices.Equal(got, want) {
			t.Errorf("records %v, want %v", got, want)
		}
		want[0].Stars++
		if err := mustIn(now, cat).Update(1, func(f *newer) error { f.Stars++; return nil }); err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
}
