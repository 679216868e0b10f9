package cataloguetest

import (
	"slices"
	"time"
)

// A kind is a kind of step. It has either faults or a write.
type kind struct {
	name   string
	faults func(arg int) []Fault // of the request
	lie    bool                  // the page is wrong, though it may not look so
	// harmless steps are no reason for a client to return an error.
	harmless bool
	// write returns the records after a write, given the records before it.
	write  func(before state, arg int) state
	remedy string // what to do if the client fails because of it
}

// class returns 0 for errors, 1 for wrong pages, and 2 for writes.
func (k *kind) class() int {
	switch {
	case k.lie:
		return 1
	case k.write != nil:
		return 2
	}
	return 0
}

// storyKinds returns the kinds of all steps. Their order determines the story of a seed.
func storyKinds() []kind {
	return slices.Concat(errorKinds(), connectionKinds(), lieKinds(), writeKinds())
}

// always returns a function that ignores the argument of a step.
func withoutArg(faults ...Fault) func(int) []Fault {
	return func(int) []Fault { return faults }
}

func errorKinds() []kind {
	throttled := Status(429, `{"detail":"Request was throttled."}`)
	return []kind{
		{name: "status-500", faults: withoutArg(Status(500, errorDocument)), remedy: remedyStatus},
		{name: "status-404", faults: withoutArg(Status(404, `{"detail":"Not found."}`)), remedy: remedyStatus},
		{name: "status-503", faults: func(arg int) []Fault { return []Fault{Unavailable(time.Duration(arg%3) * time.Second)} }, remedy: remedyStatus},
		{name: "status-429", faults: withoutArg(throttled, Header("Retry-After", "1")), remedy: remedyStatus},
		{name: "error-with-status-200", faults: withoutArg(Status(200, errorDocument)), remedy: remedyShape},
		{name: "html-with-status-200", faults: withoutArg(Status(200, gatewayPage)), remedy: remedyDecode},
		{name: "no-body-with-status-200", faults: withoutArg(Status(200, "")), remedy: remedyDecode},
		{name: "wrong-content-type", faults: withoutArg(Header("Content-Type", "text/html; charset=utf-8")), remedy: remedyContentType},
		{name: "redirect-to-other-host", faults: withoutArg(Status(302, ""), Header("Location", "https://"+otherHost+"/")), remedy: remedyRedirect},
		{name: "browsable-api", faults: withoutArg(BrowsableAPI()), harmless: true, remedy: remedyFormat},
	}
}

func connectionKinds() []kind {
	return []kind{
		{name: "delay", faults: func(arg int) []Fault { return []Fault{Delay(time.Duration(1+arg%30) * time.Second)} }, remedy: remedyContext},
		{name: "stall", faults: withoutArg(Delay(time.Hour)), remedy: remedyContext},
		{name: "slow-body", faults: func(arg int) []Fault { return []Fault{Slow(100+8*arg, time.Millisecond)} }, harmless: true, remedy: remedySlow},
		{name: "cut-before-header", faults: withoutArg(Cut()), remedy: remedyCut},
		{name: "cut-in-body", faults: func(arg int) []Fault { return []Fault{CutAfter(16 * arg)} }, remedy: remedyWhole},
		{name: "truncated-body", faults: func(arg int) []Fault { return []Fault{Truncate(16 * arg)} }, remedy: remedyWhole},
	}
}

func lieKinds() []kind {
	return []kind{
		{name: "next-is-self", lie: true, faults: withoutArg(NextIsSelf()), remedy: remedyLoop},
		{name: "next-cycle", lie: true, faults: withoutArg(NextCycle()), remedy: remedyLoop},
		{name: "next-on-other-host", lie: true, faults: withoutArg(NextHost(otherHost)), remedy: remedyOrigin},
		{name: "next-without-tls", lie: true, faults: withoutArg(NextScheme("http")), remedy: remedyOrigin},
		{name: "empty-pages-with-next", lie: true, faults: withoutArg(EmptyPageWithNext()), remedy: remedyEmptyPage},
		{name: "row-missing", lie: true, faults: withoutArg(MissingRow()), remedy: remedyCount},
		{name: "row-repeated", lie: true, faults: withoutArg(RepeatedRow()), remedy: remedyRepeated},
		{name: "row-repeated-for-another", lie: true, faults: withoutArg(RepeatedRow(), MissingRow()), remedy: remedyRepeated},
		{name: "count-shrinks", lie: true, faults: func(arg int) []Fault { return []Fault{CountShrinks(1 + arg%10)} }, remedy: remedyShrinks},
	}
}

func writeKinds() []kind {
	return []kind{
		{name: "insert", write: state.insert, remedy: remedyWrites},
		{name: "delete", write: state.delete, remedy: remedyWrites},
		{name: "swap", write: state.swap, remedy: remedySwap},
		{name: "load", write: state.load, remedy: remedyWrites},
	}
}
