// Peers compares this library with other ways to keep ordered records in a Go
// program. It does the same work with each and prints the times:
//
//	go run .             # 10,000 and 100,000 records, a few minutes
//	go run . -only find  # only finding records by their fields, 100,000 records, under a minute
//	go run . -only http  # only requests over HTTP, a few minutes
//	go run . -only file  # a JSON file of 100 MB, beside json-server if that is installed, a minute
//
// HTTP is measured with the program wrk, which is a package of Debian.
//
// The peers are bare B-trees of pointers without locks or snapshots (btree), a
// sorted slice for each ordering with an RWMutex (slice), hashicorp/go-memdb,
// cilium/statedb, and modernc.org's SQLite in memory. Each is used as an experienced user would use
// it. The tests check that all of them return the same answers.
//
// # Reading the table
//
// Records are events of 600 to 1,000 bytes of JSON, and a page has 21 of them. The
// backlist column is the time of one operation. The columns of the peers are the
// peer's time divided by that: above 1 the peer is slower. If the library has a goal,
// "ratio" is backlist's time divided by the time that the goal names, so less is
// better. A goal that names nothing applies to backlist's own figure. Goals that are
// missed are printed too. A dash means that the peer does not have the operation or
// was not measured.
//
// Some goals name something that has no column: memcpy appends the encoded bytes of
// a page to a buffer, json is [encoding/json.Unmarshal] of the file's bytes into
// structs without methods whose dates are strings, and "a sort" sorts a slice of
// pointers.
//
// In sections headed "beside itself" every column is a peer's own ratio, such as
// the cost of its last page in first pages. The control below two readers is the same
// ratio of loops that only spin, measured in the same rounds: two readers cannot gain more
// than the machine has to give. Beside a writer at full speed every column is absolute, as
// are bytes, allocations, and requests per second.
//
// Every number is the median of several rounds in which the stores take turns, and every
// ratio the median of the ratios of the rounds. The garbage collector runs as usual. The
// short turns of reads mostly exclude it. Writes produce more garbage, so they are measured
// in pairs, in turns long enough to include it.
//
// Pages at fixed offsets (first, middle, last) are read repeatedly and are hot in
// the cache. Random offsets follow one precomputed sequence, the same for each
// peer. Rows called "unread" read no page after a write.
//
// The comparison favours the peers in two ways. They receive the JSON of each
// record, which backlist makes itself when a record is first encoded (here before
// the clock starts), and those in Go compare fields without reflection. All keep
// their own copies of records, and all have the same indexes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gobacklist/backlist/examples/internal/flags"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	set := flag.NewFlagSet("peers", flag.ContinueOnError)
	quick := set.Bool("quick", false, "measure few records for a few seconds, to test the program itself")
	rounds := set.Int("rounds", 0, "number of rounds of each measurement (default 11, or 2 with -quick)")
	only := set.String("only", "", "measure only `PART`: load, read, write, plain, find, http, or file")
	if err := flags.Parse(set, args, out); err != nil {
		return err
	}
	s := settings(*quick)
	parts := []part{{"load", ofEvents(loads)}, {"read", ofEvents(reads)}, {"write", ofEvents(writes)}, {"plain", ofEvents(plainRecords)}, {"find", finds}, {"http", serve}}
	if *only == "file" {
		parts = []part{{"file", file}} // not among all: it starts other programs
	} else if *only != "" {
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.name != *only })
	}
	if *only != "" {
		s.sizes = s.sizes[len(s.sizes)-1:]
	}
	if set.NArg() > 0 || *rounds < 0 || len(parts) == 0 {
		return fmt.Errorf("want set only, the name of a part, and no negative -rounds: %q", args)
	}
	if *rounds > 0 {
		s.rounds = *rounds
	}
	for _, n := range s.sizes {
		for _, p := range parts {
			fmt.Fprintf(progress, "%s, %s records ...\n", p.name, thousands(n))
			for _, sec := range p.measure(s, n) {
				if _, err := fmt.Fprint(out, sec); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A part of the measurements, for a number of records.
type part struct {
	name    string
	measure func(s setup, n int) []*section
}

func ofEvents(measure func(setup, *data[event]) []*section) func(setup, int) []*section {
	return func(s setup, n int) []*section { return measure(s, newEvents(n)) }
}

// check panics with err if it is not nil. A store that fails ends the program.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
