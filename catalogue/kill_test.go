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

// versions are the two houses that are saved in turn, by key: each has records
// in the first and in the last collection, and not as many as the other's.
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

// houseOf is a house with the records of a version.
func houseOf(t *testing.T, version map[string][]string) *catalogue.Catalogue {
	t.Helper()
	house := catalogue.New()
	for key, records := range version {
		must(t, house.LoadCollection(key, strings.NewReader("["+strings.Join(records, ",")+"]")))
	}
	return house
}

// content is what a house holds, by key.
func content(t *testing.T, house *catalogue.Catalogue) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for key, c := range house.All() {
		count, records, err := c.Page(context.Background(), whole, nil)
		if err != nil || count != len(records) {
			t.Errorf("%s: count %d, %d records, %v", key, count, len(records), err)
		}
		for _, r := range records {
			found[key] = append(found[key], string(r))
		}
	}
	return found
}

// savingProcess is the environment variable that makes this test's program one
// that does nothing but save, to the path it holds.
const savingProcess = "BACKLIST_TEST_SAVE_TO"

// saveForEver saves the versions in turn until the process is killed, or the
// one that started it is gone. It says when it begins.
func saveForEver(t *testing.T, path string) {
	both := versions()
	houses := [2]*catalogue.Catalogue{houseOf(t, both[0]), houseOf(t, both[1])}
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

// killOneThatSaves starts such a process and kills it a while after it began.
func killOneThatSaves(t *testing.T, path string, after time.Duration) {
	t.Helper()
	var failed bytes.Buffer
	self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	self.Env, self.Stderr = append(os.Environ(), savingProcess+"="+path), &failed
	_, err := self.StdinPipe() // which ends with us
	must(t, err)
	began, err := self.StdoutPipe()
	must(t, err, self.Start())
	_, err = began.Read(make([]byte, 1))
	<-time.After(after) // not to wait for anything: that the moment is any is the test
	self.Process.Kill()
	self.Wait()
	if err != nil || failed.Len() > 0 {
		t.Fatalf("the process that saves failed: %v %s", err, &failed)
	}
}

// TestKilledWhileSaving: whenever a process is killed that saves one version in
// the place of another, the file is one of them, whole. What it leaves behind
// beside the file stays there, in the way of all that come after.
func TestKilledWhileSaving(t *testing.T) {
	if path := os.Getenv(savingProcess); path != "" {
		saveForEver(t, path)
	}
	kills, seed := 20, rand.Uint64()
	if raceEnabled { // each takes a second, and nothing is shared by processes
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
	must(t, houseOf(t, both[0]).SaveFile(path))

	var seen [2]int
	for kill := range kills {
		after := time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
		killOneThatSaves(t, path, after)
		house := catalogue.New()
		if err := house.LoadFile(path); err != nil {
			t.Fatalf("seed %d, kill %d after %v: %v", seed, kill, after, err)
		}
		got := content(t, house)
		v := slices.IndexFunc(both[:], func(want map[string][]string) bool { return cmp.Equal(want, got) })
		if v < 0 {
			t.Fatalf("seed %d, kill %d after %v: neither version: %.300v", seed, kill, after, got)
		}
		seen[v]++
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	}

	left := files(t, dir)
	t.Logf("seed %d: %d times the first version, %d times the second; killed with a temporary file there %d times of %d",
		seed, seen[0], seen[1], len(left)-1, kills)
	house := houseOf(t, both[1])
	if err := house.SaveFile(path); err != nil {
		t.Errorf("beside what was left behind: %v", err)
	}
	left["house.json"] = saved(t, house)
	if !cmp.Equal(left, files(t, dir)) {
		t.Error("what was left behind has changed, or the file is not what was saved")
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
