package catalogue_test

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
