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

// smallest returns a setup for the shortest measurements.
func smallest() setup {
	return setup{sizes: []int{300}, small: 500, rounds: 1, turn: 1000, budget: 1000, requests: 16}
}

// pair returns the setups of two processes that are connected with each other.
func pair() (leader, follower setup, stop func()) {
	requests, ask := io.Pipe()
	answers, reply := io.Pipe()
	leader, follower = smallest(), smallest()
	leader.partner = &partner{in: bufio.NewReader(answers), out: ask}
	follower.partner = &partner{in: bufio.NewReader(requests), out: reply, follows: true}
	return leader, follower, func() { ask.Close(); reply.Close() }
}

func compareWith(s setup, out io.Writer) (err error) {
	defer failure(&err)
	return compare(s, out, io.Discard)
}

// TestPartners checks that the leader's table has a column for the follower.
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
		{"the column is in the heading", `READS, 300 RECORDS +backlist +ratio to +goal +before +btree +slice`},
		{"times are multiples", `page by date, random .*btree  ≤ 0.20  \w+ +[\d.,]+× +[\d.,]+×`},
		{"a goal is relative to the earlier revision", `writes a second meanwhile +[\d,]+ +[\d.]+ before ≥ 0.80  (met|MISSED) +[\d,]+`},
		{"rates are absolute", `requests a second +[\d,]+ +[\d.]+ static ≥ 0.92  (met|MISSED) +[\d,]+ +[\d,]+ +[\d,]+`},
		{"the page of all records has no column", `page in place, random ranges .*all +≤ 1.50  \w+( +[\d.,]+×){4}\n`},
		{"a row without peers has the column", `first use of the order by slug +.* (met|MISSED) +[\d.]+×\n`},
	} {
		if !regexp.MustCompile(row.pattern).MatchString(out.String()) {
			t.Errorf("%s: no match of %s in\n%s", row.reason, row.pattern, out.String())
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("NaN in\n%s", out.String())
	}
}

func TestPartnerErrors(t *testing.T) {
	for _, row := range []struct {
		reason, input string
		follows       bool
		want          error
	}{
		{"another answer than ready", "1\n", false, errPartner},
		{"not a number", "ready\nx\n", false, strconv.ErrSyntax},
		{"no figure", "ready\n\n", false, errPartner},
		{"end of input", "", false, io.EOF},
		{"end of input in a row", "ready\n", false, io.EOF},
		{"another line of the source", "meet other.go:1 1\n", true, errPartner},
	} {
		s := smallest()
		s.partner = &partner{in: bufio.NewReader(strings.NewReader(row.input)), out: io.Discard, follows: row.follows}
		err := func() (err error) {
			defer failure(&err)
			s.sample(1, 1, func(int) []float64 { return []float64{1} })
			return nil
		}()
		if !errors.Is(err, row.want) {
			t.Errorf("%s: err = %v, want %v", row.reason, err, row.want)
		}
	}
}

func TestSample(t *testing.T) {
	s := smallest()
	var sent strings.Builder
	s.partner = &partner{in: bufio.NewReader(strings.NewReader("ready\n10 11\n20 21\n")), out: &sent}
	calls := 0.0
	got := pick(s.sample(2, 2, func(i int) []float64 { calls++; return []float64{float64(i), calls} }), 1)
	if diff := cmp.Diff([][]float64{{1, 2}, {11, 21}, {3}}, got); diff != "" {
		t.Error(diff)
	}
	if got := sent.String(); !regexp.MustCompile(`^meet partner_test\.go:\d+ 1\n0 1\n0 1\ndone\n$`).MatchString(got) {
		t.Errorf("sent %q", got)
	}
}

// TestBeforeUnknownRevision also checks that no files are left.
func TestBeforeUnknownRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	for _, revision := range []string{"no-such-revision", "--help"} {
		err := run([]string{"-quick", "-before", revision}, nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "git rev-parse") {
			t.Errorf("-before %s: err = %v, want an error of git rev-parse", revision, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
}
