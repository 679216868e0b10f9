package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// eventsIn returns the number of events in a file, which must be valid.
func eventsIn(t *testing.T, file string) int {
	t.Helper()
	cat, err := load(t.Context(), config{data: file}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	events, err := cat.Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	return events.Count()
}

// end stops the program and returns its exit code.
func (s *instance) end() int {
	s.stop()
	<-s.done
	return s.code
}

func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "records.json")
	s := startControl(t, "-save", file)
	if got := eventsIn(t, file); got != 3 {
		t.Errorf("%d events at the start, want 3", got)
	}
	post(t, s.base)
	if code := s.end(); code != 0 || eventsIn(t, file) != 4 {
		t.Errorf("exit code %d, %d events, want 4; stderr %s", code, eventsIn(t, file), &s.stderr)
	}

	s = start(t, "-open", "-save", file, "-data", file, "-control", "127.0.0.1:0")
	post(t, s.base)
	ask(t, "POST "+s.control+"/reset/", "")
	post(t, s.base)
	post(t, s.base)
	if code := s.end(); code != 0 || eventsIn(t, file) != 6 {
		t.Errorf("exit code %d, %d events, want 6", code, eventsIn(t, file))
	}
}

// TestSaveFails checks that the program reports that it cannot write the file at the end.
func TestSaveFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, few("-save", filepath.Join(dir, "records.json"))...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 1 || !strings.Contains(s.stderr.String(), dir) || strings.Count(s.stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stderr %q, want 1 and one line", code, &s.stderr)
	}
}

// TestSaveAfterSignal checks that every write that was answered, and that of the request
// that is running, is in the file after SIGTERM or an interrupt, and that SIGKILL leaves the
// file of the start.
func TestSaveAfterSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 24, syscall.SIGINT: 24, syscall.SIGHUP: 24, syscall.SIGKILL: 3} {
		if sig == syscall.SIGHUP && signal.Ignored(sig) {
			continue // with nohup, the program ignores it too
		}
		file := filepath.Join(t.TempDir(), "records.json")
		p, addr, stderr := process(t, few("-save", file)...)
		for range 20 {
			post(t, "http://"+addr)
		}
		request := begin(t, addr)
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if sig != syscall.SIGKILL {
			waitClosed(addr)
			if status := request.end(); status != 201 {
				t.Errorf("the running request got %d, want 201", status)
			}
		}
		if err := p.Wait(); (err == nil) != (sig != syscall.SIGKILL) || stderr.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", sig, err, stderr)
		}
		if got := eventsIn(t, file); got != want {
			t.Errorf("%v: %d events, want %d", sig, got, want)
		}
	}
}

// A program that nohup has started outlives its terminal.
func TestIgnoredHangup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent on Windows")
	}
	file := filepath.Join(t.TempDir(), "records.json")
	plain := command(t, few("-save", file)...)
	p := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, plain.Args...)...)
	p.Env = plain.Env
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	base, _ := announced(t, bufio.NewReader(stdout))
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if status := post(t, base); status != 201 {
			t.Fatalf("before %v: %d", signal, status)
		}
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Wait(); err != nil || eventsIn(t, file) != 5 {
		t.Errorf("%v, %d events, want 5", err, eventsIn(t, file))
	}
}

// TestSaveBesideChangedFile checks that a file that somebody else has changed stays as it is, and that the
// records are in another, which can be served in its place.
func TestSaveBesideChangedFile(t *testing.T) {
	write := func(t *testing.T, file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	const edited, own = `{"posts":[{"id":7}]}`, `{"posts":[{"id":1},{"id":2}]}` + "\n"
	for _, tt := range []struct {
		reason string
		change func(t *testing.T, file string)
		want   string // of the file
		beside bool
	}{
		{"nothing", func(*testing.T, string) {}, own, false},
		{"written with the same text", func(t *testing.T, file string) { write(t, file, `{"posts":[{"id":1}]}`) }, own, false},
		{"removed", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, own, false},
		{"edited", func(t *testing.T, file string) { write(t, file, edited) }, edited, true},
		{"emptied", func(t *testing.T, file string) { write(t, file, "") }, "", true},
		{"replaced by an editor", func(t *testing.T, file string) {
			write(t, file+"~", edited)
			if err := os.Rename(file+"~", file); err != nil {
				t.Fatal(err)
			}
		}, edited, true},
		{"saved by another program", func(t *testing.T, file string) {
			other := startFile(t, file, "-open", "-save")
			ask(t, "POST "+other.base+"/api/posts/", `{"id":9}`)
			if other.end() != 0 {
				t.Error(other.stderr.String())
			}
		}, `{"posts":[{"id":1},{"id":9}]}` + "\n", true},
		{"made a directory", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "", true},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "db.old.json")
			write(t, file, `{"posts":[{"id":1}]}`)
			s := startFile(t, file, "-open", "-save")
			tt.change(t, file)
			if a := ask(t, "POST "+s.base+"/api/posts/", `{}`); a.status != 201 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			code := s.end()
			if saved, _ := os.ReadFile(file); string(saved) != tt.want {
				t.Errorf("the file has %s, want %s", saved, tt.want)
			}
			if !tt.beside {
				if files, _ := os.ReadDir(filepath.Dir(file)); code != 0 || s.stderr.Len() > 0 || len(files) != 1 {
					t.Errorf("exit code %d, stderr %s, %v", code, &s.stderr, files)
				}
				return
			}
			message := regexp.MustCompile(`^backlist: -save: (\S+) has changed since it was read and stays as it is: the records are in (\S+)\n$`)
			match := message.FindStringSubmatch(s.stderr.String())
			if code != 1 || match == nil || match[1] != file || filepath.Dir(match[2]) != filepath.Dir(file) {
				t.Fatalf("exit code %d, stderr %s", code, &s.stderr)
			}
			if saved, err := os.ReadFile(match[2]); string(saved) != own {
				t.Errorf("%s has %s, %v, want %s", match[2], saved, err, own)
			}
			if a := ask(t, "GET "+startFile(t, match[2]).base+"/api/posts/", ""); !strings.Contains(a.body, `"count":2`) {
				t.Errorf("%s is served with %s", match[2], a.body)
			}
		})
	}
}

// TestSaveBesideChangedRecords checks the same for the file of -save FILE, which the program writes at its start.
func TestSaveBesideChangedRecords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "records.json")
	if code := startControl(t, "-save", file).end(); code != 0 {
		t.Fatal(code)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	for _, args := range [][]string{few("-save", other), {"-data", file, "-save", file}} {
		saved := args[len(args)-1]
		s := start(t, append(args, "-open")...)
		if err := os.WriteFile(saved, []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
		post(t, s.base)
		code := s.end()
		_, beside, _ := strings.Cut(strings.TrimSpace(s.stderr.String()), "the records are in ")
		if text, _ := os.ReadFile(saved); code != 1 || string(text) != "[]" || beside == "" || eventsIn(t, beside) != 4 {
			t.Errorf("%q: exit code %d, %.40s, stderr %s", args, code, text, &s.stderr)
		}
	}
}

// TestSaveNothing checks that a file stays as it is, also after a change, if no request has changed the records.
func TestSaveNothing(t *testing.T) {
	for _, edited := range []string{"", `{"posts": [ {"id": 2} ]}`} {
		file := filepath.Join(t.TempDir(), "db.json")
		want := `{"posts": [ {"title": "no id"} ]}`
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(want)
		s := startFile(t, file, "-open", "-save")
		if edited != "" {
			want = edited
			write(want)
		}
		ask(t, "GET "+s.base+"/api/posts/", "")
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d, stderr %s", code, &s.stderr)
		}
		got, err := os.ReadFile(file)
		files, _ := os.ReadDir(filepath.Dir(file))
		if string(got) != want || err != nil || len(files) != 1 {
			t.Errorf("the file has %s, want %s; %v, %d files", got, want, err, len(files))
		}
	}
}
