package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// An issue is a record of the services of these tests.
type issue struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// issues returns a catalogue of 100 issues.
func issues(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(catalogue.Define[issue]("issues", catalogue.Options{}))
	must(t, err)
	var records []string
	for id := 1; id <= 100; id++ {
		records = append(records, fmt.Sprintf(`{"id":%d,"title":"Issue %d"}`, id*id%101*100+id, id))
	}
	must(t, c.Load(strings.NewReader(`{"issues":[`+strings.Join(records, ",")+`]}`), catalogue.LoadOptions{}))
	return c
}

// A gitHub is a client of bare lists with links in a header. It makes the mistakes that its fields
// say.
type gitHub struct {
	anyLink   bool // takes the last link of the header for the next, whatever its relation is
	short     bool // stops at a page that has fewer records than it asks for
	anyHost   bool // follows next to any host
	cycles    bool // does not notice that a page or a record is repeated
	anyStatus bool // takes what it cannot decode for an empty page
}

func (c gitHub) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	client = withoutRedirects(client)
	first := baseURL + "/repos/octocat/hello/issues?per_page=100"
	for next := first; next != ""; {
		resp, err := get(ctx, client, next)
		if err != nil {
			return nil, err
		}
		var page []issue
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		switch {
		case c.anyStatus && ctx.Err() == nil:
		case resp.StatusCode != http.StatusOK || err != nil:
			return nil, fmt.Errorf("%s: %w", resp.Status, err)
		}
		for _, i := range page {
			if !c.cycles && slices.Contains(ids, i.ID) {
				return nil, errors.New("a record occurs twice")
			}
			ids = append(ids, i.ID)
		}
		next = c.next(resp.Header.Get("Link"))
		switch {
		case c.short && len(page) < 100:
			return ids, nil
		case next != "" && !c.anyHost && !strings.HasPrefix(next, baseURL+"/"):
			return nil, fmt.Errorf("next leads to %s", next)
		case next != "" && len(page) == 0:
			return nil, errors.New("an empty page before others")
		}
	}
	return ids, nil
}

var links = regexp.MustCompile(`<([^>]*)>; rel="([a-z]+)"`)

func (c gitHub) next(header string) (next string) {
	for _, link := range links.FindAllStringSubmatch(header, -1) {
		if link[2] == "next" || c.anyLink {
			next = link[1]
		}
	}
	return next
}

// The five bugs, and others, are found through a service that is shaped as GitHub.
func TestGitHubClients(t *testing.T) {
	opts := Options{Catalogue: issues(t), Root: "/repos/octocat/hello/", Codec: cataloguetest.GitHub()}
	for _, tt := range []struct {
		reason    string
		client    gitHub
		situation string // that it fails
		want      string // the problem
		fails     int    // number of situations
	}{
		{"no mistake", gitHub{}, "", "", 0},
		{"ignores the end of the Link header", gitHub{anyLink: true}, "several-pages",
			"returned an error although nothing is wrong (a record occurs twice): pages may have fewer records than requested, and a list may have none; follow next in the Link header, or ask for what follows the records received, until the list ends", 1},
		{"stops at a short page", gitHub{short: true}, "several-pages", "returned 10 of at least 25 records, without the one with the id ", 1},
		{"follows next to another host", gitHub{anyHost: true}, "next-on-other-host",
			"sent a request to https://elsewhere.example: compare the scheme and host of next in the Link header with those of the first page, and return an error if they differ", 2},
		{"repeats on a cycle", gitHub{cycles: true}, "next-is-self", "sent more than 150 requests: return an error if next in the Link header leads to a page that has been read, or if a record occurs twice", 3},
		{"swallows an error", gitHub{anyStatus: true}, "status-500-once", "returned 10 of at least 25 records", 14},
	} {
		names, problems := verify(t, tt.client.ids, opts)
		if problems[simplest] == "" && len(names) != 33 { // without those of counts, and a deletion
			t.Errorf("%s: situations %q", tt.reason, names)
		}
		failed := slices.DeleteFunc(names, func(name string) bool { return problems[name] == "" })
		if len(failed) != tt.fails || !strings.Contains(problems[tt.situation], tt.want) {
			t.Errorf("%s: %d situations, want %d: %q, want %q\n%q", tt.reason, len(failed), tt.fails, problems[tt.situation], tt.want, failed)
		}
	}
	Explore(t, gitHub{}.ids, opts)
}

// numbered is a client of bare lists that counts pages until one is empty or, if it is hasty, shorter
// than the first.
func numbered(hasty bool) Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		for n, size := 1, 0; ; n++ {
			resp, err := get(ctx, withoutRedirects(client), fmt.Sprintf("%s/v1/issues?page=%d", baseURL, n))
			if err != nil {
				return nil, err
			}
			var page []issue
			err = json.NewDecoder(resp.Body).Decode(&page)
			if resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
				return nil, fmt.Errorf("%s: %w", resp.Status, err)
			}
			if len(page) == 0 || hasty && len(page) < size {
				return ids, nil
			}
			for _, i := range page {
				if !slices.Contains(ids, i.ID) {
					ids = append(ids, i.ID)
				}
			}
			size = len(page)
		}
	}
}

// Clients of lists without links and counts are verified and explored too, without what their services
// do not have.
func TestBareLists(t *testing.T) {
	opts := Options{Catalogue: issues(t), Root: "/v1/", Codec: &cataloguetest.Codec{Pages: pagination.Numbers{}}}
	names, problems := verify(t, numbered(false), opts)
	if failed := strings.Join(slices.Collect(maps.Values(problems)), ""); failed != "" || len(names) != 28 {
		t.Errorf("%d situations, want 28: %s", len(names), failed)
	}
	if found := kindsOf(mustExplorer(t, numbered(false), opts).search(t, scenarios(300, 0))); found != nil {
		t.Errorf("found %q", found)
	}
	_, problems = verify(t, numbered(true), opts)
	found := kindsOf(mustExplorer(t, numbered(true), opts).search(t, scenarios(300, 0)))
	if !strings.Contains(problems[simplest], "follow a page, or ask for what follows") || found == nil || found[0] != missing {
		t.Errorf("hasty: %q, found %q", problems, found)
	}
}

// A lister is a client of a list without pages. It makes the mistakes that its fields say.
type lister struct {
	anyStatus bool // does not look at the status
	repeats   bool // does not notice that a record is repeated
	anyHost   bool // follows redirects
}

func (c lister) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	if !c.anyHost {
		client = withoutRedirects(client)
	}
	resp, err := get(ctx, client, baseURL+"/api/events/")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var all []struct{ ID int }
	err = json.NewDecoder(resp.Body).Decode(&all)
	if c.anyStatus && ctx.Err() == nil {
		err = nil
	} else if resp.StatusCode != http.StatusOK || err != nil {
		return nil, fmt.Errorf("%s: %w", resp.Status, err)
	}
	for _, r := range all {
		if !c.repeats && slices.Contains(ids, r.ID) {
			return nil, errors.New("a record occurs twice")
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

// Clients of lists without pages run through the situations that such a list can have, also if a codec
// encodes it.
func TestListsWithoutPages(t *testing.T) {
	scenarios := 200
	if testing.Short() {
		scenarios = 40
	}
	for _, opts := range []Options{{Pages: pagination.Whole{}}, {Pages: pagination.Whole{Max: 3}}, {Codec: &cataloguetest.Codec{Pages: pagination.Whole{}}}} {
		for _, tt := range []struct {
			reason string
			client lister
			fails  string
		}{
			{"no mistake", lister{}, ""},
			{"swallows errors", lister{anyStatus: true}, "status-500-once status-500-always status-503-once status-503-always status-429-once status-429-always status-404-once rate-limit error-with-status-200 html-with-status-200 cut-in-body truncated-body redirect-to-other-host"},
			{"does not compare records", lister{repeats: true}, "row-repeated"},
			{"follows redirects", lister{anyHost: true}, "redirect-to-other-host"},
		} {
			names, problems := verify(t, tt.client.ids, opts)
			failed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return problems[name] == "" })
			if diff := cmp.Diff(tt.fails, strings.Join(failed, " ")); diff != "" || len(names) != 22 {
				t.Errorf("%s: %d situations, want 22; those that it fails (-want +got):\n%s\n%v", tt.reason, len(names), diff, problems)
			}
		}
		v := mustVerification(t, lister{}.ids, opts)
		if want := "many-pages full-pages one-full-page status-500-from-second-page status-503-from-second-page status-429-from-second-page next-is-self next-cycle empty-pages-with-next next-on-other-host next-without-tls row-missing row-repeated-for-another count-shrinks record-deleted"; strings.Join(v.left, " ") != want {
			t.Errorf("left out are %q", v.left)
		}
		x, err := newExplorer(Fetch[int](lister{}.ids), opts)
		must(t, err)
		for _, f := range x.search(t, Options{Scenarios: scenarios}) {
			t.Errorf("Explore: %s", x.report(f))
		}
		x, err = newExplorer(Fetch[int](lister{repeats: true}.ids), opts)
		must(t, err)
		if found := x.search(t, Options{Scenarios: scenarios}); len(found) != 1 || found[0].problem.kind != repeated {
			t.Errorf("Explore finds %d mistakes of a client that does not compare records", len(found))
		}
	}
}
