package schema

import (
	"encoding/json"
	"errors"
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
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, got := range []Description{films, genres, directors} {
		want := own()[got.Key]
		want.Name = "own " + want.Name // that of the Go type
		want.Vary, want.Filters, want.Search = "Accept", nil, nil
		want.Ordering = []ordering.Term{{Field: "id"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", got.Key, diff)
		}
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
		{"a capital outside ASCII within", DescriptionOf[ErsteÜbersicht], "x", "erste übersicht"},
		{"digits", DescriptionOf[Isbn13Code], "codes", "isbn13 code"},
		{"an acronym with a digit", DescriptionOf[MP3File], "files", "mp3 file"},
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

func TestDescriptionOfTypes(t *testing.T) {
	type everything struct {
		Text       string
		Word       word
		Bytes      []byte
		Address    netip.Addr
		Big        big.Int // has MarshalJSON
		Flag       bool
		FlagOrNull *bool
		Int        int
		Int64      int64
		Int8       int8
		Int16OrNil *int16
		Uint       uint
		Uint64     uint64
		Uint8      uint8
		Float32    float32
		Number     json.Number
		Time       time.Time
		DateTime   DateTime
		Moment     moment
		Words      []word
		Numbers    []json.Number
		Ints       []int
		IntsOrNull *[]int
		Array      [2]string
		Map        map[string]int
		Any        any
		Raw        json.RawMessage
		Tree       tree
		TreeOrNull *tree
		Twice      **int
		Pointer    pointer
	}
	zero, low8, high8, low16, high16, high := 0, -128, 127, -32768, 32767, 255
	want := []Field{
		{Name: "Text", Kind: Text, Required: true},
		{Name: "Word", Kind: Text, Required: true},
		{Name: "Bytes", Kind: Text, Required: true},
		{Name: "Address", Kind: Text, Required: true},
		{Name: "Big", Kind: JSON, Required: true},
		{Name: "Flag", Kind: Boolean, Default: "false"},
		{Name: "FlagOrNull", Kind: Boolean, Nullable: true, Default: "null"},
		{Name: "Int", Kind: Integer, Required: true},
		{Name: "Int64", Kind: Integer, Required: true},
		{Name: "Int8", Kind: Integer, Required: true, Min: &low8, Max: &high8},
		{Name: "Int16OrNil", Kind: Integer, Nullable: true, Default: "null", Min: &low16, Max: &high16},
		{Name: "Uint", Kind: Integer, Required: true, Min: &zero},
		{Name: "Uint64", Kind: Integer, Required: true, Min: &zero},
		{Name: "Uint8", Kind: Integer, Required: true, Min: &zero, Max: &high},
		{Name: "Float32", Kind: Float, Required: true},
		{Name: "Number", Kind: Float, Required: true},
		{Name: "Time", Kind: Timestamp, Required: true},
		{Name: "DateTime", Kind: Timestamp, Required: true},
		{Name: "Moment", Kind: JSON, Required: true},
		{Name: "Words", Kind: TextList, Default: "[]"},
		{Name: "Numbers", Kind: JSON, Default: "[]"},
		{Name: "Ints", Kind: JSON, Default: "[]"},
		{Name: "IntsOrNull", Kind: JSON, Nullable: true, Default: "null"},
		{Name: "Array", Kind: JSON, Required: true},
		{Name: "Map", Kind: JSON, Default: "{}"},
		{Name: "Any", Kind: JSON, Nullable: true, Default: "null"},
		{Name: "Raw", Kind: JSON, Nullable: true, Default: "null"},
		{Name: "Tree", Kind: JSON, Required: true},
		{Name: "TreeOrNull", Kind: JSON, Nullable: true, Default: "null"},
		{Name: "Twice", Kind: JSON, Nullable: true, Default: "null"},
		{Name: "Pointer", Kind: JSON, Nullable: true, Default: "null"},
	}
	d, err := DescriptionOf[everything]("x")
	if diff := cmp.Diff(want, d.Fields); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestDescriptionOfTags(t *testing.T) {
	type all struct {
		Bare     string  `backlist:"default=it's 5"`
		Quoted   string  `backlist:"default=\"x\\u0020y\""`
		Empty    string  `backlist:"blank,default="`
		Null     *string `backlist:"url,blank"`
		NoNull   *string `backlist:"default=null"`
		Text     *string `backlist:"default=x"`
		Flag     bool    `backlist:"default=true"`
		Bounds   int8    `backlist:"max=9,min=-9"`
		Upper    uint16  `backlist:"max=9,default=9.0"`
		Price    string  `backlist:"default=1.5,decimal=4.2"`
		Whole    string  `backlist:"decimal=3.0"`
		Day      string  `backlist:"date,default=2024-5-1"`
		Address  big.Int `backlist:"choices=a"`
		Parent   *int16  `backlist:"refers=x"`
		Others   []int64 `backlist:"refers=x,default=[2]"`
		Fixed    int     `backlist:"readonly,default=5"`
		Computed string  `backlist:"readonly"`
		Done     *moment `backlist:"date"`
		At       *time.Time
		Created  *DateTime `backlist:"created,unique"`
	}
	low, high, zero := -9, 9, 0
	want := []Field{
		{Name: "Bare", Kind: Text, Default: `"it's 5"`},
		{Name: "Quoted", Kind: Text, Default: `"x y"`},
		{Name: "Empty", Kind: Text, Blank: true, Default: `""`},
		{Name: "Null", Kind: URL, Blank: true, Nullable: true, Default: "null"},
		{Name: "NoNull", Kind: Text, Nullable: true, Default: "null"},
		{Name: "Text", Kind: Text, Nullable: true, Default: `"x"`},
		{Name: "Flag", Kind: Boolean, Default: "true"},
		{Name: "Bounds", Kind: Integer, Required: true, Min: &low, Max: &high},
		{Name: "Upper", Kind: Integer, Min: &zero, Max: &high, Default: "9"},
		{Name: "Price", Kind: Decimal, Digits: 4, Places: 2, Default: `"1.50"`},
		{Name: "Whole", Kind: Decimal, Digits: 3, Required: true},
		{Name: "Day", Kind: Date, Default: `"2024-05-01"`},
		{Name: "Address", Kind: Choice, Choices: []string{"a"}, Required: true},
		{Name: "Parent", Kind: Reference, Refers: "x", Nullable: true, Default: "null"},
		{Name: "Others", Kind: References, Refers: "x", Default: "[2]"},
		{Name: "Fixed", Kind: Integer, ReadOnly: true, Default: "5"},
		{Name: "Computed", Kind: Text, ReadOnly: true},
		{Name: "Done", Kind: Date, Nullable: true, Default: "null"},
		{Name: "At", Kind: Timestamp, Nullable: true, Default: "null"},
		{Name: "Created", Kind: Timestamp, ReadOnly: true, Created: true, Nullable: true, Unique: true},
	}
	d, err := DescriptionOf[all]("x")
	if diff := cmp.Diff(want, d.Fields); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

type (
	Base struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Kept string `json:"kept" backlist:"blank"`
	}
)

// describeError returns the error for a struct with a field of type T and a tag.
func describeError[T any](tag string) error {
	f := reflect.StructField{Name: "Value", Type: reflect.TypeFor[T](), Tag: reflect.StructTag(`backlist:` + strconv.Quote(tag))}
	_, err := memberField(jsonmember.Member{Name: "value", Field: f})
	return err
}

func TestDescriptionOfTagErrors(t *testing.T) {
	for _, test := range []struct {
		err          error
		want, reason string
	}{
		{describeError[string]("slgu"), `unknown tag word "slgu": did you mean slug?`, "misspelled"},
		{describeError[string](""), `unknown tag word ""`, "empty tag"},
		{describeError[string]("slug,"), `unknown tag word ""`, "empty word"},
		{describeError[string]("slug, unique"), `unknown tag word " unique": did you mean unique?`, "space"},
		{describeError[string]("blank,slug,blank"), `"blank" is repeated`, "repeated"},
		{describeError[string]("slug=1"), `"slug" has a value`, "value"},
		{describeError[string]("default"), `"default" has no value`, "no value"},
		{describeError[string]("slug,url"), `"url": contradicts another word`, "two kinds"},
		{describeError[string]("date,decimal=3.1"), `"decimal": contradicts another word`, "two kinds"},
		{describeError[int]("slug"), `"slug": want a string, got int`, "slug on an integer"},
		{describeError[time.Time]("date"), `"date": want a string, got time.Time`, "date on a time"},
		{describeError[[]string]("url"), `"url": want a string, got []string`, "URL on a list"},
		{describeError[bool]("choices=a"), `"choices": want a string, got bool`, "choices on a boolean"},
		{describeError[string]("choices="), `"" is empty or repeated`, "no choice"},
		{describeError[string]("choices=a|b|a"), `"a" is empty or repeated`, "repeated choice"},
		{describeError[int]("decimal=8.2"), `"decimal": want a string, got int`, "decimal on an integer"},
		{describeError[float64]("decimal=8.2"), `"decimal": want a string, got float64`, "decimal on a float"},
		{describeError[string]("decimal=8"), `got "8"`, "no places"},
		{describeError[string]("decimal=0.0"), `got "0.0"`, "no digits"},
		{describeError[string]("decimal=2.3"), `got "2.3"`, "more places than digits"},
		{describeError[string]("decimal=5.-1"), `got "5.-1"`, "negative places"},
		{describeError[string]("decimal=99999.2"), `got "99999.2"`, "too many digits"},
		{describeError[string]("refers=films"), `"refers": want an integer or a slice of integers, got string`, "refers on a string"},
		{describeError[[]string]("refers=films"), `"refers": want an integer or a slice of integers`, "refers on a list of strings"},
		{describeError[[]byte]("refers=films"), `"refers": want an integer or a slice of integers`, "refers on text in base64"},
		{describeError[int]("refers="), `"refers": want the key of a collection`, "no key"},
		{describeError[int]("refers=films,min=1"), `"min": contradicts "refers"`, "bounds of a reference"},
		{describeError[string]("min=0"), `"min": want an integer, got string`, "min on text"},
		{describeError[float64]("max=0"), `"max": want an integer, got float64`, "max on a float"},
		{describeError[int]("min=x"), `"x" is not an integer`, "not a number"},
		{describeError[int]("min=99999999999999999999"), `is not an integer`, "out of range"},
		{describeError[int]("min=2,max=1"), `"max": "1" is not an integer within the other bounds`, "bounds in the wrong order"},
		{describeError[int8]("max=128"), `"max": "128" is not an integer within the other bounds`, "outside of the type"},
		{describeError[uint]("min=-1"), `"min": "-1" is not an integer within the other bounds`, "outside of the type"},
		{describeError[int]("blank"), `"blank": want a string`, "blank on an integer"},
		{describeError[string]("date,blank"), `"blank": want a string that is neither`, "blank on a date"},
		{describeError[[]string]("unique"), `"unique": want a single value, got []string`, "unique on a list"},
		{describeError[string]("created"), `"created": want a time, got string`, "created on text"},
		{describeError[time.Time]("created,default=2024-01-01T00:00Z"), `"default": contradicts "created"`, "default of a creation time"},
		{describeError[string]("choices=a|b,default=c"), `"c" is not a valid choice.`, "default is not a choice"},
		{describeError[string]("default="), notBlank, "empty default"},
		{describeError[string]("slug,default=a b"), badSlug, "default is not a slug"},
		{describeError[int]("default=x"), `"x" is not JSON`, "default is not JSON"},
		{describeError[int]("default="), `"" is not JSON`, "no default"},
		{describeError[int]("default=null"), notNull, "null for a field that is not a pointer"},
		{describeError[int]("min=0,default=-1"), "Ensure this value is greater than or equal to 0.", "default below the bound"},
		{describeError[string]("decimal=4.2,default=1.234"), "no more than 2 decimal places", "default has too many places"},
		{describeError[bool]("default=5"), badBool, "default is not a boolean"},
		{describeError[[]int]("refers=x,default=[0]"), missing("0"), "default is not an id"},
		{describeError[map[string]int](`default={"a":1`), "is not JSON", "default is not JSON"},
		{describeError[chan int]("blank"), "JSON cannot represent the type chan int", "channel"},
		{describeError[*complex128]("blank"), "JSON cannot represent the type complex128", "complex number"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.reason, test.err, test.want)
		}
	}
}

func TestDescriptionOfErrors(t *testing.T) {
	type misspelled struct {
		Minutes int `json:"minutes" backlist:"minn=0"`
	}
	type textID struct {
		Key string `json:"id"`
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
		{DescriptionOf[textID], `field Key: the id must be an int, got string`, "text as id"},
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
