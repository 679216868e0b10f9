package catalogue_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A listing is a record with a field of each kind that has filters.
type listing struct {
	ID         int              `json:"id"`
	Title      string           `json:"title" backlist:"blank"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int              `json:"minutes"`
	Rating     *float64         `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Published  bool             `json:"published"`
}

func listings() *model.Config {
	words := strings.Fields
	return &model.Config{Fields: []model.Field{
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
	}}
}

var lookups = map[string]string{
	"=": "", "<": "__lt", "<=": "__lte", ">": "__gt", ">=": "__gte", "in": "__in", "between": "__range",
	"null": "__isnull", "notnull": "__isnull",
	"prefix": "__startswith", "contains": "__contains", "icontains": "__icontains",
}

var listingFilters = strings.Fields(`title title__in title__startswith title__contains title__icontains title__isnull
	status status__in released released__lt released__lte released__gt released__gte released__range released__isnull
	premiere_at premiere_at__lt premiere_at__lte premiere_at__gt premiere_at__gte premiere_at__isnull
	minutes minutes__lt minutes__lte minutes__gt minutes__gte minutes__range minutes__in
	rating rating__lt rating__gte rating__isnull price price__lt price__lte price__gt price__gte price__range published`)

// filter returns the parameter of a condition. It returns "" if there is none: an empty
// value selects all, and the answers to invalid ones are tested elsewhere.
func filter(c model.Condition) (name, value string) {
	name = c.Field + lookups[c.Operator]
	switch {
	case !slices.Contains(listingFilters, name), strings.Contains(c.Value, "null"):
		return "", ""
	case c.Operator == "null", c.Operator == "notnull":
		return name, fmt.Sprint(c.Operator == "null")
	}
	return name, strings.NewReplacer(`"`, "", "[", "", "]", "").Replace(c.Value)
}

var givenID = regexp.MustCompile(`"id":[0-9]+,?`)

// overHTTP returns the operation in the form that requests can have.
func overHTTP(op model.Op, rng *rand.Rand) model.Op {
	op.How = ""
	if op.Verb == "insert" || op.Verb == "upsert" {
		op.Verb = "insert"
	} else if op.Verb == "update" {
		op.Records = []string{givenID.ReplaceAllString(op.Records[0], "")} // requests cannot change it
	}
	if strings.Contains(op.Terms, "no_such_field") || strings.Contains(op.Terms, "title") {
		op.Terms = ""
	}
	if op.Limit < 1 || op.Limit > 100 {
		op.Limit = 21
	}
	if op.Offset < 0 || op.Offset > 100 {
		op.Offset = 0
	}
	var where []model.Condition
	for _, condition := range op.Where {
		if condition.Operator == "prefix" {
			condition.Operator = pick(rng, "prefix", "contains", "icontains")
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

// complete returns a record with all members but the id.
func complete(text string, c *model.Config) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		panic(err)
	}
	var list []string
	for _, f := range c.Fields {
		list = append(list, fmt.Sprintf("%q:%s", f.Member, or(string(members[f.Member]), f.Zero)))
	}
	return "{" + strings.Join(list, ",") + "}"
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// TestModelHTTP plays random operations as requests to a handler, and compares the answers
// with those of the model.
func TestModelHTTP(t *testing.T) {
	lower := ordering.FieldKey("title", func(s string) sortkey.Key { return sortkey.Text(strings.ToLower(s)) })
	typed := func(o catalogue.Options) catalogue.AnyDefinition { return catalogue.Define[listing]("listings", o) }
	open := func(o catalogue.Options) catalogue.AnyDefinition {
		return catalogue.Define[schema.Record]("listings", o)
	}
	for _, test := range []struct {
		name   string
		define func(catalogue.Options) catalogue.AnyDefinition
		keys   []ordering.KeyFunc
	}{
		{"typed", typed, nil},
		{"open", open, nil},
		{"typed, with a key function", typed, []ordering.KeyFunc{lower}},
		{"open, with a key function", open, []ordering.KeyFunc{lower}},
	} {
		t.Run(test.name, func(t *testing.T) {
			about, err := schema.DescriptionOf[listing]("listings")
			must(t, err)
			about.Filters = listingFilters
			seed := modelSeed(t)
			c, rng := listings(), rand.New(rand.NewPCG(seed, 1))
			verbs := strings.Fields("insert insert update delete get count page page page first")
			r := &model.Random{Rand: rng, Config: c, Size: 60, Verbs: verbs}
			var ops []model.Op
			for w := model.New(c); len(ops) < modelSteps(t)/20; {
				op := overHTTP(r.Op(w), rng)
				if _, result := w.Do(op); result == "error: invalid condition" {
					op.Where = nil
				}
				w, _ = w.Do(op)
				ops = append(ops, op)
			}
			fails := func(ops []model.Op) string {
				cat, err := catalogue.New(test.define(catalogue.Options{Description: &about, Keys: test.keys}))
				must(t, err)
				return failsOverHTTP(t, cat, c, ops)
			}
			if fails(ops) != "" {
				ops = model.Shrink(ops, func(ops []model.Op) bool { return fails(ops) != "" })
				t.Errorf("BACKLIST_MODEL_SEED=%d: this script fails:\n%s", seed, fails(ops))
			}
		})
	}
}

// failsOverHTTP sends operations until one has a wrong answer. It returns the operations and
// the results, or "" if there is none.
func failsOverHTTP(t *testing.T, cat *catalogue.Catalogue, c *model.Config, ops []model.Op) string {
	handler, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	script := ""
	for w := model.New(c); len(ops) > 0; ops = ops[1:] {
		op := ops[0]
		if op.Verb == "insert" {
			op.Records = []string{complete(op.Records[0], c)} // no member has a default
		}
		next, want := w.Do(op)
		if strings.HasPrefix(want, "was ") {
			_, want = next.Do(model.Op{Verb: "get", ID: op.ID})
		}
		w, script = next, script+op.String()+"\n"
		if got := request(handler, op); got != want {
			return fmt.Sprintf("%s# got:  %s\n# want: %s", script, got, want)
		}
	}
	must(t, cat.Check())
	return ""
}

// request sends an operation as a request and returns its result.
func request(handler http.Handler, op model.Op) string {
	method, path, body := http.MethodGet, "/api/listings/", ""
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
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return parsed(op.Verb, answer)
}

// parsed returns the result in an answer.
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
