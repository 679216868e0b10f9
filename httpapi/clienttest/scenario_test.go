package clienttest

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// TestScenarioDecode checks the encoding of scenarios: the number of records, the limit, and
// three bytes for each step.
func TestScenarioDecode(t *testing.T) {
	sc := script{kinds: []kind{
		{name: "error", faults: withoutArg(cataloguetest.ResetConnection())},
		{name: "wrong page", wrongPage: true, faults: withoutArg(cataloguetest.MissingRow())},
		{name: "write", write: state.insert},
	}, records: 30}
	tests := []struct {
		reason string
		text   []byte
		want   string
	}{
		{"no bytes are the smallest scenario", nil, "0 records in pages of 2"},
		{"a number of records, and a limit from 2 to 10", []byte{30, 8}, "30 records in pages of 10"},
		{"larger numbers wrap", []byte{31 + 4, 9 + 1}, "4 records in pages of 3"},
		{"a step at the first request", []byte{5, 0, 0, 0, 0}, "5 records in pages of 2; request 1: error"},
		{"missing bytes are 0", []byte{5}, "5 records in pages of 2"},
		{"a byte that belongs to no step is the order", []byte{5, 0, 2, 0, 0, 7}, "5 records in pages of 2; order 7; request 1: write"},
		{"kinds wrap", []byte{5, 0, 3 + 1, 2, 0}, "5 records in pages of 2; request 3: wrong page"},
		{"the highest bit is for all later requests", []byte{5, 0, 0, 0x81, 0}, "5 records in pages of 2; request 2 and later: error"},
		{"but a write happens once", []byte{5, 0, 2, 0x81, 0}, "5 records in pages of 2; request 2: write"},
		{"at most three steps", []byte{5, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0}, "5 records in pages of 2; request 1: error; request 2: error; request 3: error"},
		{"one wrong page", []byte{5, 0, 1, 0, 0, 1, 1, 0}, "5 records in pages of 2; request 1: wrong page"},
		{"no write after a wrong page", []byte{5, 0, 1, 0, 0, 2, 1, 0}, "5 records in pages of 2; request 1: wrong page"},
		{"no wrong page after a write", []byte{5, 0, 2, 0, 0, 1, 1, 0, 2, 2, 0}, "5 records in pages of 2; request 1: write; request 3: write"},
	}
	for _, tt := range tests {
		if got := sc.decode(tt.text).String(); got != tt.want {
			t.Errorf("%s: decode(%v) = %q, want %q", tt.reason, tt.text, got, tt.want)
		}
	}
	sc.apart = true
	if got, want := sc.decode([]byte{5, 0, 2, 0, 0, 0, 1, 0, 2, 2, 0}).String(), "5 records in pages of 2; request 1: write; request 2: error"; got != want {
		t.Errorf("one write if pages are apart: %q, want %q", got, want)
	}
	none := script{records: 3}
	if got, want := none.decode([]byte{1, 0, 7, 7, 7}).String(), "1 record in pages of 2"; got != want {
		t.Errorf("without kinds: %q, want %q", got, want)
	}
}

// TestScenarioGenerate checks that a seed is always the same scenario, that a scenario is the
// same after its encoding, and that every kind of step occurs among the default number of
// scenarios.
func TestScenarioGenerate(t *testing.T) {
	sc := script{kinds: form{}.kinds(), records: mostOf / 2}
	occurs := map[string]bool{}
	describe := func(s scenario) string {
		text := s.String()
		for _, st := range s.steps {
			text += fmt.Sprint(" ", st.arg)
			occurs[st.kind.name] = true
		}
		return text
	}
	for seed := range uint64(defaultScenarios) {
		s := sc.decode(sc.generate(seed))
		want, again, decoded := describe(s), describe(sc.decode(sc.generate(seed))), describe(sc.decode(sc.encode(s)))
		if again != want || decoded != want {
			t.Fatalf("seed %d: %s, then %s, and decoded %s", seed, want, again, decoded)
		}
	}
	for _, name := range kindNames(sc.kinds) {
		if !occurs[name] {
			t.Errorf("%s does not occur", name)
		}
	}
}

// TestStateWrites checks the effect of each write on a dataset of six records, of which
// those with the indexes 1 and 3 exist.
func TestStateWrites(t *testing.T) {
	before := newState(6, 2)
	tests := []struct {
		reason string
		after  state
		want   []int // the records that exist
		from   []int // whose contents they have
	}{
		{"none", before, []int{1, 3}, []int{1, 3}},
		{"insert the first that is absent", before.insert(0), []int{0, 1, 3}, []int{0, 1, 3}},
		{"insert wraps", before.insert(4 + 2), []int{1, 3, 4}, []int{1, 3, 4}},
		{"delete", before.delete(1), []int{1}, []int{1}},
		{"delete wraps", before.delete(2), []int{3}, []int{3}},
		{"swap", before.swap(0), []int{1, 3}, []int{3, 1}},
		{"swap twice", before.swap(0).swap(0), []int{1, 3}, []int{1, 3}},
		{"other writes restore the contents", before.swap(0).insert(0), []int{0, 1, 3}, []int{0, 1, 3}},
		{"load another instead of the first", before.load(0), []int{0, 3}, []int{0, 3}},
		{"load another instead of the second", before.load(8 + 1), []int{1, 2}, []int{1, 2}},
		{"delete of none", newState(6, 0).delete(3), nil, nil},
		{"swap of one", newState(6, 1).swap(3), []int{1}, []int{1}},
		{"insert if all exist", state{present: []bool{true}}.insert(0), []int{0}, []int{0}},
	}
	for _, tt := range tests {
		got := tt.after.indexes(true)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		var from []int
		for _, i := range got {
			from = append(from, tt.after.contentsOf(i))
		}
		if diff := cmp.Diff(tt.from, from); diff != "" {
			t.Errorf("%s: contents (-want +got):\n%s", tt.reason, diff)
		}
	}
	if diff := cmp.Diff([]int{1, 3}, before.indexes(true)); diff != "" {
		t.Errorf("the state before has changed (-want +got):\n%s", diff)
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

// TestStartOfManyRecords checks that a list of more than half of the records begins with the first.
func TestStartOfManyRecords(t *testing.T) {
	if diff := cmp.Diff([]int{0, 1, 2}, newState(5, 3).indexes(true)); diff != "" {
		t.Error(diff)
	}
}
