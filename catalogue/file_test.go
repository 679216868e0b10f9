package catalogue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
)

// files returns everything below a directory: the content of each file, the target of
// each symbolic link, and "/" for each directory.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch name = filepath.ToSlash(name); {
		case d.IsDir():
			found[name] = "/"
		case d.Type() == fs.ModeSymlink:
			found[name], err = os.Readlink(path)
		default:
			var content []byte
			content, err = os.ReadFile(path)
			found[name] = string(content)
		}
		return err
	})
	must(t, err)
	return found
}

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// A new file and one that is replaced contain what Save writes, and can be loaded.
func TestSaveFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "house.json")
	for _, cat := range []*catalogue.Catalogue{dataset(t), small(t), mustNew()} {
		must(t, cat.SaveFile(path))
		equal(t, "files", map[string]string{"house.json": saved(t, cat)}, files(t, dir))
		loaded := dataset(t)
		must(t, loaded.LoadFile(path, catalogue.LoadOptions{}))
		equal(t, "LoadFile", saved(t, cat), saved(t, loaded))
	}
}

func TestSaveFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files on Windows have no such modes")
	}
	for _, row := range []struct {
		reason    string
		old, want fs.FileMode
	}{
		{"no file to replace", 0, 0o644},
		{"private", 0o600, 0o600},
		{"writable by all, whatever the umask", 0o666, 0o666},
		{"a read-only file in a writable directory", 0o444, 0o444},
		{"the setuid bit is dropped", 0o755 | fs.ModeSetuid, 0o755},
	} {
		path := filepath.Join(t.TempDir(), "house.json")
		if row.old != 0 {
			must(t, os.WriteFile(path, nil, 0o600), os.Chmod(path, row.old))
		}
		if err := small(t).SaveFile(path); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		info := mustHave(os.Stat(path))
		if got := info.Mode(); got != row.want {
			t.Errorf("%s: mode %v, want %v", row.reason, got, row.want)
		}
	}
}

// link makes a symbolic link. It skips the test if the system does not permit that.
func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

// SaveFile keeps symbolic links and replaces the file that they point to.
func TestSaveFileLinks(t *testing.T) {
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	must(t, os.MkdirAll(filepath.Join(disk, "deep"), 0o755), os.WriteFile(filepath.Join(disk, "house.json"), []byte("old"), 0o644))
	link(t, filepath.Join("disk", "house.json"), filepath.Join(dir, "file"))
	link(t, "file", filepath.Join(dir, "again"))
	link(t, filepath.Join(disk, "deep"), filepath.Join(dir, "deep"))
	want := files(t, dir)

	books, cat := "", mustNew()
	for _, row := range []struct{ reason, path, changed string }{
		{"a link to a file elsewhere", dir + "/file", "disk/house.json"},
		{"a link to a link", dir + "/again", "disk/house.json"},
		{"a new file in a linked directory", dir + "/deep/new.json", "disk/deep/new.json"},
		{"a file in the parent of a linked directory", dir + "/deep/../house.json", "disk/house.json"},
		{"a new file in the parent of a linked directory", dir + "/deep/../new.json", "disk/new.json"},
	} {
		books += `{"id":` + fmt.Sprint(len(books)+1) + `},` // a different content each time
		must(t, cat.Load(strings.NewReader(`{"books":[`+strings.TrimSuffix(books, ",")+`]}`), catalogue.LoadOptions{}))
		if err := cat.SaveFile(filepath.FromSlash(row.path)); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		want[row.changed] = saved(t, cat)
		equal(t, row.reason, want, files(t, dir))
	}
	must(t, faultOf(cat))
}

// The error for an invalid path is that of the system, and nothing is written.
func TestSaveFileInvalidPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // for the empty path
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.Mkdir(in("sub"), 0o755), os.WriteFile(in("file"), []byte("old"), 0o644), os.Mkdir(in("locked"), 0o755))
	link(t, "gone", in("dangling"))
	link(t, "sub", in("to-directory"))
	link(t, "circle", in("circle"))
	must(t, os.WriteFile(in("locked/file"), []byte("old"), 0o666), os.Chmod(in("locked"), 0o555))
	t.Cleanup(func() { os.Chmod(in("locked"), 0o755) }) // so that it can be removed
	before, cat := files(t, dir), small(t)

	for _, row := range []struct {
		reason, path string
		want         error // nil if it depends on the system
	}{
		{"empty", "", fs.ErrNotExist},
		{"a directory that does not exist", in("gone/house.json"), fs.ErrNotExist},
		{"a file as a directory", in("file/house.json"), syscall.ENOTDIR},
		{"a directory", in("sub"), fs.ErrInvalid},
		{"the working directory", ".", fs.ErrInvalid},
		{"a directory that does not exist, with a separator", in("gone") + string(filepath.Separator), fs.ErrNotExist},
		{"a link to a directory", in("to-directory"), fs.ErrInvalid},
		{"a link to a file that does not exist", in("dangling"), fs.ErrNotExist},
		{"a link to itself", in("circle"), nil},
		{"a name that is too long", in(strings.Repeat("x", 300)), nil},
		{"a zero byte", in("a\x00b"), nil},
		{"a read-only directory", in("locked/house.json"), fs.ErrPermission},
		{"a writable file in a read-only directory", in("locked/file"), fs.ErrPermission},
	} {
		if row.want == fs.ErrPermission && os.Geteuid() == 0 {
			continue // root can write everywhere
		}
		err := cat.SaveFile(row.path)
		if err == nil || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		}
		if row.path == "" && !strings.Contains(err.Error(), "path is empty") { // the system would name another file
			t.Errorf("%s: error %v does not say so", row.reason, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "catalogue: ") {
			t.Errorf("%s: error %q does not begin with catalogue:", row.reason, err)
		}
		equal(t, row.reason, before, files(t, dir))
	}
}

// After a failure at any step the old file is as it was, and the temporary file is removed.
func TestSaveFileFailure(t *testing.T) {
	cat := small(t)
	temp := func(w io.Writer) *os.File { return w.(*os.File) }
	for _, row := range []struct {
		reason string
		write  func(w io.Writer, path string) error
		want   error
	}{
		{"a write", func(w io.Writer, _ string) error { temp(w).Close(); return cat.Save(w) }, fs.ErrClosed},
		{"a short write", func(w io.Writer, _ string) error {
			return cat.Save(io.MultiWriter(w, &fullWriter{room: 9}))
		}, io.ErrShortWrite},
		{"a record", func(w io.Writer, _ string) error { io.WriteString(w, "{"); return errOwn }, errOwn},
		{"a panic of a record", func(w io.Writer, _ string) error { io.WriteString(w, "{"); panic(errOwn) }, panicked{errOwn}},
		{"the steps after the last write", func(w io.Writer, _ string) error {
			err := cat.Save(w)
			temp(w).Close()
			return err
		}, fs.ErrClosed},
		{"the rename of a file that is gone", func(w io.Writer, _ string) error { return os.Remove(temp(w).Name()) }, fs.ErrNotExist},
		{"the rename over a directory", func(_ io.Writer, path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		}, fs.ErrExist},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "house.json")
		must(t, os.WriteFile(path, []byte("old"), 0o644))
		err := caught(func() error {
			return catalogue.ReplaceFile(path, func(w io.Writer) error { return row.write(w, path) })
		})
		if !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		}
		want := map[string]string{"house.json": "old"}
		if row.want == fs.ErrExist {
			want["house.json"] = "/"
		}
		equal(t, row.reason, want, files(t, dir))
	}
}

// An error of LoadFile names the file, and the catalogue stays as it was.
func TestLoadFileErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	for _, row := range []struct {
		reason, path string
		want         error // nil if it depends on the system
	}{
		{"empty path", "", fs.ErrNotExist},
		{"no such file", filepath.Join(dir, "gone"), fs.ErrNotExist},
		{"a directory", dir, nil},
		{"an empty file", file("empty", ""), catalogue.ErrInvalidData},
		{"a truncated file", file("short", smallFile[:len(smallFile)-1]), catalogue.ErrInvalidData},
		{"another format", file("zip", "PK\x03\x04"), catalogue.ErrInvalidData},
		{"an invalid record after valid ones", file("invalid", `{"books":[{"id":1}],"faqs":[{"id":0}]}`), catalogue.ErrInvalidData},
	} {
		cat := small(t)
		before := saved(t, cat)
		err := cat.LoadFile(row.path, catalogue.LoadOptions{})
		if err == nil || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		} else if text := err.Error(); !strings.Contains(text, row.path) ||
			row.path == "" && !strings.Contains(text, "path is empty") {
			t.Errorf("%s: error does not name %s: %v", row.reason, row.path, err)
		}
		equal(t, row.reason, before, saved(t, cat))
	}
}

// LoadFile allocates at most four times the size of the file.
func TestLoadFileAllocates(t *testing.T) {
	if raceEnabled { // the race detector allocates, too
		t.Skip()
	}
	var text strings.Builder
	for id := 1; id <= 2000; id++ {
		text.WriteString([]string{`{"events":[`, ","}[min(id-1, 1)])
		text.WriteString(replaceMember(replaceMember(goodEvent, `"id":1`, fmt.Sprintf(`"id":%d`, id)),
			`"description":""`, `"description":"`+strings.Repeat("The author reads. ", 20)+`"`))
	}
	text.WriteString("]}")
	path := filepath.Join(t.TempDir(), "house.json")
	must(t, os.WriteFile(path, []byte(text.String()), 0o644))
	cat := mustNew()
	size := allocated(func() { must(t, cat.LoadFile(path, catalogue.LoadOptions{})) })
	if times := float64(size) / float64(text.Len()); times > 4 {
		t.Errorf("LoadFile allocates %.1f times the size of the file, want at most 4", times)
	}
}

// versions returns the records of two catalogues, by key. Both have records in the first
// and the last collection, but different numbers of them.
func versions() [2]map[string][]string {
	var both [2]map[string][]string
	for v := range both {
		both[v] = map[string][]string{}
		for _, key := range []string{keys[0], keys[len(keys)-1]} {
			for id := 1; id <= 200+150*v; id++ {
				text := strings.Repeat(string(rune('A'+v)), 200)
				both[v][key] = append(both[v][key], fmt.Sprintf(`{"id":%d,"text":"%s"}`, id, text))
			}
		}
	}
	return both
}

// catalogueOf returns a catalogue with the records of a version.
func catalogueOf(t *testing.T, version map[string][]string) *catalogue.Catalogue {
	t.Helper()
	cat := mustNew()
	for key, records := range version {
		must(t, cat.Load(strings.NewReader(`{"`+key+`":[`+strings.Join(records, ",")+`]}`), catalogue.LoadOptions{}))
	}
	return cat
}

// contents returns the records of a catalogue, by key.
func contents(t *testing.T, cat *catalogue.Catalogue) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for key, c := range cat.All() {
		count, records, err := listed(c.List(context.Background(), catalogue.Query{Window: whole}))
		if err != nil || count != len(records) {
			t.Errorf("%s: page of %d records, count %d, %v", key, len(records), count, err)
		}
		for _, r := range records {
			found[key] = append(found[key], string(r))
		}
	}
	return found
}

// savingProcess is the environment variable that makes the test binary save to the path
// in it until the process is killed.
const savingProcess = "BACKLIST_TEST_SAVE_TO"

// saveForever saves the versions in turn until the process is killed or its parent has
// exited. It writes a newline to standard output before the first save.
func saveForever(t *testing.T, path string) {
	both := versions()
	houses := [2]*catalogue.Catalogue{catalogueOf(t, both[0]), catalogueOf(t, both[1])}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	os.Stdout.WriteString("\n")
	for i := 0; ; i++ {
		if err := houses[i%2].SaveFile(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// killWhileSaving starts a process that runs saveForever and kills it some time after
// its first save began.
func killWhileSaving(t *testing.T, path string, after time.Duration) {
	t.Helper()
	var stderr bytes.Buffer
	self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	self.Env, self.Stderr = append(os.Environ(), savingProcess+"="+path), &stderr
	must(t, second(self.StdinPipe())) // closed when this process exits
	stdout, err := self.StdoutPipe()
	must(t, err, self.Start())
	_, err = stdout.Read(make([]byte, 1))
	time.Sleep(after) // the kill must come at a random moment
	self.Process.Kill()
	self.Wait()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("the saving process failed: %v %s", err, &stderr)
	}
}

// TestKilledWhileSaving kills a process while it replaces one version of a file by
// another. Afterwards the file must be a complete version, whenever the kill came.
// Temporary files that the process left must neither change nor prevent later saves.
// BACKLIST_KILLS sets the number of kills.
func TestKilledWhileSaving(t *testing.T) {
	if path := os.Getenv(savingProcess); path != "" {
		saveForever(t, path)
	}
	kills, seed := 20, rand.Uint64()
	if raceEnabled { // a kill takes a second, and processes share no memory
		kills = 5
	}
	if text := os.Getenv("BACKLIST_KILLS"); text != "" {
		kills = mustHave(strconv.Atoi(text))
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	both, dir := versions(), t.TempDir()
	path := filepath.Join(dir, "house.json")
	must(t, catalogueOf(t, both[0]).SaveFile(path))

	var seen [2]int
	for kill := range kills {
		after := time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
		killWhileSaving(t, path, after)
		cat := mustNew()
		if err := cat.LoadFile(path, catalogue.LoadOptions{}); err != nil {
			t.Fatalf("seed %d, kill %d after %v: %v", seed, kill, after, err)
		}
		got := contents(t, cat)
		v := slices.IndexFunc(both[:], func(want map[string][]string) bool { return cmp.Equal(want, got) })
		if v < 0 {
			t.Fatalf("seed %d, kill %d after %v: the file is neither version: %.300v", seed, kill, after, got)
		}
		seen[v]++
		must(t, faultOf(cat))
	}

	left := files(t, dir)
	t.Logf("seed %d: the first version %d times, the second %d times; %d of %d kills left a temporary file",
		seed, seen[0], seen[1], len(left)-1, kills)
	cat := catalogueOf(t, both[1])
	if err := cat.SaveFile(path); err != nil {
		t.Errorf("SaveFile with temporary files left: %v", err)
	}
	left["house.json"] = saved(t, cat)
	if !cmp.Equal(left, files(t, dir)) {
		t.Error("SaveFile changed a temporary file of another process or wrote a wrong file")
	}
	must(t, faultOf(cat))
}
