package clienttest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// TestPermits checks which steps can be added to a scenario.
func TestPermits(t *testing.T) {
	failure, wrong, write := kind{}, kind{wrongPage: true}, kind{write: state.insert}
	for _, tt := range []struct {
		reason     string
		first, add kind
		apart      bool
		want       bool
	}{
		{"two errors", failure, failure, true, true},
		{"an error and a wrong page", failure, wrong, true, true},
		{"an error and a write", failure, write, true, true},
		{"an error after a wrong page", wrong, failure, true, true},
		{"an error after a write", write, failure, true, true},
		{"one wrong page", wrong, wrong, false, false},
		{"no write after a wrong page", wrong, write, false, false},
		{"no wrong page after a write", write, wrong, false, false},
		{"two writes", write, write, false, true},
		{"one write if pages are apart", write, write, true, false},
	} {
		s := scenario{steps: []step{{kind: failure}, {kind: tt.first}}}
		if got := s.permits(step{kind: tt.add}, tt.apart); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.reason, got, tt.want)
		}
	}
}

// TestScenarioGenerate checks that a seed is always the same scenario, that a scenario is within its
// bounds, and that every kind of step occurs among the default number of scenarios.
func TestScenarioGenerate(t *testing.T) {
	kinds := form{}.kinds()
	occurs := map[string]bool{}
	for seed := range uint64(defaultScenarios) {
		s := generate(seed, kinds, mostOf/2, false)
		if again := generate(seed, kinds, mostOf/2, false); again.String() != s.String() {
			t.Fatalf("seed %d: %s, then %s", seed, s, again)
		}
		if s.records > mostOf/2 || s.limit < leastLimit || s.limit > mostLimit || len(s.steps) > maxSteps {
			t.Fatalf("seed %d: %s", seed, s)
		}
		for _, st := range s.steps {
			if occurs[st.kind.name] = true; st.at < 1 || st.rest && st.kind.write != nil {
				t.Fatalf("seed %d: %s", seed, s)
			}
		}
	}
	for _, name := range kindNames(kinds) {
		if !occurs[name] {
			t.Errorf("%s does not occur", name)
		}
	}
	if got, want := generate(1, nil, 0, false).records, 0; got != want {
		t.Errorf("without kinds and records: %d", got)
	}
}

// TestStateWrites checks the effect of each write on a dataset of six records, of which
// those with the indexes 1 and 3 exist.
func TestStateWrites(t *testing.T) {
	before := newState(6, 2)
	for _, tt := range []struct {
		reason string
		after  state
		want   []int // the records that exist
	}{
		{"none", before, []int{1, 3}},
		{"insert the first that is absent", before.insert(0), []int{0, 1, 3}},
		{"insert wraps", before.insert(4 + 2), []int{1, 3, 4}},
		{"delete", before.delete(1), []int{1}},
		{"delete wraps", before.delete(2), []int{3}},
		{"delete of none", newState(6, 0).delete(3), nil},
		{"more than half begin with the first", newState(5, 3), []int{0, 1, 2}},
		{"insert if all exist", state{true}.insert(0), []int{0}},
		{"the state before", before, []int{1, 3}},
	} {
		if diff := cmp.Diff(tt.want, tt.after.indexes(true)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// TestWritesInTurn checks that a write changes the records that exist when it happens.
func TestWritesInTurn(t *testing.T) {
	fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		for range 3 {
			page, err := getPage(ctx, client, baseURL+"/api/events/?ordering=id")
			if err != nil {
				return nil, err
			}
			ids = append(ids, page.Count)
		}
		return ids, nil
	}
	x := mustExplorer(t, fetch, Options{})
	e := x.run(t, scenario{records: 1, limit: 2, steps: []step{
		{kind: kind{write: state.delete}, at: 3},
		{kind: kind{write: state.insert}, at: 2},
	}})
	if diff := cmp.Diff([]string{"1", "2", "1"}, e.ids); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1}, e.state.indexes(true)); diff != "" {
		t.Errorf("records at the end (-want +got):\n%s", diff)
	}
}

// TestScenarioJudge checks what a client may return. Of the records 1 to 4, the first existed
// at the start, the second at the end, the third throughout, and the fourth never.
func TestScenarioJudge(t *testing.T) {
	failed := errors.New("failed")
	harmful := []step{{kind: kind{name: "delay", faults: withoutArg(cataloguetest.Delay(1))}}}
	tests := []struct {
		reason   string
		ids      []string
		err      error
		steps    []step
		happened bool
		want     problemKind
	}{
		{"what existed throughout is enough", []string{"3"}, nil, nil, false, ""},
		{"in any order, what existed at some time", []string{"3", "2", "1"}, nil, nil, false, ""},
		{"nothing", nil, nil, nil, false, missing},
		{"without a record", []string{"1", "2"}, nil, nil, false, missing},
		{"twice", []string{"3", "1", "3"}, nil, nil, false, repeated},
		{"never existed", []string{"3", "4"}, nil, nil, false, unknown},
		{"not in the dataset", []string{"3", "99"}, nil, nil, false, unknown},
		{"an error of a healthy service", nil, failed, nil, false, unprovoked},
		{"an error after a fault", nil, failed, harmful, true, ""},
		{"an error before a fault", nil, failed, harmful, false, unprovoked},
		{"with an error, ids do not count", []string{"4", "4"}, failed, harmful, true, ""},
	}
	for _, tt := range tests {
		e := &trial{
			scenario: scenario{steps: tt.steps},
			data:     &dataset{ids: []string{"1", "2", "3", "4"}},
			truth:    truth{throughout: []bool{false, false, true, false}, ever: []bool{true, true, true, false}},
			outcome:  outcome{ids: tt.ids, err: tt.err},
		}
		for range tt.steps {
			e.happened = append(e.happened, tt.happened)
		}
		if got := e.gravest(problem{}, ""); got.kind != tt.want {
			t.Errorf("%s: %q (%s), want %q", tt.reason, got.kind, got.text, tt.want)
		}
	}
}

// TestScenarioJudgeOrder checks which of several problems is reported.
func TestScenarioJudgeOrder(t *testing.T) {
	violation := problem{kind: endless, text: "sent more than 50 requests"}
	tests := []struct {
		reason    string
		outcome   outcome
		violation problem
		late      bool
		bodies    string
		want      problemKind
	}{
		{"nothing", outcome{}, problem{}, false, "", ""},
		{"a panic before endless requests", outcome{failure: "panicked", panicked: true}, violation, true, "open", panicked},
		{"a goroutine that was stopped for its endless requests", outcome{failure: "ended"}, violation, true, "open", endless},
		{"a goroutine that has ended itself", outcome{failure: "ended"}, problem{}, true, "open", exited},
		{"late before bodies", outcome{}, problem{}, true, "open", late},
		{"bodies", outcome{}, problem{}, false, "open", unclosed},
	}
	for _, tt := range tests {
		e := &trial{data: &dataset{}, outcome: tt.outcome, late: tt.late}
		if got := e.gravest(tt.violation, tt.bodies); got.kind != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got.kind, tt.want)
		}
	}
}

// TestScenarioRemedy checks that the remedy is that of the event that is probably the reason.
func TestScenarioRemedy(t *testing.T) {
	slow, busy := kind{remedy: "slow"}, kind{remedy: "busy"}
	wrong, write := kind{remedy: "wrong page", wrongPage: true}, kind{remedy: "write", write: state.insert}
	tests := []struct {
		kinds    []kind
		happened []bool
		want     string
	}{
		{nil, nil, "other"},
		{[]kind{slow}, []bool{false}, "other"},
		{[]kind{slow, busy}, []bool{true, true}, "busy"},
		{[]kind{wrong, busy}, []bool{true, true}, "wrong page"},
		{[]kind{busy, write, slow}, []bool{true, false, true}, "slow"},
	}
	for _, tt := range tests {
		e := trial{happened: tt.happened}
		var names []string
		for _, k := range tt.kinds {
			e.steps = append(e.steps, step{kind: k})
			names = append(names, k.remedy)
		}
		if got := e.remedy("other"); got != tt.want {
			t.Errorf("%s, %v: %q, want %q", strings.Join(names, ", "), tt.happened, got, tt.want)
		}
	}
}

func kindNames(kinds []kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}
