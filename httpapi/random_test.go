package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	"github.com/gobacklist/backlist/httpapi/internal/requests"
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
	for _, f := range about.Fields {
		if f.Item == nil && f.Fields == nil && f.Kind != schema.JSON { // which compare by their JSON
			about.Sortable = append(about.Sortable, ordering.Snake(f.Name))
		}
	}
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
	g := requests.New(seed, "/api/", abouts)
	k := &known{patterns: map[string]*regexp.Regexp{}, keys: map[string][]string{"currencies": {"1", "2", "3"}}, abouts: map[string]schema.Description{}}
	for _, about := range abouts {
		k.abouts[about.Key] = about
		_, body := send(handlers[0], "GET", "/api/"+about.Segment+"/?limit=1000", "")
		g.Learn(about.Key, []byte(body))
		k.learn(about.Key, []byte(body))
	}
	statuses := map[int]int{}
	for range variable(t, "BACKLIST_RANDOM", 1000) {
		q := g.Request()
		var first any
		for i, h := range handlers {
			r := httptest.NewRequest("GET", "/", strings.NewReader(q.Body))
			r.Method, r.RequestURI = q.Method, q.Target
			r.URL.Path, r.URL.RawQuery, _ = strings.Cut(q.Target, "?")
			maps.Copy(r.Header, q.Header)
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			checkAnswer(t, q.Method, rec)
			if rec.Code < 300 {
				if i == 0 {
					g.Learn(q.Collection, rec.Body.Bytes())
					k.learn(q.Collection, rec.Body.Bytes())
				}
				for _, stored := range requests.Records(rec.Body.Bytes()) {
					if wrong := k.faults(k.abouts[q.Collection].Fields, stored); wrong != nil && q.Collection != "" {
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
			t.Fatalf("%+v", q)
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

// known is what a test knows of the records that have existed.
type known struct {
	abouts   map[string]schema.Description
	keys     map[string][]string       // JSON of the keys or ids, by collection
	patterns map[string]*regexp.Regexp // compiled
}

// learn adds the keys of the records in a response.
func (k *known) learn(key string, body []byte) {
	for _, r := range requests.Records(body) {
		k.keys[key] = append(k.keys[key], string(r[cmp.Or(k.abouts[key].Lookup, "id")]))
	}
}

func unquoted(value string) (text string) {
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

// faults returns what is wrong with the members of a stored object, by the words of the fields.
func (k *known) faults(fields []schema.Field, stored map[string]json.RawMessage) (wrong []string) {
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
			for _, fault := range k.faultsOf(f, value) {
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
func (k *known) faultsOf(f schema.Field, value json.RawMessage) (wrong []string) {
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
			wrong = append(wrong, k.faultsOf(*f.Item, item)...)
		}
	case schema.Map:
		var items map[string]json.RawMessage
		fault(json.Unmarshal(value, &items) != nil || items == nil, "not an object")
		for _, item := range items {
			wrong = append(wrong, k.faultsOf(*f.Item, item)...)
		}
	case schema.Object:
		var object map[string]json.RawMessage
		fault(json.Unmarshal(value, &object) != nil || object == nil, "not an object")
		wrong = append(wrong, k.faults(f.Fields, object)...)
	case schema.References:
		var ids []json.RawMessage
		fault(json.Unmarshal(value, &ids) != nil || ids == nil, "not a list")
		var texts []string // an id has one digit
		for _, id := range ids {
			fault(!slices.Contains(k.keys[f.Refers], string(id)), "an unknown id")
			texts = append(texts, unquoted(string(id)))
		}
		fault(!slices.IsSorted(texts) || len(slices.Compact(texts)) != len(ids), "not sorted")
	case schema.Reference:
		fault(!slices.Contains(k.keys[f.Refers], string(value)), "an unknown id")
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
		fault(f.Kind == schema.Decimal && !k.matches(fmt.Sprintf(`^-?[0-9]{1,%d}\.[0-9]{%d}$`, f.Digits-f.Places, f.Places), text), "not such a decimal")
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
			schema.Slug: `^[-a-zA-Z0-9_]*$`, schema.UnicodeSlug: `^[-_\p{L}\p{N}]*$`, schema.Email: `@`, schema.URL: `^(?i:https?|ftps?)://`,
			schema.UUID: `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, schema.Date: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`,
			schema.Timestamp: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}`, schema.TimeOfDay: `^[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$`,
			schema.Interval: `^(-?[1-9][0-9]{0,8} )?[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$`, schema.Choice: `^(` + strings.Join(f.Choices, "|") + `)$`,
		}[f.Kind]
		fault(!k.matches(form, text), "not of the form of its kind")
	}
	return wrong
}

func (k *known) matches(pattern, text string) bool {
	if k.patterns[pattern] == nil {
		k.patterns[pattern] = regexp.MustCompile(pattern)
	}
	return k.patterns[pattern].MatchString(text)
}

// FuzzRequest calls the handler with requests, including those that net/http would reject.
// No response is a 5xx, and every response with type JSON is JSON.
func FuzzRequest(f *testing.F) {
	const film = `{"title":"Lola","slug":"lola","minutes":90,"price":"1","director":1}`
	f.Add("GET", "/api/films/", "limit=2&offset=1&ordering=-id", "*/*;indent=2", "", "host.example", "")
	f.Add("POST", "/api/films/", "format=api", "application/json", "application/json;charset=latin-1", "[::1]:80", film)
	f.Add("POST", "/api/films/", "", "", "*/*", "h", `{"director":1`)
	f.Add("OPTIONS", "/api/", "format=xml", "text/html", "", "h:1", "")
	f.Add("HEAD", "/api/papers", "q=%zz;\xff&&", "", "", "h_", "")
	f.Add("\"<\xff", "/api/notes/", strings.Repeat("&", 1000), "*/*", "", "a b", "")
	f.Add("PUT", "/api/films/1/", "\r\n", "application/*;x=\"\\\"", "", "h", "\x00")
	f.Add("DELETE", "/api/films/3/", "search=x", "", "", "h", "")
	for _, query := range []string{
		"status=released", "minutes__gte=9e1", "search=%C3%89,%20x", "genres=1&genres=", "status=bogus&minutes=x",
		"released__isnull=TRUE&title__icontains=%25", "minutes__lt=1e50", "director=%D9%A1", "search=%00&search=%FF",
		"limit=99999999999999999999&offset=-1&ordering=name&\xff=\xe9%C3", strings.Repeat("\xff", 1815),
	} {
		f.Add("GET", "/api/films/", query, "", "", "h", "")
		f.Add("OPTIONS", "/api/films/999999999999999999999/", query, "", "", "h", "")
	}
	f.Fuzz(func(t *testing.T, method, path, query, accepted, contentType, host, body string) {
		r := &http.Request{
			Method:     method,
			URL:        &url.URL{Path: path, RawQuery: query},
			Host:       host,
			RequestURI: path + "?" + query,
			Header:     http.Header{"Accept": {accepted}, "Content-Type": {contentType}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}
		h := mustHandler(t, newSmallCatalogue(t), Options{Authorizer: AllowAll, MaxBody: 1000})
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		checkAnswer(t, method, rec)
	})
}

func checkAnswer(t *testing.T, method string, rec *httptest.ResponseRecorder) {
	t.Helper()
	header := rec.Header()
	if rec.Code >= 500 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
	if method == http.MethodHead {
		if rec.Body.Len() > 0 {
			t.Errorf("body in the response to HEAD: %s", rec.Body)
		}
		return
	}
	if got := header.Get("Content-Length"); got != strconv.Itoa(rec.Body.Len()) {
		t.Errorf("Content-Length %s, body of %d bytes", got, rec.Body.Len())
	}
	if header.Get("Content-Type") == "application/json" && !json.Valid(rec.Body.Bytes()) {
		t.Errorf("not JSON: %q", rec.Body)
	}
	if isError := rec.Code >= 400; isError && rec.Code != 400 && !strings.Contains(rec.Body.String(), `"detail"`) {
		t.Errorf("%d without detail: %s", rec.Code, rec.Body)
	}
}
