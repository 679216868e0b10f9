// Package playhttp performs the operations of package model as requests to a handler.
package playhttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Listing is a record with a field of each kind that has filters, and a reference.
type Listing struct {
	ID         int              `json:"id"`
	Title      string           `json:"title" backlist:"blank"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int              `json:"minutes"`
	Rating     *float64         `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Published  bool             `json:"published"`
	Studio     *int             `json:"studio" backlist:"refers=studios"`
}

// A Studio is what a listing refers to.
type Studio struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"blank"`
}

// Models returns the models of the collections listings and studios.
func Models() (listings, studios *model.Config) {
	words := strings.Fields
	studios = &model.Config{Key: "studios", Whole: true, Fields: []model.Field{
		{Name: "name", Member: "name", Zero: `""`, Like: `""`, Values: words(`"Ealing" "Gainsborough" "Ufa"`)},
	}}
	return &model.Config{Key: "listings", Whole: true, Fields: []model.Field{
		{Name: "title", Member: "title", Zero: `""`, Like: `""`,
			Values: words(`"night" "Night-city" "city-of-NIGHT" "sea" "" "übersee" "ÜBER" "50%_off" "a_b"`)},
		{Name: "status", Member: "status", Zero: `"announced"`, Like: `""`,
			Values: words(`"announced" "released" "withdrawn"`)},
		{Name: "released", Member: "released", Zero: "null", Like: `""`,
			Values: words(`null "1999-12-31" "2008-05-10" "2008-05-11" "2019-01-01"`)},
		{Name: "premiere_at", Member: "premiereAt", Zero: "null", Like: `"2024-05-10T18:00:00Z"`, By: model.Instant,
			Values: words(`null "2024-05-10T18:00:00Z" "2024-05-10T20:00:00+02:00"
				"2024-05-10T19:30:00+02:00" "1969-12-31T23:59:59Z"`)},
		{Name: "minutes", Member: "minutes", Zero: "0", Like: "0", Values: words("0 1 2 7 90 91 -5 12")},
		{Name: "rating", Member: "rating", Zero: "null", Like: "0", Values: words("null 0.5 7.25 8.5 -1.5")},
		{Name: "price", Member: "price", Zero: `"0.00"`, By: model.Decimal,
			Values: words(`"12.00" "7.50" "-0.50" "12.01" "100.00" "0.00"`)},
		{Name: "published", Member: "published", Zero: "false", Like: "true", Values: words("true false")},
		{Name: "studio", Member: "studio", Zero: "null", Like: "0", Refers: "studios", Values: words("null null 1 2 3 4 5 6 7 8")},
	}}, studios
}

func lookup(operator string) string {
	return map[string]string{
		"=": "", "<": "__lt", "<=": "__lte", ">": "__gt", ">=": "__gte", "in": "__in", "between": "__range",
		"null": "__isnull", "notnull": "__isnull",
		"prefix": "__startswith", "contains": "__contains", "icontains": "__icontains",
	}[operator]
}

// Filters returns the filters of listings.
func Filters() []string {
	return strings.Fields(`title title__in title__startswith title__contains title__icontains title__isnull
	status status__in released released__lt released__lte released__gt released__gte released__range released__isnull
	premiere_at premiere_at__lt premiere_at__lte premiere_at__gt premiere_at__gte premiere_at__isnull
	minutes minutes__lt minutes__lte minutes__gt minutes__gte minutes__range minutes__in
	rating rating__lt rating__gte rating__isnull price price__lt price__lte price__gt price__gte price__range published`)
}

// filter returns the parameter of a condition. It returns "" if none exists: an empty
// value selects all, and the answers to invalid ones are tested elsewhere.
func filter(c model.Condition) (name, value string) {
	name = c.Field + lookup(c.Operator)
	switch {
	case !slices.Contains(Filters(), name), c.Operator == "!=", c.Operator == "outside", strings.Contains(c.Value, "null"):
		return "", ""
	case c.Operator == "null", c.Operator == "notnull":
		return name, fmt.Sprint(c.Operator == "null")
	}
	return name, strings.NewReplacer(`"`, "", "[", "", "]", "").Replace(c.Value)
}

// Request returns the operation in the form that requests can have.
func Request(op model.Op, rng *rand.Rand) model.Op {
	op.How = ""
	if op.Verb == "insert" || op.Verb == "update" || op.Verb == "delete" {
		op.How = "checked"
	}
	if op.Verb == "insert" || op.Verb == "update" {
		op.Records = []string{regexp.MustCompile(`"id":-?[0-9]+,?`).ReplaceAllString(op.Records[0], "")} // requests cannot set it
	}
	if strings.Contains(op.Terms, "no_such_field") || strings.Contains(op.Terms, "title") {
		op.Terms = ""
	}
	if op.Verb == "page" && (op.Limit < 1 || op.Limit > 100) {
		op.Limit = 21
	}
	if op.Offset < 0 || op.Offset > 100 {
		op.Offset = 0
	}
	var where []model.Condition
	for _, condition := range op.Where {
		if condition.Operator == "prefix" {
			condition.Operator = []string{"prefix", "contains", "icontains"}[rng.IntN(3)]
		}
		name, value := filter(condition)
		repeated := slices.ContainsFunc(where, func(c model.Condition) bool { n, _ := filter(c); return n == name })
		if name != "" && value != "" && !strings.Contains(","+value+",", ",,") && !repeated {
			where = append(where, condition)
		}
	}
	op.Where = where
	return op
}

// A Player sends operations as requests. It is safe for concurrent use.
type Player struct {
	Handler http.Handler

	mu    sync.Mutex
	pages map[string]map[string]string // by URL and entity tag
	asked int
}

// Start sends an operation. Its result is what finish returns. Half of the requests of
// pages have the tags of earlier answers; then the answer 304 stands for the page with
// its tag.
func (p *Player) Start(op model.Op) (finish func() string) {
	method, path, body := http.MethodGet, "/api/"+op.In+"/", ""
	switch op.Verb {
	case "insert":
		method, body = http.MethodPost, op.Records[0]
	case "update":
		method, body = http.MethodPatch, op.Records[0]
	case "delete":
		method = http.MethodDelete
	}
	if op.ID != 0 {
		path += strconv.Itoa(op.ID) + "/"
	}
	if op.Verb == "count" || op.Verb == "first" {
		op.Offset, op.Limit = 0, 1
	}
	params := url.Values{}
	if op.Verb == "count" || op.Verb == "first" || op.Verb == "page" {
		params.Set("ordering", op.Terms)
		params.Set("limit", strconv.Itoa(op.Limit))
		params.Set("offset", strconv.Itoa(op.Offset))
	}
	for _, c := range op.Where {
		name, value := filter(c)
		params.Set(name, value)
	}
	r := httptest.NewRequest(method, path+"?"+params.Encode(), strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	tags := p.tags(r.URL.String())
	if method == http.MethodGet && len(tags) > 0 {
		r.Header.Set("If-None-Match", strings.Join(slices.Collect(maps.Keys(tags)), ", "))
	}
	answer := httptest.NewRecorder()
	p.Handler.ServeHTTP(answer, r)
	return func() string {
		tag := answer.Header().Get("ETag")
		if answer.Code == http.StatusNotModified {
			answer.Code, answer.Body = http.StatusOK, bytes.NewBufferString(tags[tag])
		} else if !p.remember(r.URL.String(), tag, answer.Body.String()) {
			return "error: another answer has the tag " + tag
		}
		return parsed(op.Verb, answer)
	}
}

// tags returns the remembered answers for a URL by their tags or, every other time, none.
func (p *Player) tags(url string) map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; p.asked%2 == 0 {
		return nil
	}
	return maps.Clone(p.pages[url])
}

// remember remembers an answer by its tag, if there is one. It reports whether no other
// answer has the tag.
func (p *Player) remember(url, tag, body string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, seen := p.pages[url][tag]
	if seen || tag == "" {
		return !seen || before == body
	}
	if len(p.pages[url]) > 8 || p.pages[url] == nil { // keep the headers short
		if p.pages == nil {
			p.pages = map[string]map[string]string{}
		}
		p.pages[url] = map[string]string{}
	}
	p.pages[url][tag] = body
	return true
}

func parsed(verb string, answer *httptest.ResponseRecorder) string {
	var body struct {
		ID      int
		Count   int
		Results []json.RawMessage
	}
	text := strings.TrimSpace(answer.Body.String())
	if err := json.Unmarshal([]byte(text), &body); err != nil && answer.Code != http.StatusNoContent {
		return err.Error()
	}
	var records []string
	for _, r := range body.Results {
		records = append(records, string(r))
	}
	switch {
	case answer.Code == http.StatusConflict:
		return "error: referred to"
	case answer.Code == http.StatusBadRequest && strings.Contains(text, "object does not exist"):
		return "error: no such reference"
	case answer.Code == http.StatusNotFound, verb == "first" && answer.Code == http.StatusOK && len(records) == 0:
		return "error: not found"
	case answer.Code >= http.StatusBadRequest:
		return fmt.Sprint(answer.Code, " ", text)
	}
	switch verb {
	case "insert":
		return fmt.Sprint("id ", body.ID)
	case "delete":
		return "ok"
	case "count":
		return fmt.Sprint(body.Count)
	case "first":
		return records[0]
	case "page":
		return model.Page(body.Count, records)
	}
	return text
}
