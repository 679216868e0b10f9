package clienttest

import (
	"errors"
	"strings"
	"testing"
)

// TestJudge checks what a client may return. Of the records 1 to 4, the first existed
// at the start, the second at the end, the third throughout, and the fourth never.
func TestJudge(t *testing.T) {
	failed := errors.New("failed")
	for _, tt := range []struct {
		reason  string
		ids     []string
		err     error
		written bool // records were, meanwhile
		want    string
	}{
		{"what existed throughout is enough", []string{"3"}, nil, false, ""},
		{"in any order, what existed at some time", []string{"3", "2", "1"}, nil, false, ""},
		{"nothing", nil, nil, false, "returned 0 of at least 1 records"},
		{"without a record", []string{"1", "2"}, nil, false, "returned 2 of at least 1 records, without the one"},
		{"twice", []string{"3", "1", "3"}, nil, false, `returned the record with the id "3" twice`},
		{"never existed", []string{"3", "4"}, nil, false, `returned a record with the id "4", which was never`},
		{"not in the dataset", []string{"3", "99"}, nil, false, `returned a record with the id "99", which was never`},
		{"an error of a healthy service", nil, failed, false, "returned an error although nothing is wrong (failed)"},
		{"an error after a write", nil, failed, true, ""},
		{"with an error, ids do not count", []string{"4", "4"}, failed, true, ""},
	} {
		e := &trial{
			data:       &dataset{ids: []string{"1", "2", "3", "4"}},
			throughout: []int{2},
			ever:       []int{0, 1, 2},
			deleted:    tt.written,
			outcome:    outcome{ids: tt.ids, err: tt.err},
		}
		if got := e.gravest(problem{}, "").text; !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// TestGravest checks which of several problems is reported.
func TestGravest(t *testing.T) {
	violation := problem{text: "sent more than 50 requests"}
	for _, tt := range []struct {
		reason    string
		outcome   outcome
		violation problem
		late      bool
		bodies    string
		want      string
	}{
		{"nothing", outcome{}, problem{}, false, "", ""},
		{"a panic before endless requests", outcome{failure: "panicked", panicked: true}, violation, true, "open", "panicked"},
		{"a goroutine that was stopped for its endless requests", outcome{failure: "ended"}, violation, true, "open", violation.text},
		{"a goroutine that has ended itself", outcome{failure: "ended"}, problem{}, true, "open", "ended"},
		{"late before bodies", outcome{}, problem{}, true, "open", "did not return in time after the end of its context"},
		{"bodies", outcome{}, problem{}, false, "open", "open"},
	} {
		e := &trial{data: &dataset{}, outcome: tt.outcome, late: tt.late}
		if got := e.gravest(tt.violation, tt.bodies).text; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}
