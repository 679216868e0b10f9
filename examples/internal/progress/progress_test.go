package progress

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The time in a bubble of synctest advances only while all of its goroutines wait, so the
// lines are always the same.
func TestMeter(t *testing.T) {
	tests := []struct {
		reason string
		total  int64
		work   func(m *Meter)
		want   []string // lines, each replaced by the next
	}{
		{"work of less than a second", 10, func(m *Meter) { m.Add(9); time.Sleep(999 * time.Millisecond) }, nil},
		{"a known total", 40, func(m *Meter) {
			m.Add(10)
			time.Sleep(1100 * time.Millisecond)
			m.Add(20)
			time.Sleep(200 * time.Millisecond)
			m.Add(10)
		}, []string{"loading: 25 %, 1 s", "loading: 75 %, 1 s", "loading: 1.3 s\n"}},
		{"an unknown total", 0, func(m *Meter) {
			io.Copy(m, strings.NewReader(strings.Repeat("x", 2_500_000)))
			time.Sleep(1100 * time.Millisecond)
		}, []string{"loading: 2.5 MB, 1 s", "loading: 1.1 s\n"}},
		{"nothing is counted", 0, func(*Meter) { time.Sleep(1100 * time.Millisecond) }, []string{"loading: 1 s", "loading: 1.1 s\n"}},
		{"more than was announced", 2, func(m *Meter) { m.Add(3); time.Sleep(1100 * time.Millisecond) },
			[]string{"loading: 150 %, 1 s", "loading: 1.1 s\n"}},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			var shown bytes.Buffer
			m := start(&shown, "loading", test.total)
			test.work(m)
			m.Stop()
			m.Stop()
			want := ""
			for _, line := range test.want {
				want += "\r\x1b[K" + line
			}
			if shown.String() != want {
				t.Errorf("%s: shown %q, want %q", test.reason, shown.String(), want)
			}
		})
	}
}

// Files, pipes and buffers receive nothing, however long the work takes.
func TestNoTerminal(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.Writer{write, file, new(bytes.Buffer), nil} {
		synctest.Test(t, func(t *testing.T) {
			m := Start(w, "loading", 1)
			m.Add(1)
			time.Sleep(time.Minute)
			m.Stop()
		})
		if b, ok := w.(*bytes.Buffer); ok && b.Len() > 0 {
			t.Errorf("a buffer has received %q", b)
		}
	}
	write.Close()
	if got, err := io.ReadAll(read); err != nil || len(got) > 0 {
		t.Errorf("a pipe has received %q, %v", got, err)
	}
	if about, err := file.Stat(); err != nil || about.Size() > 0 {
		t.Errorf("a file has received %v, %v", about.Size(), err)
	}
}

// A terminal is recognized. By its mode, the null device is one.
func TestTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !isTerminal(null) {
		t.Error("the null device is no terminal")
	}
}

// The line of a file has its size.
func TestLoading(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.json")
	if err := os.WriteFile(file, make([]byte, 1_250_000), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Loading(nil, file).what, "loading "+file+" (1.2 MB)"; got != want {
		t.Errorf("the line begins with %q, want %q", got, want)
	}
}
