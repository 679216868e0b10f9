package clienttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// VerifyClient runs a client through the situations of paginated services: lists of several
// sizes, HTML for format=api, temporary and permanent errors, connections that break or stall,
// and wrong pages, with links that lead to an earlier page or to another host, records that
// are missing or repeated, and counts that change. In each of them the client must
//
//   - return all records, each once, or an error, and no error if nothing is wrong;
//   - not send requests endlessly, nor one that has failed ten times again at one instant;
//   - send no request to another host or without encryption;
//   - return when its context ends;
//   - close the bodies of all responses before it returns.
//
// The client may handle an error by returning it or by retrying. It may follow links,
// compute offsets or count pages. Pages have at most 10 records, even if the request has a
// larger limit.
//
// Each situation is a subtest with its name, so that it can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails logs what the client did wrong, what to do, and its requests. The
// first situation, "several-pages", is a service in which nothing is wrong. If the client
// fails that, the others are skipped, because their results would be meaningless.
//
// Situations are scenarios of [Explore], chosen and named: what Explore asks of fetch applies
// here too, waits take no real time, and a goroutine that is left blocked is a mistake.
//
// VerifyClient calls t.Fatal if fetch is nil, its ids are neither text nor numbers, the root is
// invalid, the collection or a situation is unknown, or the collection is not suitable: it must
// have the action [schema.List] and at least 95 records. It must not be called inside a bubble.
func VerifyClient[ID comparable](t *testing.T, fetch Fetch[ID], opts Options) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer v.data.reportIgnored(t)
	if v.left != nil {
		t.Logf("left out, since no client of this service can notice them: %s", strings.Join(v.left, ", "))
	}
	for _, s := range v.situations {
		var problem string
		t.Run(s.name, func(t *testing.T) {
			var requests []string
			if problem, requests = v.run(t, s); problem != "" {
				t.Errorf("%s\n%s", problem, formatRequests(requests))
			}
		})
		if problem != "" && s.name == simplest {
			return
		}
	}
}

// A verification is a client with the situations to run it through.
type verification struct {
	*explorer
	situations []situation
	left       []string // the names of those that no client can notice
}

func newVerification[ID comparable](fetch Fetch[ID], opts Options) (*verification, error) {
	x, err := newRunner(fetch, opts, mostRecords, mostRecords)
	if err != nil {
		return nil, err
	}
	v, cannot := &verification{explorer: x}, slices.Concat(x.data.unnoticed(), x.data.needPages())
	for _, s := range x.data.situations() {
		if slices.Contains(cannot, s.name) {
			v.left = append(v.left, s.name)
		}
	}
	v.situations, err = noticed(opts, "situation", x.data.situations(), func(s situation) string { return s.name }, cannot)
	return v, err
}

// run runs the client through one situation. It returns what the client did wrong and how to fix
// it, or "" if nothing, and its requests.
func (v *verification) run(t *testing.T, s situation) (problem string, requests []string) {
	t.Helper()
	s.collection = v.data.about.Key
	e := v.explorer.run(t, s.scenario)
	if problem = e.problem.text; problem == "" {
		return "", e.requests
	}
	if e.problem.remedy != "" {
		problem += ": " + e.problem.remedy
	}
	if n := len(v.situations) - 1; s.name == simplest && n > 0 {
		problem += fmt.Sprintf(" (%d other situations are skipped, since nothing is wrong in this one)", n)
	}
	return problem, e.requests
}

// A situation is a scenario with a name.
type situation struct {
	name string
	scenario
}

// Sizes of collections and pages.
const (
	fewRecords  = 25 // two and a half pages
	mostRecords = 95
	pageSize    = 10 // default and maximum limit of a page
)

// simplest is the name of the first situation.
const simplest = "several-pages"

// situations returns all situations, simple ones first. What happens in them is of the kinds that
// happen in scenarios too: once at the page at, or from that page on.
func (f form) situations() (all []situation) {
	named := map[string]kind{}
	for _, k := range append(f.kinds(), deletion()) {
		named[k.name] = k
	}
	add := func(name string, records int, steps ...step) {
		all = append(all, situation{name, scenario{records: records, limit: pageSize, steps: steps}})
	}
	request := func(n int) int {
		if f.Members == nil { // there is no second page
			return max(n-1, 1)
		}
		return n
	}
	once := func(kind string, at, arg int) step { return step{named[kind], request(at), false, arg} }
	from := func(kind string, at, arg int) step { return step{named[kind], request(at), true, arg} }

	// Services without a fault.
	add(simplest, fewRecords)
	add("many-pages", mostRecords)
	add("full-pages", 2*pageSize)
	add("one-full-page", pageSize)
	add("one-record", 1)
	add("empty", 0)

	// Services that send something other than a page.
	for _, kind := range []string{"status-500", "status-503", "status-429"} {
		add(kind+"-once", fewRecords, once(kind, 2, 0))
		add(kind+"-always", fewRecords, from(kind, 1, 0))
		add(kind+"-from-second-page", fewRecords, from(kind, 2, 0))
	}
	add("status-404-once", fewRecords, once("status-404", 2, 0))
	add("rate-limit", fewRecords, from("rate-limit", 2, 4))
	for _, kind := range []string{"error-with-status-200", "html-with-status-200"} {
		add(kind, fewRecords, once(kind, 2, 0))
	}
	add("wrong-content-type", fewRecords, from("wrong-content-type", 1, 0))

	// Services whose responses do not arrive in full.
	// Twice, because net/http retries if the connection has been used before.
	add("cut-before-header", fewRecords, once("cut-before-header", 2, 0), once("cut-before-header", 3, 0))
	add("cut-in-body", fewRecords, once("cut-in-body", 2, 19))
	add("truncated-body", fewRecords, once("truncated-body", 2, 19))
	add("stalled", fewRecords, from("stall", 2, 0))
	add("stalled-in-body", fewRecords, from("stall", 2, 19))
	add("cancelled", fewRecords)
	all[len(all)-1].cancelled = true

	// Services whose next links lead to the wrong place, or whose records do not agree with their
	// count.
	for _, kind := range []string{"next-is-self", "next-cycle", "empty-pages-with-next"} {
		add(kind, fewRecords, from(kind, 2, 0))
	}
	for _, kind := range []string{"next-on-other-host", "next-without-tls"} {
		add(kind, fewRecords, from(kind, 1, 0))
	}
	for _, kind := range []string{"redirect-to-other-host", "row-missing", "row-repeated", "row-repeated-for-another"} {
		add(kind, fewRecords, from(kind, 2, 0))
	}
	add("count-shrinks", fewRecords, from("count-shrinks", 2, 4))
	add("record-deleted", fewRecords, once("record-deleted", 1, 0))
	return all
}
