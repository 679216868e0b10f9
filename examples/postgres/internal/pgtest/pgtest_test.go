package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func query(t *testing.T, s *Server, text string) (value string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), text).Scan(&value))
	return value
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSettings checks what makes tests of other packages detect mistakes.
func TestSettings(t *testing.T) {
	s := New(t)
	for text, want := range map[string]string{
		"SELECT string_agg(c, '' ORDER BY c) FROM unnest('{B,a,C}'::text[]) c": "aBC",
		"SHOW timezone":         "Asia/Kathmandu",
		"SHOW listen_addresses": "",
	} {
		if diff := cmp.Diff(want, query(t, s, text)); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

// TestShutdownAndFreeze checks that a server keeps its data and does not answer meanwhile.
func TestShutdownAndFreeze(t *testing.T) {
	s := New(t)
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres")+" connect_timeout=1")
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'kept' AS word")
	must(t, err)
	for _, row := range []struct {
		reason      string
		end, resume func() error
		running     bool // the processes meanwhile
	}{
		{"fast", func() error { return s.Shutdown("fast") }, s.Start, false},
		{"immediate", func() error { return s.Shutdown("immediate") }, s.Start, false},
		{"frozen", s.Freeze, s.Thaw, true},
	} {
		must(t, row.end())
		if s.Running() != row.running {
			t.Errorf("%s: Running = %t", row.reason, !row.running)
		}
		if _, err := pgx.Connect(t.Context(), s.DSN("postgres")+" connect_timeout=1"); err == nil {
			t.Errorf("%s: the server answers", row.reason)
		}
		must(t, row.resume())
		if got := query(t, s, "SELECT word FROM kept"); got != "kept" {
			t.Errorf("%s: got %q", row.reason, got)
		}
	}
}

// TestEndOfProcess kills a process that has started a server, which must not stay, nor its
// directory, even if it is frozen.
func TestEndOfProcess(t *testing.T) {
	if os.Getenv("PGTEST_FROZEN") != "" {
		s := New(t)
		if os.Getenv("PGTEST_FROZEN") == "true" {
			must(t, s.Freeze())
		}
		fmt.Println("directory " + s.dir)
		select {}
	}
	Require(t)
	for _, frozen := range []string{"true", "false"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEndOfProcess$")
		cmd.Env = append(os.Environ(), "PGTEST_FROZEN="+frozen)
		output, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		dir := ""
		for lines := bufio.NewScanner(output); dir == "" && lines.Scan(); {
			_, dir, _ = strings.Cut(lines.Text(), "directory ")
		}
		must(t, cmd.Process.Kill())
		io.Copy(io.Discard, output)
		cmd.Wait()
		s := &Server{dir: dir}
		s.bin, err = find()
		must(t, err)
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			_, err := os.Stat(dir)
			left := exec.Command("pgrep", "-f", "postgres .*"+dir).Run() == nil
			if dir != "" && errors.Is(err, os.ErrNotExist) && !left {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("frozen %s: the directory %q or its processes remain", frozen, dir)
			}
		}
	}
}
