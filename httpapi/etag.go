package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// checkCacheControl returns what Cache-Control is to say, or [ErrOptions].
func checkCacheControl(text string) (string, error) {
	if text == "" {
		return "no-cache", nil
	}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("%w: CacheControl %q cannot stand in a header", ErrOptions, text)
		}
	}
	return text, nil
}

// tag is the strong entity tag of the answer at a place. The place has all that
// the answer depends on in it, hashed with the handler's own seed, so a tag of
// another process is a tag of nothing.
func (p *place) tag() string {
	var room [40]byte
	tag := append(room[:0], '"')
	tag = strconv.AppendUint(tag, p.hash, 36)
	tag = append(tag, '-')
	tag = strconv.AppendUint(tag, p.revision, 36)
	return string(append(tag, '"'))
}

// notModified answers 304 if the client says that it has the page of this tag.
// Only pages that were good are given a tag, so there is nothing else to check.
func (v *view) notModified() bool {
	if !v.tagged {
		return false
	}
	tags := v.r.Header["If-None-Match"]
	if len(tags) == 0 || !namesTag(strings.Join(tags, ","), v.place.tag()) {
		return false
	}
	v.sendNotModified()
	return true
}

// anyMatches answers 304 if the client says that any page will do. It does not
// know this one, so it must have been found good before.
func (v *view) anyMatches() bool {
	tags := v.r.Header["If-None-Match"]
	if !v.tagged || len(tags) != 1 || strings.Trim(tags[0], " \t") != "*" {
		return false
	}
	v.sendNotModified()
	return true
}

func (v *view) sendNotModified() {
	v.note(-1)
	header := v.w.Header()
	v.setTag(header)
	header["Vary"] = v.vary(header["Vary"])
	v.sent = true
	v.w.WriteHeader(http.StatusNotModified)
}

func (v *view) setTag(header http.Header) {
	header["Etag"] = []string{v.place.tag()}
	header["Cache-Control"] = v.handler.cacheControl
}

// namesTag reports whether a list of entity tags has one, by weak comparison: W/
// does not count. Behind what is no entity tag it reads no further.
func namesTag(list, tag string) bool {
	for {
		list = strings.TrimLeft(list, ", \t")
		list = strings.TrimPrefix(list, "W/")
		if list == "" || list[0] != '"' {
			return false
		}
		end := strings.IndexByte(list[1:], '"') + 2
		if end < 2 {
			return false
		}
		if list[:end] == tag {
			return true
		}
		list = list[end:]
	}
}
