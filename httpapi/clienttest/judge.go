package clienttest

import (
	"fmt"
	"slices"
)

// gravest returns the gravest problem of a scenario.
func (e *trial) gravest(violation problem, bodies string) problem {
	switch {
	case e.panicked:
		return problem{kind: panicked, text: e.failure, remedy: remedyPanic}
	case e.failure != "" && violation.kind == "":
		return problem{kind: exited, text: e.failure}
	case violation.kind != "":
		if violation.kind != busy {
			violation.remedy = e.remedy(violation.remedy)
		}
		return violation
	case e.late:
		return problem{kind: late, text: "did not return in time after the end of its context", remedy: remedyContext}
	case e.cancelled && e.err == nil:
		return problem{kind: late, text: fmt.Sprintf("returned %d records and no error", len(e.ids)), remedy: remedyContext}
	case e.err != nil && !e.cancelled && !slices.Contains(e.happened, true):
		return problem{kind: unprovoked, text: fmt.Sprintf("returned an error although nothing is wrong (%s)", truncateText(e.err.Error())), remedy: e.remedy(remedyLinks)}
	}
	if p := e.judge(); p.kind != "" {
		return p
	}
	if bodies != "" {
		return problem{kind: unclosed, text: bodies, remedy: remedyClose}
	}
	return problem{}
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
	name := e.data.about.Identity().Name
	returned := make(state, len(e.data.ids))
	for _, id := range e.ids {
		switch i := slices.Index(e.data.ids, id); {
		case i < 0 || !e.ever[i]:
			return problem{unknown, fmt.Sprintf("returned a record with the %s %q, which was never in the collection %s, and no error", name, id, e.data.about.Key), remedyIDs}
		case returned[i]:
			return problem{repeated, fmt.Sprintf("returned the record with the %s %q twice and no error", name, id), e.remedy(remedyRepeated)}
		default:
			returned[i] = true
		}
	}
	least := e.throughout.indexes(true)
	for _, i := range least {
		if !returned[i] {
			return problem{missing, fmt.Sprintf("returned %d of at least %d records, without the one with the %s %q, and no error", len(e.ids), len(least), name, e.data.ids[i]), e.remedy(remedyLinks)}
		}
	}
	return problem{}
}
