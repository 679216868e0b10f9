package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/broken"
	"github.com/gobacklist/backlist/ordering"
)

// A ware has a field of each kind, in objects and lists too.
type ware struct {
	ID         int               `json:"id"`
	Name       string            `json:"name" backlist:"minlength=2,maxlength=40"`
	Nickname   string            `json:"nickname" backlist:"untrimmed,blank,maxlength=12"`
	Phone      string            `json:"phone" backlist:"blank,maxlength=16"`
	SKU        string            `json:"sku" backlist:"maxlength=8"`
	Slug       string            `json:"slug" backlist:"unicodeslug,unique,maxlength=30"`
	Code       *string           `json:"code" backlist:"slug,minlength=2"`
	Email      string            `json:"email" backlist:"email,unique,maxlength=60"`
	Site       *string           `json:"site" backlist:"url,maxlength=80"`
	UUID       string            `json:"uuid" backlist:"uuid,unique"`
	Price      string            `json:"price" backlist:"decimal=8.2,min=0.01,max=9999.99"`
	Minimum    *string           `json:"minimum" backlist:"decimal=6.2,min=0.5,max=500"`
	Weight     *float64          `json:"weight" backlist:"min=0.001,max=5000"`
	Exact      json.Number       `json:"exact"`
	Stock      int               `json:"stock" backlist:"min=0,max=100000,default=0"`
	Small      int8              `json:"small"`
	Active     bool              `json:"active"`
	Known      *bool             `json:"known"`
	Day        *string           `json:"day" backlist:"date"`
	At         schema.DateTime   `json:"at"`
	Opens      schema.Time       `json:"opens"`
	Closes     *schema.Time      `json:"closes"`
	Takes      schema.Duration   `json:"takes"`
	Pause      *schema.Duration  `json:"pause"`
	Rank       int               `json:"rank" backlist:"choices=-1|0|10,default=0"`
	Level      *int8             `json:"level" backlist:"choices=1|2"`
	Status     string            `json:"status" backlist:"choices=new|paid|shipped,default=new"`
	Tags       []string          `json:"tags" backlist:"maxlength=4,item.minlength=2,item.maxlength=10"`
	Sizes      []int             `json:"sizes" backlist:"minlength=1,maxlength=5,item.min=1,item.max=60"`
	Grid       [][]float64       `json:"grid" backlist:"maxlength=3"`
	Attributes map[string]string `json:"attributes" backlist:"item.blank,item.maxlength=10"`
	Rates      map[string]int    `json:"rates" backlist:"item.min=-5"`
	Details    any               `json:"details"`
	Currency   *int              `json:"currency" backlist:"refers=currencies"`
	Currencies []int             `json:"currencies" backlist:"refers=currencies"`
	Address    *wareAddress      `json:"address"`
	Lines      []wareLine        `json:"lines" backlist:"minlength=1,maxlength=3"`
	Password   string            `json:"password" backlist:"hidden,minlength=8,maxlength=30"`
	Channel    string            `json:"channel" backlist:"hidden,readonly,default=api"`
}

type wareAddress struct {
	Street     string `json:"street" backlist:"maxlength=40"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country" backlist:"choices=AT|DE|IT,default=IT"`
	Geo        *struct {
		Lat float64 `json:"lat" backlist:"min=-90,max=90"`
		Lng float64 `json:"lng" backlist:"min=-180,max=180"`
	} `json:"geo"`
}

func (a *wareAddress) Validate(context.Context) error {
	if a.Country == "IT" && len(a.PostalCode) != 5 {
		return schema.Invalid("An Italian postal code has five digits.")
	}
	return nil
}

type wareLine struct {
	Quantity  int      `json:"quantity" backlist:"min=1,max=99"`
	UnitPrice string   `json:"unitPrice" backlist:"decimal=6.2,min=0"`
	Gift      bool     `json:"gift"`
	Text      *string  `json:"text,omitempty" backlist:"optional,blank,maxlength=20"`
	Notes     []string `json:"notes" backlist:"item.maxlength=5"`
}

func wareDescription(t *testing.T) schema.Description {
	t.Helper()
	about := mustDescribe[ware](t, "wares")
	pattern := map[string]string{"phone": `^\+?[0-9 ]*$`, "sku": `^[A-Z]{3}-[0-9]{4}$`, "postalCode": `^[0-9]{4,5}$`}
	var set func(fields []schema.Field)
	set = func(fields []schema.Field) {
		for i, f := range fields {
			if p := pattern[f.Name]; p != "" {
				fields[i].Pattern = regexp.MustCompile(p)
			}
			set(f.Fields)
		}
	}
	set(about.Fields)
	about.Unique = [][]string{{"name", "status"}}
	about.Filters = []string{"name", "name__icontains", "email__in", "uuid", "price__gte", "weight__range", "stock__lt", "active", "day__lte", "at__gt", "status__in",
		"opens__gte", "closes", "takes__range", "pause__lt", "pause", "rank", "rank__in", "level__gte",
		"currency", "currencies", "site__isnull", "address__country__in", "address__geo__lat__gte", "address__postal_code"}
	about.Search = []string{"name", "=slug", "^email"}
	return about
}

// Responses to random requests, valid and broken, have no status 5xx, and stored records satisfy their
// descriptions. A typed and an open collection respond alike, and references by key lead to records.
// BACKLIST_RANDOM is the number of requests of each test, and BACKLIST_RANDOM_SEED repeats a run.
func TestRandomRequests(t *testing.T) {
	about := wareDescription(t)
	t.Run("typed and open", func(t *testing.T) {
		sendRandom(t, []schema.Description{about},
			newWares(t, catalogue.Define[ware]("wares", catalogue.Options{Description: &about})),
			newWares(t, catalogue.Define[schema.Record]("wares", catalogue.Options{Description: &about})))
	})
	t.Run("keys", func(t *testing.T) {
		c := newRecordedKeys(t)
		var abouts []schema.Description
		for _, collection := range c.All() {
			abouts = append(abouts, collection.Description())
		}
		h := mustHandler(t, c, Options{Authorizer: AllowAll})
		sendRandom(t, abouts, h)
		must(t, c.Check())
	})
}

// variable returns the number in a variable of the environment.
func variable(t *testing.T, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// sendRandom sends random requests to handlers of collections with the descriptions, and compares
// their responses.
func sendRandom(t *testing.T, abouts []schema.Description, handlers ...*Handler) {
	seed := variable(t, "BACKLIST_RANDOM_SEED", rand.Uint64())
	t.Logf("BACKLIST_RANDOM_SEED=%d", seed)
	g := &generator{Maker: broken.New(seed, 0), patterns: map[string]*regexp.Regexp{}, keys: map[string][]string{"currencies": {"1", "2", "3"}}}
	g.Refer = func(f schema.Field) string { return g.key(f.Refers) }
	for _, g.about = range abouts {
		_, body := send(handlers[0], "GET", g.path()+"?limit=1000", "")
		g.learn(recordsOf(t, []byte(body)))
	}
	statuses := map[int]int{}
	for range variable(t, "BACKLIST_RANDOM", 1000) {
		g.about = abouts[g.IntN(len(abouts))]
		method, target, body := g.request()
		var first any
		for i, h := range handlers {
			r := httptest.NewRequest(method, target, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			checkAnswer(t, method, rec)
			if rec.Code == http.StatusCreated && i == 0 {
				g.learn(recordsOf(t, rec.Body.Bytes()))
			}
			if rec.Code < 300 && rec.Code != http.StatusNoContent {
				for _, stored := range recordsOf(t, rec.Body.Bytes()) {
					if wrong := g.faults(g.about.Fields, stored); wrong != nil {
						t.Errorf("stored %s: %q", rec.Body, wrong)
					}
				}
			}
			// A map of Go does not keep the order of its elements, nor a float64 the digits of a number.
			answer := [2]any{rec.Code, nil}
			_ = json.Unmarshal(rec.Body.Bytes(), &answer[1]) // checkAnswer has checked it
			if i == 0 {
				statuses[rec.Code]++
				first = answer
			} else if !reflect.DeepEqual(first, any(answer)) {
				t.Errorf("responses of the first handler and another one (-first +other):\n%s", gocmp.Diff(first, any(answer)))
			}
		}
		if t.Failed() {
			t.Fatalf("%s %s %s", method, target, body)
		}
	}
	t.Logf("responses by status: %v", statuses)
}

func newWares(t *testing.T, wares catalogue.AnyDefinition) *Handler {
	t.Helper()
	c, err := catalogue.New(wares, catalogue.Define[schema.Record]("currencies", catalogue.Options{}))
	if err == nil {
		err = c.Load(strings.NewReader(`{"currencies":[{"id":1},{"id":2},{"id":3}]}`), catalogue.LoadOptions{})
	}
	must(t, err)
	t.Cleanup(func() {
		if err := c.Check(); err != nil && !errors.Is(err, catalogue.ErrDangling) {
			t.Error(err)
		}
	})
	h := mustHandler(t, c, Options{Authorizer: AllowAll})
	return h
}

// recordsOf returns the record of a response, or the records of a page.
func recordsOf(t *testing.T, body []byte) []map[string]json.RawMessage {
	t.Helper()
	var one map[string]json.RawMessage
	var page struct{ Results []map[string]json.RawMessage }
	must(t, json.Unmarshal(body, &one))
	if one["results"] == nil {
		return []map[string]json.RawMessage{one}
	}
	must(t, json.Unmarshal(body, &page))
	return page.Results
}

// A generator makes up requests for a description, and checks stored records.
type generator struct {
	broken.Maker
	about    schema.Description        // of the collection of the next request
	keys     map[string][]string       // JSON of the keys or ids of all records that have existed
	patterns map[string]*regexp.Regexp // compiled
}

// request returns a request whose body or parameters are valid, broken or damaged.
func (g *generator) request() (method, target, body string) {
	bad := g.IntN(2) == 0
	record := g.path() + url.PathEscape(unquoted(g.key(g.about.Key))) + "/"
	switch g.IntN(10) {
	case 0, 1, 2:
		fields := g.about.Fields
		if !slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Required }) {
			fields = g.some()
		}
		method, target, body = "POST", g.path(), g.object(fields, bad && g.IntN(2) == 0, bad)
	case 3, 4:
		method, target, body = "PUT", record, g.object(g.about.Fields, false, bad)
	case 5, 6:
		method, target, body = "PATCH", record, g.object(g.some(), true, bad)
	case 7:
		return "DELETE", record, ""
	case 8:
		return "GET", record, ""
	default:
		return "GET", g.path() + "?" + g.query(bad).Encode(), ""
	}
	if g.IntN(30) == 0 {
		at := g.IntN(len(body))
		body = body[:at] + g.Broken(schema.Field{Kind: schema.JSON}) + body[at:]
	}
	return method, target, body
}

func (g *generator) object(fields []schema.Field, partial, bad bool) string {
	if bad {
		return g.Body(fields, partial)
	}
	return g.Object(fields)
}

func (g *generator) path() string { return "/api/" + g.about.Segment + "/" }

// learn adds the keys of records to those that requests use.
func (g *generator) learn(records []map[string]json.RawMessage) {
	for _, r := range records {
		g.keys[g.about.Key] = append(g.keys[g.about.Key], string(r[cmp.Or(g.about.Lookup, "id")]))
	}
}

// key returns one of the last keys of a collection, whose record may have been deleted.
func (g *generator) key(collection string) string {
	keys := g.keys[collection]
	if len(keys) == 0 {
		return "0"
	}
	return keys[len(keys)-1-g.IntN(min(20, len(keys)))]
}

func unquoted(value string) (text string) {
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

func (g *generator) some() []schema.Field {
	fields := slices.Clone(g.about.Fields)
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields[:1+g.IntN(min(5, len(fields)))]
}

// query returns parameters of filters, with orderings.
func (g *generator) query(bad bool) url.Values {
	params := url.Values{}
	for range 1 + g.IntN(3) {
		name := g.about.Filters[g.IntN(len(g.about.Filters))]
		f, lookup, _ := g.about.Parameter(name)
		value := g.Value(f)
		if bad {
			value = g.Broken(f)
		}
		text := unquoted(value)
		if lookup == "range" {
			text += "," + text
		}
		params.Add(name, text)
	}
	f := g.some()[0]
	if f.Item == nil && f.Fields == nil && f.Kind != schema.JSON { // which compare by their JSON
		params.Set("ordering", ordering.Snake(f.Name)+",-id")
	}
	params.Set("search", "a")
	return params
}

// faults returns what is wrong with the members of a stored object, by the words of the fields.
func (g *generator) faults(fields []schema.Field, stored map[string]json.RawMessage) (wrong []string) {
	for _, f := range fields {
		value, ok := stored[f.Name]
		switch {
		case f.Hidden:
			if ok {
				wrong = append(wrong, f.Name+" is hidden")
			}
		case !ok && (f.Required || f.Default != ""):
			wrong = append(wrong, f.Name+" is absent")
		case ok:
			for _, fault := range g.faultsOf(f, value) {
				wrong = append(wrong, f.Name+": "+fault)
			}
		}
	}
	for name := range stored {
		if !slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Name == name }) {
			wrong = append(wrong, name+" is not described")
		}
	}
	return wrong
}

// faultsOf returns what is wrong with a stored value.
func (g *generator) faultsOf(f schema.Field, value json.RawMessage) (wrong []string) {
	if f.Nullable && string(value) == "null" {
		return nil
	}
	var text string
	isText := json.Unmarshal(value, &text) == nil && value[0] == '"'
	fault := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...)+": "+string(value))
		}
	}
	switch f.Kind {
	case schema.Array:
		var items []json.RawMessage
		fault(json.Unmarshal(value, &items) != nil, "not a list")
		fault(len(items) < f.MinLength || f.MaxLength > 0 && len(items) > f.MaxLength, "%d elements", len(items))
		for _, item := range items {
			wrong = append(wrong, g.faultsOf(*f.Item, item)...)
		}
	case schema.Map:
		var items map[string]json.RawMessage
		fault(json.Unmarshal(value, &items) != nil || items == nil, "not an object")
		for _, item := range items {
			wrong = append(wrong, g.faultsOf(*f.Item, item)...)
		}
	case schema.Object:
		var object map[string]json.RawMessage
		fault(json.Unmarshal(value, &object) != nil || object == nil, "not an object")
		wrong = append(wrong, g.faults(f.Fields, object)...)
	case schema.References:
		var ids []json.RawMessage
		fault(json.Unmarshal(value, &ids) != nil || ids == nil, "not a list")
		var texts []string // an id has one digit
		for _, id := range ids {
			fault(!slices.Contains(g.keys[f.Refers], string(id)), "an unknown id")
			texts = append(texts, unquoted(string(id)))
		}
		fault(!slices.IsSorted(texts) || len(slices.Compact(texts)) != len(ids), "not sorted")
	case schema.Reference:
		fault(!slices.Contains(g.keys[f.Refers], string(value)), "an unknown id")
	case schema.Boolean:
		fault(string(value) != "true" && string(value) != "false", "not a boolean")
	case schema.Integer, schema.Float, schema.Decimal:
		if f.Kind != schema.Decimal {
			text = string(value)
		}
		n, ok := new(big.Rat).SetString(text)
		fault(!ok || (f.Kind == schema.Decimal) != isText || f.Kind == schema.Integer && !n.IsInt(), "not such a number")
		least, bounded := new(big.Rat).SetString(f.Min)
		fault(ok && bounded && n.Cmp(least) < 0, "less than %s", f.Min)
		most, bounded := new(big.Rat).SetString(f.Max)
		fault(ok && bounded && n.Cmp(most) > 0, "greater than %s", f.Max)
		fault(f.Choices != nil && !slices.Contains(f.Choices, text), "not a choice")
		fault(f.Kind == schema.Decimal && !g.matches(fmt.Sprintf(`^-?[0-9]{1,%d}\.[0-9]{%d}$`, f.Digits-f.Places, f.Places), text), "not such a decimal")
	case schema.JSON:
		fault(!json.Valid(value), "not JSON")
	default:
		n := utf8.RuneCountInString(text)
		fault(!isText, "not text")
		fault(text == "" && !f.Blank, "blank")
		fault(text != "" && n < f.MinLength || f.MaxLength > 0 && n > f.MaxLength, "%d characters", n)
		fault(text != "" && f.Pattern != nil && !f.Pattern.MatchString(text), "not of the pattern")
		fault(text != "" && !f.Untrimmed && strings.TrimSpace(text) != text, "not trimmed")
		fault(strings.ContainsRune(text, 0), "a null character")
		form := map[schema.Kind]string{
			schema.Slug: `^[-a-zA-Z0-9_]*$`, schema.UnicodeSlug: `^[-_\p{L}\p{N}]*$`, schema.Email: `@`, schema.URL: `^(https?|ftps?)://`,
			schema.UUID: `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, schema.Date: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`,
			schema.Timestamp: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}`, schema.TimeOfDay: `^[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$`,
			schema.Interval: `^(-?[1-9][0-9]{0,8} )?[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$`, schema.Choice: `^(` + strings.Join(f.Choices, "|") + `)$`,
		}[f.Kind]
		fault(!g.matches(form, text), "not of the form of its kind")
	}
	return wrong
}

func (g *generator) matches(pattern, text string) bool {
	if g.patterns[pattern] == nil {
		g.patterns[pattern] = regexp.MustCompile(pattern)
	}
	return g.patterns[pattern].MatchString(text)
}
