package cataloguetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lead leads a client through one pathology. One that will not return is not
// waited for.
func lead(t *testing.T, fetch Fetch, name string, returns bool) Result {
	t.Helper()
	v, err := newVerification(fetch, Verification{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	v.grace = time.Minute
	if !returns {
		v.timeout, v.grace = time.Millisecond, time.Millisecond
	}
	for _, p := range v.pathologies {
		if p.name == name {
			result, err := v.run(p)
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
	}
	t.Fatalf("no pathology %q", name)
	return Result{}
}

// oneRecord returns what is there in the pathology "one-record", and asks with a
// request that change has had in its hands.
func oneRecord(change func(*http.Request)) Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		r, err := http.NewRequestWithContext(ctx, "GET", baseURL+"/api/events/", nil)
		if err != nil {
			return nil, err
		}
		change(r)
		answer, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		var page struct{ Results []struct{ ID int } }
		if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
			return nil, err
		}
		return []int{page.Results[0].ID}, nil
	}
}

func TestClientsThatEndOtherwise(t *testing.T) {
	goOn := make(chan struct{})
	defer close(goOn)
	tests := []struct {
		reason    string
		pathology string
		fetch     Fetch
		problem   string // its front
	}{
		{"as it should", "one-record", oneRecord(func(*http.Request) {}), ""},
		{"a panic", "one-record", func(context.Context, *http.Client, string) ([]int, error) { panic("no such page") }, "panicked: no such page"},
		{"the panic of an index", "empty", oneRecord(func(*http.Request) {}), "panicked: runtime error: index out of range"},
		{"t.Fatal in another goroutine", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			runtime.Goexit()
			return nil, nil
		}, "ended its goroutine, as t.Fatal does"},
		{"a wait without the context", "stalled", func(context.Context, *http.Client, string) ([]int, error) {
			<-goOn
			return nil, nil
		}, "had not returned 1ms after its context ended: take the context"},
		{"a wait where nothing is wrong", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			<-goOn
			return nil, nil
		}, "had not returned 1ms after its context ended"},
		{"a request without the context", "cancelled", func(_ context.Context, client *http.Client, baseURL string) ([]int, error) {
			return oneRecord(func(*http.Request) {})(context.Background(), client, baseURL)
		}, "returned 1 records and no error: take the context"},
		{"an error where none is", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			return []int{1}, errors.New("out of\npaper " + strings.Repeat("x", 500))
		}, "returned an error where nothing is wrong (out of paper xxx"},
		{"a record that is not there", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			return []int{77777}, nil
		}, "returned record 77777, which the collection does not have"},
		{"nothing", "one-record", func(context.Context, *http.Client, string) ([]int, error) { return nil, nil },
			"returned 0 of 1 records"},
		{"to a stranger, with a password", "one-record", oneRecord(func(r *http.Request) {
			r.URL = &url.URL{Scheme: "https", Host: "elsewhere.example", Path: "/"}
			r.Header.Set("Authorization", "Bearer s3cret")
			r.Header.Set("Cookie", "session=s3cret")
		}), "asked https://elsewhere.example, with its header Authorization and Cookie: "},
		{"a panic about what a stranger says is the panic", "one-record", func(ctx context.Context, client *http.Client, _ string) ([]int, error) {
			_, err := client.Get("https://elsewhere.example/")
			panic(err)
		}, "panicked: Get \"https://elsewhere.example/\""},
		{"the same host in the clear", "one-record", oneRecord(func(r *http.Request) { r.URL.Scheme = "http" }), "asked http://"},
		{"another port of the host", "one-record", oneRecord(func(r *http.Request) { r.URL.Host = "127.0.0.1:1" }), "asked https://127.0.0.1:1: "},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			result := lead(t, tt.fetch, tt.pathology, !strings.HasPrefix(tt.problem, "had not returned"))
			if result.Problem == "" && tt.problem != "" || !strings.HasPrefix(result.Problem, tt.problem) || len(result.Problem) > 500 {
				t.Errorf("%q, want %q", result.Problem, tt.problem)
			}
			if tt.problem == "" && result.Problem != "" {
				t.Errorf("it is right, and yet: %s", result.Problem)
			}
			if strings.Contains(result.Problem+result.requests(), "s3cret") {
				t.Errorf("secrets are told:\n%s%s", result.Problem, result.requests())
			}
		})
	}
}

// Who asks without end, and does not listen, is stopped by the context, and not only
// when its time is over: whoever it asks.
func TestClientThatDoesNotListen(t *testing.T) {
	for _, tt := range []struct{ reason, url, problem string }{
		{"the service", "", "asked more than 50 times: "},
		{"a stranger", "https://elsewhere.example", "asked https://elsewhere.example: "},
	} {
		var why error
		result := lead(t, func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
			if tt.url != "" {
				baseURL = tt.url
			}
			for ctx.Err() == nil {
				if answer, err := client.Get(baseURL + "/api/events/"); err == nil {
					answer.Body.Close()
				}
			}
			why = ctx.Err()
			return nil, why
		}, "one-record", true)
		if why != context.Canceled || !strings.HasPrefix(result.Problem, tt.problem) || len(result.Requests) != 50 {
			t.Errorf("%s: %v, %q, %d requests", tt.reason, why, result.Problem, len(result.Requests))
		}
	}
}

// A client that is left behind can do no more harm.
func TestClientLeftBehind(t *testing.T) {
	asks, asked := make(chan struct{}), make(chan error)
	result := lead(t, func(_ context.Context, client *http.Client, baseURL string) ([]int, error) {
		<-asks
		answer, err := client.Get(baseURL + "/api/events/")
		if err == nil {
			answer.Body.Close()
		}
		asked <- err
		return nil, nil
	}, "one-record", false)
	asks <- struct{}{}
	if err := <-asked; !errors.Is(err, errVerified) {
		t.Errorf("%v", err)
	}
	if len(result.Requests) > 0 || !strings.Contains(result.requests(), "nothing was asked") {
		t.Errorf("%q", result.requests())
	}
}

// A client of its own mind, but right: a record at a time, from the end, each
// asked for again when it does not come. It shows that what is right is judged by
// what comes, not by how.
func TestUnusualClientPasses(t *testing.T) {
	report, err := CheckClient(backwards, Verification{Timeout: time.Minute})
	if err != nil {
		t.Errorf("%v\n%s", err, report)
	}
}

func backwards(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirected") }
	last := 0
	one := func(offset int) (id, count int, err error) {
		for range 3 {
			r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/api/events/?limit=1&ordering=id&offset=%d", baseURL, offset), nil)
			if err != nil {
				return 0, 0, err
			}
			answer, err := strict.Do(r)
			if err != nil {
				continue
			}
			var page struct {
				Count   *int
				Results []struct{ ID int }
			}
			err = json.NewDecoder(answer.Body).Decode(&page)
			answer.Body.Close()
			if err == nil && answer.StatusCode == 200 && page.Count != nil && len(page.Results) == min(1, max(*page.Count-offset, 0)) {
				if len(page.Results) == 0 {
					return 0, *page.Count, nil
				}
				return page.Results[0].ID, *page.Count, nil
			}
		}
		return 0, 0, fmt.Errorf("the record at offset %d does not come", offset)
	}
	_, count, err := one(0)
	if err != nil {
		return nil, err
	}
	for offset := count - 1; offset >= 0; offset-- {
		id, now, err := one(offset)
		if err != nil || id == last || now != count {
			return nil, fmt.Errorf("offset %d: record %d of %d, %v", offset, id, now, err)
		}
		ids, last = append(ids, id), id
	}
	return ids, nil
}

func TestCompareIDs(t *testing.T) {
	tests := []struct {
		reason    string
		got, want []int
		deleted   int
		problem   string
	}{
		{"nothing", nil, nil, 0, ""},
		{"all, in any order", []int{3, 1, 2}, []int{1, 2, 3}, 0, ""},
		{"one less", []int{1, 3}, []int{1, 2, 3}, 0, "returned 2 of 3 records, not 2, and no error"},
		{"one twice, and so one less", []int{1, 1, 3}, []int{1, 2, 3}, 0, "returned record 1 twice and no error"},
		{"one more", []int{1, 2, 3, 4}, []int{1, 2, 3}, 0, "returned record 4, which the collection does not have, and no error"},
		{"with the one that was deleted", []int{1, 2, 3}, []int{1, 2, 3}, 1, ""},
		{"without it", []int{2, 3}, []int{1, 2, 3}, 1, ""},
		{"without another", []int{1, 3}, []int{1, 2, 3}, 1, "returned 2 of 3 records, not 2, and no error"},
	}
	for _, tt := range tests {
		if problem := compareIDs(tt.got, tt.want, tt.deleted); problem != tt.problem {
			t.Errorf("%s: %q, want %q", tt.reason, problem, tt.problem)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x", "https://a.example/y?z", true},
		{"https://a.example", "https://A.EXAMPLE:443", true},
		{"http://a.example:80", "http://a.example", true},
		{"http://a.example", "https://a.example", false},
		{"http://a.example:443", "https://a.example:443", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://b.a.example", false},
		{"https://a.example@b.example", "https://a.example", false},
		{"http://[::1]:80", "http://[::1]", true},
	}
	for _, tt := range tests {
		a, errA := url.Parse(tt.a)
		b, errB := url.Parse(tt.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if sameOrigin(a, b) != tt.want || sameOrigin(b, a) != tt.want {
			t.Errorf("%s and %s: want %v", tt.a, tt.b, tt.want)
		}
	}
}

func TestReport(t *testing.T) {
	many := make([]string, 0, 12)
	for i := range 12 {
		many = append(many, fmt.Sprintf("GET /%d: 200 OK", i))
	}
	r := Report{[]Result{
		{Pathology: "empty", Requests: many},
		{Pathology: "stalled", Problem: "waited: do not", Requests: many},
		{Pathology: "next-cycle", Problem: "went round: do not", Requests: many[:9]},
		{Pathology: "cancelled", Problem: "asked: do not"},
	}}
	want := `ok   empty
FAIL stalled: waited: do not
	GET /0: 200 OK
	GET /1: 200 OK
	GET /2: 200 OK
	GET /3: 200 OK
	GET /4: 200 OK
	GET /5: 200 OK
	… 4 more …
	GET /10: 200 OK
	GET /11: 200 OK
FAIL next-cycle: went round: do not
	GET /0: 200 OK
	GET /1: 200 OK
	GET /2: 200 OK
	GET /3: 200 OK
	GET /4: 200 OK
	GET /5: 200 OK
	GET /6: 200 OK
	GET /7: 200 OK
	GET /8: 200 OK
FAIL cancelled: asked: do not
	nothing was asked with the client that Fetch was given
`
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Error(diff)
	}
	if many[6] != "GET /6: 200 OK" {
		t.Error("what was asked has been written on")
	}
	err := r.err()
	const all = "cataloguetest: stalled: the client is wrong: waited: do not\n" +
		"cataloguetest: next-cycle: the client is wrong: went round: do not\n" +
		"cataloguetest: cancelled: the client is wrong: asked: do not"
	if !errors.Is(err, ErrClientFailed) || err.Error() != all {
		t.Errorf("%v", err)
	}
	if err := (Report{r.Results[:1]}).err(); err != nil {
		t.Errorf("all passed: %v", err)
	}
}
