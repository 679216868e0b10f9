package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// errMissing is returned by Find if PostgreSQL is not installed.
var errMissing = errors.New("pgtest: no PostgreSQL server found on the PATH or in " + debian +
	" (apt-get install postgresql)")

// debian is the pattern of the directories of PostgreSQL's programs on Debian, which
// are not on the PATH.
const debian = "/usr/lib/postgresql/*/bin"

// programs are the programs that the directory must contain.
var programs = []string{"initdb", "postgres", "pg_basebackup"}

// Find returns the directory of PostgreSQL's programs. It is that of the first initdb
// on the PATH, after following symbolic links, that also has the server, or the newest
// version in /usr/lib/postgresql. If PostgreSQL, ps, or the user postgres (needed by
// root) is missing, Find returns an error that names what to install.
func Find() (bin string, err error) {
	if !supported {
		return "", fmt.Errorf("pgtest: %w on this operating system", errors.ErrUnsupported)
	}
	if bin, err = find(filepath.SplitList(os.Getenv("PATH")), debian); err != nil {
		return "", err
	}
	if _, err := exec.LookPath("ps"); err != nil {
		return "", fmt.Errorf("pgtest: %w (apt-get install procps)", err)
	}
	if _, err := unprivileged(); err != nil {
		return "", err
	}
	return bin, nil
}

func find(path []string, pattern string) (string, error) {
	for _, dir := range path {
		if initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb")); err == nil && complete(filepath.Dir(initdb)) {
			return filepath.Abs(filepath.Dir(initdb))
		}
	}
	installed, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	installed = slices.DeleteFunc(installed, func(bin string) bool { return !complete(bin) })
	if len(installed) == 0 {
		return "", errMissing
	}
	return slices.MaxFunc(installed, func(a, b string) int { return slices.Compare(version(a), version(b)) }), nil
}

func complete(bin string) bool {
	return !slices.ContainsFunc(programs, func(name string) bool {
		info, err := os.Stat(filepath.Join(bin, name))
		return err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0
	})
}

// version returns the numbers of a version, such as 9 and 6 of
// /usr/lib/postgresql/9.6/bin.
func version(bin string) []int {
	var numbers []int
	for part := range strings.SplitSeq(filepath.Base(filepath.Dir(bin)), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return numbers
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Require skips the test if [Find] returns an error. If the environment variable
// BACKLIST_POSTGRES is 1, the test fails instead.
func Require(tb testing.TB) {
	tb.Helper()
	_, err := Find()
	require(tb, err)
}

func require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case os.Getenv("BACKLIST_POSTGRES") == "1":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}
