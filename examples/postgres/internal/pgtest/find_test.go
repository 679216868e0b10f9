package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindLooksWhereServersAre(t *testing.T) {
	root := t.TempDir()
	install := func(dir string, names ...string) string {
		dir = filepath.Join(root, dir)
		must(t, os.MkdirAll(dir, 0o755))
		for _, name := range names {
			must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
		}
		return dir
	}
	old := install("lib/9.6/bin", programs...)
	newest := install("lib/15/bin", programs...)
	install("lib/16/bin", "initdb") // removed, but for one file
	other := install("opt/bin", programs...)
	client := install("client", "initdb")
	linked := install("linked")
	must(t, os.Symlink(filepath.Join(old, "initdb"), filepath.Join(linked, "initdb")))
	empty := install("empty")
	glob := filepath.Join(root, "lib/*/bin")

	for _, c := range []struct {
		name, glob string
		path       []string
		want       string
	}{
		{"what is on the path comes first", glob, []string{empty, other}, other},
		{"a link leads to where the server is", glob, []string{linked, other}, old},
		{"an initdb without a server is passed over", glob, []string{client, other}, other},
		{"15 is newer than 9.6, and 16 is not complete", glob, []string{empty, client}, newest},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := find(c.path, c.glob)
			if err != nil || got != c.want {
				t.Errorf("found %q, %v; want %q", got, err, c.want)
			}
		})
	}
	if got, err := find([]string{empty, client}, filepath.Join(root, "none/*")); got != "" || !errors.Is(err, errMissing) {
		t.Errorf("found %q, %v where there is none", got, err)
	}
	if !strings.Contains(errMissing.Error(), "apt-get install postgresql") {
		t.Errorf("%q does not say what to install", errMissing)
	}
}

func TestFindWantsAllThatAServerNeeds(t *testing.T) {
	Require(t)
	bin, err := Find()
	must(t, err)
	linked := t.TempDir()
	must(t, os.Symlink(filepath.Join(bin, "initdb"), filepath.Join(linked, "initdb")))
	t.Setenv("PATH", linked)
	if got, err := Find(); got != "" || !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "procps") {
		t.Errorf("found %q, %v without ps", got, err)
	}
}

// A verdict is a test that notes what was said of it.
type verdict struct {
	testing.TB
	said string
}

func (v *verdict) Helper()      {}
func (v *verdict) Skip(...any)  { v.said = "skip" }
func (v *verdict) Fatal(...any) { v.said = "fatal" }

func TestRequireSkipsUnlessToldThatThereIsAServer(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		err            error
		want           string
	}{
		{"found", "1", nil, ""},
		{"a developer without a server", "", errMissing, "skip"},
		{"a machine that should have one", "1", errMissing, "fatal"},
		{"only 1 is yes", "0", errMissing, "skip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("BACKLIST_POSTGRES", c.variable)
			v := &verdict{TB: t}
			require(v, c.err)
			if v.said != c.want {
				t.Errorf("said %q, want %q", v.said, c.want)
			}
		})
	}
}
