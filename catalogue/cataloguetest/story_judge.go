package cataloguetest

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
)

// A problem is what a client did wrong in a story. The zero problem is none.
type problem struct {
	kind   problemKind
	text   string // continues "the client"
	remedy string // what to do
	id     int    // of the record, if it is about one
}

// A problemKind is a kind of mistake. A story is reduced only to stories with the same.
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
	uncreated   problemKind = "record not created"
	duplicated  problemKind = "record created twice"
)

// problem returns the gravest problem of a story.
func (x *explorer) problem(e *ended, violation problem, bodies string) problem {
	p := x.gravest(e, violation, bodies)
	if x.creates {
		p.remedy = createRemedy(p)
	}
	return p
}

// createRemedy returns the remedy for a client that creates a record. Those of the events are
// for clients that read lists.
func createRemedy(p problem) string {
	switch p.kind {
	case unprovoked, uncreated:
		return remedyCreated
	case endless:
		return remedyLimit
	}
	return p.remedy
}

func (x *explorer) gravest(e *ended, violation problem, bodies string) problem {
	switch {
	case e.failure.kind != "" && e.failure.kind != exited || violation.kind == "" && e.failure.kind == exited:
		return e.failure
	case violation.kind != "":
		violation.remedy = e.remedy(violation.remedy)
		return violation
	case e.late:
		return problem{kind: late, text: "did not return in time after the end of its context", remedy: remedyContext}
	case e.err != nil && e.harmless():
		return problem{kind: unprovoked, text: fmt.Sprintf("returned an error although nothing is wrong (%s)", truncateText(e.err.Error())), remedy: e.remedy(remedyLinks)}
	}
	if p := x.judge(e); p.kind != "" {
		return p
	}
	if bodies != "" {
		return problem{kind: unclosed, text: bodies}
	}
	return problem{}
}

// harmless reports whether nothing has happened that justifies an error.
func (e *ended) harmless() bool {
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
func (e *ended) cause() *kind {
	for _, errors := range []bool{false, true} {
		for i, st := range slices.Backward(e.steps) {
			if i < len(e.happened) && e.happened[i] && (st.kind.class() == 0) == errors {
				return &st.kind
			}
		}
	}
	return nil
}

// remedy returns the remedy for the cause, or otherwise if there is none.
func (e *ended) remedy(otherwise string) string {
	if cause := e.cause(); cause != nil {
		return cause.remedy
	}
	return otherwise
}

// judgeFetch compares the ids that a client has returned with the records that existed.
func judgeFetch(e *ended) problem {
	if e.err != nil {
		return problem{}
	}
	index := make(map[int]int, len(e.data.ids))
	for i, id := range e.data.ids {
		index[id] = i
	}
	returned := make([]bool, len(e.data.ids))
	for _, id := range e.ids {
		i, ok := index[id]
		switch {
		case !ok || !e.ever[i]:
			return problem{unknown, fmt.Sprintf("returned a record with the id %d, which was never in the collection, and no error", id), e.remedy(remedyLinks), id}
		case returned[i]:
			return problem{repeated, fmt.Sprintf("returned the record with the id %d twice and no error", id), e.remedy(remedyRepeated), id}
		}
		returned[i] = true
	}
	for i, must := range e.throughout {
		if must && !returned[i] {
			return problem{missing, fmt.Sprintf("returned %d records, without the one with the id %d, which always existed, and no error", len(e.ids), e.data.ids[i]), e.remedy(remedyLinks), e.data.ids[i]}
		}
	}
	return problem{}
}

// judgeCreate compares the records that exist with the one that a client says it has
// created.
func judgeCreate(e *ended) problem {
	if e.err != nil {
		return problem{}
	}
	var created []int
	for _, id := range e.after {
		if i, ok := slices.BinarySearch(e.data.ids, id); !ok || !e.ever[i] {
			created = append(created, id)
		}
	}
	id := e.ids[0]
	switch {
	case len(created) > 1:
		return problem{duplicated, fmt.Sprintf("created %d records, with the ids %v, and returned no error", len(created), created), remedyPost, id}
	case !slices.Contains(created, id):
		return problem{uncreated, fmt.Sprintf("returned the id %d and no error; the new records have the ids %v", id, created), e.remedy(remedyStatus), id}
	}
	return problem{}
}

// collectionIDs returns the ids of a collection's records.
func collectionIDs(house *catalogue.Catalogue, key string) ([]int, error) {
	records, err := recordsByID(house, key)
	if err != nil {
		return nil, err
	}
	ids := make([]int, 0, len(records))
	for id := range records {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
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
