package catalogue_test

//lint:file-ignore SA5008 the option string has no effect on a list

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A member has a password, which is never served, and a greeting, which is never stored.
type member struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Password string `json:"password" backlist:"hidden,minlength=8"`
	Born     string `json:"born" backlist:"date"`
}

var errNoName = errors.New("no name to greet")

type greeting struct {
	Greeting greetingText `json:"greeting"`
}

type greetingText string

func (g greetingText) MarshalText() ([]byte, error) {
	if g == "Dear nobody" {
		return nil, errNoName
	}
	return []byte(g), nil
}

func (a *member) Computed() greeting { return greeting{greetingText("Dear " + a.Name)} }

func newMembers(t *testing.T, about *schema.Description) (*catalogue.Collection[member], catalogue.AnyCollection) {
	t.Helper()
	members := catalogue.Define[member]("members", catalogue.Options{Description: about})
	c := mustCatalogue(t, members)
	served := collectionOf(t, c, "members")
	typed := mustIn(members, c)
	return typed, served
}

// TestHiddenAndComputed checks what is served, saved and journalled of a record with a hidden and
// a computed member.
func TestHiddenAndComputed(t *testing.T) {
	typed, c := newMembers(t, nil)
	var journal []string
	must(t, typed.Journal(func(batch []catalogue.Commit) error {
		for _, commit := range batch {
			for _, record := range commit.Changes {
				journal = append(journal, string(record))
			}
		}
		return nil
	}))
	const (
		body   = `{"name":"Ann","password":"12345678","born":"1990-02-03","greeting":"Hi"}`
		stored = `{"id":1,"name":"Ann","password":"12345678","born":"1990-02-03"}`
		served = `{"id":1,"name":"Ann","born":"1990-02-03","greeting":"Dear Ann"}`
	)
	created := mustHave(c.Create(t.Context(), []byte(body), schema.Record{}))
	got := mustHave(c.Get(t.Context(), "1", schema.Filter{}))
	list := mustHave(c.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 5}}))
	var saved bytes.Buffer
	must(t, typed.Save(&saved))
	for _, row := range []struct{ of, got, want string }{
		{"the response to a POST", string(created), served},
		{"a record", string(got), served},
		{"a page", string(list.Records[0]), served},
		{"the journal", strings.Join(journal, "\n"), stored},
		{"what is saved", strings.TrimSpace(saved.String()), "[\n" + stored + "]"},
	} {
		equal(t, row.of, row.want, row.got)
	}
	must(t, typed.Load(&saved, catalogue.LoadOptions{}))
	if record, err := typed.Get(1); err != nil || record.Password != "12345678" {
		t.Errorf("loaded: %+v, %v, want the password", record, err)
	}
	must(t, second(c.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{"name":"Bea"}`), Partial: true})))
	if record, err := typed.Get(1); err != nil || record.Password != "12345678" {
		t.Errorf("after a PATCH of another member: %+v, %v, want the password", record, err)
	}
}

// TestHiddenIsNotOrdered checks that no order reveals a hidden member unless the description lists
// it.
func TestHiddenIsNotOrdered(t *testing.T) {
	for _, row := range []struct {
		sortable []string
		want     []int
		reason   string
	}{
		{nil, []int{1, 2}, "hidden and computed"},
		{[]string{"password"}, []int{2, 1}, "listed"},
	} {
		typed, c := newMembers(t, &schema.Description{Sortable: row.sortable})
		for _, m := range []member{{Name: "Bea", Password: "11111111"}, {Name: "Ann", Password: "22222222"}} {
			must(t, second(typed.Insert(m)))
		}
		list := mustHave(c.List(t.Context(), catalogue.Query{
			Window: pagination.Window{Limit: 5},
			Terms:  []ordering.Term{ordering.Desc("password"), ordering.Asc("greeting")},
		}))
		equal(t, row.reason, row.want, idsIn(t, list.Records))
	}
}

// TestErrorOfComputed checks that a record whose computed members cannot be encoded is not stored.
func TestErrorOfComputed(t *testing.T) {
	typed, c := newMembers(t, nil)
	body := []byte(`{"name":"nobody","password":"12345678","born":"1990-02-03"}`)
	if _, err := c.Create(t.Context(), body, schema.Record{}); !errors.Is(err, errNoName) {
		t.Errorf("Create: %v, want %v", err, errNoName)
	}
	if _, err := typed.Insert(member{Name: "nobody"}); !errors.Is(err, errNoName) {
		t.Errorf("Insert: %v, want %v", err, errNoName)
	}
	if n := typed.Count(); n != 0 {
		t.Errorf("%d records are stored", n)
	}
}

type computesNothing struct {
	ID int `json:"id"`
}

func (computesNothing) Computed() string { return "" }

func TestComputedMustReturnStruct(t *testing.T) {
	_, err := catalogue.New(catalogue.DefineBare[computesNothing]("nothings", catalogue.Options{}))
	if err == nil || !strings.Contains(err.Error(), "Computed must have no parameters and return a struct") {
		t.Errorf("New: %v", err)
	}
}

// An order has a rule that compares what was sent with what is stored.
type ruled struct {
	ID    int `json:"id"`
	Least int `json:"least"`
	Most  int `json:"most"`
}

func (r *ruled) Validate(context.Context) error {
	if r.Least > r.Most {
		return schema.Invalid("least is more than most.")
	}
	return nil
}

// TestNumbersInText writes, loads and selects records with the option string of a json tag, as those
// of discord and of protobuf have.
func TestNumbersInText(t *testing.T) {
	type room struct {
		Floor int32 `json:"floor,string"`
		Open  bool  `json:"open,string"`
	}
	type member struct {
		ID    int64    `json:"id,string"`
		Code  *uint8   `json:"code,string" backlist:"unique"`
		Share float64  `json:"share,string" backlist:"max=9"`
		Away  bool     `json:"away,string"`
		Boss  *int64   `json:"boss,string" backlist:"refers=members"`
		Room  room     `json:"room"`
		Rooms []*room  `json:"rooms"`
		List  []int    `json:"list,string"` // the option counts for numbers, booleans and text only
		Text  string   `json:"text,string" backlist:"default=x"`
		Small *float32 `json:"small,string,omitempty" backlist:"default=2.5"`
	}
	defined := catalogue.Define[member]("members", catalogue.Options{
		Unique:      [][]string{{"share", "away"}},
		Description: &schema.Description{Filters: []string{"share__gte", "code", "boss", "away"}},
	})
	cat := mustCatalogue(t, defined)
	members := collectionOf(t, cat, "members")
	const first = `{"id":"1","code":"7","share":"0.5","away":"true","boss":null,"room":{"floor":"-1","open":"false"},"rooms":[],"list":[1],"text":"\"x\"","small":"2.5"}`
	const second = `{"id":"2","code":null,"share":"7.0","away":"false","boss":"1","room":{"floor":"3","open":"true"},"rooms":[{"floor":"4","open":"false"}],"list":[],"text":"\"y\"","small":"1.0"}`
	for _, row := range []struct{ reason, body, want string }{
		{"in text", `{"code":"7","share":"0.5","away":"true","room":{"floor":"-1"},"list":[1]}`, first},
		{"numbers and booleans", `{"share":7,"boss":1,"room":{"floor":3,"open":true},"rooms":[{"floor":4}],"text":"\"y\"","small":1}`, second},
		{"invalid values", `{"code":"x","share":"10","away":"maybe","boss":"5","room":{"floor":"1.5"},"rooms":[{"floor":"99999999999"}]}`,
			`{"code":["A valid integer is required."],"share":["Ensure this value is less than or equal to 9."],"away":["Must be a valid boolean."],` +
				`"boss":["Invalid pk \"5\" - object does not exist."],"room":{"floor":["A valid integer is required."]},"rooms":[{"floor":["Ensure this value is less than or equal to 2147483647."]}]}`},
		{"a value that is taken", `{"code":7,"share":1,"room":{"floor":1}}`, `{"code":["member with this code already exists."]}`},
		{"values that are taken together", `{"share":"0.50","away":"true","room":{"floor":1}}`, `{"nonFieldErrors":["The fields share, away must make a unique set."]}`},
	} {
		got, err := members.Create(t.Context(), []byte(row.body), schema.Record{})
		if errs := (schema.FieldErrors)(nil); errors.As(err, &errs) {
			got, err = errs.MarshalJSON()
		}
		must(t, err)
		equal(t, row.reason, row.want, string(got))
	}
	got := mustHave(members.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{"share":9,"room":{"open":1}}`), Partial: true}))
	changed := strings.Replace(strings.Replace(first, `"0.5"`, `"9.0"`, 1), `"open":"false"`, `"open":"true"`, 1)
	equal(t, "a PATCH", changed, string(got))
	for params, want := range map[string]string{"share__gte=8": changed, "code=7": changed, "boss=1": second, "away=false": second} {
		filter := mustHave(members.Description().Filter(t.Context(), pagination.ParseQuery(params).Values, schema.Checks{Find: members.Find}))
		_, list, err := listed(members.List(t.Context(), catalogue.Query{Filter: filter}))
		must(t, err)
		if len(list) != 1 || string(list[0]) != want {
			t.Errorf("%s selects %s, want %s", params, list, want)
		}
	}
	all := mustHave(mustIn(defined, cat).Where(ordering.AtLeast("share", 1.0)).All(ordering.Desc("share")))
	var ids []int64
	for m := range all {
		ids = append(ids, m.ID)
	}
	equal(t, "by number", []int64{1, 2}, ids)
	want := saved(t, cat)
	must(t, cat.Load(strings.NewReader(want), catalogue.LoadOptions{Validate: true, References: true}))
	equal(t, "loaded", want, saved(t, cat))
	for text, names := range map[string]string{
		`"share":"x"`:                     "share: want a number, not \"x\"",
		`"share":"null"`:                  "share: must not be null",
		`"share":"1 2"`:                   "share: want a number, not \"1 2\"",
		`"room":{"floor":"x"}`:            "room: floor: want an integer, not \"x\"",
		`"room":{"floor":"300000000000"}`: "room: floor: want a number that int32 can hold, not 300000000000",
	} {
		err := members.Load(strings.NewReader(`[{"id":"1",`+text+`}]`), catalogue.LoadOptions{})
		if !errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), names) {
			t.Errorf("a load of %s: %v, want an error that contains %s", text, err, names)
		}
	}
}
