package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// Details of a 412. Django REST framework has none, since it ignores preconditions.
const (
	detailIfMatch     = "Precondition failed: no entity tag in If-Match is current."
	detailIfNoneMatch = "Precondition failed: If-None-Match matches what is stored."
	detailUnchecked   = "Precondition failed: entity tags cannot be compared in this request."
)

// A tagList is the value of If-Match or If-None-Match, or "" without one.
type tagList string

// ifMatch returns the value of If-Match. Like Django, a read ignores one that does not
// begin with a tag.
func (v *view) ifMatch() tagList {
	l := v.tagList("If-Match")
	isTag := func(string, bool) bool { return true }
	if negotiation.IsRead(v.r.Method) && l != "*" && !l.names(isTag) {
		return ""
	}
	return l
}

func (v *view) ifNoneMatch() tagList { return v.tagList("If-None-Match") }

// tagList returns the value of a header. As in the framework, there are no preconditions
// without tags.
func (v *view) tagList(name string) tagList {
	if !v.handler.opts.ETags {
		return ""
	}
	return tagList(strings.Trim(strings.Join(v.r.Header[name], ","), " \t"))
}

// names reports whether l has a tag for which the function returns true. It stops at the first text
// between commas that is not an entity tag. Tags have their quotes, but not W/.
func (l tagList) names(is func(tag string, weak bool) bool) bool {
	for list := string(l); ; {
		var weak bool
		list, weak = strings.CutPrefix(strings.TrimLeft(list, ", \t"), "W/")
		if list == "" || list[0] != '"' {
			return false
		}
		end := strings.IndexByte(list[1:], '"') + 2
		if end < 2 {
			return false
		}
		tag, rest := list[:end], strings.TrimLeft(list[end:], " \t")
		if rest != "" && rest[0] != ',' {
			return false
		}
		if is(tag, weak) {
			return true
		}
		list = rest
	}
}

// refused returns the detail of the first precondition that is false, in the order of RFC 9110,
// section 13.2.2, or "". The function is reports whether a tag is one of what is stored. Tags
// are compared strongly in If-Match and weakly in If-None-Match. Conditions with dates are
// ignored, since no response has a Last-Modified.
func refused(match, noneMatch tagList, is func(tag string) bool) (detail string) {
	switch {
	case match != "" && match != "*" && !match.names(func(tag string, weak bool) bool { return !weak && is(tag) }):
		return detailIfMatch
	case noneMatch == "*" || noneMatch.names(func(tag string, _ bool) bool { return is(tag) }):
		return detailIfNoneMatch
	}
	return ""
}

// sentInstead evaluates the preconditions of a GET or HEAD for the response with v.tag. It
// reports whether it has sent a 412 or a 304.
func (v *view) sentInstead() bool {
	switch refused(v.ifMatch(), v.ifNoneMatch(), func(tag string) bool { return v.tag != "" && isEncoded(tag, v.tag) }) {
	case detailIfMatch:
		v.fail(http.StatusPreconditionFailed, detailIfMatch)
		return true
	case detailIfNoneMatch:
		if v.tag != "" {
			header := v.w.Header()
			v.setCaching(header)
			v.setTag(header)
			v.sent = true
			v.w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// precondition returns the check of a record against the preconditions of a PUT, PATCH or DELETE.
// It returns nil if they are true for any record.
// A tag of any representation of the record counts: with another indentation, or with
// a suffix that middleware has added.
func (v *view) precondition() func(record []byte) error {
	match, noneMatch, check := v.ifMatch(), v.ifNoneMatch(), wire.CheckOf(v.r.Context())
	if (match == "" || match == "*") && noneMatch == "" && check == nil {
		return nil
	}
	r, ctx, key := v.route, v.r.Context(), v.handler.opts.ETagKey // not v, which then stays on the stack
	return func(record []byte) error {
		if check != nil && !check(record) {
			return &preconditionError{detailIfMatch}
		}
		revision, tagged := uint64(0), true
		if r.hides {
			revision, tagged, _ = r.revision(ctx)
		}
		hash := r.recordHash(key, revision, record)
		detail := refused(match, noneMatch, func(tag string) bool { return tagged && hasHash(tag, hash) })
		if detail != "" {
			return &preconditionError{detail}
		}
		return nil
	}
}

// postCondition returns an error if the preconditions of a POST are false. The path
// exists, so that If-None-Match: * is. A page has tags, but Create cannot compare them at
// the instant of the write, so any tag is refused.
func (v *view) postCondition() error {
	match, noneMatch := v.ifMatch(), v.ifNoneMatch()
	switch {
	case match != "" && match != "*", noneMatch != "" && noneMatch != "*":
		return &preconditionError{detailUnchecked}
	case noneMatch != "":
		return &preconditionError{detailIfNoneMatch}
	}
	return nil
}

// findTag sets the entity tag of the root or of a page, unless the collection has no
// revision or the response depends on other collections.
func (v *view) findTag() {
	if !v.handler.opts.ETags {
		return
	}
	if v.route.collection != nil {
		var ok bool
		if !v.route.selfContained(v.q) {
			return
		}
		if v.revision, ok = v.askRevision(); !ok {
			return
		}
	}
	var room [256]byte
	text := room[:0] // everything that a page depends on
	for _, part := range [...]string{
		v.handler.opts.ETagKey, v.r.URL.Path, v.r.URL.RawQuery, v.origin.Scheme, v.origin.Host, v.origin.Prefix,
	} {
		text = append(append(text, part...), 0)
	}
	text = append(text, byte(v.indent))
	text = strconv.AppendUint(text, v.revision, 10) // hashed: its value shows how much others write
	if v.sight != nil && len(v.q.Filter.Tests) > 0 {
		text = fmt.Appendf(text, "%q", v.q.Filter.Tests)
	}
	hash := digest(text)
	v.tag = `"` + string(hash[:]) + `"`
}

// selfContained reports whether the filter and the order of a query are independent of the other
// collections, so that the revision of this one determines the result.
func (r *route) selfContained(q catalogue.Query) bool {
	for _, test := range q.Filter.Tests {
		if f, _, _ := r.about.Parameter(test.Field); f.Refers != "" && !test.All {
			return false // the filter is invalid if the other record does not exist
		}
	}
	for _, t := range q.Terms {
		if r.crossed(t.Field) != nil {
			return false
		}
	}
	crosses := func(t schema.Test) bool { return r.crossed(t.Field) != nil }
	return !slices.ContainsFunc(q.Filter.Tests, crosses) && (q.Filter.Search == nil || !slices.ContainsFunc(q.Filter.Search[0], crosses))
}

// crossed returns the keys of the collections to which the references in a path lead. The last part
// of the path is the field of a record, and may itself be a reference.
func (r *route) crossed(path string) (keys []string) {
	for at := range path {
		if strings.HasPrefix(path[at:], "__") {
			if f, _, _ := r.about.Parameter(path[:at]); f.Refers != "" {
				keys = append(keys, f.Refers)
			}
		}
	}
	return keys
}

func (v *view) askRevision() (revision uint64, ok bool) {
	revision, ok, v.revisionErr = v.route.revision(v.r.Context())
	return revision, ok
}

// confirmTag drops the tag if the revision has changed since it was determined, because then the
// page or record may be newer than the tag.
func (v *view) confirmTag() {
	if v.tag == "" {
		return
	}
	if now, ok := v.askRevision(); !ok || now != v.revision {
		v.tag = ""
	}
}

// findRecordTag sets the entity tag of a record. It depends only on the JSON and on the
// indentation, so other writes to the collection do not change it, unless a field is hidden.
func (v *view) findRecordTag(record []byte) {
	if !v.handler.opts.ETags {
		return
	}
	suffix := ""
	if v.indent > 0 {
		suffix = "-" + strconv.Itoa(v.indent)
	}
	v.tag = `"` + v.route.recordHash(v.handler.opts.ETagKey, v.revision, record) + suffix + `"`
}

// recordHash returns the part of a record's tag that all indentations share. Hidden fields may
// change while the JSON stays the same, so the tag then depends on the key and the revision, like
// that of a page.
func (r *route) recordHash(key string, revision uint64, record []byte) string {
	if r.hides {
		record = fmt.Appendf(nil, "%q %d %s", key, revision, record)
	}
	hash := digest(record)
	return string(hash[:])
}

// digest returns the part of a tag that depends on a text. Clients can choose the content of
// records, so the hash resists attacks.
func digest(text []byte) (hash [22]byte) {
	sum := sha256.Sum256(text)
	base64.RawURLEncoding.Encode(hash[:], sum[:16])
	return hash
}

// hasHash reports whether tag identifies a representation of the record with the hash: with any
// indentation, and with the suffix of a proxy.
func hasHash(tag, hash string) bool {
	suffix, ok := strings.CutPrefix(tag[1:len(tag)-1], hash)
	return ok && (suffix == "" || suffix[0] == '-' || suffix[0] == ';')
}

// isEncoded reports whether sent is a tag, or that tag with the suffix of a proxy that compresses
// responses, such as "x-gzip" or "x;br". The suffix of an indentation ends with a digit.
func isEncoded(sent, tag string) bool {
	return sent == tag || hasHash(sent, tag[1:len(tag)-1]) && (sent[len(sent)-2] < '0' || sent[len(sent)-2] > '9')
}
