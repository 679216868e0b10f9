package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// The records of a club: references to one record and to several, by id, by a unique text and by a
// key, to other collections and to the same, one behind the other.
type (
	clubGroup struct {
		ID    int    `json:"id"`
		Code  string `json:"code" backlist:"unique"`
		Name  string `json:"name"`
		Owner string `json:"owner"`
		Lead  *int   `json:"lead" backlist:"refers=members"`
	}
	clubMember struct {
		ID    int     `json:"id"`
		Name  string  `json:"name"`
		Rank  *int    `json:"rank"`
		Owner string  `json:"owner"`
		Group *string `json:"group" backlist:"refers=groups.code"`
		Boss  *int    `json:"boss" backlist:"refers=members"`
		Mates []int   `json:"mates" backlist:"refers=members"`
	}
	clubLabel struct {
		Slug  string `json:"slug" backlist:"key"`
		Name  string `json:"name"`
		Owner string `json:"owner"`
	}
	clubEvent struct {
		ID     int      `json:"id"`
		Title  string   `json:"title"`
		Owner  string   `json:"owner"`
		Lead   *int     `json:"lead" backlist:"refers=members"`
		Crew   []int    `json:"crew" backlist:"refers=members"`
		Labels []string `json:"labels" backlist:"refers=labels"`
		Groups []string `json:"groups" backlist:"refers=groups.code"`
		After  *int     `json:"after" backlist:"refers=events"`
	}
)

var clubNames = []string{"groups", "members", "labels", "events"}

// A clubLink is what a reference leads to: the records of a collection by a field.
type clubLink struct{ to, by string }

var clubLinks = map[string]map[string]clubLink{
	"groups":  {"lead": {"members", "id"}},
	"members": {"group": {"groups", "code"}, "boss": {"members", "id"}, "mates": {"members", "id"}},
	"labels":  {},
	"events": {"lead": {"members", "id"}, "crew": {"members", "id"}, "labels": {"labels", "slug"},
		"groups": {"groups", "code"}, "after": {"events", "id"}},
}

var clubFilters = map[string]string{
	"groups": "name__icontains lead lead__isnull lead__name lead__name__isnull lead__group__name lead__mates__name__icontains lead__boss__rank__gte",
	"members": "name owner rank__isnull group group__name group__name__isnull group__lead__name__startswith boss boss__name__icontains boss__boss__name__isnull " +
		"mates mates__isnull mates__name mates__name__isnull mates__rank__gte mates__rank__isnull mates__group__name__icontains mates__mates__name group__lead__isnull",
	"labels": "name",
	"events": "title__icontains lead lead__name__startswith lead__rank__isnull lead__rank__gte lead__group__name lead__mates__name__icontains crew crew__isnull crew__name " +
		"crew__name__isnull crew__rank__gte crew__rank__isnull crew__group__name__icontains crew__boss__name crew__mates__name__startswith labels labels__name " +
		"labels__name__isnull labels__owner__in groups__name groups__lead__name after__title__icontains after__crew__name after__after__title__isnull after__lead__isnull",
}

var clubSearch = map[string][]string{
	"groups":  {"name", "^lead__name", "lead__mates__name"},
	"members": {"name", "group__name", "mates__name", "=boss__name"},
	"labels":  {"name"},
	"events":  {"title", "crew__name", "labels__name", "^lead__name", "crew__mates__name", "groups__lead__name"},
}

var clubSortable = map[string][]string{
	"groups":  {"name", "lead__name", "lead__rank", "lead__mates__rank"},
	"members": {"name", "rank", "group__name", "boss__rank", "mates__name", "mates__rank", "group__lead__name"},
	"labels":  {"name"},
	"events":  {"title", "lead__name", "lead__rank", "crew__name", "crew__rank", "labels__name", "crew__group__name", "after__title", "groups__lead__rank"},
}

// clubRows are parameters that may restrict the records of a user, whose name replaces USER. Some
// pass references to records that the user cannot see.
var clubRows = map[string][]string{
	"groups":  {"", "owner=USER", "lead__owner=USER", "lead__isnull=false"},
	"members": {"", "owner=USER", "owner__in=USER,b", "group__owner=USER", "mates__owner=USER", "boss__boss__name__isnull=true", "rank__gte=1", "owner=nobody"},
	"labels":  {"", "owner=USER", "name__icontains=a"},
	"events":  {"", "owner=USER", "crew__owner=USER", "after__lead__owner=USER", "labels__owner__in=USER,c"},
}

// A club is the records of each collection as JSON has them, in which loops find what requests select.
type club struct {
	*rand.Rand
	all  map[string][]map[string]any
	rows map[string]string // the parameters that restrict a collection
	user string
}

func (m *club) pick(list ...string) string { return list[m.IntN(len(list))] }

// words are what names consist of, so that words of a search often are in different records.
func (m *club) name() string {
	return m.pick("anna", "bob", "Ada", "eva") + " " + m.pick("rossi", "meyer", "ROM", "am")
}

func newClub(r *rand.Rand) *club {
	m := &club{Rand: r, all: map[string][]map[string]any{}, rows: map[string]string{}}
	one := func(values []any) any {
		if m.IntN(4) == 0 {
			return nil
		}
		return values[m.IntN(len(values))]
	}
	some := func(values []any) any {
		list := []any{}
		for _, v := range values {
			if m.IntN(len(values)) < 2 {
				list = append(list, v)
			}
		}
		return list
	}
	ids, codes, slugs := []any{1, 2, 3, 4, 5, 6}, []any{"g1", "g2", "g3"}, []any{"s1", "s2", "s3", "s4"}
	if m.IntN(4) == 0 { // so many that a request for one record does not read all
		for range 34 {
			ids = append(ids, len(ids)+1)
		}
	}
	var rank any
	for _, id := range ids {
		if rank = any(m.IntN(4)); m.IntN(4) == 0 {
			rank = nil
		}
		m.all["members"] = append(m.all["members"], map[string]any{"id": id, "name": m.name(), "rank": rank, "owner": m.pick("a", "b", "c"),
			"group": one(codes), "boss": one(ids), "mates": some(ids)})
		m.all["events"] = append(m.all["events"], map[string]any{"id": id, "title": m.name(), "owner": m.pick("a", "b", "c"),
			"lead": one(ids), "crew": some(ids), "labels": some(slugs), "groups": some(codes), "after": one(ids)})
	}
	for i, code := range codes {
		m.all["groups"] = append(m.all["groups"], map[string]any{"id": i + 1, "code": code, "name": m.name(), "owner": m.pick("a", "b", "c"), "lead": one(ids)})
	}
	for _, slug := range slugs {
		m.all["labels"] = append(m.all["labels"], map[string]any{"slug": slug, "name": m.name(), "owner": m.pick("a", "b", "c")})
	}
	for _, key := range clubNames {
		m.rows[key] = m.pick(clubRows[key]...)
	}
	return m
}

// params returns the parameters that restrict a collection.
func (m *club) params(key string) url.Values {
	params, _ := url.ParseQuery(strings.ReplaceAll(m.rows[key], "USER", m.user))
	return params
}

// sees reports whether a record exists for the user. The parameters of rows read all records.
func (m *club) sees(key string, r map[string]any) bool {
	for name, values := range m.params(key) {
		if !m.selects(key, r, name, values[0], true) {
			return false
		}
	}
	return true
}

// joined returns the values of paths in each row of a join that begins with a record. A reference to
// a record that does not exist leads to null, and in a list it is left out.
func (m *club) joined(key string, r map[string]any, paths []string, all bool) []map[string]any {
	rows := []map[string]any{{}}
	deeper := map[string][]string{}
	for _, path := range paths {
		name, rest, crosses := strings.Cut(path, "__")
		if crosses {
			deeper[name] = append(deeper[name], rest)
			continue
		}
		var next []map[string]any
		for _, row := range rows {
			for _, v := range elements(r[name]) {
				next = append(next, with(row, map[string]any{path: v}))
			}
		}
		rows = next
	}
	for name, rest := range deeper {
		var found []map[string]any
		to := clubLinks[key][name]
		for _, v := range elements(r[name]) {
			for _, other := range m.all[to.to] {
				if v == other[to.by] && (all || m.sees(to.to, other)) {
					found = append(found, m.joined(to.to, other, rest, all)...)
				}
			}
		}
		if found == nil {
			found = []map[string]any{{}}
		}
		var next []map[string]any
		for _, row := range rows {
			for _, other := range found {
				longer := map[string]any{}
				for _, path := range rest {
					longer[name+"__"+path] = other[path]
				}
				next = append(next, with(row, longer))
			}
		}
		rows = next
	}
	return rows
}

// elements returns the values of a field: those of a list, or null if it is empty.
func elements(v any) []any {
	list, isList := v.([]any)
	switch {
	case !isList:
		return []any{v}
	case len(list) == 0:
		return []any{nil}
	}
	return list
}

func with(row, more map[string]any) map[string]any {
	both := map[string]any{}
	for _, m := range []map[string]any{row, more} {
		for name, v := range m {
			both[name] = v
		}
	}
	return both
}

// selects reports whether a parameter selects a record.
func (m *club) selects(key string, r map[string]any, name, value string, all bool) bool {
	path, lookup := name, "exact"
	if at := strings.LastIndex(name, "__"); slices.Contains([]string{"isnull", "icontains", "startswith", "gte", "in"}, name[at+len("__"):]) && at >= 0 {
		path, lookup = name[:at], name[at+len("__"):]
	}
	for _, row := range m.joined(key, r, []string{path}, all) {
		v := row[path]
		text := fmt.Sprint(v)
		n, isNumber := v.(int)
		bound, _ := strconv.Atoi(value)
		holds := false
		switch {
		case lookup == "isnull":
			holds = (v == nil) == (value == "true")
		case v == nil:
		case lookup == "exact":
			holds = text == value
		case lookup == "in":
			holds = slices.Contains(strings.Split(value, ","), text)
		case lookup == "icontains":
			holds = strings.Contains(strings.ToLower(text), strings.ToLower(value))
		case lookup == "startswith":
			holds = strings.HasPrefix(text, value)
		case lookup == "gte":
			holds = isNumber && n >= bound
		}
		if holds {
			return true
		}
	}
	return false
}

// finds reports whether one joined row of a record has all words.
func (m *club) finds(key string, r map[string]any, words []string) bool {
	var paths []string
	for _, entry := range clubSearch[key] {
		paths = append(paths, strings.TrimLeft(entry, "^="))
	}
	for _, row := range m.joined(key, r, paths, false) {
		found := 0
		for _, word := range words {
			for _, entry := range clubSearch[key] {
				text, _ := row[strings.TrimLeft(entry, "^=")].(string)
				text, word := strings.ToLower(text), strings.ToLower(word)
				if entry[0] == '^' && strings.HasPrefix(text, word) || entry[0] == '=' && text == word || entry[0] != '^' && entry[0] != '=' && strings.Contains(text, word) {
					found++
					break
				}
			}
		}
		if found == len(words) {
			return true
		}
	}
	return false
}

// compareClub compares values; null is the largest.
func compareClub(a, b any) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(fmt.Sprint(a == nil), fmt.Sprint(b == nil))
	case fmt.Sprintf("%T", a) == "int":
		return cmp.Compare(a.(int), b.(int))
	}
	return cmp.Compare(a.(string), b.(string))
}

// order sorts records by the terms of a request, and then by id.
func (m *club) order(key string, records []map[string]any, terms []string) {
	id, first := "id", ""
	if key == "labels" {
		id = "slug"
	}
	if len(terms) > 0 && terms[0][0] == '-' {
		first = "-"
	}
	value := func(r map[string]any, path string, desc bool) any {
		var values []any
		for _, row := range m.joined(key, r, []string{path}, false) {
			values = append(values, row[path])
		}
		if desc {
			return slices.MaxFunc(values, compareClub)
		}
		return slices.MinFunc(values, compareClub)
	}
	slices.SortFunc(records, func(a, b map[string]any) int {
		for _, term := range append(slices.Clone(terms), first+id) {
			path, desc := strings.CutPrefix(term, "-")
			c := compareClub(value(a, path, desc), value(b, path, desc))
			if desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// A clubQuery is a random request, as parameters and as a model reads it.
type clubQuery struct {
	filters [][2]string
	words   []string
	terms   []string
}

func (q clubQuery) params() url.Values {
	params := url.Values{}
	for _, f := range q.filters {
		params.Set(f[0], f[1])
	}
	if q.words != nil {
		params.Set("search", strings.Join(q.words, " "))
	}
	if q.terms != nil {
		params.Set("ordering", strings.Join(q.terms, ","))
	}
	return params
}

// filter returns a random parameter of a collection with a value.
func (m *club) filter(key string) [2]string {
	name := m.pick(strings.Fields(clubFilters[key])...)
	last := name[strings.LastIndex(name, "__")+1:]
	switch link := clubLinks[key][name]; {
	case link.by == "id":
		return [2]string{name, strconv.Itoa(1 + m.IntN(7))}
	case link.by == "code":
		return [2]string{name, m.pick("g1", "g2", "g3", "g4")}
	case link.by != "":
		return [2]string{name, m.pick("s1", "s2", "s3", "s9")}
	case last == "_isnull":
		return [2]string{name, m.pick("true", "false")}
	case last == "_gte":
		return [2]string{name, m.pick("1", "2", "3")}
	case last == "_in":
		return [2]string{name, m.pick("a", "a,b", "c")}
	case last == "_icontains" || last == "_startswith":
		return [2]string{name, m.pick("a", "an", "R", "b", "E")}
	case name == "owner":
		return [2]string{name, m.pick("a", "b")}
	}
	return [2]string{name, m.name()}
}

func (m *club) query(key string) (q clubQuery) {
	for range m.IntN(3) {
		f := m.filter(key)
		q.filters = slices.DeleteFunc(q.filters, func(other [2]string) bool { return other[0] == f[0] })
		q.filters = append(q.filters, f)
	}
	for range max(0, m.IntN(6)-2) {
		word := m.pick("a", "an", "rossi", "eva", "bo", "m", "ro", "anna", "meyer", "am")
		if !slices.Contains(q.words, word) {
			q.words = append(q.words, word)
		}
	}
	for range m.IntN(3) {
		path := m.pick(clubSortable[key]...)
		if !slices.Contains(q.terms, path) && !slices.Contains(q.terms, "-"+path) { // it would have no effect
			q.terms = append(q.terms, m.pick("", "-")+path)
		}
	}
	return q
}

// find returns the texts of the ids of the records that a request selects, in its order. ok is false
// if it names a record that does not exist for the user.
func (m *club) find(key string, q clubQuery) (ids []string, ok bool) {
	for _, f := range q.filters {
		if link, isReference := clubLinks[key][f[0]]; isReference && !slices.ContainsFunc(m.all[link.to], func(r map[string]any) bool {
			return fmt.Sprint(r[link.by]) == f[1] && m.sees(link.to, r)
		}) {
			return nil, false
		}
	}
	var found []map[string]any
	for _, r := range m.all[key] {
		selected := m.sees(key, r) && m.finds(key, r, q.words)
		for _, f := range q.filters {
			selected = selected && m.selects(key, r, f[0], f[1], false)
		}
		if selected {
			found = append(found, r)
		}
	}
	m.order(key, found, q.terms)
	for _, r := range found {
		ids = append(ids, clubID(r))
	}
	return ids, true
}

func clubID(r map[string]any) string {
	if slug, ok := r["slug"]; ok {
		return slug.(string)
	}
	return fmt.Sprint(r["id"])
}

// newClubHandler returns a handler of a club's collections, restricted by its rows, with its records.
func newClubHandler(t *testing.T, m *club, pages pagination.Style) http.Handler {
	describe := func(key string, about schema.Description) *schema.Description {
		about.Filters, about.Search, about.Sortable = strings.Fields(clubFilters[key]), clubSearch[key], clubSortable[key]
		return &about
	}
	c := mustCatalogue(t,
		catalogue.Define[clubGroup]("groups", catalogue.Options{Description: describe("groups", mustDescribe[clubGroup](t, "groups"))}),
		catalogue.Define[clubMember]("members", catalogue.Options{Description: describe("members", mustDescribe[clubMember](t, "members"))}),
		catalogue.Define[clubLabel]("labels", catalogue.Options{Description: describe("labels", mustDescribe[clubLabel](t, "labels"))}),
		catalogue.Define[clubEvent]("events", catalogue.Options{Description: describe("events", mustDescribe[clubEvent](t, "events"))}))
	data, err := json.Marshal(m.all)
	must(t, err, c.Load(strings.NewReader(string(data)), catalogue.LoadOptions{References: true}))
	var served []Collection
	for key, coll := range c.All() {
		if m.rows[key] == "" {
			served = append(served, coll)
			continue
		}
		served = append(served, Restrict(coll, func(ctx context.Context) (url.Values, error) {
			if got := ctx.Value(userKey{}); got != m.user {
				t.Errorf("rows of %s are those of %v, want %s", key, got, m.user)
			}
			return m.params(key), nil
		}))
	}
	return newStubHandler(t, Options{Authorizer: AllowAll, ETags: true, Pages: pages}, served...)
}

// TestRowsMatchModel compares random requests across references to restricted collections, and
// searches of several words, with loops over all records: pages, counts, walks by cursors, facets,
// exports and records. BACKLIST_ROWS is the number of clubs, and BACKLIST_ROWS_SEED repeats a run.
func TestRowsMatchModel(t *testing.T) {
	clubs, seed := 6, uint64(time.Now().UnixNano())
	if os.Getenv("BACKLIST_LONG") != "" {
		clubs = 20
	}
	if text := os.Getenv("BACKLIST_ROWS"); text != "" {
		clubs, _ = strconv.Atoi(text)
	}
	if text := os.Getenv("BACKLIST_ROWS_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("BACKLIST_ROWS_SEED=%d", seed)
	found := 0
	for n := range clubs {
		m := newClub(rand.New(rand.NewPCG(seed, uint64(n))))
		h, cursors := newClubHandler(t, m, nil), newClubHandler(t, m, pagination.Cursors{Limits: pagination.Limits{Default: 2}})
		for range 40 {
			m.user = m.pick("a", "b", "c")
			key := m.pick(append(clubNames, "events", "members")...)
			q := m.query(key)
			ids, ok := m.find(key, q)
			found += len(ids)
			m.compare(t, h, key, q, ids, ok)
			m.walk(t, cursors, key, q)
			if t.Failed() {
				t.Fatalf("club %d, rows %q, user %s", n, m.rows, m.user)
			}
		}
	}
	if found < 10*clubs {
		t.Errorf("%d records are found by the requests to %d clubs", found, clubs)
	}
}

// compare compares a page, facets, an export and the path of a record with what the model finds.
func (m *club) compare(t *testing.T, h http.Handler, key string, q clubQuery, ids []string, ok bool) {
	t.Helper()
	params := q.params()
	target := "/api/" + key + "/?" + params.Encode()
	want := fmt.Sprint(len(ids), ids)
	if !ok {
		want = "400"
	}
	if got := m.page(t, h, target); got != want {
		t.Errorf("%s: %s, want %s", target, got, want)
	}
	if got := (call{target: target}).doAs(h, m.user).Header["Cache-Control"]; m.rows[key] != "" && got != "private, no-cache" {
		t.Errorf("%s: Cache-Control %q", target, got)
	}
	r := m.all[key][m.IntN(len(m.all[key]))]
	status := map[bool]int{true: 200, false: 404}[slices.Contains(ids, clubID(r))]
	if !ok {
		status = 400
	}
	record := "/api/" + key + "/" + clubID(r) + "/?" + params.Encode()
	if got := (call{target: record}).doAs(h, m.user); got.Status != status {
		t.Errorf("%s: %d %s, want %d", record, got.Status, got.Body, status)
	}
	if !ok {
		return
	}
	facet := q
	facet.filters = append(slices.Clone(q.filters), m.filter(key))
	counted, valid := m.find(key, facet)
	if last := facet.filters[len(q.filters)]; valid && !params.Has(last[0]) {
		if got := tallied(t, h, m.user, target, url.Values{last[0]: {last[1]}}); got[0] != len(counted) {
			t.Errorf("%s with %q: %d records are counted, want %d", target, last, got, len(counted))
		}
	}
	var exported []string
	selecting(t, h, m.user, target, func(s wire.Selection) error {
		records, _ := s.All()
		for record, err := range records {
			var r map[string]any
			must(t, err, json.Unmarshal(record, &r))
			exported = append(exported, clubID(r))
		}
		return nil
	})
	if !slices.Equal(exported, ids) {
		t.Errorf("export of %s: %v, want %v", target, exported, ids)
	}
}

// page returns the count and the ids of a page, or the status of an error.
func (m *club) page(t *testing.T, h http.Handler, target string) string {
	t.Helper()
	got := call{target: target + "&limit=100"}.doAs(h, m.user)
	if got.Status != 200 {
		return strconv.Itoa(got.Status)
	}
	var page struct {
		Count   int
		Results []map[string]any
	}
	must(t, json.Unmarshal([]byte(got.Body), &page))
	var ids []string
	for _, r := range page.Results {
		ids = append(ids, clubID(r))
	}
	return fmt.Sprint(page.Count, ids)
}

// walk follows the cursors of a list to its end. Fields of other records are no positions in it.
func (m *club) walk(t *testing.T, h http.Handler, key string, q clubQuery) {
	t.Helper()
	target := "/api/" + key + "/?" + q.params().Encode()
	q.terms = slices.DeleteFunc(slices.Clone(q.terms), func(term string) bool { return strings.Contains(term, "__") })
	ids, ok := m.find(key, q)
	if !ok {
		return
	}
	var walked []string
	for next := target; next != "" && len(walked) <= len(ids); {
		got := call{target: next}.doAs(h, m.user)
		var page struct {
			Next    string
			Results []map[string]any
		}
		if got.Status != 200 {
			t.Fatalf("%s: %d %s", next, got.Status, got.Body)
		}
		must(t, json.Unmarshal([]byte(got.Body), &page))
		for _, r := range page.Results {
			walked = append(walked, clubID(r))
		}
		next = strings.TrimPrefix(page.Next, "http://host.example")
	}
	if !slices.Equal(walked, ids) {
		t.Errorf("the walk through %s: %v, want %v", target, walked, ids)
	}
}
