package cataloguetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// A Codec describes a service whose pages are not those of the framework: the parameters of a
// request, the form of a page, and errors. The zero value is that of a service whose pages are bare
// lists, by limit and offset, until one is empty. [GitHub] returns a Codec whose fields may be
// changed. That of a service with pages such as {"data":[…],"meta":{"next":"https://…","total":42}}
// is
//
//	codec := &cataloguetest.Codec{
//		Pages: pagination.Numbers{Size: "per_page"},
//		Next:  "meta.next",
//		Count: "meta.total",
//		Body: func(page cataloguetest.LinkedPage, _ http.Header) any {
//			return map[string]any{"data": page.Records, "meta": map[string]any{"next": page.Next, "total": page.Count}}
//		},
//	}
//
// The paths of lists and records may lack the slash at their end, which the links then lack too.
// The number of a page past the last is that of an empty page. Headers that only the framework
// sends, such as Allow, are absent. Servers may share a Codec. Its functions are called
// concurrently if requests are sent so.
type Codec struct {
	// Pages is the style of the pages, unless [Options].Pages is set; [pagination.Whole] is that of a
	// service without pages, whose Count is that of all records. It has the names of the
	// parameters with the place and the size of a page. Other parameters are those of the
	// framework, after Query has changed them.
	Pages pagination.Style

	// Next and Count are the names of the next link and of the number of all records in a page, for
	// package clienttest: if Count is empty, a client cannot notice that a record is missing.
	Next, Count string

	// Query, if not nil, changes the parameters of a request for a list to those of the framework,
	// such as ordering.
	Query func(query url.Values)

	// Body, if not nil, returns the body of a page, to be encoded as JSON, and may set headers of
	// the response. Otherwise the body is the list of the records.
	Body func(page LinkedPage, header http.Header) any

	// Error, if not nil, returns the status, between 200 and 999, and the body of an error, to be
	// encoded as JSON. Otherwise they are the framework's. Error is called for paths that are not
	// served too, but not for those that only the handler of [Options].Wrap serves.
	Error func(failure Failure) (status int, body any)
}

// A LinkedPage is a page of a service with a [Codec]. Its links are the service's, or empty.
type LinkedPage struct {
	pagination.Envelope[json.RawMessage]
	// First and Last are the links to the first and the last page of a list whose pages have
	// numbers. First is empty on the first page, as Previous is, and Last on the last.
	First, Last string
}

// A Failure is an error response of the framework. It has a Detail or Fields.
type Failure struct {
	Status int    // at least 400
	Name   string // of a record of the collection, such as "film role"; empty at other paths
	Detail string // such as "Not found."

	// Fields are the messages about the fields of a record, or about parameters of a list. Inside
	// another field, the name of a field is a path, such as address.city or lines.0.sku. That of
	// messages about the whole is nonFieldErrors or non_field_errors, or empty.
	Fields map[string][]string
}

// GitHub returns the Codec of services with bare lists, as GitHub has them:
//
//   - Pages have 30 records, or per_page, at most 100. Unless all records are on one page, the header
//     Link has the relations prev, next, last and first. A page that is not a number from 1 is the first.
//   - sort=created orders by created_at or, without such a field, by created. So does any other sort.
//     The order is descending unless direction is asc. A direction without a sort is that of created.
//     Without both, the order is that of the collection. That of GitHub's issues is -created_at.
//   - The body of an error has message, documentation_url and status. Errors of fields have status 422, and
//     errors with resource, field, code and the framework's message. The code is missing_field,
//     already_exists, missing (for a reference) or invalid.
func GitHub() *Codec {
	style := pagination.Numbers{Size: "per_page", Limits: pagination.Limits{Default: 30, Max: 100}}
	return &Codec{Pages: style, Next: "next in the Link header", Query: gitHubQuery, Body: gitHubBody, Error: gitHubError}
}

func gitHubQuery(q url.Values) {
	if n, _ := strconv.Atoi(q.Get("page")); n < 1 {
		q.Del("page")
	}
	if order := cmp.Or(q.Get("sort"), "created"); q.Has("sort") || q.Has("direction") {
		if q.Get("direction") != "asc" {
			order = "-" + order
		}
		q.Set("ordering", order+"_at,"+order) // unknown names are dropped
	}
	q.Del("sort")
	q.Del("direction")
}

func gitHubBody(page LinkedPage, header http.Header) any {
	var links []string
	for _, link := range [...][2]string{{page.Previous, "prev"}, {page.Next, "next"}, {page.Last, "last"}, {page.First, "first"}} {
		if link[0] != "" {
			links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, link[0], link[1]))
		}
	}
	if links != nil {
		header.Set("Link", strings.Join(links, ", "))
	}
	return page.Records
}

func gitHubError(f Failure) (status int, body any) {
	var errors []map[string]string
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		for _, text := range f.Fields[name] {
			errors = append(errors, map[string]string{"resource": strings.Join(wire.Titles(f.Name), ""), "field": name, "code": gitHubCode(text), "message": text})
		}
	}
	switch {
	case errors != nil:
		f.Status, f.Detail = http.StatusUnprocessableEntity, "Validation Failed"
	case f.Status == http.StatusNotFound:
		f.Detail = "Not Found"
	case strings.HasPrefix(f.Detail, "JSON parse error"):
		f.Detail = "Problems parsing JSON"
	}
	return f.Status, struct {
		Message string              `json:"message"`
		Errors  []map[string]string `json:"errors,omitempty"`
		URL     string              `json:"documentation_url"`
		Status  string              `json:"status"`
	}{f.Detail, errors, "https://docs.github.com/rest", strconv.Itoa(f.Status)}
}

// gitHubCode returns the code of a message of the framework about a field.
func gitHubCode(message string) string {
	for _, is := range [...][2]string{
		{"is required.", "missing_field"}, {"may not be null.", "missing_field"}, {"may not be blank.", "missing_field"},
		{"already exists.", "already_exists"}, {"must make a unique set.", "already_exists"}, {"does not exist.", "missing"},
	} {
		if strings.HasSuffix(message, is[0]) {
			return is[1]
		}
	}
	return "invalid"
}

type envelope = pagination.Envelope[json.RawMessage]

// link returns the service's link for one of the framework or, if number is not empty, that to the page
// with that number. It is empty if the framework's is, or if pages have no numbers.
func (c *Codec) link(r *http.Request, is pagination.Traits, link, number string) string {
	u, err := url.Parse(link)
	numbers := is.Counted && !is.Anywhere
	if link == "" || err != nil || number != "" && !numbers {
		return ""
	}
	from, query := u.Query(), r.URL.Query()
	for _, name := range []string{is.Place, is.Size} {
		query[name] = from[name] // if that is nil, Encode leaves it out
	}
	if numbers { // of which the framework omits the first
		query.Set(is.Place, cmp.Or(number, query.Get(is.Place), "1"))
	}
	u.RawQuery = query.Encode()
	if !strings.HasSuffix(r.URL.Path, "/") {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	}
	return u.String()
}

// failure returns the status and the body of an error, given the framework's. The name is that of a record.
func (c *Codec) failure(status int, name string, body []byte) (int, []byte) {
	if c == nil || c.Error == nil {
		return status, body
	}
	var value any
	_ = json.Unmarshal(body, &value) // nil if it is not JSON
	object, _ := value.(map[string]any)
	f := Failure{Status: status, Name: name, Detail: string(body), Fields: map[string][]string{}}
	if detail, ok := object["detail"].(string); ok {
		f.Detail = detail
	} else if f.add("", value); len(f.Fields) > 0 {
		f.Detail = ""
	}
	status, value = c.Error(f)
	return status, marshal(value)
}

// add adds the messages in the framework's errors of the field with a path.
func (f *Failure) add(path string, errors any) {
	path = strings.TrimPrefix(path, ".")
	switch errors := errors.(type) {
	case map[string]any:
		for name, member := range errors {
			f.add(path+"."+name, member)
		}
	case []any:
		for i, item := range errors {
			if text, ok := item.(string); ok {
				f.Fields[path] = append(f.Fields[path], text)
			}
			f.add(path+"."+strconv.Itoa(i), item) // nothing if it is a text
		}
	}
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
func changePage(w *wire.Recorder, is pagination.Traits, change func(page *envelope)) bool {
	page, ok := parsePage(w, is)
	if !ok {
		return false
	}
	encode := func() ([]byte, error) {
		text, err := page.MarshalJSON()
		if err == nil && is.Members == nil { // the records alone
			_, text, _ = bytes.Cut(text[:len(text)-1], []byte(`"results":`))
		}
		return text, err
	}
	before, _ := encode()
	counted := page.Count >= 0
	change(&page)
	if !counted {
		page.Count = -1
	}
	after, err := encode()
	if err != nil || bytes.Equal(before, after) {
		return false
	}
	w.Body = after
	return true
}

// parsePage returns the framework's page of a response, if that has one.
func parsePage(w *wire.Recorder, is pagination.Traits) (page envelope, ok bool) {
	page, ok = wire.ReadPage(w.Body, is)
	return page, ok && w.Status == http.StatusOK
}
