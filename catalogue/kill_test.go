package catalogue_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
)

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
	house := catalogue.New()
	for key, records := range version {
		must(t, house.LoadCollection(key, strings.NewReader("["+strings.Join(records, ",")+"]")))
	}
	return house
}

// contents returns the records of a catalogue, by key.
func contents(t *testing.T, house *catalogue.Catalogue) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for key, c := range house.All() {
		count, records, err := c.Page(context.Background(), whole, nil)
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
	_, err := self.StdinPipe() // closed when this process exits
	must(t, err)
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
		var err error
		kills, err = strconv.Atoi(text)
		must(t, err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	both, dir := versions(), t.TempDir()
	path := filepath.Join(dir, "house.json")
	must(t, catalogueOf(t, both[0]).SaveFile(path))

	var seen [2]int
	for kill := range kills {
		after := time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
		killWhileSaving(t, path, after)
		house := catalogue.New()
		if err := house.LoadFile(path); err != nil {
			t.Fatalf("seed %d, kill %d after %v: %v", seed, kill, after, err)
		}
		got := contents(t, house)
		v := slices.IndexFunc(both[:], func(want map[string][]string) bool { return cmp.Equal(want, got) })
		if v < 0 {
			t.Fatalf("seed %d, kill %d after %v: the file is neither version: %.300v", seed, kill, after, got)
		}
		seen[v]++
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	}

	left := files(t, dir)
	t.Logf("seed %d: the first version %d times, the second %d times; %d of %d kills left a temporary file",
		seed, seen[0], seen[1], len(left)-1, kills)
	house := catalogueOf(t, both[1])
	if err := house.SaveFile(path); err != nil {
		t.Errorf("SaveFile with temporary files left: %v", err)
	}
	left["house.json"] = saved(t, house)
	if !cmp.Equal(left, files(t, dir)) {
		t.Error("SaveFile changed a temporary file of another process or wrote a wrong file")
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
