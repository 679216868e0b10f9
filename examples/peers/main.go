// Peers compares this library with other ways to keep ordered records in a Go
// program. It does the same work with each and prints the times:
//
//	go run .                 # 10,000 and 100,000 records, a few minutes
//	go run . -full           # also 1,000,000 events and 10,000,000 small records
//	go run . -find           # only finding records by their fields, 100,000 records, under a minute
//	go run . -before HEAD~1  # also the library at an earlier revision
//	go run . -plot depth.svg
//
// The peers are bare B-trees of pointers without locks or snapshots (btree), a
// sorted slice for each ordering with an RWMutex (slice), copying and sorting at
// each request (sort), hashicorp/go-memdb, tidwall/buntdb, and modernc.org's
// SQLite in memory. Each is used as an experienced user would use it. Before the
// measurements, and again after them, the program checks that all stores return
// the same answers. It fails with the difference if they do not.
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
// the cost of its last page in first pages. Beside a writer at full speed and for
// small records every column is absolute, as are bytes, allocations, and requests
// per second.
//
// Every number is the median of several rounds in which the stores take turns.
// Every ratio is the median of the ratios of the rounds, so that noise on the
// machine affects both sides equally. The garbage collector runs as usual. The short
// turns of reads mostly exclude it. Writes produce more garbage, so they are measured
// in pairs, in turns long enough to include it. Small records are measured with one
// store in memory at a time, so there are no turns.
//
// To find records, the program has a collection of small ones, each with a unique slug,
// a number that four of them share, a boolean and a name. A range of numbers has half of
// the records, and its page begins in its middle. "all" is the library's own page of all
// records in the same order, at the same position. The column keyed is a [btree.Map] from
// slug to record, and map is a map. Where a write precedes each read, only the read is
// on the clock. A goal that begins with ≥ and names memdb is the number of times that
// the library is faster.
//
// Pages at fixed offsets (first, middle, last) are read repeatedly and are hot in
// the cache. Random offsets follow one precomputed sequence, the same for each
// peer. Rows called "unread" read no page after a write.
//
// The comparison favours the peers in two ways. They receive the JSON of each
// record, which backlist makes itself when a record is first encoded (here before
// the clock starts), and those in Go compare fields without reflection. All keep
// their own copies of records, and all have the same indexes.
//
// # An earlier revision
//
// With -before the program is built a second time with the library at a git
// revision. It then runs as a second process that takes its turns in the same
// rounds, and its figures are the column "before". The revision must have the API
// that this program uses: the build fails for revisions before the API was renamed
// (see .github/CHANGELOG.md). -before needs git and go, and must be run in this
// directory. The work tree is not changed.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out, progress io.Writer) (err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	full := flags.Bool("full", false, "measure 1,000,000 events and 10,000,000 small records as well, beside a B-tree and a slice")
	quick := flags.Bool("quick", false, "measure few records for a few seconds, to test the program itself")
	rounds := flags.Int("rounds", 0, "number of rounds of each measurement (default 11, or 2 with -quick)")
	before := flags.String("before", "", "measure the library at a git `revision` as well; it must have the present API")
	follow := flags.Bool("follow", false, "used by -before: read on standard input what to measure")
	find := flags.Bool("find", false, "measure only finding records by their fields")
	plot := flags.String("plot", "", "only plot the cost of a page against its depth, to an SVG `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *rounds < 0 || *plot != "" && *before != "" {
		return fmt.Errorf("want flags only, no negative -rounds, and no -plot with -before: %q", args)
	}
	defer failure(&err)

	s := settings(*quick, *full)
	s.only(*find)
	if *full {
		debug.SetMemoryLimit(11 << 30) // so that two processes need at most 24 GiB
	}
	if *rounds > 0 {
		s.rounds = *rounds
	}
	switch {
	case *plot != "":
		return plotDepth(s, *plot, progress)
	case *follow:
		s.partner = &partner{in: bufio.NewReader(in), out: out, follows: true}
		return compare(s, io.Discard, io.Discard)
	case *before != "":
		same := []string{fmt.Sprint("-full=", *full), fmt.Sprint("-quick=", *quick), fmt.Sprint("-rounds=", *rounds), fmt.Sprint("-find=", *find)}
		p, stop, err := startBefore(*before, same, progress)
		if err != nil {
			return err
		}
		defer stop()
		s.partner = p
	}
	return compare(s, out, progress)
}

// compare runs all measurements and prints the table.
func compare(s setup, out, progress io.Writer) error {
	var t table
	for _, n := range s.sizes {
		fmt.Fprintf(progress, "%s records ...\n", thousands(n))
		if err := measure(s, n, &t); err != nil {
			return err
		}
	}
	if s.small > 0 {
		fmt.Fprintf(progress, "%s small records ...\n", thousands(s.small))
		smallRecords(s, &t)
	}
	if !s.find {
		fmt.Fprintln(progress, "HTTP ...")
		if err := serve(s, &t); err != nil {
			return err
		}
	}
	_, err := t.WriteTo(out)
	return err
}

// measure runs all measurements for one number of records.
func measure(s setup, n int, t *table) error {
	if !s.find {
		d := newData(n)
		for _, part := range []func(setup, *data, *table) error{loads, readers, writes, plainRecords} {
			if err := part(s, d, t); err != nil {
				return err
			}
		}
	}
	return finds(s, n, t)
}

// readers measures reads, with all stores in memory.
func readers(s setup, d *data, t *table) error {
	stores := s.newStores(len(d.records))
	defer closeAll(stores)
	for _, p := range stores {
		p.load(d.records)
	}
	if err := agree(stores, d); err != nil {
		return err
	}
	encodeAll(stores[0], len(d.records))
	pages(s, d, stores, t)
	fullSpeed(s, d, stores, t)
	ratios(s, d, stores, t) // adds an index to the library's store
	return unchanged(stores, d)
}

// failed is the panic value of check.
type failed struct{ error }

// check panics with err if it is not nil. A store that fails ends the program.
func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

// failure recovers a panic of check and stores its error in err.
func failure(err *error) {
	switch f := recover().(type) {
	case nil:
	case failed:
		*err = f.error
	default:
		panic(f)
	}
}
