package clienttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

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
