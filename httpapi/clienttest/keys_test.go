package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
)

// A maker has a UUID, and a tag a slug. An account has an id with another name.
type (
	account struct {
		Number int    `json:"number"`
		Name   string `json:"name"`
	}
	maker struct {
		ID   string `json:"id" backlist:"key,uuid"`
		Name string `json:"name"`
	}
	tag struct {
		Slug  string `json:"slug" backlist:"key"`
		Label string `json:"label"`
	}
)

// A uuid is as most packages have it: an array with a text form.
type uuid [16]byte

func (u uuid) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

func (u *uuid) UnmarshalText(text []byte) error {
	var raw []byte
	_, err := fmt.Sscanf(strings.ReplaceAll(string(text), "-", ""), "%x", &raw)
	copy(u[:], raw)
	return err
}

// keyed returns a catalogue of 95 records of each type.
func keyed(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(
		catalogue.Define[maker]("makers", catalogue.Options{}), catalogue.Define[tag]("tags", catalogue.Options{}),
		catalogue.Define[account]("numbers", catalogue.Options{ID: "number"}),
	)
	must(t, err)
	var makers, tags, numbers []string
	for i := range 95 {
		makers = append(makers, fmt.Sprintf(`{"id":"%08d-cafe-4000-8000-00000000000a","name":"Maker %d"}`, i*7%95, i))
		tags = append(tags, fmt.Sprintf(`{"slug":"tag-%d","label":"Tag %d"}`, i, i))
		numbers = append(numbers, fmt.Sprintf(`{"number":%d,"name":"Number %d"}`, i+1, i))
	}
	all := fmt.Sprintf(`{"makers":[%s],"tags":[%s],"numbers":[%s]}`,
		strings.Join(makers, ","), strings.Join(tags, ","), strings.Join(numbers, ","))
	must(t, c.Load(strings.NewReader(all), catalogue.LoadOptions{}))
	return c
}

// walker returns a client that moves by offsets that overlap.
func walker[ID comparable](path, member string) Fetch[ID] {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []ID, err error) {
		count := -1
		for more := true; more; {
			query := url.Values{"ordering": {member}, "offset": {fmt.Sprint(max(len(ids)-1, 0))}}
			resp, err := get(ctx, withoutRedirects(client), baseURL+path+"?"+query.Encode())
			if err != nil {
				return nil, err
			}
			var page struct {
				Count   *int
				Next    string
				Results []map[string]json.RawMessage
			}
			err = json.NewDecoder(resp.Body).Decode(&page)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || page.Count == nil || count >= 0 && *page.Count != count {
				return nil, fmt.Errorf("%s, count %v: %w", resp.Status, page.Count, err)
			}
			count, more = *page.Count, page.Next != ""
			var some []ID
			for _, r := range page.Results {
				var id ID
				if err := json.Unmarshal(r[member], &id); err != nil {
					return nil, err
				}
				some = append(some, id)
			}
			if len(ids) > 0 {
				if len(some) < 2 || some[0] != ids[len(ids)-1] {
					return nil, errors.New("records have moved")
				}
				some = some[1:]
			}
			for _, id := range some {
				if slices.Contains(ids, id) {
					return nil, errors.New("a record occurs twice")
				}
				ids = append(ids, id)
			}
			if len(some) == 0 && more {
				return nil, errors.New("a page is empty")
			}
		}
		if count != len(ids) {
			return nil, fmt.Errorf("%d of %d records", len(ids), count)
		}
		return ids, nil
	}
}

// problemsOf returns what a client did wrong in the situations, by their names.
func problemsOf[ID comparable](t *testing.T, fetch Fetch[ID], opts Options) map[string]string {
	t.Helper()
	v, err := newVerification(fetch, opts)
	must(t, err)
	problems := map[string]string{}
	for _, s := range v.situations {
		if problem, _ := v.run(t, s); problem != "" {
			problems[s.name] = problem
		}
		if len(problems) > 0 && s.name == simplest {
			break
		}
	}
	return problems
}

// Keys are verified as ids are, whatever the type is in which a client has them.
func TestKeys(t *testing.T) {
	c := keyed(t)
	makers, tags := Options{Catalogue: c, Collection: "makers"}, Options{Catalogue: c, Collection: "tags"}
	changed := func(change func(ids []string) []string) Fetch[string] {
		return func(ctx context.Context, client *http.Client, baseURL string) ([]string, error) {
			ids, err := walker[string]("/api/tags/", "slug")(ctx, client, baseURL)
			return change(ids), err
		}
	}
	lost := changed(func(ids []string) []string { return ids[min(1, len(ids)):] })
	twice := changed(func(ids []string) []string { return append(ids, ids[:min(1, len(ids))]...) })
	for _, tt := range []struct {
		reason   string
		problems map[string]string
		want     string // in the problem of the first situation; "" for no problem in any
	}{
		{"UUIDs as arrays", problemsOf(t, walker[uuid]("/api/makers/", "id"), makers), ""},
		{"UUIDs as text", problemsOf(t, walker[string]("/api/makers/", "id"), makers), ""},
		{"slugs", problemsOf(t, walker[string]("/api/tags/", "slug"), tags), ""},
		{"ids as text", problemsOf(t, walker[json.Number]("/api/events/", "id"), Options{}), ""},
		{"ids with another name", problemsOf(t, walker[int]("/api/numbers/", "number"), Options{Catalogue: c, Collection: "numbers"}), ""},
		{"ids as small integers", problemsOf(t, walker[uint16]("/api/events/", "id"), Options{}), ""},
		{"a slug is lost", problemsOf(t, lost, tags), `returned 24 of at least 25 records, without the one with the slug "tag-`},
		{"a slug occurs twice", problemsOf(t, twice, tags), `returned the record with the slug "tag-`},
	} {
		if got := tt.problems[simplest]; tt.want == "" && len(tt.problems) > 0 || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.reason, tt.problems, tt.want)
		}
	}
}

// Ids that are neither text nor numbers are an error.
func TestIDsThatDoNotCompare(t *testing.T) {
	type id struct{ Number int }
	_, structs := newVerification(func(context.Context, *http.Client, string) ([]id, error) { return nil, nil }, Options{})
	_, pointers := newVerification(func(context.Context, *http.Client, string) ([]*int, error) { return nil, nil }, Options{})
	got := fmt.Sprint(structs, "\n", pointers)
	if diff := cmp.Diff("clienttest: ids of type clienttest.id are neither text nor numbers in JSON\nclienttest: ids of type *int are neither text nor numbers in JSON", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
