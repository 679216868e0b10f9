package catalogue_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A recordedFilm is a film of a service built with Django REST framework and
// django-filter, whose requests and responses were recorded.
type recordedFilm struct {
	ID         int        `json:"id"`
	Title      string     `json:"title"`
	Slug       string     `json:"slug"`
	Synopsis   string     `json:"synopsis"`
	Released   *string    `json:"released"`
	PremiereAt *time.Time `json:"premiereAt"`
	Minutes    int        `json:"minutes"`
	Rating     *float64   `json:"rating"`
	Price      string     `json:"price"`
	Status     string     `json:"status"`
	Published  bool       `json:"published"`
	Director   int        `json:"director"`
	Genres     []int      `json:"genres"`
	CreatedAt  time.Time  `json:"createdAt"`
}

// A recorded is one request and its response.
type recorded struct {
	Request struct{ Method, Target string }
	Want    struct {
		Status int
		Body   *struct{ Text string }
		Page   *struct {
			Count int
			IDs   []int `json:"ids"`
		}
	}
}

var recordedOptions = catalogue.Options{
	Unique: []string{"slug"},
	Keys:   []ordering.KeyFunc{ordering.FieldKey("price", sortkey.Decimal)},
}

// TestRecordedFilters compares selections with the responses of the framework, over
// typed and open records.
func TestRecordedFilters(t *testing.T) {
	t.Run("typed", func(t *testing.T) { replayFilters[recordedFilm](t, true) })
	t.Run("open", func(t *testing.T) { replayFilters[schema.Record](t, false) })
}

func replayFilters[T any](t *testing.T, times bool) {
	films, err := catalogue.NewCollection[T](recordedOptions)
	if err != nil {
		t.Fatal(err)
	}
	stored := recordedDataset(t)
	load := func() {
		text, _ := json.Marshal(slices.Collect(maps.Values(stored)))
		if err := films.Load(bytes.NewReader(text), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	load()
	lines, err := os.ReadFile("../httpapi/testdata/own/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared, filtered := 0, 0
	for line := range strings.Lines(string(lines)) {
		var v recorded
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(v.Request.Target)
		if err != nil || !strings.HasPrefix(u.Path, "/api/films/") {
			continue
		}
		if v.Request.Method != "GET" {
			v.apply(t, stored, path.Base(u.Path))
			load()
			continue
		}
		query := pagination.ParseQuery(u.RawQuery)
		where, terms, ok := recordedSelection(u.Query(), query, times)
		if v.Want.Page == nil || !ok {
			continue
		}
		page, err := films.Where(where...).View(pagination.Limits{}.Window(query), terms...)
		if err != nil {
			t.Errorf("%s: %v", v.Request.Target, err)
			continue
		}
		ids := []int{}
		for i := range page.Len() {
			ids = append(ids, recordedID(t, page, i))
		}
		if diff := cmp.Diff(v.Want.Page.IDs, ids); page.Count() != v.Want.Page.Count || diff != "" {
			t.Errorf("%s: count %d, want %d, ids (-want +got):\n%s", v.Request.Target, page.Count(), v.Want.Page.Count, diff)
		}
		compared++
		filtered += min(len(where), 1)
	}
	t.Logf("%d pages compared, %d with conditions", compared, filtered)
	if filtered < 40 {
		t.Errorf("only %d recorded pages have conditions", filtered)
	}
	if err := films.Check(); err != nil {
		t.Error(err)
	}
}

// recordedDataset returns the films at the start, by id.
func recordedDataset(t *testing.T) map[int]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("../httpapi/testdata/own/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var dataset struct{ Films []json.RawMessage }
	if err := json.Unmarshal(text, &dataset); err != nil {
		t.Fatal(err)
	}
	stored := map[int]json.RawMessage{}
	for _, film := range dataset.Films {
		stored[idIn(t, film)] = film
	}
	return stored
}

func idIn(t *testing.T, record []byte) int {
	t.Helper()
	var film struct{ ID int }
	if err := json.Unmarshal(record, &film); err != nil {
		t.Fatal(err)
	}
	return film.ID
}

func recordedID[T any](t *testing.T, page catalogue.View[T], i int) int {
	t.Helper()
	text, err := page.JSON(i)
	if err != nil {
		t.Fatal(err)
	}
	return idIn(t, text)
}

// apply changes the stored films as the service did, according to its response.
func (v *recorded) apply(t *testing.T, stored map[int]json.RawMessage, last string) {
	t.Helper()
	switch {
	case v.Want.Status == 200 || v.Want.Status == 201:
		if v.Want.Body != nil && v.Request.Method != "OPTIONS" && v.Request.Method != "HEAD" {
			stored[idIn(t, []byte(v.Want.Body.Text))] = json.RawMessage(v.Want.Body.Text)
		}
	case v.Want.Status == 204:
		id, _ := strconv.Atoi(last)
		delete(stored, id)
	}
}

// recordedSelection returns the conditions and the terms of a query. ok is false if the
// query searches or has a filter that no condition expresses.
func recordedSelection(values url.Values, query pagination.Query, times bool) (where []ordering.Condition, terms []ordering.Term, ok bool) {
	known := []string{"id", "title", "slug", "synopsis", "released", "premiere_at", "minutes", "rating", "price", "status", "published", "director", "created_at"}
	if list, _ := query.Get("ordering"); strings.Contains(list, "genres") || strings.Contains(list, "pk") {
		return nil, nil, false // the framework joins tables
	} else {
		terms = ordering.Parse(list, func(name string) bool { return slices.Contains(known, name) })
	}
	for name, list := range values {
		field, lookup, _ := strings.Cut(name, "__")
		text := strings.TrimSpace(list[len(list)-1])
		filter := slices.Contains([]string{"status", "published", "director", "minutes", "released", "price", "title", "premiere_at"}, field)
		switch {
		case name == "search" || field == "genres":
			return nil, nil, false
		case !filter || text == "":
			continue
		}
		c, ok := recordedCondition(field, lookup, text, times)
		if !ok {
			return nil, nil, false
		}
		where = append(where, c...)
	}
	return where, terms, true
}

// recordedCondition returns the conditions of one filter.
func recordedCondition(field, lookup, text string, times bool) ([]ordering.Condition, bool) {
	parts := strings.Split(text, ",")
	values := make([]any, len(parts))
	for i, part := range parts {
		values[i] = recordedValue(field, part, times)
	}
	if field == "title" && lookup == "" || field == "price" {
		values = []any{text}
	}
	if slices.Contains(values, nil) {
		return nil, false
	}
	switch lookup {
	case "":
		return []ordering.Condition{ordering.Equal(field, values[0])}, len(values) == 1
	case "in":
		return []ordering.Condition{ordering.OneOf(field, values...)}, true
	case "gt":
		return []ordering.Condition{ordering.Greater(field, values[0])}, true
	case "gte":
		return []ordering.Condition{ordering.AtLeast(field, values[0])}, true
	case "lt":
		return []ordering.Condition{ordering.Less(field, values[0])}, true
	case "lte":
		return []ordering.Condition{ordering.AtMost(field, values[0])}, true
	case "range":
		return []ordering.Condition{ordering.AtLeast(field, values[0]), ordering.AtMost(field, values[len(values)-1])}, len(values) == 2
	case "startswith":
		return []ordering.Condition{ordering.Prefix(field, text)}, true
	case "isnull":
		null := map[string]ordering.Condition{"true": ordering.IsNull(field), "false": ordering.NotNull(field)}
		c, ok := null[strings.ToLower(text)]
		return []ordering.Condition{c}, ok
	}
	return nil, false
}

// recordedValue returns the value of a filter as a Go value, or nil if the framework reads
// it in a way of its own.
func recordedValue(field, text string, times bool) any {
	switch field {
	case "minutes", "director":
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
		return nil
	case "published":
		if b, err := strconv.ParseBool(text); err == nil && len(text) > 1 {
			return b
		}
		return nil
	case "released":
		if _, err := time.Parse(time.DateOnly, text); err != nil && text != "true" && text != "false" {
			return nil
		}
	case "premiere_at":
		at, err := time.Parse(time.RFC3339, text)
		switch {
		case err != nil:
			return nil
		case times:
			return at
		}
		return at.UTC().Format("2006-01-02T15:04:05.999999Z")
	}
	return text
}
