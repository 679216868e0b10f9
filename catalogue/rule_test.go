package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// An offer has rules of each kind: of the record, and of types of fields.
type offer struct {
	ID        int       `json:"id"`
	Code      offerCode `json:"code" backlist:"maxlength=10"`
	Customer  string    `json:"customer" backlist:"maxlength=20"`
	Name      offerName `json:"name" backlist:"default=New"`
	Percent   int       `json:"percent" backlist:"min=5,max=90,default=5"`
	Minimum   *int      `json:"minimum"`
	From      *int      `json:"from"`
	Until     *int      `json:"until"`
	CreatedAt time.Time `json:"createdAt" backlist:"created"`
}

// Validate may not change the code, because the receiver is a copy.
func (c offerCode) Validate(context.Context) error {
	if strings.ToUpper(string(c)) != string(c) {
		return errors.New("Only capitals.")
	}
	return nil
}

var offeredAt = time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)

type (
	offerCode string
	offerName string
)

// Validate collapses blanks.
func (n *offerName) Validate(context.Context) error {
	*n = offerName(strings.Join(strings.Fields(string(*n)), " "))
	if strings.Contains(strings.ToLower(string(*n)), "banned") {
		return schema.Invalid("This name is not allowed.")
	}
	return nil
}

// Validate sets a minimum for free offers.
func (o *offer) Validate(context.Context) error {
	var messages []string
	if o.From != nil && o.Until != nil && *o.Until < *o.From {
		return fmt.Errorf("offer: %w", schema.FieldErrors{{Field: "until", Messages: []string{"Must not be before from."}}})
	}
	if o.Percent > 50 && o.Minimum == nil {
		messages = append(messages, "More than 50 percent need a minimum.")
	}
	switch o.Name {
	case "nested":
		return schema.FieldErrors{{Field: "lines", Fields: schema.FieldErrors{{Field: "0", Messages: []string{"No."}}}}}
	case "panic":
		panic(errOwn)
	case "free":
		o.Minimum = new(0)
	}
	return schema.Invalid(messages...)
}

// offers returns a catalogue of offers, of which (A, x) is in it, and their handler.
func offers(t *testing.T, opts catalogue.Options) (*catalogue.Catalogue, *catalogue.Collection[offer], http.Handler) {
	t.Helper()
	opts.Unique = [][]string{{"customer", "code"}}
	defined := catalogue.Define[offer]("offers", opts)
	cat := mustCatalogue(t, defined)
	c := mustIn(defined, cat)
	must(t, second(c.Insert(offer{Code: "A", Customer: "x", Name: "N", Percent: 60, Minimum: new(7), CreatedAt: offeredAt})))
	handler := mustHave(httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll, OnError: func(*http.Request, error) {}}))
	return cat, c, handler
}

// send returns the status and the body of a response. createdAt is left out of it.
func send(handler http.Handler, method, path, body string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	text, _, _ := strings.Cut(w.Body.String(), `,"createdAt":`)
	return fmt.Sprint(w.Code, " ", text)
}

// TestValidate writes records from Go with and without Options.Validate.
func TestValidate(t *testing.T) {
	valid := offer{Code: "B", Customer: "x", Name: "N", Percent: 10, CreatedAt: offeredAt}
	type write = func(*catalogue.Collection[offer], offer) error
	load := func(text string) write {
		return func(c *catalogue.Collection[offer], _ offer) error {
			return c.Load(strings.NewReader(text), catalogue.LoadOptions{})
		}
	}
	insert := func(c *catalogue.Collection[offer], o offer) error {
		return second(c.Insert(o))
	}
	for _, test := range []struct {
		reason string
		change func(*offer)
		write  write
		err    string // with Validate; without it there is none
	}{
		{"a bound", func(o *offer) { o.Percent = 91 }, insert,
			`offers: invalid record: id 2: percent: Ensure this value is less than or equal to 90.`},
		{"a length and a rule of a field", func(o *offer) { o.Code, o.Name = "ABCDEFGHIJK", "banned" }, insert,
			`offers: invalid record: id 2: code: Ensure this field has no more than 10 characters.; name: This name is not allowed.`},
		{"blank text", func(o *offer) { o.Customer = "" }, insert,
			`offers: invalid record: id 2: customer: This field may not be blank.`},
		{"the rule of the record", func(o *offer) { o.Percent = 60 }, insert,
			`offers: invalid record: id 2: nonFieldErrors: More than 50 percent need a minimum.`},
		{"an upsert", func(o *offer) { o.ID, o.Percent = 1, 91 }, func(c *catalogue.Collection[offer], o offer) error {
			return second(c.Upsert(o))
		}, `offers: invalid record: id 1: percent: Ensure this value is less than or equal to 90.`},
		{"an update", nil, func(c *catalogue.Collection[offer], _ offer) error {
			return c.Update(1, func(o *offer) error { o.Minimum = nil; return nil })
		}, `offers: invalid record: id 1: nonFieldErrors: More than 50 percent need a minimum.`},
		{"an update of a selection", nil, func(c *catalogue.Collection[offer], _ offer) error {
			return second(c.Where().Update(func(o *offer) error { o.Minimum = nil; return nil }))
		}, `offers: invalid record: id 1: nonFieldErrors: More than 50 percent need a minimum.`},
		{"a write of a batch", func(o *offer) { o.Percent = 91 }, func(c *catalogue.Collection[offer], o offer) error {
			return c.Batch(func(tx *catalogue.Tx[offer]) error {
				return second(tx.Insert(o))
			})
		}, `offers: invalid record: id 2: percent: Ensure this value is less than or equal to 90.`},
		{"a replacement", func(o *offer) { o.Percent = 91 }, func(c *catalogue.Collection[offer], o offer) error {
			return c.ReplaceAll(slices.Values([]offer{valid, o}))
		}, `offers: record 1: invalid record: percent: Ensure this value is less than or equal to 90.`},
		{"a load", nil, load(`[{"id":4,"code":"B","customer":"x","name":"N","percent":91,"createdAt":"2024-05-10T18:00:00Z"}]`),
			`offers: cannot load: record 4 (line 1): invalid record: percent: Ensure this value is less than or equal to 90.`},
	} {
		for _, validate := range []bool{false, true} {
			_, c, _ := offers(t, catalogue.Options{Validate: validate})
			before := slices.Collect(c.All())
			record := valid
			if test.change != nil {
				test.change(&record)
			}
			if strings.Contains(test.reason, "replacement") {
				record.Code = "C"
			}
			err := test.write(c, record)
			if !validate {
				if err != nil {
					t.Errorf("%s, not validated: %v", test.reason, err)
				}
				continue
			}
			var errs schema.FieldErrors
			if err == nil || err.Error() != test.err || !errors.Is(err, catalogue.ErrInvalid) || !errors.As(err, &errs) {
				t.Errorf("%s: error\n%v, want ErrInvalid and FieldErrors:\n%s", test.reason, err, test.err)
			}
			equal(t, fmt.Sprintf("%s: records", test.reason), before, slices.Collect(c.All()))
		}
	}
}

// TestValidateOpenRecords: open records get defaults, and may have members that the description
// does not know. References are not looked up.
func TestValidateOpenRecords(t *testing.T) {
	defined := catalogue.Define[schema.Record]("notes", catalogue.Options{Validate: true, Description: &schema.Description{
		Fields: []schema.Field{
			{Name: "id", Kind: schema.Integer, ReadOnly: true},
			{Name: "text", Kind: schema.Text, Required: true},
			{Name: "size", Kind: schema.Integer, Default: "3"},
			{Name: "after", Kind: schema.Reference, Refers: "notes", Nullable: true, Default: "null"},
			{Name: "place", Kind: schema.Object, Nullable: true, Default: "null", Fields: []schema.Field{
				{Name: "city", Kind: schema.Text, Required: true}, {Name: "code", Kind: schema.Text, ReadOnly: true, Default: `"-"`}}},
		},
		Rule: func(_ context.Context, r *schema.Record) (err error) {
			if text, _ := r.Get("text"); text == `"shout"` {
				*r, err = r.With("text", "SHOUT")
			}
			return err
		},
	}})
	cat := mustCatalogue(t, defined)
	notes := mustIn(defined, cat)
	for _, test := range []struct{ reason, record, want string }{
		{"defaults, a change of the rule, an unknown member", `{"text":"shout","color":"red"}`,
			`{"text":"SHOUT","color":"red","size":3,"after":null,"place":null}`},
		{"a reference to no record", `{"text":"a","size":4,"after":99,"place":null}`, `{"text":"a","size":4,"after":99,"place":null}`},
		{"a read-only member of an object", `{"text":"a","place":{"city":" Rom ","code":"7"},"size":4,"after":null}`,
			`{"text":"a","place":{"city":"Rom","code":"7"},"size":4,"after":null}`},
		{"an invalid kind, a missing member", `{"size":"x"}`, `{"text":["This field is required."],"size":["A valid integer is required."]}`},
		{"null", `{"text":null}`, `{"text":["This field may not be null."]}`},
	} {
		record := mustHave(schema.ParseRecord([]byte(test.record)))
		id, err := notes.Insert(record)
		got := ""
		if errs := (schema.FieldErrors)(nil); errors.As(err, &errs) {
			got = wireOf(errs)
		} else {
			must(t, err)
			stored := mustHave(notes.Get(id))
			stored.ID = 0
			got = stored.String()
		}
		equal(t, test.reason, test.want, got)
	}
}

// TestRuleIsNotCalledTwice: a request is validated once although the collection validates what the
// program writes, and at the instant of the write.
func TestRuleIsNotCalledTwice(t *testing.T) {
	calls := 0
	var notes *catalogue.Collection[schema.Record]
	defined := catalogue.Define[schema.Record]("notes", catalogue.Options{Validate: true, Description: &schema.Description{
		Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "text", Kind: schema.Text, Required: true}},
		Rule: func(context.Context, *schema.Record) error {
			if calls++; notes.Count() >= 2 {
				return schema.Invalid("At most two notes.")
			}
			return nil
		},
	}})
	cat := mustCatalogue(t, defined)
	notes = mustIn(defined, cat)
	served := collectionOf(t, cat, "notes")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { served.Create(t.Context(), []byte(`{"text":"a"}`), schema.Record{}) })
	}
	group.Wait()
	if calls != 8 || notes.Count() != 2 {
		t.Errorf("%d calls for 8 requests, %d records, want 2", calls, notes.Count())
	}
}

// TestRuleThatIsCanceled: the error of a context is not one of the record.
func TestRuleThatIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defined := catalogue.Define[schema.Record]("notes", catalogue.Options{Description: &schema.Description{
		Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "text", Kind: schema.Text, Default: `""`, Blank: true}},
		Rule: func(ctx context.Context, _ *schema.Record) error {
			cancel()
			return fmt.Errorf("look-up: %w", ctx.Err())
		},
	}})
	cat := mustCatalogue(t, defined)
	served := collectionOf(t, cat, "notes")
	if _, err := served.Create(ctx, nil, schema.Record{}); !errors.Is(err, context.Canceled) || errors.Is(err, schema.ErrInvalid) {
		t.Errorf("%v, want context.Canceled only", err)
	}
	if served.Count() != 0 {
		t.Error("the record was stored")
	}
}

// TestRuleThatPanics: beside other writers, a panic of a rule changes nothing. It passes to
// callers of Go, and is a 500 over HTTP.
func TestRuleThatPanics(t *testing.T) {
	cat, c, handler := offers(t, catalogue.Options{Validate: true})
	bad := offer{Code: "P", Customer: "p", Name: "panic", Percent: 5, CreatedAt: offeredAt}
	spoil := func(o *offer) error { o.Name = "panic"; return nil }
	writes := map[string]func() error{
		"Insert": func() error { _, err := c.Insert(bad); return err },
		"Upsert": func() error { _, err := c.Upsert(bad); return err },
		"Update": func() error { return c.Update(1, spoil) },
		"Batch": func() error {
			return c.Batch(func(tx *catalogue.Tx[offer]) error {
				return errors.Join(tx.Delete(1), tx.Update(2, spoil))
			})
		},
		"a batch of the catalogue": func() error {
			return cat.Batch(func(b *catalogue.Batch) error {
				tx, err := catalogue.Define[offer]("offers", catalogue.Options{}).Tx(b)
				if err == nil {
					_, err = tx.Insert(bad)
				}
				return err
			})
		},
		"ReplaceAll": func() error { return c.ReplaceAll(slices.Values([]offer{bad})) },
		"Load": func() error {
			return cat.Load(strings.NewReader(`{"offers":[{"id":9,"code":"P","customer":"p","name":"panic","percent":5,"createdAt":"2024-05-10T18:00:00Z"}]}`), catalogue.LoadOptions{})
		},
	}
	must(t, second(c.Insert(offer{Code: "B", Customer: "x", Name: "N", Percent: 5, CreatedAt: offeredAt})))
	const rounds = 20
	var group sync.WaitGroup
	for writer := range 2 {
		group.Go(func() {
			for i := range rounds {
				_, err := c.Insert(offer{Code: "W", Customer: fmt.Sprint(writer, " ", i), Name: "N", Percent: 5, CreatedAt: offeredAt})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for name, write := range writes {
		group.Go(func() {
			for range rounds {
				if err := caught(write); !errors.Is(err, panicked{errOwn}) {
					t.Errorf("%s: %v, want the panic", name, err)
				}
			}
		})
	}
	for _, request := range [][3]string{
		{"POST", "/api/offers/", `{"code":"P","customer":"p","name":"panic"}`},
		{"PATCH", "/api/offers/1/", `{"name":"panic"}`},
	} {
		group.Go(func() {
			for range rounds {
				if got := send(handler, request[0], request[1], request[2]); !strings.HasPrefix(got, "500 ") {
					t.Errorf("%s: %s, want 500", request[0], got)
				}
			}
		})
	}
	group.Wait()
	first := mustHave(c.Get(1))
	if n := c.Count(); n != 2+2*rounds || first.Name != "N" {
		t.Errorf("%d records, the first is %v, want %d and N", n, first, 2+2*rounds)
	}
}

// A leaflet has a rule that empties a member that its JSON omits then.
type leaflet struct {
	ID    int     `json:"id"`
	Open  bool    `json:"open"`
	Note  string  `json:"note,omitempty" backlist:"optional"`
	Since *int    `json:"since,omitempty"`
	Cost  float64 `json:"cost,omitzero" backlist:"optional"`
}

func (l *leaflet) Validate(context.Context) error {
	if l.Open {
		l.Note, l.Since, l.Cost = "", nil, 0
	}
	return nil
}
