package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

func TestCanonical(t *testing.T) {
	for _, row := range []struct {
		terms  string
		canon  string
		desc   bool
		reason string
	}{
		{"", "", false, "no terms"},
		{"id", "", false, "the order by id"},
		{"-id", "", true, "the reverse order by id"},
		{"id,name", "", false, "terms after the id are dropped"},
		{"name", "name", false, "one field"},
		{"-name", "name", true, "one field, descending"},
		{"name,id", "name", false, "ties break by id in any case"},
		{"-name,-id", "name", true, "ties break in the direction of the first term"},
		{"name,-id", "name,-id", false, "ties break in the other direction"},
		{"-name,id", "name,-id", true, "the reverse of name,-id"},
		{"-a,b", "a,-b", true, "the reverse of a,-b"},
		{"a,-b", "a,-b", false, "canonical already"},
		{"-a,b,-c,-id,d", "a,-b,c", true, "all rules together"},
	} {
		canon, desc := canonical(nil, parse(row.terms), "id")
		if got := ordering.Format(canon); got != row.canon || desc != row.desc {
			t.Errorf("%s: canonical(%s) = %s, %v, want %s, %v", row.reason, row.terms, got, desc, row.canon, row.desc)
		}
	}
	twice := []ordering.Term{ordering.Desc("a"), ordering.Asc("b"), ordering.Asc("a"), ordering.Desc("b")}
	if canon, _ := canonical(nil, twice, "id"); ordering.Format(canon) != "a,-b" {
		t.Errorf("a repeated field: canonical(%s) = %s, want a,-b", ordering.Format(twice), ordering.Format(canon))
	}
	if twice[0] != ordering.Desc("a") {
		t.Error("canonical changed its argument")
	}
}

// The default ordering is used if a query has no terms or if all are ignored.
func TestQueryTerms(t *testing.T) {
	fixed, open := newSchema(0), newMemberSchema()
	fixed.Default, open.Default = parse("-number"), parse("-rank")
	for _, row := range []struct {
		reason  string
		schema  *Schema
		terms   string
		lenient bool
		want    []int // nil means ErrUnknownField
	}{
		{"no terms", fixed, "", false, []int{2, 3, 1}},
		{"a field", fixed, "text", false, []int{3, 2, 1}},
		{"an unknown field", fixed, "text,other", false, nil},
		{"an unknown field is ignored", fixed, "other,text", true, []int{3, 2, 1}},
		{"all fields are ignored", fixed, "other,-another", true, []int{2, 3, 1}},
		{"no record has the default field", open, "", false, []int{1, 2, 3}},
		{"all fields are ignored, and no record has the default field", open, "-other", true, []int{1, 2, 3}},
		{"a member, ascending", open, "rare", false, []int{2, 1, 3}},
		{"a member, descending", open, "-rare", false, []int{3, 1, 2}},
		{"no record has the member", open, "rank", false, nil},
	} {
		c := newStore(t, row.schema, 0)
		put(c, &record{number: 1, text: "c"})
		put(c, &record{number: 3, text: "b", members: []string{"rare"}})
		put(c, &record{number: 2, text: "a"})
		for _, p := range []pager{c, c.Current()} {
			entries, _, err := p.Page(within(t), Query{Terms: parse(row.terms), Lenient: row.lenient, Window: allRecords})
			if (row.want == nil) != errors.Is(err, ordering.ErrUnknownField) {
				t.Errorf("%s: unexpected error %v", row.reason, err)
			} else if diff := cmp.Diff(row.want, ids(entries)); row.want != nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.reason, diff)
			}
		}
	}
}
