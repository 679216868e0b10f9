package catalogue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// TestIntegerIDs stores records whose id has each type of integer, of which last is the largest.
func TestIntegerIDs(t *testing.T) {
	type number int16
	for reason, test := range map[string]func(*testing.T){
		"int8": testIntegerID[int8](math.MaxInt8), "uint8": testIntegerID[uint8](math.MaxUint8),
		"int16": testIntegerID[int16](math.MaxInt16), "uint16": testIntegerID[uint16](math.MaxUint16),
		"int32": testIntegerID[int32](math.MaxInt32), "uint32": testIntegerID[uint32](min(math.MaxUint32, math.MaxInt)),
		"int64": testIntegerID[int64](math.MaxInt), "uint64": testIntegerID[uint64](math.MaxInt),
		"uint": testIntegerID[uint](math.MaxInt), "a named type": testIntegerID[number](math.MaxInt16),
	} {
		t.Run(reason, test)
	}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

type numberedRow[I integer] struct {
	Name string `json:"name"`
	ID   I      `json:"id"`
	Next I      `json:"next"`
}

func testIntegerID[I integer](last I) func(*testing.T) {
	return func(t *testing.T) {
		c, insert, err := catalogue.NewBare[numberedRow[I]](catalogue.Options{})
		must(t, err)
		checkAtEnd(t, c)
		for _, row := range []struct {
			reason string
			id     I
			want   int
		}{
			{"the first id", 0, 1},
			{"the largest id", last, int(last)},
			{"after the largest id", 0, 0},
			{"a negative id or one that is taken", I(0) - 1, 0},
		} {
			id, err := insert(numberedRow[I]{ID: row.id})
			refused := errors.Is(err, catalogue.ErrInvalidID) || errors.Is(err, catalogue.ErrExists)
			if id != row.want || refused != (row.want == 0) {
				t.Errorf("%s: %d, %v, want %d", row.reason, id, err, row.want)
			}
		}
		for range 2 {
			var file bytes.Buffer
			must(t, c.Save(&file))
			equal(t, "the file", fmt.Sprintf("[\n{\"name\":\"\",\"id\":1,\"next\":0},\n{\"name\":\"\",\"id\":%d,\"next\":0}]\n", last), file.String())
			must(t, c.Load(&file, catalogue.LoadOptions{}))
		}
	}
}

// Entity is embedded for its id, as gorm.Model is.
type Entity struct {
	ID        uint `gorm:"primarykey"`
	DeletedAt *time.Time
}

// TestIDsAsTheyAre makes requests to collections whose records have their id under another name, in
// another place or in another form. sqlc-dev/sqlc#3363 and SharpRepository/SharpRepository#186 are
// about generated types, typicode/json-server#1320 about _id.
func TestIDsAsTheyAre(t *testing.T) {
	type noted struct {
		Note string `json:"note"`
	}
	for _, row := range []struct {
		reason  string
		opts    catalogue.Options
		define  func(string, catalogue.Options) catalogue.AnyDefinition
		created string // of the first record
		order   string // the name of the id in an ordering
		member  string // in JSON
	}{
		{"a pointer", catalogue.Options{}, catalogue.DefineBare[struct {
			Note string `json:"note,omitempty"`
			ID   *int64 `json:"id,omitempty"`
		}], `{"note":"a","id":1}`, "id", "id"},
		{"_id", catalogue.Options{}, catalogue.DefineBare[struct {
			noted
			ID int `json:"_id"`
		}], `{"note":"a","_id":1}`, "id", "_id"},
		{"ID in an embedded struct", catalogue.Options{}, catalogue.DefineBare[struct {
			Entity
			noted
		}], `{"ID":1,"DeletedAt":null,"note":"a"}`, "id", "ID"},
		{"another name", catalogue.Options{ID: "noteId"}, catalogue.DefineBare[struct {
			noted
			NoteID *uint64 `json:"noteId"`
		}], `{"note":"a","noteId":1}`, "note_id", "noteId"},
		{"a pointer in a text, under another name", catalogue.Options{ID: "key"}, catalogue.DefineBare[struct {
			noted
			Key *int `json:"key,string,omitempty"`
		}], `{"note":"a","key":"1"}`, "key", "key"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			cat := mustCatalogue(t, row.define("notes", row.opts))
			c := collectionOf(t, cat, "notes")
			created := func(note string) string {
				record := mustHave(c.Create(t.Context(), []byte(`{"note":"`+note+`","id":9,"noteId":9,"key":"9"}`), schema.Record{}))
				return string(record)
			}
			equal(t, "the first record", row.created, created("a"))
			created("b")
			second := strings.NewReplacer(":1,", ":2,", ":1}", ":2}", `"1"`, `"2"`, `"a"`, `"c"`).Replace(row.created)
			record := mustHave(c.Update(t.Context(), "2", catalogue.Edit{Body: []byte(`{"note":"c"}`)}))
			equal(t, "the changed record", second, string(record))
			_, records, err := listed(c.List(t.Context(), catalogue.Query{Terms: []ordering.Term{ordering.Desc(row.order)}}))
			must(t, err)
			equal(t, "backwards", second+row.created, string(bytes.Join(records, nil)))
			record = mustHave(c.Get(t.Context(), "1", schema.Filter{}))
			equal(t, "by id", row.created, string(record))
			for name := range c.Description().Fields {
				if f := c.Description().Fields[name]; f.IsID() != (ordering.Snake(f.Name) == row.order) {
					t.Errorf("the field %s is the id: %v", f.Name, f.IsID())
				}
			}
			want := saved(t, cat)
			must(t, cat.Load(strings.NewReader(want), catalogue.LoadOptions{Validate: true}))
			equal(t, "after a load", want, saved(t, cat))
			must(t, c.Delete(t.Context(), "1", schema.Filter{}, nil))
			must(t, c.Load(strings.NewReader(`[{"note":"x"},`+second+`]`), catalogue.LoadOptions{}))
			third := strings.NewReplacer(":1,", ":3,", ":1}", ":3}", `"1"`, `"3"`, `"a"`, `"x"`).Replace(row.created)
			_, records, err = listed(c.List(t.Context(), catalogue.Query{Terms: []ordering.Term{ordering.Desc(row.member)}}))
			must(t, err)
			equal(t, "a load without an id", third+second, string(bytes.Join(records, nil)))
			wrong := strings.NewReplacer(":1,", ":0,", ":1}", ":0}", `"1"`, `"0"`).Replace(row.created)
			if err := c.Load(strings.NewReader("["+wrong+"]"), catalogue.LoadOptions{}); !errors.Is(err, catalogue.ErrInvalidID) {
				t.Errorf("a load of %s: %v, want ErrInvalidID", wrong, err)
			}
		})
	}
}

// TestPointersToIDs inserts records whose id is a pointer: neither the record of the program nor one
// that is read shares it with the stored one.
func TestPointersToIDs(t *testing.T) {
	type row struct {
		ID   *int64 `json:"id"`
		Name string `json:"name"`
	}
	c := mustCollection[row](t, catalogue.Options{Unique: [][]string{{"name"}}})
	mine := row{ID: new(int64(0)), Name: "zero is no id"}
	for _, r := range []row{{Name: "nil is no id"}, mine} {
		must(t, second(c.Insert(r)))
	}
	equal(t, "the id of the program", int64(0), *mine.ID)
	given := row{ID: new(int64(7)), Name: "an id"}
	id := mustHave(c.Insert(given))
	equal(t, "the id", 7, id)
	*given.ID = 8
	got := mustHave(c.Get(7))
	*got.ID = 9
	must(t, second(c.By("name").Upsert(row{Name: "an id"})))
	must(t, c.Update(1, func(r *row) error { *r = row{ID: r.ID, Name: "new"}; return nil }))
	for reason, err := range map[string]error{
		"another id":     c.Update(7, func(r *row) error { *r.ID = 9; return nil }),
		"no id":          c.Update(7, func(r *row) error { r.ID = nil; return nil }),
		"a negative one": func() error { _, err := c.Upsert(row{ID: new(int64(-1))}); return err }(),
	} {
		if !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s: %v, want ErrInvalidID", reason, err)
		}
	}
	var file bytes.Buffer
	must(t, c.Save(&file))
	equal(t, "the file", "[\n{\"id\":1,\"name\":\"new\"},\n{\"id\":2,\"name\":\"zero is no id\"},\n{\"id\":7,\"name\":\"an id\"}]\n", file.String())
}

// TestIDOfOwnDescription changes what DescriptionOf returns, which does not know the option.
func TestIDOfOwnDescription(t *testing.T) {
	type note struct {
		Text string `json:"text"`
		Nr   *int   `json:"noteNr"`
	}
	about := mustDescribe[note](t, "notes")
	about.Name, about.Filters = "remark", []string{"note_nr__in"}
	c := collectionOf(t, mustCatalogue(t, catalogue.Define[note]("notes", catalogue.Options{ID: "noteNr", Description: &about})), "notes")
	record := mustHave(c.Create(t.Context(), []byte(`{"text":"a"}`), schema.Record{}))
	equal(t, "a record", `{"text":"a","noteNr":1}`, string(record))
	equal(t, "the order", "note_nr", ordering.Format(c.Description().Ordering))
	type part struct {
		SKU         string `json:"sku"`
		Nr          int    `json:"nr"`
		WarehouseID int    `json:"warehouseId"`
	}
	type person struct {
		Email string `json:"email"`
		Nr    int    `json:"nr"`
		TaxID string `json:"taxId"`
	}
	for _, row := range []struct {
		define        func(string, catalogue.Options) catalogue.AnyDefinition
		about         schema.Description
		id            string
		body          string
		order, lookup string
	}{
		{catalogue.DefineBare[part], mustDescribe[part](t, "all"), "sku", `{"sku":"a","nr":5,"warehouseId":7}`, "sku", "sku"},
		{catalogue.DefineBare[part], mustDescribe[part](t, "all"), "nr", `{"sku":"a","nr":1,"warehouseId":7}`, "nr", ""},
		{catalogue.DefineBare[person], mustDescribe[person](t, "all"), "email", `{"email":"a","nr":1,"taxId":"x/y"}`, "email", "email"},
		{catalogue.DefineBare[person], mustDescribe[person](t, "all"), "nr", `{"email":"a","nr":1,"taxId":"x/y"}`, "nr", ""},
	} {
		c := collectionOf(t, mustCatalogue(t, row.define("all", catalogue.Options{ID: row.id, Description: &row.about})), "all")
		record := mustHave(c.Create(t.Context(), []byte(row.body), schema.Record{}))
		equal(t, "a record by "+row.id, row.body, string(record))
		about := c.Description()
		equal(t, "the order, the lookup and the identity by "+row.id, []string{row.order, row.lookup, row.id},
			[]string{ordering.Format(about.Ordering), about.Lookup, about.Identity().Name})
	}
}

// A badge is a record whose rule changes its key, as badgeRule says.
type badge struct {
	Code string `json:"code" backlist:"key"`
	Name string `json:"name" backlist:"unique"`
}

// TestIdentityAfterRules writes records whose rule changes the key: the key after the rule counts.
func TestIdentityAfterRules(t *testing.T) {
	to := func(code string) func(context.Context, *schema.Record) error {
		return func(_ context.Context, r *schema.Record) (err error) {
			if name, _ := r.Get("name"); name == `"rule"` {
				*r, err = r.With("code", code)
			}
			return err
		}
	}
	insert := func(c *catalogue.Collection[badge]) error { _, err := c.Insert(badge{"x", "rule"}); return err }
	upsert := func(c *catalogue.Collection[badge]) error {
		return second(c.By("code").Upsert(badge{"x", "rule"}))
	}
	load := func(c *catalogue.Collection[badge]) error {
		return c.Load(strings.NewReader(`[{"code":"x","name":"rule"}]`), catalogue.LoadOptions{Validate: true})
	}
	for _, row := range []struct {
		reason, code string
		write        func(*catalogue.Collection[badge]) error
		want         string // the codes after it
		err          error
	}{
		{"an insertion without a key", "", insert, "a b", catalogue.ErrInvalid},
		{"an insertion with another key", "c", insert, "a b c", nil},
		{"an insertion with a key that is taken", "a", insert, "a b", catalogue.ErrExists},
		{"an upsert without a key", "", upsert, "a b", catalogue.ErrInvalid},
		{"an upsert with another key", "c", upsert, "a b c", nil},
		{"an upsert of the record with that key", "a", upsert, "a(rule) b", nil},
		{"an upsert by another text, with another key", "c", func(c *catalogue.Collection[badge]) error {
			must(t, c.By("code").Update("a", func(b *badge) error { b.Name = "rules"; return nil }))
			return second(c.By("name").Upsert(badge{"", "rules"}))
		}, "a(rules) b", nil},
		{"an update with another key", "c", func(c *catalogue.Collection[badge]) error {
			return c.By("code").Update("a", func(b *badge) error { b.Name = "rule"; return nil })
		}, "a b", catalogue.ErrInvalidID},
		{"a list with a key twice", "a", func(c *catalogue.Collection[badge]) error {
			return c.ReplaceAll(slices.Values([]badge{{"a", "n"}, {"x", "rule"}}))
		}, "a b", catalogue.ErrExists},
		{"a batch without a key", "", func(c *catalogue.Collection[badge]) error {
			return c.Batch(func(tx *catalogue.Tx[badge]) error { _, err := tx.Insert(badge{"x", "rule"}); return err })
		}, "a b", catalogue.ErrInvalidID},
		{"a load keeps what it reads", "c", load, "x(rule)", nil},
		{"a load keeps the key", "", load, "x(rule)", nil},
	} {
		c := mustCatalogue(t, catalogue.Define[badge]("badges", catalogue.Options{Validate: true, Description: &schema.Description{Rule: to(row.code)}}))
		badges := mustIn(catalogue.Define[badge]("badges", catalogue.Options{}), c)
		must(t, badges.ReplaceAll(slices.Values([]badge{{"a", "1"}, {"b", "2"}})))
		err := row.write(badges)
		var got []string
		for b := range badges.All() {
			if len(b.Name) > 1 && b.Code != row.code || b.Code == "a" && len(b.Name) > 1 {
				b.Code += "(" + b.Name + ")"
			}
			got = append(got, b.Code)
		}
		if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" || !errors.Is(err, row.err) {
			t.Errorf("%s: %v, want %v (-want +got):\n%s", row.reason, err, row.err, diff)
		}
		must(t, badges.Check())
		must(t, c.Load(strings.NewReader(saved(t, c)), catalogue.LoadOptions{}))
	}
}

// TestOpenRecordsWithKeys reads and writes open records with a key in every way.
func TestOpenRecordsWithKeys(t *testing.T) {
	for _, name := range []string{"id", "slug"} {
		next := 0
		about := schema.Description{Name: "post", Lookup: name, Fields: []schema.Field{
			{Name: name, Kind: schema.Text, Key: true, Unique: true, MaxLength: 10},
			{Name: "title", Kind: schema.Text, Required: true},
		}}
		defined := catalogue.Define[schema.Record]("posts", catalogue.Options{Description: &about, History: 10,
			NewKey: func() string { next++; return fmt.Sprint("n", next) }})
		cat := mustCatalogue(t, defined)
		posts := mustIn(defined, cat)
		record := func(text string) schema.Record {
			return mustHave(schema.ParseKeyed([]byte(strings.ReplaceAll(text, "KEY", name))))
		}
		must(t, cat.Load(strings.NewReader(strings.ReplaceAll(`{"posts":[{"KEY":"b","title":"x"},{"KEY":"n2","title":"y","other":1}]}`, "KEY", name)), catalogue.LoadOptions{}))
		must(t, second(posts.Insert(record(`{"KEY":"7","title":"z"}`))))
		if got, err := posts.By(name).Insert(record(`{"title":"new"}`)); err != nil || got.String() != record(`{"title":"new","KEY":"n1"}`).String() {
			t.Errorf("a new key: %v, %v", got, err)
		}
		must(t, second(posts.By(name).Upsert(record(`{"KEY":"b","title":"X"}`))))
		must(t, posts.By(name).Update("7", func(r *schema.Record) (err error) { *r, err = r.With("title", "Z"); return err }))
		all, _ := cat.Collection("posts")
		ctx := t.Context()
		if got, err := all.Create(ctx, []byte(`{"title":"posted"}`), schema.Record{}); err != nil || string(got) != record(`{"title":"posted","KEY":"n3"}`).String() {
			t.Errorf("a post, while another record has the next key: %s, %v", got, err)
		}
		if got, err := all.Update(ctx, "n2", catalogue.Edit{Body: []byte(`{"title":"Y"}`)}); err != nil {
			t.Errorf("a PUT: %s, %v", got, err)
		}
		must(t, all.Delete(ctx, "n1", schema.Filter{}, nil))
		want := strings.ReplaceAll(`{"posts":[
{"KEY":"7","title":"Z"},
{"KEY":"b","title":"X"},
{"KEY":"n2","title":"Y","other":1},
{"title":"posted","KEY":"n3"}]}
`, "KEY", name)
		equal(t, name, want, saved(t, cat))
		for text, want := range map[string]string{
			`[{"title":"a"}]`: "the record has no KEY", `[{"KEY":7}]`: "want a string, not 7", `[{"KEY":null}]`: "want a string, not null", `[{"KEY":""}]`: "it is empty",
		} {
			want = strings.ReplaceAll(want, "KEY", name)
			err := posts.Load(strings.NewReader(strings.ReplaceAll(text, "KEY", name)), catalogue.LoadOptions{})
			if !errors.Is(err, catalogue.ErrInvalidID) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: load of %s: %v, want %s", name, text, err, want)
			}
		}
		for _, row := range []struct {
			reason string
			err    error
			do     func() error
		}{
			{"the same key", catalogue.ErrExists, func() error { _, err := posts.Insert(record(`{"KEY":"b"}`)); return err }},
			{"another key in an update", catalogue.ErrInvalidID, func() error {
				return posts.By(name).Update("b", func(r *schema.Record) (err error) { *r, err = r.With(name, "c"); return err })
			}},
			{"an id beside the key", schema.ErrInvalid, func() error {
				r := record(`{"KEY":"c"}`)
				r.ID = 7
				return second(posts.Insert(r))
			}},
			{"methods by id", catalogue.ErrNotFound, func() error { return posts.Delete(1) }},
		} {
			if err := row.do(); !errors.Is(err, row.err) {
				t.Errorf("%s: %s: %v, want %v", name, row.reason, err, row.err)
			}
		}
		must(t, cat.Check())
		must(t, cat.Load(strings.NewReader(want), catalogue.LoadOptions{Validate: true}))
		equal(t, fmt.Sprintf("%s: loaded", name), want, saved(t, cat))
	}
}

// TestPredictableKeys inserts records while all new keys are taken.
func TestPredictableKeys(t *testing.T) {
	calls, free := 0, 50
	c := mustCollection[ticket](t, catalogue.Options{NewKey: func() string {
		if calls++; calls > free {
			return "free"
		}
		return "taken"
	}})
	must(t, second(c.Insert(ticket{ID: "taken"})))
	if got, err := c.By("id").Insert(ticket{}); err != nil || got.ID != "free" || calls != 51 {
		t.Errorf("after %d calls of NewKey: %v, %v", calls, got, err)
	}
	free, calls = math.MaxInt, 0
	if _, err := c.Insert(ticket{}); !errors.Is(err, catalogue.ErrExists) || calls > 1000 {
		t.Errorf("after %d calls of NewKey: %v, want ErrExists", calls, err)
	}
}

// TestUnaddressed reads and writes texts that name no record or cannot be part of a path.
func TestUnaddressed(t *testing.T) {
	type user struct {
		ID   int    `json:"id"`
		Mail string `json:"mail" backlist:"unique"`
	}
	defined := catalogue.Define[user]("users", catalogue.Options{Description: &schema.Description{Lookup: "mail"}})
	c := mustCatalogue(t, defined)
	users := mustIn(defined, c)
	must(t, second(users.Insert(user{Mail: "a\ufffdb"})))
	all, _ := c.Collection("users")
	for _, segment := range []string{"a\xffb", "a\xc0b", "1", ""} {
		if record, err := all.Get(t.Context(), segment, schema.Filter{}); !errors.Is(err, catalogue.ErrNotFound) || users.By("mail").Has(segment) {
			t.Errorf("%q names %s, %v", segment, record, err)
		}
	}
	var fields schema.FieldErrors
	if _, err := users.Insert(user{Mail: strings.Repeat("a", 1537)}); !errors.As(err, &fields) || !errors.Is(err, catalogue.ErrInvalid) {
		t.Errorf("a text that is too long for a path: %v", err)
	}
	open := mustCollection[schema.Record](t, catalogue.Options{Unique: [][]string{{"id"}}})
	if _, err := open.By("id").Upsert(schema.Record{ID: 1}); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("the id of open records is no text: %v", err)
	}
}

// TestTokenWithoutRecords continues after a token when no open record has the field of the order.
func TestTokenWithoutRecords(t *testing.T) {
	c := mustCollection[schema.Record](t, catalogue.Options{Indexes: [][]ordering.Term{{ordering.Asc("year")}}})
	for range 3 {
		r := mustHave(schema.Record{}.With("year", 1950))
		must(t, second(c.Insert(r)))
	}
	query := func() catalogue.Selection[schema.Record] { return c.Where(ordering.Equal("year", 1950)) }
	_, token, err := query().PageAfter("", 2, ordering.Asc("year"))
	must(t, err)
	must(t, second(c.Where().Delete()))
	if records, next, err := query().PageAfter(token, 2, ordering.Asc("year")); err != nil || len(records) > 0 || next != "" {
		t.Errorf("after the deletion of all records: %v %q %v", records, next, err)
	}
	if _, _, err := query().PageAfter(token[1:], 2, ordering.Asc("year")); !errors.Is(err, catalogue.ErrInvalidToken) {
		t.Errorf("an altered token: %v", err)
	}
}
