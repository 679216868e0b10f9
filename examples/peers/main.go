// Peers does the same work with this library and with what people use in its
// place, and prints how long each took, beside one another:
//
//	go run .                 # 10,000 and 100,000 records, about two minutes
//	go run . -full           # also 1,000,000 events and 10,000,000 small records
//	go run . -before v0.9.0  # also the library at an earlier revision
//	go run . -plot depth.svg
//
// The peers are: bare B-trees of pointers (btree: no locks, no snapshots); a
// sorted slice for each ordering behind an RWMutex (slice); copying and sorting
// at each request (sort); hashicorp/go-memdb, tidwall/buntdb, and modernc.org's
// SQLite in memory. Each is used as somebody who knows it would. Before anything
// is measured, and again at the end, all have to give the same answers; if one
// does not, the program names the difference and fails.
//
// # Reading the table
//
// Records are events of 600 to 1,000 bytes of JSON; a page is 21 of them. The
// column of backlist is its time for one operation. The columns of the peers are
// the peer's time divided by that: above 1 the peer is slower. Where the library
// has a goal, "ratio" is backlist's time divided by that of what the goal names,
// so less is better. If the goal names nothing, it is about backlist's own
// figure. A goal that was not met is printed like any other. A dash means that
// the peer cannot do it, or was not asked.
//
// Some goals name what has no column: memcpy appends the ready bytes of a page to
// a buffer; json is [encoding/json.Unmarshal] of the file's bytes into structs
// without methods, whose dates stay text; "a sort" sorts a slice of pointers.
//
// In sections headed "beside itself" every column is a peer's own ratio: what
// its last page costs in first pages, say. Beside a writer at full speed and for
// small records, every column is absolute; so are bytes, allocations, and
// requests per second.
//
// Every number is the median of several rounds, in which all take turns, and
// every ratio the median of the ratios of the rounds, so that a noisy machine
// disturbs both sides alike. The garbage collector runs as it likes. The short
// turns of reads mostly leave it out; writes, which leave more garbage, are
// measured in pairs and long turns that have it in them. Small records are an
// exception: each store is alone in memory, so nobody takes turns.
//
// Fixed offsets (first, middle, last) are read over and over: they are hot in the
// cache. Random ones follow one precomputed sequence, the same for each peer.
//
// Two things are in the peers' favour: they are handed the JSON of what is
// written, which backlist makes itself when a record is first shown (here before
// the clock runs), and those in Go compare fields without reflection. All keep
// copies of their own of what they are given. All have the same indexes.
//
// # An earlier revision
//
// With -before this program is built a second time, with the library as a git
// revision has it, and runs as a second process that takes its turns in the same
// rounds. Its figures are the column "before". It must be run in its own
// directory; git and go are needed, and the work tree stays as it is.
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
	quick := flags.Bool("quick", false, "a few records and a few seconds: does it run at all?")
	rounds := flags.Int("rounds", 0, "rounds of each measurement (default 11, or 2 if -quick)")
	before := flags.String("before", "", "measure the library at this git `revision` as well, in a column of its own")
	follow := flags.Bool("follow", false, "used by -before: measure as standard input asks")
	plot := flags.String("plot", "", "only draw the cost of a page against its depth, into this SVG `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *rounds < 0 || *plot != "" && *before != "" {
		return fmt.Errorf("want flags only, no negative -rounds, and no -plot with -before: %q", args)
	}
	defer failure(&err)

	s := settings(*quick, *full)
	if *full {
		debug.SetMemoryLimit(11 << 30) // two processes fit into 24 GiB
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
		same := []string{fmt.Sprint("-full=", *full), fmt.Sprint("-quick=", *quick), fmt.Sprint("-rounds=", *rounds)}
		p, stop, err := startBefore(*before, same, progress)
		if err != nil {
			return err
		}
		defer stop()
		s.partner = p
	}
	return compare(s, out, progress)
}

// compare runs everything and prints the table.
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
		heaps(s, &t)
	}
	fmt.Fprintln(progress, "HTTP ...")
	if err := serve(s, &t); err != nil {
		return err
	}
	_, err := t.WriteTo(out)
	return err
}

// measure runs everything for one number of records.
func measure(s setup, n int, t *table) error {
	d := newData(n)
	for _, part := range []func(setup, *data, *table) error{loads, readers, writes, plains} {
		if err := part(s, d, t); err != nil {
			return err
		}
	}
	return nil
}

// readers runs what is done to all stores side by side.
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
	itself(s, d, stores, t) // adds an index to ours
	return unchanged(stores, d)
}

// failed is the panic of a peer that cannot go on.
type failed struct{ error }

// check ends the program if a peer fails: what it measured is worth nothing then.
func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

// failure turns the panic of check into an error.
func failure(err *error) {
	switch f := recover().(type) {
	case nil:
	case failed:
		*err = f.error
	default:
		panic(f)
	}
}
