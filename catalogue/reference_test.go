package catalogue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Types of keys that are text in JSON and something else in Go.
type (
	uuid    = play.UUID
	degree  int    // compares as a number
	shout   string // is stored in lower case, and is written in capital letters
	boxed   struct{ text string }
	mutable struct{ text string } // its methods have pointers as receivers
	rank    struct{ n int }
)

var degreeTexts = []string{"none", "zero", "low", "high", "best"}

func (g degree) MarshalText() ([]byte, error) { return []byte(degreeTexts[g]), nil }

func (g *degree) UnmarshalText(text []byte) error {
	*g = degree(slices.Index(degreeTexts, string(text)))
	if *g < 0 {
		return errors.New("want a degree")
	}
	return nil
}

func (s shout) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(s))), nil }

func (s *shout) UnmarshalText(text []byte) error {
	*s = shout(strings.ToLower(string(text)))
	return nil
}

func (b boxed) MarshalJSON() ([]byte, error)     { return json.Marshal(b.text) }
func (b *boxed) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &b.text) }

func (c *mutable) MarshalText() ([]byte, error) { return []byte(c.text), nil }

func (c *mutable) UnmarshalText(text []byte) error {
	c.text = string(text)
	return nil
}

func (r rank) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "#%d", r.n), nil }

func (r *rank) UnmarshalText(text []byte) error {
	return second(fmt.Sscanf(string(text), "#%d", &r.n))
}

func (r rank) OrderingKey() sortkey.Key { return sortkey.Int(int64(-r.n)) }

// What others refer to: records with a key, or with a unique text beside their id.
type (
	keyedTarget[K any] struct {
		Key  K      `json:"key" backlist:"key"`
		N    int    `json:"n"`
		Name string `json:"name"`
	}
	foldedTarget[K any] struct {
		Key  K      `json:"key" backlist:"key,fold"`
		N    int    `json:"n"`
		Name string `json:"name"`
	}
	uuidTarget[K any] struct {
		Key  K      `json:"key" backlist:"key,uuid"`
		N    int    `json:"n"`
		Name string `json:"name"`
	}
	uniqueTarget[K any] struct {
		ID   int    `json:"id"`
		Key  K      `json:"key" backlist:"unique"`
		N    int    `json:"n"`
		Name string `json:"name"`
	}
)

// What refers to them, by their key or by their unique text.
type (
	keyUse[R, L any] struct {
		ID   int `json:"id"`
		Ref  R   `json:"ref" backlist:"refers=targets,ondelete=cascade"`
		List L   `json:"list" backlist:"refers=targets"`
	}
	textUse[R, L any] struct {
		ID   int `json:"id"`
		Ref  R   `json:"ref" backlist:"refers=targets.key,ondelete=cascade"`
		List L   `json:"list" backlist:"refers=targets.key"`
	}
)

// A keyCase is a type of keys with values of it.
type keyCase struct {
	reason  string
	keys    [4]string // JSON texts in ascending order; no record has the last one
	respelt string    // the second one as references have it; if empty, it is spelled so
	targets catalogue.AnyDefinition
	uses    []catalogue.AnyDefinition // with each type of references
	value   any                       // the second key in Go
}

// definitionOfTargets returns a definition of what others refer to.
func definitionOfTargets[T any]() catalogue.AnyDefinition {
	return catalogue.DefineBare[T]("targets", catalogue.Options{})
}

// usesOf returns definitions of what refers to a key of type K: with values and pointers, of its type
// and of strings.
func usesOf[K any](text bool) []catalogue.AnyDefinition {
	opts := catalogue.Options{Description: &schema.Description{
		Filters:  []string{"ref", "ref__in", "ref__n", "ref__n__gte", "ref__name__icontains", "list", "list__in", "list__n", "list__name__icontains", "list__isnull"},
		Sortable: []string{"ref", "ref__n", "list__n"},
		Search:   []string{"ref__name", "list__name"},
	}}
	if text {
		return []catalogue.AnyDefinition{catalogue.DefineBare[textUse[K, []K]]("uses", opts), catalogue.DefineBare[textUse[*K, []string]]("uses", opts), catalogue.DefineBare[textUse[string, []K]]("uses", opts)}
	}
	return []catalogue.AnyDefinition{
		catalogue.DefineBare[keyUse[K, []K]]("uses", opts), catalogue.DefineBare[keyUse[*K, []*K]]("uses", opts),
		catalogue.DefineBare[keyUse[string, []string]]("uses", opts), catalogue.DefineBare[keyUse[*string, []K]]("uses", opts),
	}
}

func keyCases() []keyCase {
	uuids := [4]string{"0a000000-0000-0000-0000-000000000009", "78000000-0000-0000-0000-000000000005", "b4000000-0000-0000-0000-000000000003", "c0000000-0000-0000-0000-000000000001"}
	texts, numbers := [4]string{"a", "b", "c", "d"}, [4]string{"zero", "low", "high", "best"}
	ranks, folded := [4]string{"#40", "#30", "#20", "#10"}, [4]string{"Ann", "bob", "Carl", "dan"}
	b := "b"
	return []keyCase{
		{"string", texts, "", definitionOfTargets[keyedTarget[string]](), usesOf[string](false), "b"},
		{"string that is fold", folded, "BOB", definitionOfTargets[foldedTarget[string]](), usesOf[string](false), "bOB"},
		{"string that is a UUID", uuids, "", definitionOfTargets[uuidTarget[string]](), usesOf[string](false), uuids[1]},
		{"[16]byte with MarshalText", uuids, "", definitionOfTargets[keyedTarget[uuid]](), usesOf[uuid](false), uuid{0: 0x78, 15: 5}},
		{"[16]byte that is a UUID", uuids, "", definitionOfTargets[uuidTarget[uuid]](), usesOf[uuid](false), uuid{0: 0x78, 15: 5}},
		{"int with MarshalText", numbers, "", definitionOfTargets[keyedTarget[degree]](), usesOf[degree](false), degree(2)},
		{"string with MarshalText", [4]string{"A", "B", "C", "D"}, "", definitionOfTargets[keyedTarget[shout]](), usesOf[shout](false), shout("b")},
		{"struct with MarshalText", [4]string{"1.2.3.4", "1.2.3.5", "::1", "::2"}, "", definitionOfTargets[keyedTarget[netip.Addr]](), usesOf[netip.Addr](false), netip.MustParseAddr("1.2.3.5")},
		{"slice with MarshalText", [4]string{"1.2.3.4", "1.2.3.5", "1.2.3.6", "1.2.3.7"}, "", definitionOfTargets[keyedTarget[net.IP]](), usesOf[net.IP](false), net.ParseIP("1.2.3.5")},
		{"struct with MarshalJSON", texts, "", definitionOfTargets[keyedTarget[boxed]](), usesOf[boxed](false), boxed{"b"}},
		{"methods of a pointer", texts, "", definitionOfTargets[keyedTarget[mutable]](), usesOf[mutable](false), mutable{"b"}},
		{"string with OrderingKey", folded, "BOB", definitionOfTargets[keyedTarget[login]](), usesOf[login](false), login("BOB")},
		{"struct with OrderingKey", ranks, "", definitionOfTargets[keyedTarget[rank]](), usesOf[rank](false), rank{30}},
		{"unique string", texts, "", definitionOfTargets[uniqueTarget[string]](), usesOf[string](true), "b"},
		{"unique *string", texts, "", definitionOfTargets[uniqueTarget[*string]](), usesOf[string](true), &b},
		{"unique [16]byte", uuids, "", definitionOfTargets[uniqueTarget[uuid]](), usesOf[uuid](true), &uuid{0: 0x78, 15: 5}},
		{"unique *[16]byte", uuids, "", definitionOfTargets[uniqueTarget[*uuid]](), usesOf[uuid](true), uuid{0: 0x78, 15: 5}},
		{"unique *int with MarshalText", numbers, "", definitionOfTargets[uniqueTarget[*degree]](), usesOf[degree](true), degree(2)},
		{"unique struct with OrderingKey", ranks, "", definitionOfTargets[uniqueTarget[rank]](), usesOf[rank](true), rank{30}},
	}
}

// TestReferencesByEveryKey refers to keys and unique texts of each type, with references of each type,
// and looks for the records in whatever reads references.
func TestReferencesByEveryKey(t *testing.T) {
	for _, row := range keyCases() {
		for i, uses := range row.uses {
			for _, last := range []bool{false, true} { // the order of the definitions
				list := []catalogue.AnyDefinition{row.targets, uses}
				if last {
					slices.Reverse(list)
				}
				t.Run(fmt.Sprintf("%s/%d/%t", row.reason, i, last), func(t *testing.T) { row.test(t, list) })
			}
		}
	}
}

// data returns a file with records: of those that use the keys, the last refers to no record.
func (row keyCase) data() string {
	var targets []string
	for i, key := range row.keys[:3] {
		target := fmt.Sprintf(`"key":%q,"n":%d,"name":"%s"`, key, i, strings.Repeat("x", i))
		if strings.HasPrefix(row.reason, "unique") {
			target = fmt.Sprintf(`"id":%d,`, i+1) + target
		}
		targets = append(targets, "{"+target+"}")
	}
	second := row.second()
	uses := []string{
		fmt.Sprintf(`{"id":1,"ref":%q,"list":[%q,%q]}`, second, row.keys[0], row.keys[2]),
		fmt.Sprintf(`{"id":2,"ref":%q,"list":[]}`, row.keys[0]),
		fmt.Sprintf(`{"id":3,"ref":%q,"list":[%q]}`, second, second),
		fmt.Sprintf(`{"id":4,"ref":%q,"list":[]}`, row.keys[2]),
		fmt.Sprintf(`{"id":5,"ref":%q,"list":[%q,%q]}`, row.keys[3], row.keys[3], row.keys[2]),
	}
	return `{"targets":[` + strings.Join(targets, ",") + `],"uses":[` + strings.Join(uses, ",") + "]}"
}

func (row keyCase) second() string {
	if row.respelt != "" {
		return row.respelt
	}
	return row.keys[1]
}

func (row keyCase) test(t *testing.T, definitions []catalogue.AnyDefinition) {
	cat := mustCatalogue(t, definitions...)
	must(t, cat.Load(strings.NewReader(row.data()), catalogue.LoadOptions{}))
	uses := collectionOf(t, cat, "uses")
	for _, q := range []struct{ filter, order, want string }{
		{"ref=" + row.second(), "", "1 3"},
		{"ref=" + row.keys[1], "", "1 3"},
		{"ref__in=" + row.keys[0] + "," + row.keys[2], "", "2 4"},
		{"ref__n=1", "", "1 3"},
		{"ref__n__gte=1", "", "1 3 4"},
		{"ref__name__icontains=xx", "", "4"},
		{"list=" + row.keys[2], "", "1 5"},
		{"list__n=1", "", "3"},
		{"list__n=2", "", "1 5"},
		{"list__name__icontains=x", "", "1 3 5"},
		{"list__isnull=true", "", "2 4"},
		{"", "ref__n", "2 1 3 4 5"},
		{"", "-ref__n", "5 4 3 1 2"},
		{"", "ref", "2 1 3 4 5"},
		{"ref__n__gte=1", "-ref", "4 3 1"},
		{"list__n__isnull=false", "list__n", "1 3 5 2 4"},
	} {
		params := mustHave(url.ParseQuery(q.filter))
		list := mustHave(uses.List(t.Context(), catalogue.Query{Filter: filterOf(t, uses, params), Terms: ordering.Parse(q.order, nil)}))
		var got []string
		for _, record := range list.Records {
			got = append(got, fmt.Sprint(idIn(t, record)))
		}
		equal(t, fmt.Sprintf("filter %q, order %q", q.filter, q.order), q.want, strings.Join(got, " "))
	}
	search := mustHave(uses.List(t.Context(), catalogue.Query{Filter: filterOf(t, uses, url.Values{"search": {"xx"}})}))
	equal(t, "a search", 3, search.Count) // 1 and 5 by their lists, 4
	counts := mustHave(uses.Counts(t.Context(), schema.Filter{}, [][]schema.Test{{{Field: "ref__n", Lookup: "exact", Values: []string{"1"}}}, {{Field: "ref", Lookup: "exact", Values: []string{row.second()}}}}))
	equal(t, "Counts", []int{2, 2}, counts)
	bare := catalogue.InBare(cat, "uses")
	for _, value := range []any{row.value, row.second()} {
		if n, err := bare.Where(ordering.Equal("ref", value)).Count(); n != 2 && !errors.Is(err, ordering.ErrInvalidCondition) {
			t.Errorf("a condition with %#v: %d, %v, want 2", value, n, err)
		}
	}
	row.testCheck(t, cat, definitions)
	row.testDeletion(t, cat, definitions)
}

// testCheck expects that only the references to the last key are to no record.
func (row keyCase) testCheck(t *testing.T, cat *catalogue.Catalogue, definitions []catalogue.AnyDefinition) {
	loaded := mustCatalogue(t, definitions...)
	for what, err := range map[string]error{
		"Check": cat.Check(),
		"Load":  loaded.Load(strings.NewReader(row.data()), catalogue.LoadOptions{References: true}),
	} {
		var found catalogue.Violations
		if errors.As(err, &found); len(found) != 2 {
			t.Errorf("%s: %v, want two violations", what, err)
			continue
		}
		for _, v := range found {
			if v.Identity.ID != 5 || !strings.Contains(v.Err.Error(), row.keys[3]) {
				t.Errorf("%s: %+v, want one of record 5 about %s", what, v, row.keys[3])
			}
		}
	}
}

// testDeletion deletes the second key, with a journal that is replayed.
func (row keyCase) testDeletion(t *testing.T, cat *catalogue.Catalogue, definitions []catalogue.AnyDefinition) {
	replayed := map[string]map[schema.Identity]string{"targets": {}, "uses": {}}
	must(t, cat.Journal(func(batch []catalogue.Commit) error {
		for _, commit := range batch {
			for id, record := range commit.Changes {
				if replayed[commit.Collection][id] = string(record); record == nil {
					delete(replayed[commit.Collection], id)
				}
			}
		}
		return nil
	}))
	must(t, cat.Load(strings.NewReader(row.data()), catalogue.LoadOptions{}))
	uses, targets := collectionOf(t, cat, "uses"), collectionOf(t, cat, "targets")
	created, err := uses.Create(t.Context(), fmt.Appendf(nil, `{"ref":%q,"list":[%q,%q]}`, row.second(), row.second(), row.keys[0]), schema.Record{})
	if err != nil || !strings.Contains(string(created), fmt.Sprintf(`"ref":%q`, row.keys[1])) {
		t.Errorf("a record that refers to %s: %s, %v", row.second(), created, err)
	}
	if _, err := uses.Create(t.Context(), fmt.Appendf(nil, `{"ref":%q,"list":[]}`, row.keys[3]), schema.Record{}); err == nil {
		t.Errorf("a record that refers to %s, which there is not, is accepted", row.keys[3])
	}
	must(t, second(uses.Update(t.Context(), "4", catalogue.Edit{Body: fmt.Appendf(nil, `{"list":[%q,%q]}`, row.keys[2], row.second()), Partial: true})))
	first := row.keys[1]
	if strings.HasPrefix(row.reason, "unique") {
		first = "2"
	}
	must(t, targets.Delete(t.Context(), first, schema.Filter{}, nil))
	list := mustHave(uses.List(t.Context(), catalogue.Query{}))
	var want []string
	for _, r := range []string{`{"id":2,"ref":"0","list":[]}`, `{"id":4,"ref":"2","list":["2"]}`, `{"id":5,"ref":"3","list":["3","2"]}`} {
		for i, key := range row.keys {
			r = strings.ReplaceAll(r, fmt.Sprintf(`"%d"`, i), fmt.Sprintf(`"%s"`, key))
		}
		want = append(want, r)
	}
	equal(t, "after the deletion", strings.Join(want, "\n"), string(bytes.Join(list.Records, []byte("\n"))))
	restored := mustCatalogue(t, definitions...)
	var saved, again bytes.Buffer
	must(t, cat.Save(&saved))
	must(t, restored.Load(bytes.NewReader(saved.Bytes()), catalogue.LoadOptions{}))
	must(t, restored.Save(&again))
	equal(t, "saved and loaded", saved.String(), again.String())
	for key, c := range cat.All() {
		n := 0
		for record, err := range c.All(t.Context(), catalogue.Query{}) {
			must(t, err)
			if !slices.Contains(slices.Collect(maps.Values(replayed[key])), string(record)) {
				t.Errorf("the journal lacks %s of %s", record, key)
			}
			n++
		}
		equal(t, "the journal of "+key, n, len(replayed[key]))
	}
}
