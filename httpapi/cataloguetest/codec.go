package cataloguetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// A Codec describes a service whose pages are not those of the framework: the parameters of a
// request, the form of a page, and errors. The zero value is that of a service whose pages are bare
// lists, by limit and offset, until one is empty. [GitHub] returns a Codec whose fields may be changed.
// That of a service with pages such as {"data":[…],"meta":{"next":"https://…","total":42}} is
//
//	codec := &cataloguetest.Codec{
//		Pages: pagination.Numbers{Size: "per_page"},
//		Next:  "meta.next",
//		Count: "meta.total",
//		Body: func(page pagination.Envelope[json.RawMessage], _ http.Header) any {
//			return map[string]any{"data": page.Records, "meta": map[string]any{"next": page.Next, "total": page.Count}}
//		},
//	}
//
// The paths of lists and records may lack the slash at their end, which the links then lack too. The
// number of a page past the last is that of an empty page. Headers that only the framework sends, such
// as Allow, are absent.
//
// A Codec is not modified, and may be shared by servers. Its functions are called concurrently if
// requests are sent so.
type Codec struct {
	// Pages is the style of the pages, unless [Options.Pages] is set. It has the names of the
	// parameters with the place and the size of a page. Other parameters are those of the framework,
	// after Query has changed them.
	Pages pagination.Style

	// Next and Count are the names of what pages have: the next link and the number of all records.
	// Package clienttest calls them so, and omits what cannot be wrong: if Count is empty, a client
	// cannot notice that a record is missing.
	Next, Count string

	// Query, if not nil, changes the parameters of a request for a list to those of the framework,
	// such as ordering.
	Query func(query url.Values)

	// Body, if not nil, returns the body of a page, to be encoded as JSON, and may set headers of
	// the response. Next and Previous of the page are links of the service, and empty if they lead
	// nowhere. Otherwise the body is the list of the records.
	Body func(page pagination.Envelope[json.RawMessage], header http.Header) any

	// Error, if not nil, returns the body of an error, to be encoded as JSON. The detail is the
	// framework's, or the JSON of the errors of a record that is not valid. Otherwise the body is
	// the framework's.
	Error func(status int, detail string) any
}

// GitHub returns the Codec of services with bare lists, links in the header Link with the relations
// next and prev, and the parameters page, per_page, sort and direction, as GitHub has them. Pages have
// 30 records, or at most 100.
func GitHub() *Codec {
	return &Codec{
		Pages: pagination.Numbers{Size: "per_page", Limits: pagination.Limits{Default: 30, Max: 100}},
		Next:  "next in the Link header",
		Query: func(q url.Values) {
			order := q.Get("sort")
			if order != "" && q.Get("direction") == "desc" {
				order = "-" + order
			}
			if order != "" {
				q.Set("ordering", order)
			}
			q.Del("sort")
			q.Del("direction")
		},
		Body: func(page envelope, header http.Header) any {
			var links []string
			for _, link := range [][2]string{{page.Next, "next"}, {page.Previous, "prev"}} {
				if link[0] != "" {
					links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, link[0], link[1]))
				}
			}
			if links != nil {
				header.Set("Link", strings.Join(links, ", "))
			}
			return page.Records
		},
		Error: func(_ int, detail string) any { return map[string]string{"message": detail} },
	}
}

type envelope = pagination.Envelope[json.RawMessage]

// query returns the framework's query of a request for a list.
func (c *Codec) query(r *http.Request) url.Values {
	query := r.URL.Query()
	if c.Query != nil {
		c.Query(query)
	}
	return query
}

// link returns the service's link for one of the framework. Both are empty if they lead nowhere.
func (c *Codec) link(r *http.Request, style pagination.Style, link string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil {
		return ""
	}
	is := pagination.TraitsOf(style)
	from, query := u.Query(), r.URL.Query()
	for _, name := range []string{is.Place, is.Size} {
		if query.Del(name); from.Has(name) {
			query.Set(name, from.Get(name))
		}
	}
	u.RawQuery = query.Encode()
	if !strings.HasSuffix(r.URL.Path, "/") {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	}
	return u.String()
}

// failure returns the body of an error, given the framework's.
func (c *Codec) failure(status int, body []byte) []byte {
	if c == nil || c.Error == nil {
		return body
	}
	var detail struct{ Detail string }
	if json.Unmarshal(body, &detail) != nil || detail.Detail == "" {
		detail.Detail = string(body)
	}
	return marshal(c.Error(status, detail.Detail))
}

func marshal(value any) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return wire.Detail(err.Error())
	}
	return bytes.TrimSuffix(body.Bytes(), []byte("\n"))
}

// changePage changes the framework's page of a response, and reports whether it has.
func changePage(w *wire.Recorder, change func(page *envelope)) bool {
	page, ok := parsePage(w)
	if !ok {
		return false
	}
	before, _ := page.MarshalJSON()
	counted := page.Count >= 0
	change(&page)
	if !counted {
		page.Count = -1
	}
	after, err := page.MarshalJSON()
	if err != nil || bytes.Equal(before, after) {
		return false
	}
	w.Body = after
	return true
}

// parsePage returns the framework's page of a response, if that has one.
func parsePage(w *wire.Recorder) (page envelope, ok bool) {
	err := json.Unmarshal(w.Body, &page)
	return page, err == nil && page.Records != nil && w.Status == http.StatusOK // null unmarshals without error
}
