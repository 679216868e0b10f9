package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
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
	install("lib/16/bin", "initdb") // incomplete
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
		{"on the path", glob, []string{empty, other}, other},
		{"symbolic link", glob, []string{linked, other}, old},
		{"initdb without a server", glob, []string{client, other}, other},
		{"newest complete version", glob, []string{empty, client}, newest},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := find(c.path, c.glob)
			if err != nil || got != c.want {
				t.Errorf("find = %q, %v; want %q", got, err, c.want)
			}
		})
	}
	if got, err := find([]string{empty, client}, filepath.Join(root, "none/*")); got != "" || !errors.Is(err, errMissing) {
		t.Errorf("find without PostgreSQL = %q, %v", got, err)
	}
	if !strings.Contains(errMissing.Error(), "apt-get install postgresql") {
		t.Errorf("%q does not say what to install", errMissing)
	}
}

func TestFindWithoutPS(t *testing.T) {
	Require(t)
	bin, err := Find()
	must(t, err)
	linked := t.TempDir()
	must(t, os.Symlink(filepath.Join(bin, "initdb"), filepath.Join(linked, "initdb")))
	t.Setenv("PATH", linked)
	if got, err := Find(); got != "" || !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "procps") {
		t.Errorf("Find without ps = %q, %v", got, err)
	}
}

// recorder is a testing.TB that records a call of Skip or Fatal.
type recorder struct {
	testing.TB
	call string
}

func (r *recorder) Helper()      {}
func (r *recorder) Skip(...any)  { r.call = "skip" }
func (r *recorder) Fatal(...any) { r.call = "fatal" }

func TestRequire(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		err            error
		want           string
	}{
		{"installed", "1", nil, ""},
		{"missing", "", errMissing, "skip"},
		{"missing but required", "1", errMissing, "fatal"},
		{"variable is 0", "0", errMissing, "skip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("BACKLIST_POSTGRES", c.variable)
			r := &recorder{TB: t}
			require(r, c.err)
			if r.call != c.want {
				t.Errorf("require calls %q, want %q", r.call, c.want)
			}
		})
	}
}
