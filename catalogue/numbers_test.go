package catalogue_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// numberedCards defines open records whose keys are numbers of a kind. New ones have the keys of a list.
func numberedCards(kind schema.Kind, loose bool, keys ...string) catalogue.Definition[schema.Record] {
	next := 0
	return catalogue.Define[schema.Record]("cards", catalogue.Options{
		NewKey: func() string { next++; return keys[min(next, len(keys))-1] },
		Description: &schema.Description{
			Loose: loose, Lookup: "id", Actions: schema.AllActions,
			Fields: []schema.Field{
				{Name: "id", Kind: kind, Digits: 20, Key: true, Unique: true},
				{Name: "next", Kind: schema.Reference, Refers: "cards", Nullable: true, OnDelete: schema.SetNull},
				{Name: "all", Kind: schema.References, Refers: "cards", Default: "[]"},
			},
		},
	})
}

// card returns a record of a text.
func card(t *testing.T, text string) schema.Record {
	t.Helper()
	return mustHave(schema.ParseKeyed([]byte(text)))
}

// textOf returns the JSON of a key that is a number.
func textOf(kind schema.Kind, digits string) string {
	if kind == schema.Decimal {
		return `"` + digits + `"`
	}
	return digits
}

// TestNumbersOfKeys calls the methods of collections whose keys are numbers, in a collection, a batch and a clone.
func TestNumbersOfKeys(t *testing.T) {
	for _, kind := range []schema.Kind{schema.Integer, schema.Decimal} {
		for _, loose := range []bool{false, true} {
			cards := numberedCards(kind, loose, "1", "2", "3")
			cat := mustHave(catalogue.New(cards))
			of := func(digits string) string { return textOf(kind, digits) }
			file := fmt.Sprintf("[\n"+`{"id":%s,"next":null,"all":[]},`+"\n"+`{"id":%s,"next":%[1]s,"all":[%[3]s,%[1]s]},`+"\n"+`{"id":%[3]s,"next":%[3]s,"all":[%[2]s]}]`+"\n", of("10"), of("-2"), of("9"))
			must(t, cat.Load(strings.NewReader(`{"cards":`+file+`}`), catalogue.LoadOptions{References: true, Validate: true}))
			c := mustHave(cards.In(cat))
			var seen []string
			must(t, cat.Journal(func(commits []catalogue.Commit) error {
				for _, commit := range commits {
					for id, record := range commit.Changes {
						seen = append(seen, fmt.Sprint(id.Key, id.ID, " ", string(record)))
					}
				}
				return nil
			}))
			list := func(c *catalogue.Collection[schema.Record], terms ...ordering.Term) (all string) {
				t.Helper()
				records := listOf(c, terms)
				equal(t, "page by page", fmt.Sprint(records), fmt.Sprint(walked(c, terms)))
				for _, r := range records {
					id, _ := r.Get("id")
					all += strings.Trim(id, `"`) + " "
				}
				return all
			}
			want, filled := "-2 9 10 ", `,"all":[]` // the default, which loads of other records fill in
			if loose {
				want, filled = "10 -2 9 ", ""
			}
			equal(t, "the default order", want, list(c))
			equal(t, "ascending", "-2 9 10 ", list(c, ordering.Asc("id")))
			equal(t, "descending", "10 9 -2 ", list(c, ordering.Desc("id")))
			equal(t, "by references, as numbers, the last without one", "9 -2 10 ", list(c, ordering.Asc("next")))

			by := c.By("id")
			for _, text := range []string{"010", "+10", "10.0", "1e1", " 10", "-0", "", "x", "99999999999999999999999"} {
				if by.Has(text) {
					t.Errorf("a record has the key %q", text)
				}
			}
			got := mustHave(by.Get("-2"))
			equal(t, "a record", card(t, fmt.Sprintf(`{"id":%s,"next":%s,"all":[%s,%[2]s]}`, of("-2"), of("10"), of("9"))).String(), got.String())
			if _, err := by.Insert(card(t, `{"id":`+of("9")+`}`)); !errors.Is(err, catalogue.ErrExists) {
				t.Errorf("a key that is taken: %v", err)
			}
			for _, wrong := range []string{of("1.0"), of("1e2"), of("-0"), of("01")[:2] + of("01")[2:], `"x"`, "true", "[1]", "{}", textOf(schema.Integer+schema.Decimal-kind, "7")} {
				r, err := schema.ParseKeyed([]byte(`{"id":` + wrong + `}`))
				if err != nil {
					continue // 01 is no number
				}
				form := map[schema.Kind]string{schema.Integer: "an integer", schema.Decimal: "digits in a string"}[kind]
				if _, err := by.Insert(r); !errors.Is(err, catalogue.ErrInvalidID) || err.Error() != "cards: invalid id: want "+form+", not "+wrong {
					t.Errorf("Insert %s: %v", wrong, err)
				}
				err = cat.Load(strings.NewReader(`{"cards":[{"id":`+wrong+`}]}`), catalogue.LoadOptions{})
				if !errors.Is(err, catalogue.ErrInvalidID) || !strings.Contains(err.Error(), "want "+form+", not "+wrong) {
					t.Errorf("Load %s: %v", wrong, err)
				}
			}
			for _, none := range []string{`{}`, `{"id":null}`} {
				r := mustHave(by.Insert(card(t, none)))
				must(t, by.Delete(strings.Trim(onlyMember(r, "id"), `"`)))
				if err := cat.Load(strings.NewReader(`{"cards":[`+none+`]}`), catalogue.LoadOptions{}); !errors.Is(err, catalogue.ErrInvalidID) {
					t.Errorf("Load %s: %v", none, err)
				}
			}
			if err := by.Update("9", func(r *schema.Record) error { *r = card(t, `{"id":`+of("8")+`}`); return nil }); !errors.Is(err, catalogue.ErrInvalidID) {
				t.Errorf("another key: %v", err)
			}
			seen = nil
			must(t, catalogueBatch(cat, cards, func(tx *catalogue.Tx[schema.Record]) error {
				in := tx.By("id")
				must(t, second(in.Upsert(card(t, `{"id":`+of("9")+`,"x":1`+filled+`}`))))
				must(t, second(in.Insert(card(t, `{"id":`+of("0")+`,"next":`+of("9")+filled+`}`))))
				return in.Update("10", func(r *schema.Record) (err error) { *r, err = r.With("y", 1); return err })
			}))
			slices.Sort(seen)
			equal(t, "the journal", strings.Join([]string{
				`00 {"id":` + of("0") + `,"next":` + of("9") + filled + `}`, `100 {"id":` + of("10") + `,"next":null,"all":[],"y":1}`, `90 {"id":` + of("9") + `,"x":1` + filled + `}`,
			}, "\n"), strings.Join(seen, "\n"))

			var saved bytes.Buffer
			must(t, cat.Save(&saved))
			text := saved.String()
			again := mustHave(catalogue.New(cards))
			must(t, again.Load(&saved, catalogue.LoadOptions{References: true}))
			for _, other := range []*catalogue.Catalogue{cat.Clone(), cat.Snapshot(), again} {
				copied := mustHave(cards.In(other))
				equal(t, "a copy", list(c), list(copied))
				saved.Reset()
				must(t, other.Save(&saved))
				equal(t, "saved again", text, saved.String())
				must(t, other.Check())
			}
			// the deletion changes what refers to the record
			own := mustHave(cat.Collection("cards"))
			must(t, own.Delete(t.Context(), "9", schema.Filter{}, nil))
			equal(t, "after a deletion", "-2 0 10 ", list(c, ordering.Asc("id")))
			for key, want := range map[string]string{"0": `{"id":` + of("0") + `,"next":null` + filled + `}`, "-2": `{"id":` + of("-2") + `,"next":` + of("10") + `,"all":[` + of("10") + `]}`} {
				r := mustHave(by.Get(key))
				equal(t, "what referred to it", want, r.String())
			}
			must(t, cat.Check())
			must(t, by.Update("0", func(r *schema.Record) (err error) { *r, err = r.With("next", 77); return err }))
			if err := cat.Check(); !errors.Is(err, catalogue.ErrDangling) || !strings.Contains(err.Error(), "77 of cards") {
				t.Errorf("a reference to no record: %v", err)
			}
		}
	}
}

// onlyMember returns the JSON of a member.
func onlyMember(r schema.Record, name string) string {
	text, _ := r.Get(name)
	return text
}

// catalogueBatch calls f with the transaction of a collection.
func catalogueBatch(cat *catalogue.Catalogue, d catalogue.Definition[schema.Record], f func(*catalogue.Tx[schema.Record]) error) error {
	return cat.Batch(func(b *catalogue.Batch) error {
		tx, err := d.Tx(b)
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// TestNewNumbers checks the texts of Options.NewKey.
func TestNewNumbers(t *testing.T) {
	for _, row := range []struct {
		reason, key, want string
	}{
		{"an integer", "-7", ""},
		{"the least", "-9223372036854775808", ""},
		{"a fraction", "1.5", `cards: invalid id: the new key "1.5": want an integer, not 1.5`},
		{"beyond 64 bits", "9223372036854775808", `cards: invalid id: the new key "9223372036854775808": want an integer, not 9223372036854775808`},
		{"null", "null", `cards: invalid id: the new key "null": want an integer, not null`},
		{"nothing", "", `cards: invalid id: the new key "": schema: invalid member "id": `},
		{"a text", "x", `cards: invalid id: the new key "x": schema: invalid member "id": `},
		{"not UTF-8", "\xff", `cards: invalid id: the new key "\xff" is not UTF-8`},
	} {
		cards := numberedCards(schema.Integer, false, row.key)
		cat := mustHave(catalogue.New(cards))
		c := mustHave(cards.In(cat))
		_, err := c.By("id").Insert(schema.Record{})
		if got := fmt.Sprint(err); row.want == "" && err != nil || row.want != "" && (!errors.Is(err, catalogue.ErrInvalidID) || !strings.HasPrefix(got, row.want)) {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
}

// TestInvalidNumbers checks the errors of definitions whose keys would be numbers.
func TestInvalidNumbers(t *testing.T) {
	type text struct {
		ID string `json:"id" backlist:"key"`
	}
	type number struct {
		ID int `json:"id"`
	}
	type toText struct {
		ID   int    `json:"id"`
		Card string `json:"card" backlist:"refers=cards"`
	}
	type toNumber struct {
		ID   int  `json:"id"`
		Card *int `json:"card" backlist:"refers=cards"`
	}
	open := func(f schema.Field, newKey func() string) catalogue.AnyDefinition {
		about := schema.Description{Lookup: "id", Actions: schema.AllActions, Fields: []schema.Field{f}}
		return catalogue.Define[schema.Record]("cards", catalogue.Options{Description: &about, NewKey: newKey})
	}
	one := func() string { return "1" }
	integers := schema.Field{Name: "id", Kind: schema.Integer, Key: true, Unique: true}
	required, places, quoted, chosen, float := integers, integers, integers, integers, integers
	required.Required = true
	places.Kind, places.Digits, places.Places = schema.Decimal, 4, 2
	quoted.Quoted, chosen.Choices, float.Kind = true, []string{"1"}, schema.Float
	const noKey = "a key is a unique text, or integer of open records"
	for _, row := range []struct {
		reason string
		all    []catalogue.AnyDefinition
		want   string
	}{
		{"an integer", []catalogue.AnyDefinition{open(integers, one)}, ""},
		{"only clients choose it", []catalogue.AnyDefinition{open(required, nil)}, ""},
		{"the next ones", []catalogue.AnyDefinition{open(integers, nil)}, ""},
		{"places", []catalogue.AnyDefinition{open(places, one)}, noKey},
		{"an integer in a text", []catalogue.AnyDefinition{open(quoted, one)}, noKey},
		{"choices", []catalogue.AnyDefinition{open(chosen, one)}, noKey},
		{"a fraction", []catalogue.AnyDefinition{open(float, one)}, noKey},
		{"a struct with a text", []catalogue.AnyDefinition{catalogue.Define[text]("cards", catalogue.Options{NewKey: one, Description: &schema.Description{Fields: []schema.Field{integers}, Lookup: "id"}})}, "the key id must be a text in the struct itself"},
		{"a struct with a number", []catalogue.AnyDefinition{catalogue.Define[number]("cards", catalogue.Options{NewKey: one, Description: &schema.Description{Fields: []schema.Field{integers}, Lookup: "id"}})}, "the key id must be a text in the struct itself"},
		{"a text that refers to one", []catalogue.AnyDefinition{open(integers, one), catalogue.Define[toText]("moves", catalogue.Options{})}, "it refers to numbers of cards, their id, but is text"},
		{"a number that refers to one", []catalogue.AnyDefinition{open(integers, one), catalogue.Define[toNumber]("moves", catalogue.Options{})}, ""},
	} {
		_, err := catalogue.New(row.all...)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.reason, err, row.want)
		}
	}
}

// TestStructsReferToNumbers checks a reference of a struct to open records whose keys are integers.
func TestStructsReferToNumbers(t *testing.T) {
	type move struct {
		ID    int   `json:"id"`
		Card  *int  `json:"card" backlist:"refers=cards,related=moves"`
		Cards []int `json:"cards" backlist:"refers=cards,related=listed"`
	}
	about := mustHave(schema.DescriptionOf[move]("moves"))
	about.Filters = []string{"card", "card__id__gte", "cards", "cards__in"}
	cat := mustHave(catalogue.New(numberedCards(schema.Integer, true, "1"), catalogue.Define[move]("moves", catalogue.Options{Description: &about})))
	must(t, cat.Load(strings.NewReader(`{"cards":[{"id":9},{"id":10},{"id":-1}],"moves":[{"id":1,"card":10,"cards":[9,-1]},{"id":2,"card":null,"cards":[]}]}`), catalogue.LoadOptions{References: true}))
	moves := mustHave(cat.Collection("moves"))
	for _, row := range []struct{ body, want string }{
		{`{"card":9,"cards":[10,"-1",10]}`, `{"id":3,"card":9,"cards":[-1,10]}`},
		{`{"card":"9","cards":[]}`, `{"id":4,"card":9,"cards":[]}`},
		{`{"card":8,"cards":[8]}`, `card: Invalid pk "8" - object does not exist.; cards: Invalid pk "8" - object does not exist.`},
	} {
		record, err := moves.Create(t.Context(), []byte(row.body), schema.Record{})
		if got := string(record) + strings.TrimPrefix(fmt.Sprint(err), "schema: invalid record: "); strings.TrimSuffix(got, "<nil>") != row.want {
			t.Errorf("%s: %s, want %s", row.body, got, row.want)
		}
	}
	for query, want := range map[string]int{"card=10": 1, "card=9": 2, "card__id__gte=10": 1, "cards=-1": 2, "cards__in=9": 1} {
		filter := mustHave(moves.Description().Filter(t.Context(), pagination.ParseQuery(query).Values, schema.Checks{Find: moves.Find}))
		counts := mustHave(moves.Counts(t.Context(), filter, [][]schema.Test{nil}))
		if counts[0] != want {
			t.Errorf("%s: %d, want %d", query, counts[0], want)
		}
	}
	must(t, cat.Check())
}

// TestNextNumbers inserts records without a key into collections whose keys are numbers.
func TestNextNumbers(t *testing.T) {
	for _, row := range []struct {
		kind       schema.Kind
		before     string // the keys of the collection
		want, then string // the next two keys, or errors
	}{
		{schema.Integer, "", "1", "2"},
		{schema.Integer, "-5 -7", "1", "2"},
		{schema.Integer, "7 -5 10 9", "11", "12"},
		{schema.Integer, "9223372036854775806", "9223372036854775807", "no key is left after 9223372036854775807"},
		{schema.Decimal, `"9" "10"`, `"11"`, `"12"`},
	} {
		about := schema.Description{Key: "cards", Segment: "cards", Name: "card", Lookup: "id", Fields: []schema.Field{{Name: "id", Kind: row.kind, Digits: 20, Key: true, Unique: true}}}
		cards := catalogue.Define[schema.Record]("cards", catalogue.Options{Description: &about})
		cat := mustHave(catalogue.New(cards))
		c := mustHave(cards.In(cat))
		for key := range strings.FieldsSeq(row.before) {
			r := mustHave(schema.ParseKeyed([]byte(`{"id":` + key + `}`)))
			must(t, second(c.By("id").Insert(r)))
		}
		must(t, c.Batch(func(tx *catalogue.Tx[schema.Record]) error {
			for _, want := range []string{row.want, row.then} {
				r, err := tx.By("id").Insert(schema.Record{})
				if got, _ := r.Get("id"); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("after %s: %v, %v, want %s", row.before, r, err, want)
				}
			}
			return nil
		}))
		if err := c.ReplaceAll(slices.Values([]schema.Record{{}})); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("ReplaceAll without a key: %v", err)
		}
		must(t, cat.Check())
	}
}
