package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Teas and houses are in the form of a later version of a program, in which some names, defaults
// and references are new.
type tea struct {
	ID      int              `json:"id"`
	Name    string           `json:"name" backlist:"formerly=title|label"`
	Minutes int              `json:"minutes" backlist:"default=3,min=1"`
	Grade   string           `json:"grade,omitempty" backlist:"default=A"`
	Secret  string           `json:"secret" backlist:"hidden,default=none"`
	Tags    []string         `json:"tags"`
	House   *int             `json:"house" backlist:"refers=houses"`
	Garden  garden           `json:"garden" backlist:"optional"`
	Steps   []step           `json:"steps"`
	Notes   map[string]*step `json:"notes" backlist:"optional"`
	Weight  float64          `json:"weight" backlist:"optional"`
}

type garden struct {
	Place  string `json:"place" backlist:"blank,default=Fuzhou"`
	Height *int   `json:"height"`
}

type step struct {
	Seconds int    `json:"seconds"`
	Water   string `json:"water" backlist:"default=hot"`
}

type teahouse struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

var (
	teas      = catalogue.DefineBare[tea]("teas", catalogue.Options{})
	teahouses = catalogue.DefineBare[teahouse]("houses", catalogue.Options{})
)

// newTeas returns a catalogue of teas and houses. If open is set, the records have no Go types.
func newTeas(t testing.TB, open bool) *catalogue.Catalogue {
	t.Helper()
	definitions := []catalogue.AnyDefinition{teas, teahouses}
	if open {
		about := mustDescribe[tea](t, "teas")
		houses := mustDescribe[teahouse](t, "houses")
		definitions = []catalogue.AnyDefinition{
			catalogue.Define[schema.Record]("teas", catalogue.Options{Description: &about}),
			catalogue.Define[schema.Record]("houses", catalogue.Options{Description: &houses}),
		}
	}
	cat := mustCatalogue(t, definitions...)
	return cat
}

// wholeTea is a tea in the present form.
const wholeTea = `{"id":1,"name":"n","minutes":3,"secret":"none","tags":[],"house":null,"garden":{"place":"p","height":null},"steps":[],"notes":{},"weight":0.0}`

// TestLoadOlderRecords loads records that an earlier version of the program has saved.
func TestLoadOlderRecords(t *testing.T) {
	older := func(old, text string) string { return replaceMember(wholeTea, old, text) }
	for _, row := range []struct {
		reason     string
		file       string
		want, open string // what is saved then; if open is empty, it is want
	}{
		{"in the present form", wholeTea, wholeTea, ""},
		{"a new field has its default, in open records at the end",
			older(`"minutes":3,`, ``), wholeTea, older(`"minutes":3,`, ``)[:len(older(`"minutes":3,`, ``))-1] + `,"minutes":3,"grade":"A"}`},
		{"a new hidden field too", older(`"secret":"none",`, ``), wholeTea, older(`"secret":"none",`, ``)[:len(older(`"secret":"none",`, ``))-1] + `,"grade":"A","secret":"none"}`},
		{"several in any order", `{"notes":{},"steps":[],"id":1,"weight":0.0,"garden":{"height":null,"place":"p"},"label":"n"}`, wholeTea,
			`{"notes":{},"steps":[],"id":1,"weight":0.0,"garden":{"height":null,"place":"p"},"name":"n","minutes":3,"grade":"A","secret":"none","tags":[],"house":null}`},
		{"a field without a default is zero, or missing in an open record", older(`,"weight":0.0`, ``), wholeTea, older(`,"weight":0.0}`, `,"grade":"A"}`)},
		{"a null is no missing member", older(`"place":"p","height":null`, `"place":"p","height":7`), older(`"place":"p","height":null`, `"place":"p","height":7`), ""},
		{"a former name", older(`"name"`, `"title"`), wholeTea, ""},
		{"an older one", older(`"name"`, `"label"`), wholeTea, ""},
		{"an object that lacks a member with a default", older(`"place":"p",`, ``), older(`"place":"p"`, `"place":""`), older(`"place":"p",`, ``)},
		{"a missing object is zero, if the type always has it", older(`"garden":{"place":"p","height":null},`, ``), older(`"place":"p"`, `"place":""`), older(`"garden":{"place":"p","height":null},`, ``)},
		{"white space and escapes", older(`"name"`, "\n\"tit\\u006ce\" ") + "\n", wholeTea, ""},
	} {
		for _, open := range []bool{false, true} {
			cat := newTeas(t, open)
			want := row.want
			if open {
				if want = row.open; want == "" {
					want = row.want
				}
				if !strings.Contains(want, `"grade"`) { // the type omits it, an open record does not
					want = strings.TrimSuffix(want, "}") + `,"grade":"A"}`
				}
			}
			if err := cat.Load(strings.NewReader(`{"teas":[`+row.file+`]}`), catalogue.LoadOptions{}); err != nil {
				t.Errorf("%s, open %t: %v", row.reason, open, err)
				continue
			}
			equal(t, fmt.Sprintf("%s, open %t", row.reason, open), want, split(t, saved(t, cat))["teas"][0])
			again := newTeas(t, open)
			must(t, again.Load(strings.NewReader(saved(t, cat)), catalogue.LoadOptions{}))
			equal(t, fmt.Sprintf("%s, open %t: loaded again", row.reason, open), saved(t, cat), saved(t, again))
			checkAtEnd(t, cat)
		}
	}
}

// TestLoadOlderRefuses checks the errors of records that are neither in the present form nor in a
// former one.
func TestLoadOlderRefuses(t *testing.T) {
	older := func(old, text string) string { return replaceMember(wholeTea, old, text) }
	for _, row := range []struct{ reason, file, want string }{
		{"the present name and a former one", older(`"name":"n"`, `"name":"n","title":"m"`), `title: is a former name of "name", and "name" is there too`},
		{"in the other order", older(`"name":"n"`, `"title":"m","name":"n"`), `title: is a former name of "name", and "name" is there too`},
		{"two former names", older(`"name":"n"`, `"label":"n","title":"m"`), `label: is a former name of "name", and "title" is there too`},
		{"a name of another object", older(`"name":"n"`, `"town":"n"`), `town: is unknown: want one of id, name, minutes, grade, secret, tags, house, garden, steps, notes, weight`},
	} {
		cat := newTeas(t, false)
		err := cat.Load(strings.NewReader(`{"teas":[`+row.file+`]}`), catalogue.LoadOptions{})
		if want := "teas: cannot load: record 1 (line 1): " + row.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", row.reason, err, want)
		}
		var invalid *catalogue.RecordError
		if !errors.As(err, &invalid) || !errors.Is(err, catalogue.ErrInvalidData) {
			t.Errorf("%s: %v, want a RecordError", row.reason, err)
		}
	}
}

// TestFormerlyOfDefinitions checks that a former name is no other name.
func TestFormerlyOfDefinitions(t *testing.T) {
	type clash struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"formerly=title"`
		Old  string `json:"title"`
	}
	type hidden struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Old  string `json:"title"`
	}
	type twice struct {
		ID int    `json:"id"`
		A  string `json:"a" backlist:"formerly=c"`
		B  string `json:"b" backlist:"formerly=c"`
	}
	type inner struct {
		ID  int `json:"id"`
		Box struct {
			A int `json:"a" backlist:"formerly=b"`
		} `json:"box"`
	}
	type element struct {
		ID   int   `json:"id"`
		List []int `json:"list" backlist:"item.formerly=a"`
	}
	type caseOnly struct {
		ID        int    `json:"id"`
		StartDate string `json:"startDate" backlist:"formerly=start_date"`
	}
	fields := func(formerly ...string) catalogue.Options {
		return catalogue.Options{Description: &schema.Description{Fields: []schema.Field{{Name: "name", Kind: schema.Text, Formerly: formerly}}}}
	}
	fieldsOfList := catalogue.Options{Description: &schema.Description{Fields: []schema.Field{
		{Name: "list", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text, Formerly: []string{"a"}}},
	}}}
	for _, row := range []struct {
		reason string
		err    error
		want   string
	}{
		{"the name of another field", second(catalogue.New(catalogue.DefineBare[clash]("x", catalogue.Options{}))), `the former name "title" is a name of "title"`},
		{"without a catalogue", refusal[clash](catalogue.Options{}), `the former name "title" is `},
		{"the name of a member that is not described", second(catalogue.New(catalogue.DefineBare[hidden]("x", fields("title")))), `the former name "title" is the name of another member`},
		{"a former name of another field", refusal[twice](catalogue.Options{}), `field "b": the former name "c" is a name of "a"`},
		{"inside an object", second(catalogue.New(catalogue.DefineBare[inner]("x", catalogue.Options{}))), `Write or Formerly`},
		{"of an element", refusal[element](catalogue.Options{}), `cannot be unique, a key`},
		{"of an element without a type", second(catalogue.New(catalogue.Define[schema.Record]("x", fieldsOfList))), `a field inside another one cannot be unique`},
		{"the id", second(catalogue.New(catalogue.Define[schema.Record]("x", fields("id")))), `the former name "id" is the name of another member`},
		{"empty", second(catalogue.New(catalogue.Define[schema.Record]("x", fields("")))), `a former name is empty`},
		{"another spelling of the same name", refusal[caseOnly](catalogue.Options{}), ``},
	} {
		switch {
		case row.want == "" && row.err != nil:
			t.Errorf("%s: %v", row.reason, row.err)
		case row.want != "" && (!errors.Is(row.err, catalogue.ErrInvalidType) || !strings.Contains(row.err.Error(), row.want)):
			t.Errorf("%s: %v, want %s", row.reason, row.err, row.want)
		}
	}
}

// TestLoadLists checks that a load that validates or checks references lists everything that is
// wrong, and its place, and changes nothing.
func TestLoadLists(t *testing.T) {
	const file = `{
"houses":[
{"id":1,"name":"a"},
{"id":2,"name":""}],
"teas":[
{"id":4,"name":"n","minutes":0,"house":9,"steps":[{"seconds":1,"water":""}]},
{"id":3,"name":"n","house":1},
{"id":5,"name":"","house":8}]}`
	const validity, references = `houses 2 line 4 name: name: This field may not be blank.
teas 4 line 6 minutes: minutes: Ensure this value is greater than or equal to 1.
teas 4 line 6 steps: steps.0.water: This field may not be blank.
teas 5 line 8 name: name: This field may not be blank.
`, `teas 4 line 6 house: reference to no record: 9 of houses
teas 5 line 8 house: reference to no record: 8 of houses
`
	for _, row := range []struct {
		reason string
		file   string
		opts   catalogue.LoadOptions
		want   string
	}{
		{"nothing is asked for", file, catalogue.LoadOptions{}, ""},
		{"validity", file, catalogue.LoadOptions{Validate: true}, validity},
		{"references", file, catalogue.LoadOptions{References: true}, references},
		{"both", file, catalogue.LoadOptions{Validate: true, References: true}, validity + references},
		{"references of records that are not loaded", `{"houses":[]}`, catalogue.LoadOptions{References: true}, "teas 1 line 0 house: reference to no record: 1 of houses\n"},
		{"references to records that are not loaded", `{"teas":[{"id":1,"name":"n","house":1}]}`, catalogue.LoadOptions{References: true, Validate: true}, ""},
		{"references that the load mends", `{"houses":[],"teas":[{"id":1,"name":"n","house":null}]}`, catalogue.LoadOptions{References: true}, ""},
		{"records that cannot be stored; references of the others are not looked at",
			`{"houses":[{"id":0},{"id":3,"name":4},` + "\n" + `{"id":4,"title":""}],"teas":[{"id":1,"name":"n","house":9}]}`, catalogue.LoadOptions{References: true},
			"houses 0 line 1 id: invalid id: want a positive integer, got 0\nhouses 3 line 1 name: want a string, not 4\nhouses 4 line 2 title: is unknown: want one of id, name\n"},
		{"ids and unique values", `{"houses":[{"id":2,"name":"a"},{"id":3,"name":"a"},{"id":2,"name":"a"}]}`, catalogue.LoadOptions{Validate: true},
			"houses 2 line 1 id: id or key is taken: the record at index 0 has 2 too\n" +
				"houses 3 line 1 name: duplicate value: name \"a\" is that of the record at index 0\n" +
				"houses 2 line 1 name: duplicate value: name \"a\" is that of the record at index 0\n"},
	} {
		for _, open := range []bool{false, true} {
			if open && strings.Contains(row.file, `"name":4`) {
				continue // open records have values of any kind
			}
			cat := newTeas(t, open)
			must(t, cat.Load(strings.NewReader(`{"houses":[{"id":1,"name":"a"}],"teas":[{"id":1,"name":"n","house":1}]}`), catalogue.LoadOptions{}))
			before := saved(t, cat)
			err := cat.Load(strings.NewReader(row.file), row.opts)
			var found catalogue.Violations
			errors.As(err, &found)
			var got strings.Builder
			for _, v := range found {
				fmt.Fprintf(&got, "%s %v line %d %s: %s\n", v.Collection, v.Identity, v.Line, v.Field, strings.TrimPrefix(v.Err.Error(), "invalid record: "))
			}
			if diff := cmp.Diff(row.want, got.String()); diff != "" || (err == nil) != (row.want == "") {
				t.Errorf("%s, open %t: %v (-want +got):\n%s", row.reason, open, err, diff)
			}
			if err != nil && (saved(t, cat) != before || !errors.Is(err, catalogue.ErrInvalidData)) {
				t.Errorf("%s, open %t: after %v the catalogue is\n%s", row.reason, open, err, saved(t, cat))
			}
		}
	}
}

// degrees are a number that was text in older records.
type degrees int

func (d *degrees) UnmarshalJSON(data []byte) error {
	return json.Unmarshal([]byte(strings.Trim(string(data), `"`)), (*int)(d))
}

// TestEvolvingRecords has a row for each case of EVOLVING.md that
// no other test has.
func TestEvolvingRecords(t *testing.T) {
	type pot struct {
		ID   int     `json:"id"`
		Size int     `json:"size" backlist:"min=10"`
		Heat degrees `json:"heat" backlist:"default=80,max=100"`
	}
	about := mustDescribe[pot](t, "pots")
	unique := catalogue.Options{Unique: [][]string{{"size", "heat"}}}
	typed := catalogue.DefineBare[pot]("pots", catalogue.Options{})
	open := catalogue.Define[schema.Record]("pots", catalogue.Options{Description: &about})
	for _, row := range []struct {
		reason  string
		defined catalogue.AnyDefinition
		file    string
		opts    catalogue.LoadOptions
		want    string // the saved record, or the error
	}{
		{"a removed field", typed, `{"id":1,"size":20,"heat":90,"lid":true}`, catalogue.LoadOptions{}, "pots: cannot load: record 1 (line 1): lid: is unknown: did you mean id?"},
		{"a removed field that is skipped", typed, `{"id":1,"size":20,"heat":90,"lid":true}`, catalogue.LoadOptions{SkipUnknown: true}, `{"id":1,"size":20,"heat":90}`},
		{"a removed field of an open record", open, `{"id":1,"size":20,"heat":90,"lid":true}`, catalogue.LoadOptions{Validate: true}, `{"id":1,"size":20,"heat":90,"lid":true}`},
		{"text that was a number", typed, `{"id":1,"size":"20"}`, catalogue.LoadOptions{}, `pots: cannot load: record 1 (line 1): size: want an integer, not "20"`},
		{"a type that reads both", typed, `{"id":1,"size":20,"heat":"90"}`, catalogue.LoadOptions{Validate: true}, `{"id":1,"size":20,"heat":90}`},
		{"an open record keeps it", open, `{"id":1,"size":"20","heat":90}`, catalogue.LoadOptions{}, `{"id":1,"size":"20","heat":90}`},
		{"an open record that is validated, which changes nothing", open, `{"id":1,"size":"20","heat":90}`, catalogue.LoadOptions{Validate: true}, `{"id":1,"size":"20","heat":90}`},
		{"and has another kind", open, `{"id":1,"size":"big","heat":90}`, catalogue.LoadOptions{Validate: true}, "record 1 of pots (line 1), in the field size: invalid record: size: A valid integer is required."},
		{"a narrower bound", typed, `{"id":1,"size":2}`, catalogue.LoadOptions{}, `{"id":1,"size":2,"heat":80}`},
		{"a narrower bound that is asked for", typed, `{"id":1,"size":2}`, catalogue.LoadOptions{Validate: true}, "record 1 of pots (line 1), in the field size: invalid record: size: Ensure this value is greater than or equal to 10."},
		{"a unique set, of a default too", catalogue.DefineBare[pot]("pots", unique), `{"id":1,"size":20},{"id":2,"size":20,"heat":80}`, catalogue.LoadOptions{}, "pots: cannot load: record 2 (line 1): duplicate value: size 20 and heat 80 are those of the record at index 0"},
	} {
		cat := mustCatalogue(t, row.defined)
		got := ""
		if err := cat.Load(strings.NewReader(`{"pots":[`+row.file+`]}`), row.opts); err != nil {
			got = strings.TrimPrefix(err.Error(), "catalogue: cannot load: 1 violation: ")
		} else {
			got = split(t, saved(t, cat))["pots"][0]
		}
		equal(t, row.reason, row.want, got)
	}
	cat := mustCatalogue(t, typed)
	must(t, cat.Load(strings.NewReader(`{"pots":[{"id":1,"size":2}]}`), catalogue.LoadOptions{}))
	pots := collectionOf(t, cat, "pots")
	for body, valid := range map[string]bool{`{"heat":70}`: true, `{"size":3}`: false} {
		if _, err := pots.Update(context.Background(), "1", catalogue.Edit{Body: []byte(body), Partial: true}); (err == nil) != valid {
			t.Errorf("PATCH %s of a record that does not meet a bound: %v", body, err)
		}
	}
	if err := cat.Load(strings.NewReader(`{"kettles":[]}`), catalogue.LoadOptions{}); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("a collection that has been renamed: %v", err)
	}
}

// TestLoadListsKeys checks the places of records that have a key.
func TestLoadListsKeys(t *testing.T) {
	type shelf struct {
		Code string `json:"code" backlist:"key,formerly=label"`
		Next string `json:"next" backlist:"refers=shelves.code"`
		Size int    `json:"size" backlist:"max=9"`
	}
	cat := mustCatalogue(t, catalogue.DefineBare[shelf]("shelves", catalogue.Options{}))
	for _, row := range []struct{ reason, file, want string }{
		{"validity and references", `{"label":"b","next":"a","size":10},{"code":"a","next":"c","size":1}`,
			`"b" size: invalid record: size: Ensure this value is less than or equal to 9.; "a" next: reference to no record: "c" of shelves; `},
		{"the same key twice", `{"label":"b","next":"b"},{"code":"b","next":"b"}`, `"b" code: id or key is taken: the record at index 0 has code "b" too; `},
		{"no key", `{"next":"b"},{"code":5}`, `"" code: invalid id: the record has no code; "" code: invalid id: want a string, not 5; `},
	} {
		err := cat.Load(strings.NewReader(`{"shelves":[`+row.file+`]}`), catalogue.LoadOptions{Validate: true, References: true})
		var found catalogue.Violations
		errors.As(err, &found)
		got := ""
		for _, v := range found {
			got += fmt.Sprintf("%q %s: %v; ", v.Identity.Key, v.Field, v.Err)
		}
		equal(t, fmt.Sprintf("%s: %v", row.reason, err), row.want, got)
	}
	err := cat.Load(strings.NewReader(`{"shelves":[{"code":"a","label":"a"}]}`), catalogue.LoadOptions{})
	if want := `shelves: cannot load: record "a" (line 1): label: is a former name of "code", and "code" is there too`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLoadReferencesBesideDeletion loads a reference while a request deletes the record to which it
// refers: one of the two is refused.
func TestLoadReferencesBesideDeletion(t *testing.T) {
	cat := newTeas(t, false)
	houses := collectionOf(t, cat, "houses")
	for range 100 {
		must(t, cat.Load(strings.NewReader(`{"teas":[],"houses":[{"id":1,"name":"a"}]}`), catalogue.LoadOptions{}))
		loaded := make(chan error)
		go func() {
			loaded <- cat.Load(strings.NewReader(`{"teas":[{"id":1,"name":"n","house":1}]}`), catalogue.LoadOptions{References: true})
		}()
		deleted := houses.Delete(t.Context(), "1", schema.Filter{}, nil)
		if err := <-loaded; (err == nil) == (deleted == nil) {
			t.Fatalf("load: %v, deletion: %v, want that one is refused", err, deleted)
		}
		must(t, cat.Check())
	}
}

// TestValidateOmitted: a value that JSON omits because it is zero is not absent.
func TestValidateOmitted(t *testing.T) {
	type lamp struct {
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		Watts int      `json:"watts,omitempty" backlist:"default=3"`
		On    bool     `json:"on,omitzero" backlist:"default=true"`
		Tags  []string `json:"tags,omitempty" backlist:"default=[\"new\"]"`
	}
	for _, validate := range []bool{false, true} {
		lamps := catalogue.Define[lamp]("lamps", catalogue.Options{Validate: validate})
		cat := mustCatalogue(t, lamps)
		c := mustIn(lamps, cat)
		served := collectionOf(t, cat, "lamps")
		must(t, second(served.Create(t.Context(), []byte(`{"name":"a","watts":0,"on":false,"tags":[]}`), schema.Record{})))
		check := func(after, name string) {
			t.Helper()
			got := mustHave(c.Get(1))
			equal(t, fmt.Sprintf("Options.Validate is %t, after %s", validate, after), lamp{ID: 1, Name: name, Tags: []string{}}, got)
		}
		check("a POST", "a")
		must(t, second(served.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{"name":"b"}`)})))
		check("a PUT without the members", "b")
		must(t, c.Update(1, func(l *lamp) error { l.Name = "c"; return nil }))
		check("Update", "c")
		for _, opts := range []catalogue.LoadOptions{{}, {Validate: true}} {
			var file strings.Builder
			must(t, cat.Save(&file))
			must(t, cat.Load(strings.NewReader(file.String()), opts))
			check(fmt.Sprintf("Load with %+v", opts), "c")
		}
	}
}

// A judged has members of the types whose texts can tell whether a record is valid.
type judged struct {
	ID     int             `json:"id"`
	Code   string          `json:"code" backlist:"unique,maxlength=4"`
	Name   string          `json:"name" backlist:"maxlength=4"`
	Note   string          `json:"note,omitempty"`
	Count  int             `json:"count,omitempty" backlist:"max=5"`
	Quoted int             `json:"quoted,string" backlist:"max=5"`
	Size   int8            `json:"size,omitempty" backlist:"min=1,default=3"`
	Year   int             `json:"year" backlist:"min=1,default=3"`
	Score  float64         `json:"score" backlist:"max=9.5"`
	Half   *float64        `json:"half" backlist:"min=0.5"`
	At     schema.DateTime `json:"at"`
	Until  *time.Time      `json:"until"`
	Tags   []string        `json:"tags" backlist:"minlength=1,item.maxlength=2"`
	Marks  []int           `json:"marks,omitempty" backlist:"item.min=1"`
	Day    string          `json:"day" backlist:"date"`
	Status mood            `json:"status,omitempty" backlist:"choices=a|b,default=a"`
	Site   string          `json:"site" backlist:"url,optional"`
}

type mood string

// These have members whose texts cannot.
type (
	refused struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	refusing int
	pinned   struct {
		ID    int      `json:"id"`
		Ruled refusing `json:"ruled"`
	}
	encoded struct {
		ID    int    `json:"id"`
		Bytes []byte `json:"bytes" backlist:"minlength=5"`
	}
	rounding struct {
		ID   int     `json:"id"`
		Real float32 `json:"real" backlist:"max=0.299999995"`
	}
	zeros struct {
		ID   int `json:"id"`
		Zero int `json:"zero,omitzero"`
	}
	nones struct {
		ID   int `json:"id"`
		None int `json:"none,omitempty,string"`
	}
)

func (refused) Validate(context.Context) error  { return errors.New("Refused.") }
func (refusing) Validate(context.Context) error { return errors.New("Refused.") }

// TestValidatedLoadsInAnyOrder checks that a validated load refuses the same records whether or not the
// texts of their members can tell that they are valid, which is so in the order of the struct only.
func TestValidatedLoadsInAnyOrder(t *testing.T) {
	usual := [][2]string{
		{"code", `"c"`}, {"name", `"n"`}, {"note", `"n"`}, {"count", "1"}, {"quoted", `"1"`}, {"size", "3"}, {"year", "3"}, {"score", "9.5"}, {"half", "0.5"},
		{"at", `"2024-05-10T18:00:00Z"`}, {"until", `"2024-05-10T18:00:00Z"`}, {"tags", `["t"]`}, {"marks", "[1]"},
		{"day", `"2024-05-10"`}, {"status", `"a"`}, {"site", `"https://example.org/"`},
	}
	loadInAnyOrder[judged](t, usual, len(usual))
	loadInAnyOrder[refused](t, [][2]string{{"name", `"n"`}}, 0)
	loadInAnyOrder[pinned](t, [][2]string{{"ruled", "1"}}, 0)
	loadInAnyOrder[encoded](t, [][2]string{{"bytes", `"QUI\n="`}}, 0)
	loadInAnyOrder[rounding](t, [][2]string{{"real", "0.29999999"}}, 1)
	loadInAnyOrder[zeros](t, [][2]string{{"zero", "1"}}, 1)
	loadInAnyOrder[nones](t, [][2]string{{"none", `"0"`}}, 0)

	type dated struct {
		ID    int             `json:"id"`
		Title string          `json:"title"`
		Year  int             `json:"year"`
		Added schema.DateTime `json:"added"`
		Tags  []int           `json:"tags"`
	}
	c := mustCollection[dated](t, catalogue.Options{})
	load := func(validate bool) float64 {
		const file = `[{"id":1,"title":"t","year":2000,"added":"2024-05-10T18:00:00Z","tags":[1]}]`
		return testing.AllocsPerRun(10, func() {
			must(t, c.Load(strings.NewReader(file), catalogue.LoadOptions{Validate: validate}))
		})
	}
	if plain, validated := load(false), load(true); validated > plain+8 {
		t.Errorf("a validated load of a record has %v allocations, another %v, which may have 8 less", validated, plain)
	}
}

// loadInAnyOrder loads records with the usual members, of which one is changed, and the other way round.
func loadInAnyOrder[T any](t *testing.T, usual [][2]string, least int) {
	t.Helper()
	texts := []string{"", "null", `""`, `"a"`, `"abcde"`, `" "`, `"\u0061\t"`, "0", "2", "-2", "128", "9.75", "-0.0", "0.25", "true", "[]", `["abc"]`, `["a"," "]`,
		`"0000-05-10T18:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"2024-05-10T18:00:00.12345678901234Z"`, `"2024-02-30"`, `"c"`, `"ftp://a"`, "[1]", "[0]", "0.29999999"}
	c := mustCollection[T](t, catalogue.Options{})
	valid := 0
	for _, changed := range usual {
		for _, text := range append(texts, changed[1]) {
			members := []string{`"id":1`}
			for _, m := range usual {
				if m[0] == changed[0] {
					m[1] = text
				}
				if m[1] != "" {
					members = append(members, fmt.Sprintf("%q: %s", m[0], m[1]))
				}
			}
			load := func() string {
				return fmt.Sprint(c.Load(strings.NewReader("[{"+strings.Join(members, " ,")+"}]"), catalogue.LoadOptions{Validate: true}))
			}
			inOrder := load()
			slices.Reverse(members)
			equal(t, fmt.Sprintf("%s: %s", changed[0], text), load(), inOrder)
			if inOrder == "<nil>" {
				valid++
			}
		}
	}
	if most := len(usual) * len(texts); valid < least || valid > most/2 {
		t.Errorf("%d of %d records are valid, want at least %d", valid, most, least)
	}
}
