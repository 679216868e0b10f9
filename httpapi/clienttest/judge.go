package clienttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// compareIDs compares the ids that a client has returned with known ones, by whose indexes ever
// and throughout report whether a record existed at some time and all the time. It returns the
// zero problem if nothing is wrong, and no remedy.
func compareIDs(got, known []int, ever, throughout func(i int) bool) problem {
	index := make(map[int]int, len(known))
	for i, id := range known {
		index[id] = i
	}
	returned := make([]bool, len(known))
	for _, id := range got {
		i, ok := index[id]
		switch {
		case !ok || !ever(i):
			return problem{kind: unknown, text: fmt.Sprintf("returned a record with the id %d, which was never in the collection, and no error", id)}
		case returned[i]:
			return problem{kind: repeated, text: fmt.Sprintf("returned the record with the id %d twice and no error", id)}
		}
		returned[i] = true
	}
	lost, least := -1, 0 // the first that is missing, and how many there must be
	for i := range known {
		if !throughout(i) {
			continue
		}
		least++
		if lost < 0 && !returned[i] {
			lost = i
		}
	}
	if lost < 0 {
		return problem{}
	}
	return problem{kind: missing, text: fmt.Sprintf("returned %d of at least %d records, without the one with the id %d, and no error", len(got), least, known[lost])}
}

// truncateText returns the beginning of a text in one line.
func truncateText(text string) string {
	return fake.Truncate(strings.Join(strings.Fields(text), " "), 200)
}

// otherCollection describes what suggests that the client fetches another collection than the one
// that is served, or returns "".
func (e *trial) otherCollection() string {
	if len(e.paths) > 0 && !slices.Contains(e.paths, e.data.path) {
		if c, path, ok := e.data.collection(e.paths); ok {
			return fmt.Sprintf("sent requests to %s and none to %s: if the client fetches the collection %s, set Options.Collection to %q", path, e.data.path, c.Key, c.Key)
		}
	}
	known := func(id int) bool {
		i := slices.Index(e.data.ids, id)
		return i >= 0 && e.ever[i]
	}
	if len(e.ids) == 0 || slices.ContainsFunc(e.ids, known) {
		return ""
	}
	return fmt.Sprintf("returned %d records, and none of their ids is in the collection %s: the client probably fetches another collection; set Options.Collection to the key of that", len(e.ids), e.data.key)
}

// A problem is what a client did wrong in a scenario. The zero value means that there was no
// mistake.
type problem struct {
	kind   problemKind
	text   string // continues "the client"
	remedy string // what to do
}

// A problemKind is a kind of mistake. A scenario is reduced only to scenarios with the same.
type problemKind string

const (
	stuck       problemKind = "stuck" // cannot be run again
	blocked     problemKind = "blocked"
	panicked    problemKind = "panicked"
	exited      problemKind = "exited"
	otherOrigin problemKind = "request to another host"
	endless     problemKind = "endless requests"
	late        problemKind = "late"
	unclosed    problemKind = "unclosed body"
	unprovoked  problemKind = "unprovoked error"
	repeated    problemKind = "repeated record"
	unknown     problemKind = "unknown record"
	missing     problemKind = "missing record"
)

// wrongRecords reports whether the client has returned wrong records and no error.
func (k problemKind) wrongRecords() bool {
	return slices.Contains([]problemKind{repeated, unknown, missing}, k)
}

// gravest returns the gravest problem of a scenario.
func (e *trial) gravest(violation problem, bodies string) problem {
	switch {
	case e.panicked:
		return problem{kind: panicked, text: e.failure, remedy: remedyPanic}
	case e.failure != "" && violation.kind == "":
		return problem{kind: exited, text: e.failure}
	case violation.kind != "":
		violation.remedy = e.remedy(violation.remedy)
		return violation
	case e.late:
		return problem{kind: late, text: "did not return in time after the end of its context", remedy: remedyContext}
	case e.cancelled && e.err == nil:
		return problem{kind: late, text: fmt.Sprintf("returned %d records and no error", len(e.ids)), remedy: remedyContext}
	case e.err != nil && e.harmless():
		return problem{kind: unprovoked, text: fmt.Sprintf("returned an error although nothing is wrong (%s)", truncateText(e.err.Error())), remedy: e.remedy(remedyLinks)}
	}
	if p := e.judge(); p.kind != "" {
		return p
	}
	if bodies != "" {
		return problem{kind: unclosed, text: bodies}
	}
	return problem{}
}

// harmless reports whether nothing has happened that justifies an error.
func (e *trial) harmless() bool {
	if e.cancelled {
		return false
	}
	for i, st := range e.steps {
		if e.happened[i] && !st.kind.harmless {
			return false
		}
	}
	return true
}

// cause returns the kind of the step that is the most likely cause of a problem, or nil if no
// step has happened. It prefers writes and wrong pages to errors, and later steps to earlier
// ones.
func (e *trial) cause() *kind {
	for _, errors := range []bool{false, true} {
		for i, st := range slices.Backward(e.steps) {
			if i < len(e.happened) && e.happened[i] && (st.kind.class() == 0) == errors {
				return &st.kind
			}
		}
	}
	return nil
}

// remedy returns the remedy for the cause, or otherwise if none exists.
func (e *trial) remedy(otherwise string) string {
	if e.advice != "" {
		return e.advice
	}
	if cause := e.cause(); cause != nil {
		return cause.remedy
	}
	return otherwise
}

// judge compares the ids that a client has returned with the records that existed.
func (e *trial) judge() problem {
	if e.err != nil {
		return problem{}
	}
	p := compareIDs(e.ids, e.data.ids, func(i int) bool { return e.ever[i] }, func(i int) bool { return e.throughout[i] })
	if other := e.otherCollection(); p.kind != "" && other != "" {
		return problem{kind: p.kind, text: other}
	}
	switch p.kind {
	case repeated:
		p.remedy = e.remedy(remedyRepeated)
	case unknown, missing:
		p.remedy = e.remedy(remedyLinks)
	}
	return p
}

// violationOf returns the problem of a request that was not permitted.
func violationOf(g *guard, violation string) problem {
	switch {
	case violation == "":
		return problem{}
	case g.endless:
		return problem{kind: endless, text: violation, remedy: remedyLoop}
	}
	return problem{kind: otherOrigin, text: violation, remedy: remedyOrigin}
}

// Remedies for clients that fail a situation or a scenario.
const (
	remedyStatus      = "check the status before the body, and return an error or retry if it is not 200"
	remedySkipped     = "after the last attempt, return an error; without one of its pages a list is not complete"
	remedyShape       = "a body without results, or without a count if pages have one, is neither a page nor the end of the list, even with status 200"
	remedyDecode      = "return the error of decoding the page"
	remedyContentType = "either return an error or accept the page"
	remedyRedirect    = "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"
	remedyFormat      = "set the parameter format of the links of the root listing, which is api, to json, or build the URL without it"

	remedyContext = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	remedySlow    = "a body may arrive in pieces; read all of it before decoding it"
	remedyCut     = "return the error of the request, or retry"
	remedyWhole   = "return the error of reading or decoding the body, or retry; a partial body is not a page"

	remedyLast      = "stop after the page whose next is null, and return the records received"
	remedyLinks     = "pages may have fewer records than requested; follow next, advance the offset by the number of records received, or count pages from 1, until next is null"
	remedyEmpty     = "a collection without records is not an error; its count is 0 and its results are []"
	remedyLoop      = "return an error if next leads to a page that has been read, if a record occurs twice, or if there are more records than count"
	remedyOrigin    = "compare the scheme and host of next with those of the first page, and return an error if they differ"
	remedyEmptyPage = "return an error if a page has no records, and has a next link or fewer than count have been received"
	remedyCount     = "compare the number of records received with count, and return an error if they differ"
	remedyRepeated  = "keep the ids received, drop records that are repeated, and compare the number of those left with count, if pages have one"
	remedyShrinks   = "do not stop at count while next is not null, and return an error if the count changes"
	remedyDeletion  = "if the count changes, a record may have moved from one page to another; start again or return an error"

	remedyWrites = "records move to other pages when others are inserted or deleted, even if the count stays the same; order by id, begin each page with the last record of the page before it unless pages have numbers or cursors, and start again or return an error if that record is no longer there or the count changes"
	remedySwap   = "an update can move a record to another page; order by id, which never changes"
	remedyPanic  = "check each part of a response before using it"
	remedyClose  = "call resp.Body.Close for each response, whatever its status, for example in a defer statement"
	remedyBlock  = "end all goroutines of the call before it returns, and wait for nothing that may not happen without the context"
)
