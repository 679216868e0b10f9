package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// findTag sets the entity tag of the root or of a page, unless tags are disabled or the
// collection has no revision. It is called before Page, which need not be called if the
// client has the page. There is no tag if the response depends on other collections.
func (v *view) findTag(params url.Values) {
	if !v.handler.tags || !v.route.selfContained(params) {
		return
	}
	if v.route.collection != nil {
		var ok bool
		if v.revision, ok = v.askRevision(); !ok {
			return
		}
	}
	var room [40]byte
	tag := append(room[:0], '"')
	tag = strconv.AppendUint(tag, v.hash(), 36)
	tag = append(tag, '-')
	tag = strconv.AppendUint(tag, v.revision, 36)
	v.tag = string(append(tag, '"'))
}

// hash returns a hash of everything that a page depends on except the revision.
func (v *view) hash() uint64 {
	h := v.handler.seed
	h = h.add(v.r.URL.Path)
	h = h.add(v.r.URL.RawQuery)
	h = h.add(v.origin.Scheme)
	h = h.add(v.origin.Host)
	h = h.add(v.origin.Prefix)
	return uint64(h.addByte(byte(v.indent)))
}

// fnv is the state of a 64-bit FNV-1a hash. A collision harms only the client that
// requests both URLs, so the hash need not resist attacks.
type fnv uint64

// newFNV returns the initial state for tags with the given key.
func newFNV(key string) fnv { return fnv(14695981039346656037).add(key) }

// add adds a text and a separator.
func (h fnv) add(text string) fnv {
	for i := range len(text) {
		h = h.addByte(text[i])
	}
	return h.addByte(0)
}

func (h fnv) addByte(b byte) fnv { return (h ^ fnv(b)) * 1099511628211 }

// askRevision returns the collection's revision. If that fails, or the collection is not
// Revisioned, ok is false.
func (v *view) askRevision() (revision uint64, ok bool) {
	if v.route.revisioned == nil {
		return 0, false
	}
	revision, v.revisionErr = v.route.revisioned.Revision(v.r.Context())
	return revision, v.revisionErr == nil
}

// confirmTag drops the tag if the revision has changed since findTag, because then the
// page may be newer than the tag.
func (v *view) confirmTag() {
	if v.tag == "" {
		return
	}
	if now, ok := v.askRevision(); !ok || now != v.revision {
		v.tag = ""
	}
}

// clientHas reports whether If-None-Match contains the response's tag or is "*". All
// checks of the request must have passed.
func (v *view) clientHas() bool {
	if v.tag == "" {
		return false
	}
	l := v.ifNoneMatch()
	return l.isAny() || l.namesWeakly(v.tag)
}

func (v *view) sendNotModified() {
	header := v.w.Header()
	v.setTag(header)
	v.setVary(header)
	v.sent = true
	v.w.WriteHeader(http.StatusNotModified)
}

func (v *view) setTag(header http.Header) {
	header["Etag"] = []string{v.tag}
	if isRead(v.r.Method) {
		header["Cache-Control"] = v.handler.cacheControl
	}
}

// recordTag returns the tag of a record. It depends only on the JSON and on the
// indentation, so other writes to the collection do not change it.
func (v *view) recordTag(record []byte) string {
	tag := `"` + recordHash(record)
	if v.indent > 0 {
		tag += "-" + strconv.Itoa(v.indent)
	}
	return tag + `"`
}

// recordHash returns the part of a record's tag that all indentations share. Clients can
// choose the content of records, so the hash resists attacks.
func recordHash(record []byte) string {
	sum := sha256.Sum256(record)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// hasHash reports whether tag is that of a representation of the record with the hash:
// the hash itself, or the hash and a suffix that begins with a hyphen.
func hasHash(tag, hash string) bool {
	suffix, ok := strings.CutPrefix(tag[1:len(tag)-1], hash)
	return ok && (suffix == "" || suffix[0] == '-')
}
