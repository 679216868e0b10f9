package cataloguetest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// A Codec describes a service whose pages are not those of the framework: the parameters of a
// request, where a response has the records and what leads to the next page, and errors. The zero
// value is that of a service whose pages are bare lists, by limit and offset, until one is empty.
// [GitHub], [Data] and [Google] return Codecs, whose fields may be changed.
//
//	gitLab := cataloguetest.GitHub()
//	gitLab.Count = "X-Total header"
//
// The paths of lists and records may lack the slash at their end, which the links then lack too. The
// number of a page past the last is that of an empty page. An invalid token or cursor is an error
// with status 400. Headers that only the framework sends, such as Allow, are absent.
//
// A Codec is not modified, and may be shared by servers. Its functions are called concurrently if
// requests are sent so.
type Codec struct {
	// Pages is the style of the pages, unless [Options.Pages] is set. It determines their sizes,
	// and whether Place is an offset, a number or a cursor.
	Pages pagination.Style

	// Place and Size are the parameters with the place and the size of a page. An empty one is
	// named as that of the style. Other parameters are those of the framework, after Query has
	// changed them.
	Place, Size string

	// Tokens makes Next a token, which a client sends as Place, in place of a link. Tokens are
	// opaque in each style of Pages.
	Tokens bool

	// Records, Count, Next and Previous say where a response has them: in a member of the body,
	// with points between the names of members in which it is, such as meta.total, or in a header,
	// such as "X-Total header". In a "Link header", links have a relation. Findings of package
	// clienttest name them so.
	//
	// If Records is empty, the body is the list of the records. If another one is, pages do not
	// have it, and what needs it does not happen: without Count, a client cannot notice that a
	// record is missing. A link that leads nowhere is null, and such a token is absent.
	Records, Count, Next, Previous string

	// Query, if not nil, changes the parameters of a request for a list to those of the framework,
	// such as ordering. Place and Size have been changed already.
	Query func(query url.Values)

	// Body, if not nil, returns the body of a page, to be encoded as JSON, and may set headers of
	// the response; the names above are then only those of findings. Otherwise the body has the
	// members above. Next and Previous of the page are links or tokens, as in responses, and empty if
	// they lead nowhere.
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
		Pages:    pagination.Numbers{Size: "per_page", Limits: pagination.Limits{Default: 30, Max: 100}},
		Next:     "Link header",
		Previous: "Link header",
		Query: func(q url.Values) {
			order := q.Get("sort")
			if order != "" && q.Get("direction") == "desc" {
				order = "-" + order
			}
			setOrdering(q, order, "sort", "direction")
		},
		Error: func(_ int, detail string) any { return map[string]string{"message": detail} },
	}
}

// Data returns the Codec of services with pages such as
//
//	{"data":[…],"meta":{"next":"https://…","previous":null,"total":42}}
//
// and with the parameters page, per_page and sort, of which -name is descending.
func Data() *Codec {
	return &Codec{
		Pages:    pagination.Numbers{Size: "per_page"},
		Records:  "data",
		Count:    "meta.total",
		Next:     "meta.next",
		Previous: "meta.previous",
		Query:    func(q url.Values) { setOrdering(q, q.Get("sort"), "sort") },
		Error: func(status int, detail string) any {
			return map[string]any{"errors": []any{map[string]string{"status": fmt.Sprint(status), "detail": detail}}}
		},
	}
}

// Google returns the Codec of services with pages such as
//
//	{"items":[…],"nextPageToken":"…"}
//
// and with the parameters pageToken, pageSize and orderBy, such as "name desc, id". The last page has
// no token.
func Google() *Codec {
	return &Codec{
		Pages:   pagination.Cursors{Size: "pageSize"},
		Place:   "pageToken",
		Tokens:  true,
		Records: "items",
		Next:    "nextPageToken",
		Query: func(q url.Values) {
			terms := regexp.MustCompile(`([^ ,]+) desc\b`).ReplaceAllString(q.Get("orderBy"), "-$1")
			setOrdering(q, strings.ReplaceAll(terms, " asc", ""), "orderBy")
		},
		Error: func(status int, detail string) any {
			return map[string]any{"error": map[string]any{"code": status, "message": detail}}
		},
	}
}

// setOrdering sets the ordering of the framework, unless it is empty, and removes parameters that it
// replaces.
func setOrdering(q url.Values, ordering string, replaced ...string) {
	for _, name := range replaced {
		q.Del(name)
	}
	if ordering != "" {
		q.Set("ordering", ordering)
	}
}

// check returns an error if responses cannot have what the codec says.
func (c *Codec) check() error {
	if c == nil || c.Body != nil {
		return nil
	}
	if c.Tokens && c.Next == "" {
		return errors.New("Codec.Tokens: no response has a token; set Next to the name of its member or header")
	}
	inside := func(a, b string) bool { return strings.HasPrefix(a+".", b+".") }
	for _, name := range []string{c.Count, c.Next, c.Previous} {
		isMember := name != "" && !strings.HasSuffix(name, inHeaderName)
		if isMember && (c.Records == "" || inside(name, c.Records) || inside(c.Records, name)) {
			return fmt.Errorf("Codec: a body with its records in %q has no member %q; want another one, or a header such as %q", c.Records, name, "Link header")
		}
	}
	return nil
}

type envelope = pagination.Envelope[json.RawMessage]

// inHeaderName ends the names of headers in a Codec.
const inHeaderName = " header"

// names returns the parameters of a style's traits, as the service names them.
func (c *Codec) names(is pagination.Traits) (place, size string) {
	return cmp.Or(c.Place, is.Place), cmp.Or(c.Size, is.Size)
}

// query translates the query of a request for a list of a style. It reports whether the token is
// valid, if there is one.
func (c *Codec) query(r *http.Request, style pagination.Style) (query url.Values, ok bool) {
	is := pagination.TraitsOf(style)
	place, size := c.names(is)
	query = r.URL.Query()
	at, n := query.Get(place), query.Get(size)
	query.Del(place)
	query.Del(size)
	if c.Tokens && at != "" {
		raw, err := base64.RawURLEncoding.DecodeString(at)
		text, isToken := strings.CutPrefix(string(raw), tokenPrefix)
		if err != nil || !isToken {
			return nil, false
		}
		at = text
	}
	if at != "" {
		query.Set(is.Place, at)
	}
	if n != "" && is.Size != "" {
		query.Set(is.Size, n)
	}
	if c.Query != nil {
		c.Query(query)
	}
	return query, true
}

// tokenPrefix begins the tokens of pages, so that the first page has one too.
const tokenPrefix = "at "

func tokenAt(place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(tokenPrefix + place))
}

// link returns the service's link for one of the framework. Both are empty if they lead nowhere. Of a
// service with tokens, it has a token.
func (c *Codec) link(r *http.Request, style pagination.Style, link string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil {
		return ""
	}
	is := pagination.TraitsOf(style)
	place, size := c.names(is)
	from, query := u.Query(), r.URL.Query()
	switch at := from.Get(is.Place); {
	case c.Tokens:
		query.Set(place, tokenAt(at))
	case at == "":
		query.Del(place)
	default:
		query.Set(place, at)
	}
	if n := from.Get(is.Size); is.Size != "" && n != "" {
		query.Set(size, n)
	}
	u.RawQuery = query.Encode()
	if !strings.HasSuffix(r.URL.Path, "/") {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	}
	return u.String()
}

// target returns what a response has in place of a link of the service.
func (c *Codec) target(link, place string) string {
	u, err := url.Parse(link)
	if !c.Tokens || link == "" || err != nil {
		return link
	}
	return cmp.Or(u.Query().Get(place), tokenAt(""))
}

// encode returns the body of a page whose links are the service's, and sets headers.
func (c *Codec) encode(page envelope, style pagination.Style, header http.Header) []byte {
	place, _ := c.names(pagination.TraitsOf(style))
	page.Next, page.Previous = c.target(page.Next, place), c.target(page.Previous, place)
	if page.Records == nil {
		page.Records = []json.RawMessage{}
	}
	if c.Body != nil {
		return marshal(c.Body(page, header))
	}
	body := map[string]any{}
	put := func(name, relation string, value any) {
		name, isHeader := strings.CutSuffix(name, inHeaderName)
		switch {
		case isHeader && name == "Link" && value != "":
			links := append(header["Link"], fmt.Sprintf(`<%s>; rel="%s"`, value, relation))
			header.Set(name, strings.Join(links, ", "))
		case isHeader && value != "":
			header.Set(name, fmt.Sprint(value))
		case isHeader, name == "", value == "" && c.Tokens:
		case value == "":
			add(body, name, nil)
		default:
			add(body, name, value)
		}
	}
	put(c.Records, "", page.Records)
	put(c.Next, "next", page.Next)
	put(c.Previous, "prev", page.Previous)
	if page.Count >= 0 {
		put(c.Count, "", page.Count)
	}
	if c.Records == "" {
		return marshal(page.Records)
	}
	return marshal(body)
}

// failure returns the body of an error, given the framework's.
func (c *Codec) failure(status int, body []byte) []byte {
	if c.Error == nil {
		return body
	}
	var detail struct{ Detail string }
	if json.Unmarshal(body, &detail) != nil || detail.Detail == "" {
		detail.Detail = string(body)
	}
	return marshal(c.Error(status, detail.Detail))
}

// add adds a member to an object, in the objects that its name says.
func add(object map[string]any, name string, value any) {
	first, rest, inside := strings.Cut(name, ".")
	if !inside {
		object[name] = value
		return
	}
	inner, ok := object[first].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[first] = inner
	}
	add(inner, rest, value)
}

// list returns the records of a saved response, or the text itself if it is no list.
func (c *Codec) list(text []byte) []byte {
	if c == nil || c.Records == "" {
		return text
	}
	list := json.RawMessage(text)
	for name := range strings.SplitSeq(c.Records, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(list, &object) != nil || object[name] == nil {
			return text
		}
		list = object[name]
	}
	return list
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
