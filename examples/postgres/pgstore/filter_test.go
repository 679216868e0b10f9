package pgstore_test

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// filterOf returns the filter of the parameters of a query, in which each reference is to a record.
func filterOf(t *testing.T, about schema.Description, query string) schema.Filter {
	t.Helper()
	params, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	about.Filters = nil
	for name := range params {
		about.Filters = append(about.Filters, name)
	}
	filter, err := about.Filter(t.Context(), func(name string) []string { return params[name] }, schema.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

// TestFilterIndexes checks that conditions of declared filters are served by indexes. The environment
// variable BACKLIST_POSTGRES_ROWS is the number of records, at most a million.
func TestFilterIndexes(t *testing.T) {
	rows := int(setting(t, "BACKLIST_POSTGRES_ROWS", 5_000))
	store := openUnchecked(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: recordedFilms(), Timeout: time.Minute})
	var films []string
	for i := range rows {
		n := scattered(i, rows)
		day := time.Date(1000, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		films = append(films, fmt.Sprintf(`{"id":%d,"title":"Film %06d","slug":"f-%[2]d","synopsis":"","released":"%[3]s","premiereAt":null,"minutes":%[2]d,`+
			`"rating":null,"price":"%[2]d.50","status":"released","published":true,"director":%[4]d,"genres":[%[2]d],"createdAt":"2026-01-02T03:04:05Z"}`, i+1, n, day, 1+n%500))
	}
	load(t, store, `{"films":[`+strings.Join(films, ",")+"]}")
	about := store.Collections()[2].Description()
	last := strconv.Itoa(rows - 10)
	for _, query := range []string{
		"title=Film+000007", "title__startswith=Film+0000", "title__iexact=film+000007", "title__istartswith=film+0000", "minutes=7", "minutes__lt=20",
		"minutes__range=7,20", "minutes__gte=" + last, "released=1000-01-07", "released__lte=1000-01-10", "price=7.50", "price__gte=" + last, "slug=f-7",
	} {
		plan, err := store.Explain(t.Context(), "films", filterOf(t, about, query))
		if err != nil || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s: %v\n%s", query, err, plan)
		}
	}
	for _, test := range []schema.Test{
		{Field: "genres", Lookup: "exact", Values: []string{"7"}}, {Field: "director", Lookup: "exact", Values: []string{"7"}}, {Field: "id", Lookup: "exact", Values: []string{"7"}},
	} {
		plan, err := store.Explain(t.Context(), "films", schema.Filter{Tests: []schema.Test{test}})
		if err != nil || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%v: %v\n%s", test, err, plan)
		}
	}
}

// TestDeclaredIndexes checks that a filter by a choice and an order are served by an index of
// Options.Indexes alone: both the page and its count, which read no rows.
func TestDeclaredIndexes(t *testing.T) {
	type ticket struct {
		ID    int    `json:"id"`
		State string `json:"state" backlist:"choices=new|open|held|done|lost"`
		Days  int    `json:"days"`
		Text  string `json:"text"`
	}
	recorder := newRecorder(t, shared.DSN(newDatabase(t, "template1")))
	store := openUnchecked(t, pgstore.Options{DSN: recorder.dsn, Definitions: []catalogue.AnyDefinition{
		catalogue.Define[ticket]("tickets", catalogue.Options{
			Indexes:     [][]ordering.Term{{ordering.Asc("state"), ordering.Asc("days")}, {ordering.Desc("days")}},
			Description: &schema.Description{Filters: []string{"state"}},
		}),
	}})
	var tickets []string
	for i := range 5000 {
		state := []string{"new", "open", "held", "done", "lost"}[i%5]
		tickets = append(tickets, fmt.Sprintf(`{"id":%d,"state":%q,"days":%d,"text":%q}`, i+1, state, scattered(i, 5000), strings.Repeat("text ", 40)))
	}
	load(t, store, `{"tickets":[`+strings.Join(tickets, ",")+"]}")
	db := connect(t, recorder.dsn)
	exec(t, db, "VACUUM ANALYZE tickets")
	open := schema.Filter{Tests: []schema.Test{{Field: "state", Lookup: "exact", Values: []string{"open"}}}}
	for _, row := range []struct {
		filter schema.Filter
		order  ordering.Term
		args   []any
		count  int
		scans  []string
	}{
		{open, ordering.Desc("days"), []any{"open", 3, 0}, 1000, []string{`Index Only Scan using tickets_by_`, `Index Only Scan Backward using tickets_by_`}},
		{schema.Filter{}, ordering.Asc("days"), []any{3, 0, "tickets"}, 5000, []string{`Index Only Scan using tickets_by_days`}},
	} {
		recorder.take()
		list, err := store.Collections()[0].List(t.Context(), catalogue.Query{Filter: row.filter, Window: pagination.Window{Limit: 3}, Terms: []ordering.Term{row.order}})
		if err != nil || list.Count != row.count || len(list.Records) != 3 {
			t.Fatalf("%d of %d records, want 3 of %d; %v", len(list.Records), list.Count, row.count, err)
		}
		sent := recorder.take()
		var plan []string
		var line string
		rows, err := db.QueryContext(t.Context(), "EXPLAIN "+sent[len(sent)-1].text, row.args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() && rows.Scan(&line) == nil {
			plan = append(plan, line)
		}
		for _, scan := range row.scans {
			if !strings.Contains(strings.Join(plan, "\n"), scan) {
				t.Errorf("%v: no %s in\n%s", row.order, scan, strings.Join(plan, "\n"))
			}
		}
	}
}

// TestUnsupportedLookups checks that what PostgreSQL does not serve is an error.
func TestUnsupportedLookups(t *testing.T) {
	store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: recordedFilms()})
	films := store.Collections()[2]
	for _, test := range []schema.Test{
		{Field: "slug", Lookup: "icontains", Values: []string{"a"}}, {Field: "title", Lookup: "soundslike", Values: []string{"a"}},
		{Field: "director__slug", Lookup: "soundslike", Values: []string{"a"}},
	} {
		_, err := films.List(t.Context(), catalogue.Query{Filter: schema.Filter{Tests: []schema.Test{test}}})
		if !errors.Is(err, pgstore.ErrLookup) || !strings.Contains(err.Error(), "slug") && !strings.Contains(err.Error(), "title") {
			t.Errorf("List with %v = %v, want %v", test, err, pgstore.ErrLookup)
		}
	}
}

// TestExpressionsThatTakeTooMuchWork checks that the work of regular expressions is bounded as in memory, and that
// the response names the parameter.
func TestExpressionsThatTakeTooMuchWork(t *testing.T) {
	store := openUnchecked(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: recordedFilms(), Timeout: time.Minute})
	load(t, store, fmt.Sprintf(`{"directors":[{"id":1,"name":%q,"slug":"d","born":null,"website":""}],"films":[{"id":1,"title":"Film","slug":"f","synopsis":"","released":null,`+
		`"premiereAt":null,"minutes":1,"rating":null,"price":"1.50","status":"released","published":true,"director":1,"genres":[],"createdAt":"2026-01-02T03:04:05Z"}]}`, strings.Repeat("a", 900_000)))
	films := store.Collections()[2].(interface {
		httpapi.Collection
		httpapi.Counter
		httpapi.Getter
		httpapi.Updater
		httpapi.Deleter
	})
	filter := func(expression string) schema.Filter {
		return filterOf(t, films.Description(), url.Values{"director__name__regex": {expression}}.Encode())
	}
	for name, operation := range map[string]func(f schema.Filter) error{
		"List": func(f schema.Filter) error {
			_, err := films.List(t.Context(), catalogue.Query{Filter: f})
			return err
		},
		"Count": func(f schema.Filter) error {
			_, err := films.Count(t.Context(), f, [][]schema.Test{nil})
			return err
		},
		"Get": func(f schema.Filter) error {
			_, err := films.Get(t.Context(), "1", f)
			return err
		},
		"Update": func(f schema.Filter) error {
			_, err := films.Update(t.Context(), "1", catalogue.Edit{Filter: f, Body: []byte(`{"minutes":2}`), Partial: true})
			return err
		},
		"Delete": func(f schema.Filter) error { return films.Delete(t.Context(), "1", f, nil) },
	} {
		var errs schema.FieldErrors
		if err := operation(filter("z{240}")); !errors.As(err, &errs) || errs[0].Field != "director_Name_Regex" {
			t.Errorf("%s: %v, want an error of director_Name_Regex", name, err)
		}
		if err := operation(filter("^[a-m]")); err != nil && !errors.Is(err, catalogue.ErrNotFound) {
			t.Errorf("%s of a simple expression: %v", name, err)
		}
	}
}
