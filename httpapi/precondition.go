package httpapi

import (
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Details of a 412. Django REST framework has none, since it ignores preconditions.
const (
	detailIfMatch     = "Precondition failed: no entity tag in If-Match is current."
	detailIfNoneMatch = "Precondition failed: If-None-Match matches what is stored."
	detailUnchecked   = "Precondition failed: entity tags cannot be compared in this request."
)

// A preconditionError is the error of a request whose precondition is false.
type preconditionError struct{ detail string }

func (e *preconditionError) Error() string { return "httpapi: " + e.detail }

// A tagList is the value of If-Match or If-None-Match.
type tagList struct {
	sent bool
	text string
}

func (v *view) ifMatch() tagList     { return v.tagList("If-Match") }
func (v *view) ifNoneMatch() tagList { return v.tagList("If-None-Match") }

// tagList returns the value of a header. As in the framework, there are no preconditions
// without tags.
func (v *view) tagList(name string) tagList {
	lines := v.r.Header[name]
	if !v.handler.tags || len(lines) == 0 {
		return tagList{}
	}
	return tagList{true, strings.Trim(strings.Join(lines, ","), " \t")}
}

// isAny reports whether l is "*".
func (l tagList) isAny() bool { return l.text == "*" }

// names reports whether l has a tag for which is returns true. It stops at the first text
// that is not an entity tag. Tags have their quotes, but not W/.
func (l tagList) names(is func(tag string, weak bool) bool) bool {
	for list := l.text; ; {
		var weak bool
		list, weak = strings.CutPrefix(strings.TrimLeft(list, ", \t"), "W/")
		if list == "" || list[0] != '"' {
			return false
		}
		end := strings.IndexByte(list[1:], '"') + 2
		if end < 2 {
			return false
		}
		if is(list[:end], weak) {
			return true
		}
		list = list[end:]
	}
}

// namesWeakly reports whether l has a tag by weak comparison, which ignores W/.
func (l tagList) namesWeakly(want string) bool {
	return want != "" && l.names(func(tag string, _ bool) bool { return tag == want })
}

// namesStrongly reports whether l has a tag by strong comparison. The tags of responses
// are strong.
func (l tagList) namesStrongly(want string) bool {
	return want != "" && l.names(func(tag string, weak bool) bool { return !weak && tag == want })
}

// readStatus evaluates the preconditions of a GET or HEAD for the response with v.tag, in
// the order of RFC 9110, section 13.2.2. It returns 412, 304, or 0 if the response is to
// be sent. Conditions with dates are ignored, since no response has a Last-Modified.
func (v *view) readStatus() int {
	if l := v.ifMatch(); l.sent && !l.isAny() && !l.namesStrongly(v.tag) {
		return http.StatusPreconditionFailed
	}
	if v.clientHas() {
		return http.StatusNotModified
	}
	return 0
}

// sendInstead sends the response with a status that readStatus returned.
func (v *view) sendInstead(status int) {
	if status == http.StatusNotModified {
		v.sendNotModified()
		return
	}
	v.fail(status, detailIfMatch)
}

// writeCondition returns a function that returns an error if the preconditions of a PUT,
// PATCH or DELETE are false for a record. It returns nil if they are true for any record.
// A tag of any representation of the record counts: with another indentation, or with
// a suffix that middleware has added.
func (v *view) writeCondition() func(record []byte) error {
	match, noneMatch := v.ifMatch(), v.ifNoneMatch()
	if (!match.sent || match.isAny()) && !noneMatch.sent {
		return nil
	}
	return func(record []byte) error {
		hash := recordHash(record)
		if match.sent && !match.isAny() && !match.names(func(tag string, weak bool) bool { return !weak && hasHash(tag, hash) }) {
			return &preconditionError{detailIfMatch}
		}
		if noneMatch.isAny() || noneMatch.names(func(tag string, _ bool) bool { return hasHash(tag, hash) }) {
			return &preconditionError{detailIfNoneMatch}
		}
		return nil
	}
}

// precheck evaluates the condition of a write before the body is read. If the collection
// cannot evaluate it at the instant of the write, tags are refused, whatever they are.
func (v *view) precheck(condition func(record []byte) error, record []byte, atomic bool) error {
	if !atomic && v.namesTags() {
		return &preconditionError{detailUnchecked}
	}
	return condition(record)
}

// namesTags reports whether a precondition of the request is a list of tags.
func (v *view) namesTags() bool {
	match, noneMatch := v.ifMatch(), v.ifNoneMatch()
	return match.sent && !match.isAny() || noneMatch.sent && !noneMatch.isAny()
}

// postCondition returns an error if the preconditions of a POST are false. The path
// exists, so that If-None-Match: * is. A page has tags, but Create cannot compare them at
// the instant of the write, so any tag is refused.
func (v *view) postCondition() error {
	switch {
	case v.namesTags():
		return &preconditionError{detailUnchecked}
	case v.ifNoneMatch().isAny():
		return &preconditionError{detailIfNoneMatch}
	}
	return nil
}

// setCreatedTag sets the tag of a record that a POST created, if its path has one.
func (v *view) setCreatedTag(record []byte) {
	if records := v.route.records; v.handler.tags && records != nil && records.actions.Has(schema.Retrieve) {
		v.tag = v.recordTag(record)
	}
}
