package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// An issue is a record of each collection of the service with which pages were recorded.
type issue[M any] struct {
	ID        int     `json:"id"`
	Name      string  `json:"name" backlist:"maxlength=100"`
	Kind      string  `json:"kind" backlist:"choices=note|news|review,default=note"`
	Rank      *int32  `json:"rank"`
	Price     string  `json:"price" backlist:"decimal=8.2,default=0.00"`
	Published bool    `json:"published" backlist:"default=false"`
	Day       *string `json:"day" backlist:"date"`
	Created   M       `json:"created" backlist:"default=now"`
}

func newRecordedPages(t testing.TB) *catalogue.Catalogue { return recordedPages[time.Time](t) }

// recordedPages returns the collections of the service. Their times have the type M.
func recordedPages[M any](t testing.TB) *catalogue.Catalogue {
	t.Helper()
	define := func(key, name string, about schema.Description) catalogue.AnyDefinition {
		about.Name = name
		about.Search = []string{"name"}
		about.Filters = []string{
			"kind", "kind__in", "rank", "rank__gte", "rank__lte", "rank__isnull", "published", "created__gte", "created__lte",
		}
		return catalogue.Define[issue[M]](key, catalogue.Options{Description: &about, Now: func() time.Time { return ownNow }})
	}
	limits := pagination.Limits{Default: 10, Max: 50}
	c := mustCatalogue(t,
		define("numbers", "number", schema.Description{Pages: pagination.Numbers{Limits: limits}}),
		define("sheets", "sheet", schema.Description{Pages: pagination.Numbers{Limits: limits, Page: "p", Size: "page_size"}}),
		define("stories", "story", schema.Description{
			Ordering: []ordering.Term{ordering.Desc("created")}, Sortable: []string{},
			Pages: pagination.Cursors{Limits: pagination.Limits{Default: 7, Max: 50}, Size: "page_size"},
		}),
		define("entries", "entry", schema.Description{
			Ordering: []ordering.Term{ordering.Desc("created"), ordering.Asc("name")},
			Pages:    pagination.Cursors{Limits: limits},
		}),
	)
	loadFile(t, c, "testdata/pages/dataset.json")
	return c
}

// TestPagesVectors replays the requests that were recorded from a service with pages by number
// and by cursor. Of the links by cursor, only those differ behind which the framework has other
// records than the ones that follow: in their place is one that leads to these. Two recorded pages
// end before records that are null.
func TestPagesVectors(t *testing.T) {
	t.Run("time.Time", func(t *testing.T) { replayPages(t, newRecordedPages(t)) })
	t.Run("schema.DateTime", func(t *testing.T) { replayPages(t, recordedPages[schema.DateTime](t)) })
}

func replayPages(t *testing.T, c *catalogue.Catalogue) {
	tokens, ends, nulls := 0, 0, 0
	replayAll(t, c, "testdata/pages/vectors.jsonl", 577, func(h http.Handler, v *vector) {
		if v.Want.Page == nil || v.Request.Method != "GET" {
			return
		}
		_, text := v.do(h)
		got := readPage(text)
		if v.Request.Target == "/api/entries/?cursor=bz04JnA9ODgy&ordering=rank" || v.Request.Target == "/api/entries/?cursor=cD05OTk5OTk5OTk5&ordering=rank" {
			nulls++
			equal(t, v.Request.Target+": records", 10, len(got.IDs))
			v.Want.Page = got
			return
		}
		links := [2]**string{&v.Want.Page.Next, &v.Want.Page.Previous}
		for i, own := range [2]*string{got.Next, got.Previous} {
			recorded := *links[i]
			if own == nil || recorded == nil || *own == *recorded {
				continue
			}
			if strings.Contains(*own, "cursor=n") || strings.Contains(*own, "cursor=p") {
				tokens++
			} else {
				ends++
				equal(t, v.Request.Target+": records of a page after which there are none", 0, len(got.IDs))
			}
			if behind := idsOf(h, *own); slices.Equal(behind, idsOf(h, *recorded)) {
				t.Errorf("%s: the link %s leads to the same records as %s, %v", v.Request.Target, *own, *recorded, behind)
			}
			text = strings.Replace(text, wire.Quote(*own), wire.Quote(*recorded), 1)
			*links[i] = own
		}
		if sum := readPage(text).SHA256; sum == v.Want.Page.SHA256 { // but for the links
			v.Want.Page.SHA256 = got.SHA256
		}
	})
	equal(t, "links with tokens, to the end or the start, and pages with nulls", []int{60, 10, 2}, []int{tokens, ends, nulls})
}

// idsOf returns the ids of the records of a page.
func idsOf(h http.Handler, link string) (ids []any) {
	return readPage(get(h, strings.TrimPrefix(link, "{base}")).Body).IDs
}

// A listFunc is the List of a collection.
type listFunc struct {
	about schema.Description
	list  func(q catalogue.Query) (catalogue.Listing, error)
}

func (c listFunc) Description() schema.Description { return c.about }

func (c listFunc) List(_ context.Context, q catalogue.Query) (catalogue.Listing, error) {
	return c.list(q)
}

// The last page is read again if the count changes in between, but not for ever.
func TestLastPageWhileCountChanges(t *testing.T) {
	const page = `{"count":%d,"next":%s,"previous":"http://host.example/api/films/?page=%d","results":[%s]}`
	next := `"http://host.example/api/films/?page=4"`
	for _, tt := range []struct {
		reason string
		counts []int // of the calls of List
		asked  []int // offsets, after the first
		want   string
	}{
		{"no change", []int{21, 21}, []int{20}, fmt.Sprintf(page, 21, "null", 2, `{"id":21}`)},
		{"deletions", []int{50, 21, 21}, []int{40, 20}, fmt.Sprintf(page, 21, "null", 2, `{"id":21}`)},
		{"two replicas of a database", []int{31, 21, 31, 21, 31}, []int{30, 20}, fmt.Sprintf(page, 31, next, 2, `{"id":21},{"id":22}`)},
		{"deletions without end", []int{50, 31, 20}, []int{40, 30}, fmt.Sprintf(page, 20, "null", 3, ``)},
	} {
		var asked []int
		films := listFunc{schema.Description{Key: "films", Segment: "films", Name: "film", Actions: schema.List}, func(q catalogue.Query) (catalogue.Listing, error) {
			list := catalogue.Listing{Count: tt.counts[len(asked)]}
			asked = append(asked, q.Window.Offset)
			start, end := q.Window.Bounds(list.Count)
			for i := start; i < min(end, start+2); i++ {
				list.Records = append(list.Records, fmt.Appendf(nil, `{"id":%d}`, i+1))
			}
			return list, nil
		}}
		h, err := NewHandler([]Collection{films}, Options{Pages: pagination.Numbers{Limits: pagination.Limits{Default: 10}}})
		must(t, err)
		got := get(h, "/api/films/?page=last")
		equal(t, tt.reason, tt.want, got.Body)
		equal(t, fmt.Sprintf("%s: offsets", tt.reason), tt.asked, asked[1:])
	}
}

func TestInvalidPages(t *testing.T) {
	cursors := pagination.Cursors{}
	for _, row := range []struct {
		reason string
		about  schema.Description
		pages  pagination.Style
		want   string // part of the error
	}{
		{"a parameter that is a filter", schema.Description{Filters: []string{"rank"}}, pagination.Numbers{Page: "rank"}, `filter "rank" is another parameter`},
		{"a parameter that is another one", schema.Description{}, pagination.Numbers{Page: "ordering"}, `parameter "ordering" of orderings`},
		{"the parameter of orderings", schema.Description{OrderingParam: "page"}, pagination.Numbers{}, `parameter "page" of`},
		{"the parameter of searches", schema.Description{SearchParam: "page", Search: []string{"title"}}, pagination.Numbers{}, `parameter "page" of`},
		{"the format", schema.Description{}, pagination.Numbers{Page: "format"}, `the parameter "format"`},
		{"a parameter twice", schema.Description{}, pagination.Numbers{Size: "page"}, `the parameter "page"`},
		{"a default order by a list", schema.Description{Ordering: []ordering.Term{ordering.Asc("tags")}}, cursors, `"tags" is none`},
		{"a collection that has no positions", schema.Description{}, cursors, "with Positions"},
		{"a style of the description", schema.Description{Pages: cursors}, nil, "with Positions"},
	} {
		about := row.about
		about.Key, about.Segment, about.Name, about.Actions = "films", "films", "film", schema.List
		about.Fields = []schema.Field{{Name: "title", Kind: schema.Text}, {Name: "rank", Kind: schema.Integer}, {Name: "tags", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}}}
		_, err := NewHandler([]Collection{listFunc{about: about}}, Options{Pages: row.pages})
		if !errors.Is(err, ErrInvalidConfig) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want one with %s", row.reason, err, row.want)
		}
	}
}

// The links of a page that is served are served, in any style: of the longest queries, and of
// records whose positions are long. They lead to each record once, in both directions.
func TestLinksAreServed(t *testing.T) {
	type text struct {
		ID   int    `json:"id"`
		Text string `json:"text" backlist:"untrimmed"`
	}
	d := catalogue.Define[text]("texts", catalogue.Options{})
	c := mustCatalogue(t, d)
	texts, err := d.In(c)
	must(t, err)
	for i := range 60 { // each third text is long, and equal to another one, or has U+0000
		_, err := texts.Insert(text{Text: strings.Repeat([]string{"é", "\x00", "a"}[i%3], []int{10_000, i % 5, 1 + i%7}[i%3]) + strconv.Itoa(i/6)})
		must(t, err)
	}
	seven := pagination.Limits{Default: 7}
	for _, style := range []pagination.Style{
		seven, pagination.Numbers{Limits: seven, Size: "size"}, pagination.Numbers{Limits: seven, Page: "page[number]"},
		pagination.Cursors{Limits: seven}, pagination.Cursors{Limits: seven, Size: "size"},
	} {
		h := mustHandler(t, c, Options{Pages: style})
		is := pagination.TraitsOf(style)
		for reason, query := range map[string]string{
			"short": "", "by texts": "ordering=text", "by texts, descending": "ordering=-text",
			"the longest":         "x=" + sized("x", 16382),
			"many parameters":     sized("a&", 1999),
			"escaped in links":    sized("\xff", 1820),
			"a name alone":        sized("x", 16383),
			"the longest, a size": url.QueryEscape(is.Size) + "=7&x=" + sized("x", 16382-len("size=7&")),
		} {
			all := [2]map[int]bool{{}, {}}
			last, steps := "/api/texts/?"+query, 0
			for back, seen := range all {
				for target := last; target != ""; steps++ {
					var page struct {
						Next, Previous string
						Results        []text
					}
					got := get(h, target)
					if err := json.Unmarshal([]byte(got.Body), &page); err != nil || got.Status != 200 || steps > 40 {
						t.Fatalf("%T, %s: %.100s after %d pages: %d %.200s", style, reason, target, steps, got.Status, got.Body)
					}
					for _, r := range page.Results {
						if seen[r.ID] {
							t.Errorf("%T, %s: record %d is on two pages", style, reason, r.ID)
						}
						seen[r.ID] = true
					}
					last = target
					target = strings.TrimPrefix([]string{page.Next, page.Previous}[back], "http://host.example")
				}
				if len(seen) != 60 {
					t.Errorf("%T, %s: %d records, want 60", style, reason, len(seen))
				}
			}
		}
	}
}
