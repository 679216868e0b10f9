package pagination

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Page returns the page of items that the query of a URL requests, bounded by l. A nil u is
// an empty URL, and nil items are an empty list.
//
// The links are absolute if u is. They contain the path of u as it is spelled in u, but
// not its fragment or user information. The URL of a server's request usually has no
// scheme and host. For absolute links, set both in a copy of it. If u has no host and
// its path begins with two slashes, the second slash is written as %2F in the links,
// because the path would otherwise begin with the name of another host.
//
// The records of the page share memory with items but have no spare capacity, so appending
// to them does not overwrite items. If items is nil, so are the records. The cost does not
// depend on the number of items: O(n log² n) for a query of n bytes.
func Page[T any](items []T, u *url.URL, l Limits) Envelope[T] {
	if u == nil {
		u = new(url.URL)
	}
	q, base := ParseQuery(u.RawQuery), baseOf(*u)
	p, _ := l.place(q, len(items))
	start, end := p.Bounds(len(items))
	next, previous := l.neighbours(p, len(items), nil)
	return Envelope[T]{Count: len(items), Next: Link(base, l, q, next), Previous: Link(base, l, q, previous), Records: items[start:end:end]}
}

// baseOf returns the URL without its query, fragment and user information.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	base := u.String()
	// url.URL does not escape such a path, although it parses as a host.
	if path, found := strings.CutPrefix(base, "//"); found && u.Host == "" {
		return "/%2F" + path
	}
	return base
}

// An Envelope is a page of a list with the number of records in the list and links to
// the neighbouring pages. Its JSON is the response of DRF to a request for a list.
type Envelope[T any] struct {
	// Count is the number of records in the whole list. If negative, the number is not known, as in
	// a page of [Cursors], and the JSON has no count.
	Count int
	// Next and Previous are the URLs of the neighbouring pages. If empty, there is
	// no such page, and the JSON has null.
	Next, Previous string
	// Records are the records of this page, "results" in JSON. If nil, the page is
	// empty.
	Records []T
}

// MarshalJSON returns {"count":…,"next":…,"previous":…,"results":[…]}, in this order
// and without white space. A negative Count is omitted, an empty link is null, and nil Records
// are [].
//
// Like DRF, MarshalJSON does not escape '<', '>' and '&'. [json.Marshal] escapes them in the
// result of this method; to avoid that, use a [json.Encoder] with SetEscapeHTML(false).
// MarshalJSON returns an error if a record cannot be encoded. O(length of the JSON).
func (e Envelope[T]) MarshalJSON() ([]byte, error) {
	// Pointers, because encoding/json encodes []byte as base64.
	results := make([]*T, len(e.Records))
	for i := range e.Records {
		results[i] = &e.Records[i]
	}
	count := &e.Count
	if e.Count < 0 {
		count = nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Count    *int    `json:"count,omitempty"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
		Results  []*T    `json:"results"`
	}{count, orNull(e.Next), orNull(e.Previous), results})
	if err != nil {
		return nil, fmt.Errorf("pagination: encoding a page: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON is the inverse of [Envelope.MarshalJSON]. A count that is null or absent is -1, and
// such a link is "". Unknown members are ignored. Records are newly allocated and not nil. By the
// convention of encoding/json, null has no effect.
//
// UnmarshalJSON returns an error if results are absent or null, or if count is negative, so that an
// error document is not mistaken for the end of a list. An error of [json.Unmarshal] is wrapped.
// After an error, e is unchanged. O(length of the JSON).
func (e *Envelope[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var page struct {
		Count    *int   `json:"count"`
		Next     string `json:"next"`
		Previous string `json:"previous"`
		Results  *[]T   `json:"results"`
	}
	err := json.Unmarshal(data, &page)
	switch {
	case err != nil:
		return fmt.Errorf("pagination: decoding a page: %w", err)
	case page.Results == nil:
		return errors.New("pagination: not a page: no results")
	case page.Count == nil:
		page.Count = new(int)
		*page.Count = -1
	case *page.Count < 0:
		return fmt.Errorf("pagination: not a page: count is %d", *page.Count)
	}
	*e = Envelope[T]{*page.Count, page.Next, page.Previous, *page.Results}
	return nil
}

func orNull(link string) *string {
	if link == "" {
		return nil
	}
	return &link
}
