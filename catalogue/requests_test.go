package catalogue_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// A fixture is a catalogue for requests.
type fixture struct {
	define func(t *testing.T, open bool) []catalogue.AnyDefinition // nil if there are none with open records
	data   string
}

// structs returns definitions of structs only.
func structs(all ...catalogue.AnyDefinition) func(*testing.T, bool) []catalogue.AnyDefinition {
	return func(_ *testing.T, open bool) []catalogue.AnyDefinition {
		if open {
			return nil
		}
		return all
	}
}

// definitionOf returns a definition of structs or of open records with the description of T.
func definitionOf[T any](t testing.TB, key string, open bool, change func(*schema.Description)) catalogue.AnyDefinition {
	t.Helper()
	about := mustDescribe[T](t, key)
	change(&about)
	if open {
		return catalogue.Define[schema.Record](key, catalogue.Options{Description: &about})
	}
	return catalogue.DefineBare[T](key, catalogue.Options{Description: &about})
}

type (
	place struct {
		ID   int      `json:"id"`
		Slug string   `json:"slug" backlist:"unique"`
		In   *string  `json:"in" backlist:"refers=places.slug"`
		Near []string `json:"near" backlist:"refers=places.slug"`
		Note string   `json:"note" backlist:"blank"`
	}
	nick struct {
		ID   int     `json:"id"`
		Nick *string `json:"nick" backlist:"unique"`
	}
	post struct {
		ID int    `json:"id"`
		By string `json:"by" backlist:"refers=nicks.nick"`
	}
	poll struct {
		ID   int      `json:"id"`
		Also []string `json:"also" backlist:"refers=nicks.nick"`
	}
	note struct {
		ID int     `json:"id"`
		To *string `json:"to" backlist:"refers=nicks.nick"`
	}
	rack struct {
		ID   uint8  `json:"id"`
		Name string `json:"name"`
	}
	box struct {
		ID   int64 `json:"id"`
		Rack uint8 `json:"rack" backlist:"refers=racks,default=1"`
	}
)

var fixtures = map[string]fixture{
	"offers": {structs(catalogue.DefineBare[offer]("offers", catalogue.Options{Unique: [][]string{{"customer", "code"}}})),
		`{"offers":[{"id":1,"code":"A","customer":"x","name":"N","percent":60,"minimum":7,"from":null,"until":null,"createdAt":"2024-05-10T18:00:00Z"}]}`},
	"shelves": {structs(catalogue.DefineBare[shelf]("shelves", catalogue.Options{
		Unique:      [][]string{{"floor", "shelf_name"}, {"place__row", "shelf_name"}, {"place", "floor"}},
		Description: &schema.Description{Unique: [][]string{{"place", "floor"}}},
	})), `{}`},
	"keys": {structs(sessionDefinition, catalogue.Define[ticket]("tickets", catalogue.Options{NewKey: numbers("00000000-0000-4000-8000-%012d")})), `{}`},
	"shop": {func(t *testing.T, open bool) []catalogue.AnyDefinition { return relations(t, open) }, relatedData},
	"places": {func(t *testing.T, open bool) []catalogue.AnyDefinition {
		return []catalogue.AnyDefinition{definitionOf[place](t, "places", open, func(d *schema.Description) { d.Name = "place" })}
	}, `{"places":[{"id":1,"slug":"rome","in":null,"near":["ostia"],"note":""},{"id":2,"slug":"ostia","in":"rome","near":["rome","ostia"],"note":"n"},
		{"id":3,"slug":"lido","in":"ostia","near":[],"note":""}]}`},
	"leaflets": {func(t *testing.T, open bool) []catalogue.AnyDefinition {
		return []catalogue.AnyDefinition{definitionOf[leaflet](t, "leaflets", open, func(d *schema.Description) { d.Rule = emptyLeaflet })}
	}, `{"leaflets":[{"id":1,"open":false,"note":"n","since":7,"cost":1.5}]}`},
	"ruled": {structs(catalogue.DefineBare[ruled]("ruled", catalogue.Options{})), `{}`},
	"nicks": {structs(catalogue.DefineBare[nick]("nicks", catalogue.Options{}), catalogue.DefineBare[post]("posts", catalogue.Options{}),
		catalogue.DefineBare[poll]("polls", catalogue.Options{}), catalogue.DefineBare[note]("notes", catalogue.Options{})),
		`{"nicks":[{"id":1,"nick":"red"},{"id":2,"nick":"blue"},{"id":3,"nick":"green"}],
		"posts":[{"id":1,"by":"red"}],"polls":[{"id":1,"also":["blue"]}],"notes":[{"id":1,"to":"green"}]}`},
	"bytes": {structs(catalogue.DefineBare[rack]("racks", catalogue.Options{}), catalogue.DefineBare[box]("boxes", catalogue.Options{})),
		`{"racks":[{"id":254,"name":"a"}]}`},
	"mail": {func(t *testing.T, open bool) []catalogue.AnyDefinition { return structs(mail()...)(t, open) }, mailData},
	"invoices": {func(t *testing.T, open bool) []catalogue.AnyDefinition {
		return []catalogue.AnyDefinition{definitionOf[invoice](t, "invoices", open, filterInvoices)}
	}, `{"invoices":` + invoicesData + `}`},
}

// TestRequests makes the requests of testdata/requests.txtar.
func TestRequests(t *testing.T) {
	for _, text := range txtar.Read(t, "requests.txtar") {
		name, _, _ := strings.Cut(text.Name, ":")
		for _, open := range []bool{false, true} {
			definitions := fixtures[name].define(t, open)
			if definitions == nil {
				continue
			}
			cat := mustCatalogue(t, definitions...)
			must(t, cat.Load(strings.NewReader(fixtures[name].data), catalogue.LoadOptions{}))
			request, want := "", ""
			check := func() {
				if request == "" {
					return
				}
				before := saved(t, cat)
				got, err := answer(t, cat, request)
				if begin, end, any := strings.Cut(want, "…"); any && strings.HasPrefix(got, begin) && strings.HasSuffix(got, end) {
					want = got
				}
				what := fmt.Sprintf("%s, open %t: %s", text.Name, open, request)
				equal(t, what, want, got)
				if err != nil {
					equal(t, what+": what is stored after an error", before, saved(t, cat))
				}
			}
			for line := range strings.Lines(text.Data) {
				line = strings.TrimSuffix(line, "\n")
				switch method, _, _ := strings.Cut(line, " "); {
				case strings.HasPrefix(line, "#"):
				case method != "" && strings.Trim(method, "ACDEGHKLOPSTRU") == "":
					check()
					request, want = line, ""
				case want == "":
					want = line
				default:
					want += "\n" + line
				}
			}
			check()
		}
	}
}

// answer makes a request, such as "PATCH films/1 {}", "GET films?year=1958", which is answered with ids,
// "RECORDS films" or "CHECK", and returns the answer as text.
func answer(t *testing.T, cat *catalogue.Catalogue, request string) (text string, err error) {
	t.Helper()
	method, rest, _ := strings.Cut(request, " ")
	target, body, _ := strings.Cut(rest, " ")
	path, query, _ := strings.Cut(target, "?")
	key, segment, _ := strings.Cut(path, "/")
	var record []byte
	switch method {
	case "LOAD":
		err = cat.Load(strings.NewReader(rest), catalogue.LoadOptions{})
	case "CHECK":
		err = cat.Check()
	case "RECORDS":
		list, failed := collectionOf(t, cat, key).List(t.Context(), catalogue.Query{})
		record, err = bytes.Join(list.Records, []byte("\n")), failed
	case "POST":
		record, err = collectionOf(t, cat, key).Create(t.Context(), []byte(body), schema.Record{})
	case "PUT", "PATCH":
		record, err = collectionOf(t, cat, key).Update(t.Context(), segment, catalogue.Edit{Body: []byte(body), Partial: method == "PATCH"})
	case "DELETE":
		err = collectionOf(t, cat, key).Delete(t.Context(), segment, schema.Filter{}, nil)
	case "GET":
		if segment == "" {
			return foundIDs(t, collectionOf(t, cat, key), query), nil
		}
		record, err = collectionOf(t, cat, key).Get(t.Context(), segment, schema.Filter{})
	default:
		t.Fatalf("%s: unknown method", request)
	}
	var fields schema.FieldErrors
	var violations catalogue.Violations
	switch {
	case errors.As(err, &violations) && !errors.Is(err, catalogue.ErrReferenced):
		var lines []string
		for _, v := range violations {
			lines = append(lines, fmt.Sprintf("%s %v %s: %v", v.Collection, v.Identity, v.Field, v.Err))
		}
		return strings.Join(lines, "\n"), err
	case errors.As(err, &fields):
		return wireOf(fields), err
	case errors.Is(err, catalogue.ErrNotFound):
		return "not found", err
	case err != nil:
		return "error: " + err.Error(), err
	}
	return cmp.Or(string(record), "ok"), nil
}

// foundIDs returns the ids or keys that a list has for the parameters of a query, or the errors. All
// other methods that read with a filter must find the same records.
func foundIDs(t testing.TB, c catalogue.AnyCollection, query string) string {
	t.Helper()
	params := pagination.ParseQuery(query)
	filter, err := c.Description().Filter(t.Context(), params.Values, schema.Checks{Find: c.Find})
	if err != nil {
		return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "schema: invalid record: "), "; ", "\n")
	}
	order, _ := params.Get("ordering")
	q := catalogue.Query{Filter: filter, Terms: terms(order)}
	list := mustHave(c.List(t.Context(), q))
	var ids []string
	for _, record := range list.Records {
		var members map[string]json.RawMessage
		must(t, json.Unmarshal(record, &members))
		id := strings.Trim(string(members[c.Description().Identity().Name]), `"`)
		must(t, second(c.Get(t.Context(), id, filter)))
		ids = append(ids, id)
	}
	all := [][]byte{}
	for record, err := range c.All(t.Context(), q) {
		must(t, err)
		all = append(all, bytes.Clone(record))
	}
	equal(t, query+": All", list.Records, all)
	counts := mustHave(c.Counts(t.Context(), schema.Filter{Search: filter.Search}, [][]schema.Test{filter.Tests}))
	twice := mustHave(c.Counts(t.Context(), filter, [][]schema.Test{filter.Tests}))
	equal(t, query+": List and Counts", []int{len(ids), len(ids), len(ids)}, []int{list.Count, counts[0], twice[0]})
	return cmp.Or(strings.Join(ids, " "), "none")
}

// emptyLeaflet is the rule of open leaflets.
func emptyLeaflet(_ context.Context, r *schema.Record) error {
	if open, _ := r.Get("open"); open == "true" {
		*r = r.Without("note").Without("since").Without("cost")
	}
	return nil
}
