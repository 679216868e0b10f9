package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// ownFilm is the film of drf-own.md. PremiereAt shows that pointers are null by default.
type ownFilm struct {
	ID         int          `json:"id"`
	Title      string       `json:"title"`
	Slug       string       `json:"slug" backlist:"slug,unique"`
	Synopsis   string       `json:"synopsis" backlist:"blank"`
	Released   *string      `json:"released" backlist:"date"`
	PremiereAt *DateTime    `json:"premiereAt"`
	Minutes    int          `json:"minutes" backlist:"min=0,max=2147483647"`
	Rating     *json.Number `json:"rating"`
	Price      string       `json:"price" backlist:"decimal=8.2"`
	Status     string       `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool         `json:"published"`
	Director   int          `json:"director" backlist:"refers=directors"`
	Genres     []int        `json:"genres" backlist:"refers=genres"`
	CreatedAt  DateTime     `json:"createdAt" backlist:"created"`
}

type ownGenre struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int32  `json:"position" backlist:"default=0"`
}

type ownDirector struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Slug    string  `json:"slug" backlist:"unique,slug"`
	Born    *string `json:"born" backlist:"date"`
	Website string  `json:"website" backlist:"blank,url"`
}

// TestDescriptionOf checks the descriptions of drf-own.md.
func TestDescriptionOf(t *testing.T) {
	films, err1 := DescriptionOf[ownFilm]("films")
	genres, err2 := DescriptionOf[ownGenre]("genres")
	directors, err3 := DescriptionOf[ownDirector]("directors")
	must(t, errors.Join(err1, err2, err3))
	for _, got := range []Description{films, genres, directors} {
		want := own()[got.Key]
		want.Name = "own " + want.Name // that of the Go type
		want.Vary, want.Filters, want.Search = "Accept", nil, nil
		want.Ordering = []ordering.Term{{Field: "id"}}
		equal(t, got.Key, want, got)
	}
}

func TestDescriptionOfNames(t *testing.T) {
	type (
		SocialLink            struct{}
		HTTPLog               struct{}
		MP3File               struct{}
		FilmID                struct{}
		Édition               struct{}
		ErsteÜbersicht        struct{}
		Isbn13Code            struct{}
		Old_Film              struct{}
		Pair[First, Last any] struct{}
	)
	for _, test := range []struct {
		reason string
		of     func(key string) (Description, error)
		key    string
		name   string
	}{
		{"the type, not the key", DescriptionOf[SocialLink], "movies", "social link"},
		{"the same type with another key", DescriptionOf[SocialLink], "links", "social link"},
		{"an unexported type", DescriptionOf[ownGenre], "genres", "own genre"},
		{"an acronym before a word", DescriptionOf[HTTPLog], "logs", "http log"},
		{"an acronym at the end", DescriptionOf[FilmID], "ids", "film id"},
		{"a capital outside ASCII", DescriptionOf[Édition], "éditions", "édition"},
		{"a capital outside ASCII within, as in Django", DescriptionOf[ErsteÜbersicht], "x", "ersteübersicht"},
		{"digits, as in labels of fields", DescriptionOf[Isbn13Code], "codes", "isbn 13 code"},
		{"an acronym with a digit, as in Django", DescriptionOf[MP3File], "files", "m p3 file"},
		{"an underscore", DescriptionOf[Old_Film], "films", "old film"},
		{"type parameters", DescriptionOf[Pair[SocialLink, []int]], "pairs", "pair"},
		{"a type without a name", DescriptionOf[struct{ A int }], "movies", "movies"},
		{"open records", DescriptionOf[Record], "éditions", "éditions"},
		{"open records with a key of words", DescriptionOf[Record], "item_variants", "item_variants"},
		{"no key", DescriptionOf[Record], "", ""},
	} {
		d, err := test.of(test.key)
		if err != nil || d.Name != test.name || d.Segment != test.key {
			t.Errorf("%s: %v, name %q, segment %q, want %q, %q",
				test.reason, err, d.Name, d.Segment, test.name, test.key)
		}
	}
}

type (
	word    string
	moment  struct{ time.Time }
	tree    struct{ Children []tree }
	pointer *pointer
)

// describe returns the field for a struct field of type T, which may have a tag.
func describe[T any](tag ...string) described {
	f := reflect.StructField{Name: "Value", Type: reflect.TypeFor[T]()}
	for _, words := range tag {
		f.Tag = reflect.StructTag(`backlist:` + strconv.Quote(words))
	}
	field, err := memberField(jsonmember.Member{Name: "value", Field: f}, place{levels: 9}.in(reflect.TypeFor[struct{}]()))
	return described{field, err}
}

type described struct {
	field Field
	err   error
}

func TestDescriptionOfTypes(t *testing.T) {
	for i, test := range []struct {
		got  described
		want Field
	}{
		{describe[string](), Field{Kind: Text, Required: true}},
		{describe[word](), Field{Kind: Text, Required: true}},
		{describe[[]byte](), Field{Kind: Text, Required: true}},
		{describe[netip.Addr](), Field{Kind: Text, Required: true}},
		{describe[big.Int](), Field{Kind: JSON, Required: true}},
		{describe[bool](), Field{Kind: Boolean, Default: "false"}},
		{describe[*bool](), Field{Kind: Boolean, Nullable: true, Default: "null"}},
		{describe[int](), Field{Kind: Integer, Required: true}},
		{describe[int64](), Field{Kind: Integer, Required: true}},
		{describe[int8](), Field{Kind: Integer, Required: true, Min: "-128", Max: "127"}},
		{describe[*int16](), Field{Kind: Integer, Nullable: true, Default: "null", Min: "-32768", Max: "32767"}},
		{describe[uint](), Field{Kind: Integer, Required: true, Min: "0", Max: strconv.FormatUint(math.MaxUint, 10)}},
		{describe[uint64](), Field{Kind: Integer, Required: true, Min: "0", Max: "18446744073709551615"}},
		{describe[uint8](), Field{Kind: Integer, Required: true, Min: "0", Max: "255"}},
		{describe[float32](), Field{Kind: Float, Required: true}},
		{describe[json.Number](), Field{Kind: Float, Required: true}},
		{describe[time.Time](), Field{Kind: Timestamp, Required: true}},
		{describe[DateTime](), Field{Kind: Timestamp, Required: true}},
		{describe[moment](), Field{Kind: JSON, Required: true}},
		{describe[[]word](), Field{Kind: Array, Item: &Field{Kind: Text, Required: true}, Default: "[]"}},
		{describe[[]json.Number](), Field{Kind: Array, Item: &Field{Kind: Float, Required: true}, Default: "[]"}},
		{describe[[]int](), Field{Kind: Array, Item: &Field{Kind: Integer, Required: true}, Default: "[]"}},
		{describe[*[]*int](), Field{Kind: Array, Item: &Field{Kind: Integer, Required: true, Nullable: true}, Nullable: true, Default: "null"}},
		{describe[[2]string](), Field{Kind: JSON, Required: true}},
		{describe[map[string]int](), Field{Kind: Map, Item: &Field{Kind: Integer, Required: true}, Default: "{}"}},
		{describe[map[int]int](), Field{Kind: JSON, Default: "{}"}},
		{describe[map[string]any](), Field{Kind: JSON, Default: "{}"}},
		{describe[[]any](), Field{Kind: JSON, Default: "[]"}},
		{describe[any](), Field{Kind: JSON, Nullable: true, Default: "null"}},
		{describe[json.RawMessage](), Field{Kind: JSON, Nullable: true, Default: "null"}},
		{describe[tree](), Field{Kind: Object, Required: true, Fields: []Field{{Name: "Children", Kind: JSON, Default: "[]"}}}},
		{describe[*tree](), Field{Kind: Object, Nullable: true, Default: "null", Fields: []Field{{Name: "Children", Kind: JSON, Default: "[]"}}}},
		{describe[**int](), Field{Kind: JSON, Nullable: true, Default: "null"}},
		{describe[pointer](), Field{Kind: JSON, Nullable: true, Default: "null"}},

		{describe[string]("default=it's 5"), Field{Kind: Text, Default: `"it's 5"`}},
		{describe[string](`default="x\u0020y"`), Field{Kind: Text, Default: `"x y"`}},
		{describe[string]("blank,default="), Field{Kind: Text, Blank: true, Default: `""`}},
		{describe[*string]("url,blank"), Field{Kind: URL, Blank: true, Nullable: true, Default: "null"}},
		{describe[*string]("default=null"), Field{Kind: Text, Nullable: true, Default: "null"}},
		{describe[*string]("default=x"), Field{Kind: Text, Nullable: true, Default: `"x"`}},
		{describe[bool]("default=true"), Field{Kind: Boolean, Default: "true"}},
		{describe[int8]("max=9,min=-9"), Field{Kind: Integer, Required: true, Min: "-9", Max: "9"}},
		{describe[uint16]("max=9,default=9.0"), Field{Kind: Integer, Min: "0", Max: "9", Default: "9"}},
		{describe[string]("default=1.5,decimal=4.2"), Field{Kind: Decimal, Digits: 4, Places: 2, Default: `"1.50"`}},
		{describe[string]("decimal=3.0"), Field{Kind: Decimal, Digits: 3, Required: true}},
		{describe[string]("date,default=2024-5-1"), Field{Kind: Date, Default: `"2024-05-01"`}},
		{describe[big.Int]("choices=a"), Field{Kind: Choice, Choices: []string{"a"}, Required: true}},
		{describe[*int16]("refers=x"), Field{Kind: Reference, Refers: "x", Nullable: true, Default: "null"}},
		{describe[*int16]("refers=x,ondelete=setnull"), Field{Kind: Reference, Refers: "x", Nullable: true, Default: "null", OnDelete: SetNull}},
		{describe[string]("refers=x.code,ondelete=cascade"), Field{Kind: Reference, Refers: "x", By: "code", Required: true, OnDelete: Cascade}},
		{describe[[]int]("refers=x,minlength=1"), Field{Kind: References, Refers: "x", Required: true, MinLength: 1}},
		{describe[[]int64]("refers=x,default=[2]"), Field{Kind: References, Refers: "x", Default: "[2]"}},
		{describe[int]("readonly,default=5"), Field{Kind: Integer, ReadOnly: true, Default: "5"}},
		{describe[string]("readonly"), Field{Kind: Text, ReadOnly: true}},
		{describe[*moment]("date"), Field{Kind: Date, Nullable: true, Default: "null"}},
		{describe[*time.Time](), Field{Kind: Timestamp, Nullable: true, Default: "null"}},
		{describe[float64]("max=0,min=-0.50"), Field{Kind: Float, Required: true, Min: "-0.50", Max: "0"}},
		{describe[string]("decimal=4.1,min=0.1"), Field{Kind: Decimal, Required: true, Digits: 4, Places: 1, Min: "0.1"}},
		{describe[string]("email,maxlength=60"), Field{Kind: Email, Required: true, MaxLength: 60}},
		{describe[*string]("uuid"), Field{Kind: UUID, Nullable: true, Default: "null"}},
		{describe[string]("unicodeslug,minlength=2"), Field{Kind: UnicodeSlug, Required: true, MinLength: 2}},
		{describe[string]("untrimmed,blank"), Field{Kind: Text, Untrimmed: true, Blank: true, Default: `""`}},
		{describe[string]("hidden"), Field{Kind: Text, Hidden: true, Required: true}},
		{describe[*string]("optional,blank"), Field{Kind: Text, Blank: true, Nullable: true}},
		{describe[bool]("default=true,reset"), Field{Kind: Boolean, Default: "true", Reset: true}},
		{describe[[]int]("refers=x,related=books,optional,write=tag_ids"), Field{Kind: References, Refers: "x", Related: "books", Write: "tag_ids"}},
		{describe[int]("formerly=a|b"), Field{Kind: Integer, Required: true, Formerly: []string{"a", "b"}}},
		{describe[[]string]("maxlength=4,item.minlength=2"), Field{Kind: Array, Default: "[]", MaxLength: 4, Item: &Field{Kind: Text, Required: true, MinLength: 2}}},
		{describe[[]int]("minlength=1,item.max=60,item.min=1"), Field{Kind: Array, Required: true, MinLength: 1, Item: &Field{Kind: Integer, Required: true, Min: "1", Max: "60"}}},
		{describe[map[string]string]("item.blank"), Field{Kind: Map, Default: "{}", Item: &Field{Kind: Text, Required: true, Blank: true, Default: `""`}}},
		{describe[*DateTime]("created,unique"), Field{Kind: Timestamp, ReadOnly: true, Created: true, Nullable: true, Unique: true}},
	} {
		test.want.Name = "value"
		checks := cmp.Comparer(func(func(string) error, func(string) error) bool { return true })
		if diff := cmp.Diff(test.want, test.got.field, checks); test.got.err != nil || diff != "" {
			t.Errorf("row %d: %v (-want +got):\n%s", i+1, test.got.err, diff)
		}
	}
}

type (
	Base struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Kept string `json:"kept" backlist:"blank"`
	}
)

func TestDescriptionOfTagErrors(t *testing.T) {
	for _, test := range []struct {
		got          described
		want, reason string
	}{
		{describe[string]("slgu"), `unknown tag word "slgu": did you mean slug?`, "misspelled"},
		{describe[string](""), `unknown tag word ""`, "empty tag"},
		{describe[string]("formerly"), `tag word "formerly" has no value`, "no former name"},
		{describe[string]("slug,"), `unknown tag word ""`, "empty word"},
		{describe[string]("slug, unique"), `unknown tag word " unique": did you mean unique?`, "space"},
		{describe[string]("blank,slug,blank"), `"blank" is repeated`, "repeated"},
		{describe[string]("slug=1"), `"slug" has a value`, "value"},
		{describe[string]("default"), `"default" has no value`, "no value"},
		{describe[string]("slug,url"), `"url": contradicts another word`, "two kinds"},
		{describe[string]("date,decimal=3.1"), `"decimal": contradicts another word`, "two kinds"},
		{describe[int]("slug"), `"slug": want a string, got int`, "slug on an integer"},
		{describe[time.Time]("date"), `"date": want a string, got time.Time`, "date on a time"},
		{describe[[]string]("url"), `"url": want a string, got []string`, "URL on a list"},
		{describe[bool]("choices=a"), `"choices": want a string, got bool`, "choices on a boolean"},
		{describe[string]("choices="), `"" is empty or repeated`, "no choice"},
		{describe[string]("choices=a|b|a"), `"a" is empty or repeated`, "repeated choice"},
		{describe[int]("choices=1|x"), `the choice "x" is not an integer of 64 bits`, "choice that is no integer"},
		{describe[int8]("choices=1|128"), `"choices": the choice 128 is not one of the type int8`, "choice that the type cannot hold"},
		{describe[int]("choices=1|2,max=2"), `an integer with choices has no bounds`, "bounds of choices"},
		{describe[string]("choices=a|b,labels=A"), `1 labels of 2 choices`, "too few labels"},
		{describe[int]("labels=A"), `1 labels of 0 choices`, "labels without choices"},
		{describe[int]("time"), `"time": want a string, got int`, "time on an integer"},
		{describe[Time]("duration"), `"duration": contradicts another word`, "two kinds"},
		{describe[int]("decimal=8.2"), `"decimal": want a string, got int`, "decimal on an integer"},
		{describe[float64]("decimal=8.2"), `"decimal": want a string, got float64`, "decimal on a float"},
		{describe[string]("decimal=8"), `got "8"`, "no places"},
		{describe[string]("decimal=0.0"), `got "0.0"`, "no digits"},
		{describe[string]("decimal=2.3"), `got "2.3"`, "more places than digits"},
		{describe[string]("decimal=5.-1"), `got "5.-1"`, "negative places"},
		{describe[string]("decimal=99999.2"), `got "99999.2"`, "too many digits"},
		{describe[float64]("refers=films"), `"refers": want an integer, a string, or a slice of either, got float64`, "refers on a float"},
		{describe[[]byte]("refers=films"), `"refers": want an integer, a string, or a slice of either`, "refers on text in base64"},
		{describe[[]byte]("refers=films.slug"), `"refers": want a string or a slice of strings`, "refers to a text on text in base64"},
		{describe[int]("refers=films,ondelete=null"), `"ondelete": want protect, cascade or setnull, got "null"`, "unknown action"},
		{describe[int]("refers=films,ondelete=setnull"), `OnDelete is SetNull, but the field is not Nullable`, "no null"},
		{describe[int]("refers=films,related=aB"), `the name "aB"`, "a name backwards in camelCase"},
		{describe[int]("refers=films,related=a__b"), `the name "a__b"`, "a name backwards that is a path"},
		{describe[int]("related=films"), `the name "films" for what refers to another record is not in snake_case, or the field does not refer to a collection`, "a name backwards from nothing"},
		{describe[int]("write=aB"), `the name "aB" in bodies is not in snake_case`, "a name in bodies in camelCase"},
		{describe[[]int]("refers=films,ondelete=cascade"), `only a Reference`, "a list"},
		{describe[int]("refers="), `"refers": want the key of a collection`, "no key"},
		{describe[int]("refers=films,min=1"), `bound 1: the field is not a number`, "bounds of a reference"},
		{describe[string]("min=0"), `bound 0: the field is not a number`, "min on text"},
		{describe[int]("min=x"), `"x" is not a number`, "not a number"},
		{describe[int]("min=99999999999999999999"), `is not an integer of 64 bits`, "out of range"},
		{describe[int]("min=2,max=1"), `"max": "1" is not a number within the other bounds`, "bounds in the wrong order"},
		{describe[int8]("max=128"), `"max": "128" is not a number within the other bounds`, "outside of the type"},
		{describe[uint]("min=-1"), `"min": "-1" is not a number within the other bounds`, "outside of the type"},
		{describe[int]("blank"), `"blank": want a string`, "blank on an integer"},
		{describe[string]("date,blank"), `"blank": want a string that is neither`, "blank on a date"},
		{describe[[]string]("unique"), `"unique": want a single value, got []string`, "unique on a list"},
		{describe[string]("created"), `"created": want a time, got string`, "created on text"},
		{describe[time.Time]("created,default=2024-01-01T00:00Z"), `"default": contradicts "created"`, "default of a creation time"},
		{describe[string]("choices=a|b,default=c"), `"c" is not a valid choice.`, "default is not a choice"},
		{describe[string]("default="), notBlank, "empty default"},
		{describe[string]("slug,default=a b"), badSlug, "default is not a slug"},
		{describe[int]("default=x"), `"x" is not JSON`, "default is not JSON"},
		{describe[int]("default="), `"" is not JSON`, "no default"},
		{describe[int]("default=null"), notNull, "null for a field that is not a pointer"},
		{describe[int]("min=0,default=-1"), "Ensure this value is greater than or equal to 0.", "default below the bound"},
		{describe[string]("decimal=4.2,default=1.234"), "no more than 2 decimal places", "default has too many places"},
		{describe[bool]("default=5"), badBool, "default is not a boolean"},
		{describe[[]int]("refers=x,default=[0]"), missing("0"), "default is not an id"},
		{describe[map[string]int](`default={"a":1`), "is not JSON", "default is not JSON"},
		{describe[chan int]("blank"), "JSON cannot represent the type chan int", "channel"},
		{describe[*complex128]("blank"), "JSON cannot represent the type complex128", "complex number"},
	} {
		if err := test.got.err; err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.reason, err, test.want)
		}
	}
}

// The member that identifies records is named by the caller of Describe, or found by its name.
func TestDescribe(t *testing.T) {
	type row struct {
		Nr    *int32   `json:"nr,string"`
		Name  string   `json:"name"`
		Share float64  `json:"share"`
		Tags  []string `json:"tags"`
		At    DateTime `json:"at" backlist:"created"`
		Rank  int      `json:"rank" backlist:"unique"`
	}
	for _, test := range []struct{ id, key, err, reason string }{
		{"", "id", "", "no id"},
		{"nr", "nr", "", "a pointer to an integer in text"},
		{"name", "name", "", "a text is a key"},
		{"share", "", "row: field Share: the id must be an integer or a text: want a string or a type with MarshalText, got float64", "a float"},
		{"tags", "", "row: field Tags: the id must be an integer or a text: want a string", "a list"},
		{"rank", "", "row: field Rank: the id has no tag backlist", "an id with a tag"},
		{"number", "", `row has no member "number" that can be the id`, "an unknown member"},
	} {
		d, err := Describe(reflect.TypeFor[row](), "rows", test.id)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v, want %s", test.reason, err, test.err)
			}
			continue
		}
		f := d.Identity()
		if err == nil {
			err = d.Check()
		}
		if err != nil || f.Name != test.key || ordering.Format(d.Ordering) != test.key || f.Required {
			t.Errorf("%s: %+v, order %v, %v, want %s", test.reason, f, d.Ordering, err, test.key)
		}
		if test.id == "nr" && (!f.ID || !f.ReadOnly || !f.Quoted || f.Nullable || f.Min != "") {
			t.Errorf("%s: %+v", test.reason, f)
		}
	}
	twice := Description{Key: "rows", Segment: "rows", Name: "row", Fields: []Field{{Name: "nr", Kind: Integer, ID: true}, {Name: "_Id", Kind: Text}}}
	if err := twice.Check(); err == nil || !strings.Contains(err.Error(), `field "_Id": records have another id, "nr"`) {
		t.Errorf("two ids: %v", err)
	}
}

func TestDescriptionOfErrors(t *testing.T) {
	type misspelled struct {
		Minutes int `json:"minutes" backlist:"minn=0"`
	}
	type listID struct {
		Key []string `json:"id"`
	}
	type taggedID struct {
		ID int `json:"id" backlist:"unique"`
	}
	type function struct{ F func() }
	type one struct{ Count int }
	type other struct{ Count int }
	type twice struct {
		one
		other
	}
	for _, test := range []struct {
		describe     func(string) (Description, error)
		want, reason string
	}{
		{DescriptionOf[misspelled], `schema: invalid description: schema.misspelled: field Minutes: unknown tag word "minn": did you mean min?`, "misspelled"},
		{DescriptionOf[listID], `field Key: the id must be an integer or a text, or have the tag key, got []string`, "list as id"},
		{DescriptionOf[taggedID], `field ID: the id has no tag backlist`, "tag of the id"},
		{DescriptionOf[function], `field F: JSON cannot represent the type func()`, "function"},
		{DescriptionOf[twice], `two members "Count"`, "two members of the same name"},
		{DescriptionOf[int], `int is not a struct`, "not a struct"},
		{DescriptionOf[*Base], `*schema.Base is not a struct`, "pointer"},
		{DescriptionOf[any], `interface {} is not a struct`, "interface"},
	} {
		d, err := test.describe("films")
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, ErrInvalid) || d.Key != "" {
			t.Errorf("%s: %+v, error %v, want %s", test.reason, d, err, test.want)
		}
	}
}

// TestDescribeShown checks that structs inside what is shown can be those of stored records.
func TestDescribeShown(t *testing.T) {
	type stored struct {
		ID      int       `json:"id"`
		Post    *int      `json:"post" backlist:"refers=posts,ondelete=cascade,related=comments,write=post_id"`
		Tags    []int     `json:"tags" backlist:"refers=tags"`
		User    string    `json:"user" backlist:"refers=users.email"`
		Slug    string    `json:"slug" backlist:"slug,unique,formerly=name"`
		Created time.Time `json:"created" backlist:"created"`
		Text    string    `json:"text" backlist:"maxlength=9"`
	}
	type keyed struct {
		Code string `json:"code" backlist:"key"`
	}
	type shown struct {
		Last  *stored  `json:"last"`
		All   []stored `json:"all"`
		Coded []keyed  `json:"coded"`
	}
	d, err := DescribeShown(reflect.TypeFor[shown](), "posts")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	want := []string{"id integer true false", "post integer false true", "tags list false true", "user string false true", "slug slug false false", "created datetime true false", "text string false false"}
	for i, fields := range [][]Field{d.Fields[0].Fields, d.Fields[1].Item.Fields} {
		var got []string
		for _, f := range fields {
			got = append(got, fmt.Sprint(f.Name, " ", f.Kind, " ", f.ReadOnly, " ", f.Method))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("field %d: names, kinds, read-only and methods (-want +got):\n%s", i, diff)
		}
	}
	if f := d.Fields[2].Item.Fields[0]; !f.ReadOnly || f.Key {
		t.Errorf("a key is read-only %t, a key %t", f.ReadOnly, f.Key)
	}
	if _, err := DescribeShown(reflect.TypeFor[struct {
		A struct {
			Pin string `json:"pin" backlist:"hidden"`
		} `json:"a"`
	}](), "posts"); err == nil || !strings.Contains(err.Error(), "field Pin") {
		t.Errorf("a hidden member: %v", err)
	}
	if _, err := Describe(reflect.TypeFor[shown](), "posts", ""); err == nil {
		t.Error("a stored record can have such structs")
	}
}
