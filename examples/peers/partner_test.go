package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tiny is as little as can be measured.
func tiny() setup {
	return setup{sizes: []int{300}, small: 500, rounds: 1, turn: 1000, patience: 1000, requests: 16}
}

// pair returns two setups that are each other's partners.
func pair() (leader, follower setup, stop func()) {
	requests, ask := io.Pipe()
	answers, reply := io.Pipe()
	leader, follower = tiny(), tiny()
	leader.partner = &partner{in: bufio.NewReader(answers), out: ask}
	follower.partner = &partner{in: bufio.NewReader(requests), out: reply, follows: true}
	return leader, follower, func() { ask.Close(); reply.Close() }
}

func compareWith(s setup, out io.Writer) (err error) {
	defer failure(&err)
	return compare(s, out, io.Discard)
}

// Two partners go through all measurements in step. The table of the one that
// leads has a column for the other.
func TestPartners(t *testing.T) {
	leader, follower, stop := pair()
	defer stop()
	followed := make(chan error)
	go func() { followed <- compareWith(follower, io.Discard) }()
	var out strings.Builder
	if err := compareWith(leader, &out); err != nil {
		t.Fatal(err)
	}
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ reason, pattern string }{
		{"each section has the column", `READS, 300 RECORDS +backlist +ratio to +goal +before +btree +slice`},
		{"times are multiples", `page by date, random .*btree  ≤ 0.20  \w+ +[\d.,]+× +[\d.,]+×`},
		{"a goal is relative to the earlier revision", `writes a second meanwhile +[\d,]+ +[\d.]+ before ≥ 0.80  (met|MISSED) +[\d,]+`},
		{"figures are as they are", `requests a second +[\d,]+ +[\d.]+ static ≥ 0.92  (met|MISSED) +[\d,]+ +[\d,]+ +[\d,]+`},
		{"a row without peers has it", `first use of the order by slug +.* (met|MISSED) +[\d.]+×\n`},
	} {
		if !regexp.MustCompile(row.pattern).MatchString(out.String()) {
			t.Errorf("%s: want %s in\n%s", row.reason, row.pattern, out.String())
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("NaN in\n%s", out.String())
	}
}

// A partner that is elsewhere or has ended is an error, not a wrong table.
func TestPartnerFails(t *testing.T) {
	for _, row := range []struct {
		reason, said string
		follows      bool
		want         error
	}{
		{"another answer than ready", "1\n", false, errPartner},
		{"not a number", "ready\nx\n", false, strconv.ErrSyntax},
		{"no figure", "ready\n\n", false, errPartner},
		{"the end", "", false, io.EOF},
		{"the end within a row", "ready\n", false, io.EOF},
		{"another place in the source", "meet other.go:1 1\n", true, errPartner},
	} {
		s := tiny()
		s.partner = &partner{in: bufio.NewReader(strings.NewReader(row.said)), out: io.Discard, follows: row.follows}
		err := func() (err error) {
			defer failure(&err)
			s.sample(1, 1, func(int) []float64 { return []float64{1} })
			return nil
		}()
		if !errors.Is(err, row.want) {
			t.Errorf("%s: want %v, got %v", row.reason, row.want, err)
		}
	}
}

// Ours and the earlier revision take turns; the others have one.
func TestSample(t *testing.T) {
	s := tiny()
	var asked strings.Builder
	s.partner = &partner{in: bufio.NewReader(strings.NewReader("ready\n10 11\n20 21\n")), out: &asked}
	calls := 0.0
	got := pick(s.sample(2, 2, func(i int) []float64 { calls++; return []float64{float64(i), calls} }), 1)
	if diff := cmp.Diff([][]float64{{1, 2}, {11, 21}, {3}}, got); diff != "" {
		t.Error(diff)
	}
	if got := asked.String(); !regexp.MustCompile(`^meet partner_test\.go:\d+ 1\n0 1\n0 1\ndone\n$`).MatchString(got) {
		t.Errorf("asked %q", got)
	}
}

// What cannot be built is an error, and leaves no files.
func TestBeforeUnknown(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	for _, revision := range []string{"no-such-revision", "--help"} {
		err := run([]string{"-quick", "-before", revision}, nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "git rev-parse") {
			t.Errorf("%s: want an error of git, got %v", revision, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
