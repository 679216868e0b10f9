package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A soakReader sends requests and checks the responses.
type soakReader struct {
	*soak
	rng *rand.Rand
}

func (r *soakReader) round() error {
	switch n := r.rng.IntN(20); {
	case n < 13:
		return r.page()
	case n < 15:
		return r.other()
	case n < 16:
		return r.head()
	case n < 17:
		return r.options()
	case n < 18:
		return r.root()
	default:
		return r.invalid()
	}
}

// eventsPage is the response to a request for events.
type eventsPage struct {
	Count          int
	Next, Previous *string
	Results        []schema.Event
}

// page requests events, and sometimes the next page.
func (r *soakReader) page() error {
	limit, offset, query := 21, 0, "?format=api"
	if r.rng.IntN(2) == 0 {
		limit = 1 + r.rng.IntN(60)
		query += "&limit=" + strconv.Itoa(limit)
	}
	if r.rng.IntN(3) > 0 {
		offset = r.rng.IntN(r.events + r.events/10)
		query += "&offset=" + strconv.Itoa(offset)
	}
	by := r.ordering()
	query += "&ordering=" + strings.Join(by, ",")
	page, err := r.askPage("/api/events/"+query, limit, offset, by)
	if err != nil || page.Next == nil || r.rng.IntN(4) > 0 {
		return err
	}
	path, found := strings.CutPrefix(*page.Next, r.url)
	if !found {
		return fmt.Errorf("%s: next is %s", query, *page.Next)
	}
	_, err = r.askPage(path, limit, offset+limit, by)
	return err
}

// ordering returns a frequent ordering or a random one, which may contain an unknown
// field.
func (r *soakReader) ordering() (by []string) {
	if r.rng.IntN(2) == 0 {
		often := []string{"", "start_date", "-start_date", "name", "-id", "published,-start_date", "location,name"}
		return strings.Split(often[r.rng.IntN(len(often))], ",")
	}
	for range 1 + r.rng.IntN(3) {
		fields := append(r.house.Events().Fields(), "no_field")
		by = append(by, []string{"", "-"}[r.rng.IntN(2)]+fields[r.rng.IntN(len(fields))])
	}
	return by
}

func (r *soakReader) askPage(path string, limit, offset int, by []string) (page eventsPage, err error) {
	got, err := r.ask("GET", path, nil)
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(got.body, &page); err != nil || got.status != 200 {
		return page, got.errorf("want a page: %v", err)
	}
	if least, most := r.events-spread*r.writers, r.events+spread*r.writers; page.Count < least || page.Count > most {
		return page, got.errorf("want %d to %d events", least, most)
	}
	if want := min(limit, max(0, page.Count-offset)); len(page.Results) != want {
		return page, got.errorf("%d records, want %d", len(page.Results), want)
	}
	if (page.Next != nil) != (offset+limit < page.Count) || (page.Previous != nil) != (offset > 0) {
		return page, got.errorf("next or previous is wrong")
	}
	for i := 1; i < len(page.Results); i++ {
		if compareEvents(&page.Results[i-1], &page.Results[i], by) >= 0 {
			return page, got.errorf("record %d should not come before %d", page.Results[i-1].ID, page.Results[i].ID)
		}
	}
	return page, nil
}

// compareEvents compares in the documented order, with ties by id in the direction of the
// leading term.
func compareEvents(a, b *schema.Event, by []string) int {
	by = slices.DeleteFunc(slices.Clone(by), func(name string) bool { return strings.TrimPrefix(name, "-") == "no_field" })
	if len(by) == 0 || by[0] == "" {
		by = []string{"start_date"}
	}
	direction := 1
	if strings.HasPrefix(by[0], "-") {
		direction = -1
	}
	for _, term := range by {
		name, down := strings.CutPrefix(term, "-")
		c := compareField(a, b, name)
		if down {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return direction * cmp.Compare(a.ID, b.ID)
}

func compareField(a, b *schema.Event, name string) int {
	switch name {
	case "id":
		return cmp.Compare(a.ID, b.ID)
	case "name":
		return cmp.Compare(a.Name, b.Name)
	case "slug":
		return cmp.Compare(a.Slug, b.Slug)
	case "summary":
		return cmp.Compare(a.Summary, b.Summary)
	case "description":
		return cmp.Compare(a.Description, b.Description)
	case "location":
		return cmp.Compare(a.Location, b.Location)
	case "start_date":
		return a.StartDate.Compare(b.StartDate.Time)
	case "end_date":
		return a.EndDate.Compare(b.EndDate.Time)
	case "published":
		return cmp.Compare(strconv.FormatBool(a.Published), strconv.FormatBool(b.Published))
	case "poster":
		return cmp.Compare(a.Poster, b.Poster)
	case "poster_webp":
		return cmp.Compare(a.PosterWebp, b.PosterWebp)
	case "labels":
		return slices.Compare(a.Labels, b.Labels)
	case "authors":
		return slices.Compare(a.Authors, b.Authors)
	}
	panic("unknown field: " + name)
}

// other requests a collection that does not change.
func (r *soakReader) other() error {
	key := r.keys[r.rng.IntN(len(r.keys))]
	limit := 1 + r.rng.IntN(20)
	got, err := r.ask("GET", fmt.Sprintf("%s?limit=%d&ordering=-id", r.paths[key], limit), nil)
	if err != nil {
		return err
	}
	var page struct {
		Count   int
		Results []struct{ ID int }
	}
	if err := json.Unmarshal(got.body, &page); err != nil || got.status != 200 {
		return got.errorf("want a page: %v", err)
	}
	if page.Count != r.fixed[key] || len(page.Results) != min(limit, page.Count) {
		return got.errorf("%d of %d records, want %d", len(page.Results), page.Count, r.fixed[key])
	}
	for i := 1; i < len(page.Results); i++ {
		if page.Results[i-1].ID <= page.Results[i].ID {
			return got.errorf("id %d before %d", page.Results[i-1].ID, page.Results[i].ID)
		}
	}
	return nil
}

func (r *soakReader) head() error {
	got, err := r.ask("HEAD", "/api/events/?limit=3&offset="+strconv.Itoa(r.rng.IntN(50)), nil)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(got.header.Get("Content-Length")); got.status != 200 || len(got.body) > 0 || n < 100 || err != nil {
		return got.errorf("Content-Length %d, %v", n, err)
	}
	return nil
}

func (r *soakReader) options() error {
	got, err := r.ask("OPTIONS", "/api/events/", nil)
	if err != nil {
		return err
	}
	var about struct {
		Name    string
		Actions struct{ POST map[string]any }
	}
	if err := json.Unmarshal(got.body, &about); err != nil || got.status != 200 || about.Name == "" || len(about.Actions.POST) != 13 {
		return got.errorf("want actions: %v", err)
	}
	return nil
}

func (r *soakReader) root() error {
	got, err := r.ask("GET", "/api/", nil)
	if err != nil {
		return err
	}
	var links map[string]string
	if err := json.Unmarshal(got.body, &links); err != nil || got.status != 200 || len(links) != 39 {
		return got.errorf("want 39 links: %v", err)
	}
	return nil
}

// invalid sends an invalid request.
func (r *soakReader) invalid() error {
	requests := []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/nope/", "", 404},
		{"GET", "/api/events/" + strconv.Itoa(r.rng.IntN(1000)) + "/", "", 404},
		{"GET", "/api/events/?format=xml", "", 404},
		{"GET", "/api/events", "", 301},
		{"GET", "/api/events/?" + strings.Repeat("a=1&", 1000) + "b=1", "", 400},
		{"DELETE", "/api/events/", "", 405},
		{"POST", "/api/books/", "{}", 405},
		{"POST", "/api/events/", `{"name":`, 400},
		{"POST", "/api/events/", `{"name":"` + strings.Repeat("x", r.rng.IntN(2000)) + `"}`, 400},
	}
	request := requests[r.rng.IntN(len(requests))]
	var body []byte
	if request.body != "" {
		body = []byte(request.body)
	}
	got, err := r.ask(request.method, request.path, body)
	if err != nil {
		return err
	}
	var detail map[string]any
	if request.status == 301 {
		detail = map[string]any{"location": got.header.Get("Location")}
	} else if err := json.Unmarshal(got.body, &detail); err != nil {
		return got.errorf("want a detail: %v", err)
	}
	if got.status != request.status || len(detail) == 0 {
		return got.errorf("want %d", request.status)
	}
	return nil
}
