package cataloguetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// Compare sends the same requests to a fake and to the service that it stands for, one after
// another, and fails the test where the responses differ. It proves that a fake still is its
// service:
//
//	func TestFakeIsTheService(t *testing.T) {
//		server := cataloguetest.NewWith(t, cataloguetest.Options{Fixtures: os.DirFS("testdata")})
//		server.Compare(t, cataloguetest.Live{
//			URL:       os.Getenv("CATALOGUE_URL"), // empty in CI: the recording is compared
//			Recording: "testdata/catalogue.jsonl",
//			Volatile:  []string{"updatedAt"},
//		},
//			httptest.NewRequest("GET", "/api/events/?limit=3", nil),
//			httptest.NewRequest("GET", "/api/events/99999999/", nil))
//	}
//
// Of a request, the method, the path, the query, the header and the body count. Each difference
// is reported with its place, such as results[2].name, its kind, and both values. Its kind is one
// of
//
//   - status;
//   - header: of the headers that the fake sends, except Date, Server, ETag, Content-Length and
//     Set-Cookie, and of Live.Headers;
//   - member: a value, or the presence of a member;
//   - count: the member count, or a list that has other records, or more or fewer of them;
//   - order: a list that has the same records in another order;
//   - body: of responses that are not JSON.
//
// The order of the members of an object does not count. URLs are compared by path and query, apart
// from the path of Live.URL. At most ten differences of a request are reported.
//
// Compare calls tb.Fatalf if a request cannot be sent, or if the recording cannot be written or
// read, or is of other requests. It is written after all requests have been answered.
// O(size of the responses).
func (s *Server) Compare(tb testing.TB, live Live, requests ...*http.Request) {
	tb.Helper()
	c := comparison{Live: live, server: s, ids: map[string]string{}, fakes: map[string]string{}}
	rec, err := newRecording(live, s.URL)
	for i := 0; i < len(requests) && err == nil; i++ {
		r, body := requests[i], []byte(nil)
		if r.Body != nil {
			body, err = io.ReadAll(r.Body)
		}
		if err == nil {
			err = c.request(rec, r, body)
		}
		if more := len(c.found) - maxDifferences; more > 0 {
			c.found = append(c.found[:maxDifferences], fmt.Sprintf("and %d more", more))
		}
		if len(c.found) > 0 {
			tb.Errorf("%s: the service and its fake differ:\n  %s", requested(r), strings.Join(c.found, "\n  "))
		}
	}
	if err == nil {
		err = rec.write()
	}
	if err != nil {
		tb.Fatalf("cataloguetest: Compare: %v", err)
	}
}

const maxDifferences = 10 // of a request that are reported

// A comparison compares a fake with a service.
type comparison struct {
	Live
	server *Server
	ids    map[string]string // ids of the service by paths of records of the fake
	fakes  map[string]string // and the other way round

	collection string   // path of the collection of the current request
	identity   string   // member that identifies its records
	found      []string // differences of the current request
}

// request compares the responses to a request.
func (c *comparison) request(rec *recording, r *http.Request, body []byte) error {
	paths := c.server.faults.paths
	c.found, c.collection = nil, paths.canonical(r.URL.Path)
	if collection, _, ok := wire.SplitRecord(c.collection); ok && paths.at(collection).Key != "" {
		c.collection = collection
	}
	c.identity = paths.at(c.collection).Identity().Name
	got, err := answerTo(r, c.server.Client, c.server.URL, r.URL.EscapedPath(), body, c.server.URL)
	if err != nil {
		return err
	}
	want, err := rec.next(r, translated(r.URL.EscapedPath(), c.collection, c.ids), body)
	if err == nil {
		c.compare(want, got)
	}
	return err
}

// translated returns the path of a record of the other side, if its id is known.
func translated(path, collection string, ids map[string]string) string {
	record := strings.TrimSuffix(path, "/")
	if id, ok := ids[record]; ok {
		return collection + id + path[len(record):]
	}
	return path
}

func (c *comparison) differ(place, kind, live, fake string) {
	c.found = append(c.found, fmt.Sprintf("%s (%s): %s, fake %s", cmp.Or(place, "body"), kind, brief(live), brief(fake)))
}

func brief(text string) string { return fake.Truncate(cmp.Or(text, "none"), maxLine) }

// jsonOf returns the JSON of a value.
func jsonOf(value any) string {
	if text, ok := value.(string); ok {
		return wire.Quote(text)
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// usualHeaders are not compared unless Live.Headers has them.
var usualHeaders = [...]string{"Date", "Server", "Etag", "Content-Length", "Set-Cookie"}

// compare compares two responses.
func (c *comparison) compare(live, fake answer) {
	if live.Status != fake.Status {
		c.differ("status", "status", strconv.Itoa(live.Status), strconv.Itoa(fake.Status))
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(fake.Header)), func(name string) bool {
		return slices.Contains(usualHeaders[:], name)
	})
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(names, c.Headers...)))) {
		l, f := strings.Join(live.Header.Values(name), ", "), strings.Join(fake.Header.Values(name), ", ")
		if c.target(l, c.fakes) != c.target(f, nil) {
			c.differ(name, "header", l, f)
		}
	}
	l, isJSON := decode(live.Body)
	f, ok := decode(fake.Body)
	switch {
	case ok && isJSON:
		c.values("", l, f)
	case live.Body != fake.Body:
		c.differ("", "body", live.Body, fake.Body)
	}
}

// decode returns the value of a body, if it is JSON.
func decode(body string) (value any, ok bool) {
	in := json.NewDecoder(strings.NewReader(body))
	in.UseNumber()
	ok = json.Valid([]byte(body)) && in.Decode(&value) == nil
	return value, ok
}

// target returns the path and the query of a URL, or any other text itself.
func (c *comparison) target(text string, ids map[string]string) string {
	link, err := url.Parse(text)
	if err != nil || link.Host == "" {
		return text
	}
	link.Path = translated(link.Path, c.collection, ids)
	return link.RequestURI()
}

// values compares the values at a place of two bodies.
func (c *comparison) values(place string, live, fake any) {
	switch l := live.(type) {
	case map[string]any:
		if f, ok := fake.(map[string]any); ok {
			c.objects(place, l, f)
			return
		}
	case []any:
		if f, ok := fake.([]any); ok {
			c.lists(place, l, f)
			return
		}
	}
	l, isText := live.(string)
	f, ok := fake.(string)
	if ok && isText && c.target(l, c.fakes) == c.target(f, nil) || live == fake {
		return
	}
	kind := "member"
	if place == "count" {
		kind = place
	}
	c.differ(place, kind, jsonOf(live), jsonOf(fake))
}

func (c *comparison) objects(place string, live, fake map[string]any) {
	isRecord := !strings.Contains(place, ".")
	names := slices.AppendSeq(slices.Collect(maps.Keys(live)), maps.Keys(fake))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		at := strings.TrimPrefix(place+"."+name, ".")
		l, has := live[name]
		f, fakeHas := fake[name]
		switch {
		case !has || !fakeHas:
			c.differ(at, "member", presence(has), presence(fakeHas))
		case slices.Contains(c.Volatile, name), c.MapIDs && isRecord && name == c.identity && c.maps(l, f):
		default:
			c.values(at, l, f)
		}
	}
}

func presence(has bool) string {
	if has {
		return "present"
	}
	return "absent"
}

// maps reports whether two ids are of the same record, which may have been seen before.
func (c *comparison) maps(live, fake any) bool {
	l, f := fmt.Sprint(live), fmt.Sprint(fake)
	ofLive, ofFake := c.collection+l, c.collection+f
	if c.ids[ofFake] == "" && c.fakes[ofLive] == "" {
		c.ids[ofFake], c.fakes[ofLive] = l, f
	}
	return c.ids[ofFake] == l && c.fakes[ofLive] == f
}

func (c *comparison) lists(place string, live, fake []any) {
	l, f := c.idsOf(live), c.idsOf(fake)
	switch {
	case len(live) == len(fake) && (c.MapIDs || slices.Equal(l, f)):
		for i := range live {
			c.values(fmt.Sprintf("%s[%d]", place, i), live[i], fake[i])
		}
	case slices.Equal(slices.Sorted(slices.Values(l)), slices.Sorted(slices.Values(f))):
		c.differ(place, "order", strings.Join(l, " "), strings.Join(f, " "))
	default:
		c.differ(place, "count", strings.Join(l, " "), strings.Join(f, " "))
	}
}

// idsOf returns the ids of records, and of other values their texts.
func (c *comparison) idsOf(list []any) []string {
	ids := make([]string, len(list))
	for i, value := range list {
		if record, ok := value.(map[string]any); ok {
			value = cmp.Or(record[c.identity], any(""))
		}
		ids[i] = fmt.Sprint(value)
	}
	return ids
}
