package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestActions checks that Allow lists exactly the actions of the description that the
// collection implements.
func TestActions(t *testing.T) {
	for _, test := range []struct {
		reason       string
		actions      schema.Actions
		list, record string // Allow; empty if the path is not served
	}{
		{"all", schema.AllActions, listMethods, recordMethods},
		{"reads", schema.List | schema.Retrieve, readMethods, readMethods},
		{"list only", schema.List, readMethods, ""},
		{"list and create", schema.List | schema.Create, listMethods, ""},
		{"create only", schema.Create, "POST, OPTIONS", ""},
		{"no list", schema.Retrieve | schema.Destroy, "OPTIONS", "GET, DELETE, HEAD, OPTIONS"},
		{"partial updates only", schema.List | schema.PartialUpdate, readMethods, "PATCH, OPTIONS"},
		{"a collection that implements nothing else", 0, readMethods, ""},
	} {
		films := newStub(1)
		films.about.Actions = test.actions
		h := newStubHandler(t, Options{Authorizer: AllowAll}, films)
		if test.actions == 0 {
			h = newStubHandler(t, Options{Authorizer: AllowAll}, listOnly{newStub(1)})
		}
		for target, want := range map[string]string{"/api/films/": test.list, "/api/films/1/": test.record} {
			got := call{method: "OPTIONS", target: target}.do(h)
			if got.Header["Allow"] != want || (got.Status == 200) != (want != "") {
				t.Errorf("%s: OPTIONS %s: %d, Allow %q, want %q", test.reason, target, got.Status, got.Header["Allow"], want)
			}
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				allowed := strings.Contains(", "+want+", ", ", "+method+", ")
				if status := (call{method: method, target: target}).do(h).Status; want != "" && (status != 405) != allowed {
					t.Errorf("%s: %s %s: %d, Allow %q", test.reason, method, target, status, want)
				}
			}
		}
	}
}

// notCalled returns a collection that must not be written to.
func notCalled(t *testing.T) *stub {
	c := newStub(1)
	c.on = func(_ context.Context, method string) error {
		t.Errorf("%s was called", method)
		return nil
	}
	return c
}

// endlessBody is an infinite body. It counts the bytes that are read.
type endlessBody struct{ read int }

func (b *endlessBody) Read(p []byte) (int, error) {
	b.read += len(p)
	clear(p)
	return len(p), nil
}

// panickingBody is a body whose Read panics.
type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic("oops") }
func (panickingBody) Close() error             { return nil }

// TestBodies checks bodies that end early, fail, panic or are too long, after which the collection is
// not called.
func TestBodies(t *testing.T) {
	endless := new(endlessBody)
	broken := iotest.ErrReader(io.ErrUnexpectedEOF)
	for _, test := range []struct {
		reason string
		body   io.ReadCloser
		length int64
		status int
	}{
		{"nil", nil, 0, 201},
		{"empty", io.NopCloser(strings.NewReader("")), -1, 201},
		{"fails", io.NopCloser(broken), -1, 400},
		{"fails after some bytes", io.NopCloser(io.MultiReader(strings.NewReader("{"), broken)), -1, 400},
		{"without end", io.NopCloser(endless), -1, 413},
		{"announced length past the limit", unreadBody{t}, 100_001, 413},
		{"panics, for instance because middleware replaced it", panickingBody{}, 10, 500},
	} {
		films := notCalled(t)
		if test.status == 201 {
			films = newStub(1)
		}
		opts, reported := reporting()
		opts.MaxBody = 100_000
		h := newStubHandler(t, opts, films)
		r := call{method: "POST", target: "/api/films/"}.request()
		r.Body, r.ContentLength = test.body, test.length
		r.Header.Set("Content-Type", "application/json")
		if got := serve(h, r); got.Status != test.status {
			t.Errorf("%s: %d %s, want %d", test.reason, got.Status, got.Body, test.status)
		}
		if panicked := errors.Is(errors.Join(*reported...), ErrPanic); panicked != (test.status == 500) {
			t.Errorf("%s: OnError was called with %v", test.reason, *reported)
		}
	}
	if endless.read > 100_001 {
		t.Errorf("%d bytes of a body without end were read, want at most 100001", endless.read)
	}
}

// TestInvalidRecord checks the responses to the errors of a validation.
func TestInvalidRecord(t *testing.T) {
	fields := schema.FieldErrors{
		{Field: "name", Messages: []string{"This field is required.", "<&>"}},
		{Field: "startDate", Messages: []string{"Bad."}},
	}
	syntax := &schema.SyntaxError{Reason: "no value", Line: 2, Column: 3}
	for _, test := range []struct {
		err  error
		want string
	}{
		{fields, `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{errors.Join(errors.New("films"), fields), `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{syntax, `{"detail":"` + syntax.Error() + `"}`},
	} {
		opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
		got := call{method: "POST", target: "/api/films/"}.do(newStubHandler(t, opts, failing("Create", test.err)))
		equal(t, fmt.Sprintf("%v", test.err), answer{400, viewHeader(listMethods, len(test.want)), test.want}, got)
	}
}

// A hexID is text like a UUID, but shorter.
type hexID [2]byte

func (id hexID) MarshalText() ([]byte, error) {
	const digits = "0123456789abcdef"
	return []byte{digits[id[0]&15], digits[id[1]&15]}, nil
}

func (id *hexID) UnmarshalText(text []byte) error {
	if len(text) != 2 {
		return errors.New("want two digits")
	}
	for i, c := range text {
		at := strings.IndexByte("0123456789abcdef", c)
		if at < 0 {
			return errors.New("want a digit")
		}
		id[i] = byte(at)
	}
	return nil
}

// A parity is even or odd in JSON.
type parity bool

func (p parity) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[parity]string{true: "even", false: "odd"}[p])
}

func (p *parity) UnmarshalJSON(text []byte) error {
	*p = string(text) == `"even"`
	if !*p && string(text) != `"odd"` {
		return errors.New("want even or odd")
	}
	return nil
}

type (
	measure struct {
		W    int       `json:"w"`
		Unit *string   `json:"unit"`
		At   [2]string `json:"at"`
	}

	address struct{ netip.Addr }

	narrow struct {
		ID     int                `json:"id"`
		Ref    hexID              `json:"ref"`
		IP     address            `json:"ip"`
		Parity parity             `json:"parity"`
		Size   measure            `json:"size"`
		Sizes  []measure          `json:"sizes"`
		Best   *measure           `json:"best"`
		Meta   map[string]string  `json:"meta"`
		Ranks  map[int8]uint8     `json:"ranks"`
		Nums   []int              `json:"nums"`
		Bytes  []byte             `json:"bytes"`
		Half   float32            `json:"half"`
		Small  int8               `json:"small"`
		Took   *schema.Duration   `json:"took"`
		Plain  int16              `json:"plain"` // without bounds in the description
		Pair   [2]int             `json:"pair"`
		Pairs  map[string][2]bool `json:"pairs"`
		In     int8               `json:"in" backlist:"refers=narrows"`
		To     []int16            `json:"to" backlist:"refers=narrows"`
	}
)

func (a address) Clone() address { return a }

// newNarrow returns a catalogue of narrow, with the ids 1, 200 and 70000.
func newNarrow(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	about := mustDescribe[narrow](t, "narrows")
	for i, f := range about.Fields {
		if f.Name == "plain" {
			about.Fields[i].Min, about.Fields[i].Max = "", ""
		}
	}
	narrows := catalogue.Define[narrow]("narrows", catalogue.Options{Description: &about})
	c := mustCatalogue(t, narrows, catalogue.Define[sealed]("seals", catalogue.Options{}))
	for _, id := range []int{1, 200, 70_000} {
		_, err := mustIn(narrows, c).Insert(narrow{ID: id, In: 1})
		must(t, err)
	}
	return c
}

// A sealed record has a method UnmarshalJSON of its own.
type sealed struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Code string `json:"code"`
}

func (s *sealed) UnmarshalJSON(text []byte) error {
	type plain sealed
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	if s.Code == "bad" {
		return &schema.MemberError{Member: "code", Err: errors.New("is bad")}
	}
	if s.Name == s.Code {
		return errors.New("the name is the code")
	}
	return nil
}

// newNamed returns a catalogue of countries, whose requests name fields in snake_case, of works, whose
// requests can also name them as in JSON, and of films, whose members are in snake_case.
func newNamed(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	type country struct {
		ID      int    `json:"id"`
		CCA3    string `json:"cca3"`
		Capital string `json:"capitalCity" backlist:"untrimmed"`
	}
	type work struct {
		ID    int `json:"id"`
		Gross int `json:"US Gross"`
		Price struct {
			Amount   int `json:"amountInCents"`
			Discount int `json:"discount"`
		} `json:"listPrice"`
		MadeIn int   `json:"madeIn" backlist:"refers=countries"`
		SoldIn []int `json:"soldIn" backlist:"refers=countries"`
	}
	type film struct {
		ID          int    `json:"id"`
		ReleaseYear int    `json:"release_year" backlist:"min=0,max=9"`
		Status      string `json:"status" backlist:"choices=a|b"`
	}
	films := catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{Filters: []string{"release_year__gte"}}})
	c := mustCatalogue(t, films, catalogue.Define[country]("countries", catalogue.Options{Description: &schema.Description{
		Filters: []string{"cca_3", "cca_3__in", "capital_city"},
	}}), catalogue.Define[work]("works", catalogue.Options{Description: &schema.Description{
		JSONNames: true,
		Sortable:  []string{"us _gross", "list_price__amount_in_cents", "made_in__capital_city", "sold_in__capital_city"},
		Search:    []string{"sold_in__capital_city"},
		Filters:   []string{"us _gross__gte", "list_price__amount_in_cents__in", "made_in__cca_3", "made_in__capital_city__startswith", "sold_in__cca_3__in", "made_in"},
	}}))
	must(t, c.Load(strings.NewReader(`{"countries":[{"id":1,"cca3":"ZWE","capitalCity":"Harare"},{"id":2,"cca3":"AFG","capitalCity":"Kabul"}],
		"works":[{"id":1,"US Gross":3,"listPrice":{"amountInCents":900,"discount":1},"madeIn":1,"soldIn":[1,2]},
			{"id":2,"US Gross":1,"listPrice":{"amountInCents":1200,"discount":0},"madeIn":2,"soldIn":[2]},
			{"id":3,"US Gross":2,"listPrice":{"amountInCents":100,"discount":0},"madeIn":1,"soldIn":[]}]}`), catalogue.LoadOptions{}))
	return c
}
