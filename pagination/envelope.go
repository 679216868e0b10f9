package pagination

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotPage is the error, for [errors.Is], of JSON that is well formed but not
// the object that an [Envelope] stands for.
var ErrNotPage = errors.New("pagination: not a page")

// Envelope is the object that the service answers a request for a page with.
type Envelope[T any] struct {
	// Count is the number of records in the whole list.
	Count int
	// Next and Previous are the URLs of the neighbouring pages, "" for null.
	Next, Previous string
	// Records are the records of this page. Nil is an empty page.
	Records []T
}

// MarshalJSON returns {"count":…,"next":…,"previous":…,"results":[…]} in this
// order, without white space. An empty link is null, and nil Results are [].
//
// '<', '>' and '&' are not escaped, as the service does not; but [json.Marshal]
// escapes them in what it is given by this method. To keep them take a
// [json.Encoder] with SetEscapeHTML(false). Errors are those of encoding the
// records. The cost is that of encoding the records.
func (e Envelope[T]) MarshalJSON() ([]byte, error) {
	// Pointers, so that bytes are an array like all else and not base64.
	results := make([]*T, len(e.Records))
	for i := range e.Records {
		results[i] = &e.Records[i]
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Count    int     `json:"count"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
		Results  []*T    `json:"results"`
	}{e.Count, orNull(e.Next), orNull(e.Previous), results})
	if err != nil {
		return nil, fmt.Errorf("pagination: encoding a page: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON is the inverse of [Envelope.MarshalJSON]. A link that is null or
// absent is "", and members with other names are ignored. Results are in new
// memory, and not nil.
//
// An object in which count or results are absent or null, or count is negative, is
// no page: it gives [ErrNotPage], so that an error document of a service is not
// taken for the end of a list. Other errors are those of [json.Unmarshal]. After
// an error e is as before, and so it is after a JSON null, as is the custom of
// encoding/json. The cost is that of decoding the records.
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
	if err := json.Unmarshal(data, &page); err != nil {
		return fmt.Errorf("pagination: decoding a page: %w", err)
	}
	switch {
	case page.Count == nil:
		return fmt.Errorf("%w: no count", ErrNotPage)
	case *page.Count < 0:
		return fmt.Errorf("%w: count is %d", ErrNotPage, *page.Count)
	case page.Results == nil:
		return fmt.Errorf("%w: no results", ErrNotPage)
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
