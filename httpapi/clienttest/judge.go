package clienttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// compareIDs compares the ids that a client has returned with those of the records, by whose indexes
// ever and throughout report whether a record existed at some time and all the time. It returns the
// zero problem if nothing is wrong, and a remedy only if ids are not written as the service does.
func (d *dataset) compareIDs(got []string, ever, throughout func(i int) bool) problem {
	index := make(map[string]int, len(d.ids))
	for i, id := range d.ids {
		index[id] = i
	}
	returned := make([]bool, len(d.ids))
	for _, id := range got {
		i, ok := index[id]
		switch {
		case !ok || !ever(i):
			p := problem{kind: unknown, text: fmt.Sprintf("returned a record with the %s %s, which was never in the collection, and no error", d.identity.Name, shown(id))}
			if i := slices.IndexFunc(d.ids, func(other string) bool { return bare(other) == bare(id) }); !ok && i >= 0 {
				p.remedy = fmt.Sprintf("return ids as the service shows them, here %s", shown(d.ids[i]))
			}
			return p
		case returned[i]:
			return problem{kind: repeated, text: fmt.Sprintf("returned the record with the %s %s twice and no error", d.identity.Name, shown(id))}
		}
		returned[i] = true
	}
	lost, least := -1, 0 // the first that is missing, and how many there must be
	for i := range d.ids {
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
	return problem{kind: missing, text: fmt.Sprintf("returned %d of at least %d records, without the one with the %s %s, and no error", len(got), least, d.identity.Name, shown(d.ids[lost]))}
}

// shown returns an id as messages show it: text in quotes, unless it is a number.
func shown(id string) string {
	if json.Valid([]byte(id)) && isScalar([]byte(id)) {
		return id
	}
	return strconv.Quote(id)
}

// bare returns what ids have in common that are probably the same, such as 7 and 007, or two
// spellings of a UUID.
func bare(id string) string {
	plain := strings.NewReplacer("urn:uuid:", "", "-", "", "{", "", "}", "").Replace(strings.ToLower(id))
	return strings.TrimLeft(plain, "0")
}

// otherCollection describes what suggests that the client fetches another collection than the one
// that is served, or returns "".
func (e *trial) otherCollection() string {
	if len(e.paths) > 0 && !slices.Contains(e.paths, e.data.path) {
		if c, path, ok := e.data.collection(e.paths); ok {
			return fmt.Sprintf("sent requests to %s and none to %s: if the client fetches the collection %s, set Options.Collection to %q", path, e.data.path, c.Key, c.Key)
		}
	}
	known := func(id string) bool {
		i := slices.Index(e.data.ids, id)
		return i >= 0 && e.ever[i]
	}
	if len(e.ids) == 0 || slices.ContainsFunc(e.ids, known) {
		return ""
	}
	return fmt.Sprintf("returned %d records, and none of their ids is in the collection %s: the client probably fetches another collection; set Options.Collection to the key of that", len(e.ids), e.data.key)
}

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
	case e.err != nil && e.harmless():
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
	p := e.data.compareIDs(e.ids, func(i int) bool { return e.ever[i] }, func(i int) bool { return e.throughout[i] })
	if other := e.otherCollection(); p.kind != "" && p.remedy == "" && other != "" {
		return problem{kind: p.kind, text: other}
	}
	switch {
	case p.remedy != "":
	case p.kind == repeated:
		p.remedy = e.remedy(remedyRepeated)
	case p.kind != "":
		p.remedy = e.remedy(remedyLinks)
	}
	return p
}

// violationOf returns the problem of a request that was not permitted.
func violationOf(g *guard, violation string) problem {
	switch {
	case violation == "":
		return problem{}
	case g.busy:
		return problem{kind: busy, text: violation, remedy: remedyBusy}
	case g.endless:
		return problem{kind: endless, text: violation, remedy: remedyLoop}
	}
	return problem{kind: otherOrigin, text: violation, remedy: remedyOrigin}
}
