package schema

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// ownFilm is the film of drf-own.md. PremiereAt shows that pointers are null by default.
type ownFilm struct {
	ID         int       `json:"id"`
	Title      string    `json:"title"`
	Slug       string    `json:"slug" backlist:"slug,unique"`
	Synopsis   string    `json:"synopsis" backlist:"blank"`
	Released   *string   `json:"released" backlist:"date"`
	PremiereAt *DateTime `json:"premiereAt"`
	Minutes    int       `json:"minutes" backlist:"min=0,max=2147483647"`
	Rating     *float64  `json:"rating"`
	Price      string    `json:"price" backlist:"decimal=8.2"`
	Status     string    `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool      `json:"published"`
	Director   int       `json:"director" backlist:"refers=directors"`
	Genres     []int     `json:"genres" backlist:"refers=genres"`
	CreatedAt  time.Time `json:"createdAt" backlist:"created"`
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
		want.Segment, want.Actions, want.Vary = got.Key, AllActions, "Accept"
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
		reason      string
		of          func(key string) (Description, error)
		key         string
		name, title string
	}{
		{"the type, not the key", DescriptionOf[SocialLink], "movies", "social link", "Social Link List"},
		{"the same type with another key", DescriptionOf[SocialLink], "links", "social link", "Social Link List"},
		{"an unexported type", DescriptionOf[ownGenre], "genres", "own genre", "Own Genre List"},
		{"an acronym before a word", DescriptionOf[HTTPLog], "logs", "http log", "Http Log List"},
		{"an acronym at the end", DescriptionOf[FilmID], "ids", "film id", "Film Id List"},
		{"a capital outside ASCII", DescriptionOf[Édition], "éditions", "édition", "Édition List"},
		{"a capital outside ASCII within", DescriptionOf[ErsteÜbersicht], "x", "erste übersicht", "Erste Übersicht List"},
		{"digits", DescriptionOf[Isbn13Code], "codes", "isbn13 code", "Isbn13 Code List"},
		{"an acronym with a digit", DescriptionOf[MP3File], "files", "mp3 file", "Mp3 File List"},
		{"an underscore", DescriptionOf[Old_Film], "films", "old film", "Old Film List"},
		{"type parameters", DescriptionOf[Pair[SocialLink, []int]], "pairs", "pair", "Pair List"},
		{"a type without a name", DescriptionOf[struct{ A int }], "movies", "movies", "Movies List"},
		{"open records", DescriptionOf[Record], "éditions", "éditions", "Éditions List"},
		{"open records with a key of words", DescriptionOf[Record], "item_variants", "item_variants", "Item_variants List"},
		{"no key", DescriptionOf[Record], "", "", " List"},
	} {
		d, err := test.of(test.key)
		if err != nil || d.Name != test.name || d.Title() != test.title || d.Segment != test.key {
			t.Errorf("%s: %v, name %q, title %q, segment %q, want %q, %q, %q",
				test.reason, err, d.Name, d.Title(), d.Segment, test.name, test.title, test.key)
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
	hidden struct{ Hidden bool }
	Loop   struct {
		*Loop
		A bool
	}
)

type (
	tagged struct {
		A bool `json:"Title"`
	}
	untagged struct{ Title bool } // hidden by tagged
)

// TestDescriptionOfMembers checks that the fields are the members that encoding/json
// writes, in order.
func TestDescriptionOfMembers(t *testing.T) {
	type nested struct {
		First bool `json:"first,omitempty"`
		Base
		*hidden
		Name   bool      `json:"name"`  // hides that of Base
		Named  Base      `json:"named"` // not flattened
		Moment time.Time `json:"-"`
		small  bool
		Loop
		ownGenre `json:"genre"` // not flattened
		tagged
		untagged
		Quote bool `json:"a☺b"` // not a valid name
	}
	_ = nested{small: true}.small
	d, err := DescriptionOf[nested]("x")
	var got []string
	for _, f := range d.Fields {
		got = append(got, f.Name)
	}
	data, _ := json.Marshal(nested{First: true, hidden: &hidden{}})
	var want []string
	for name := range parse(t, strings.Replace(string(data), `"id":0`, `"id":1`, 1)).All() {
		want = append(want, name)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	open, err := DescriptionOf[Record]("records")
	if err != nil || open.Fields != nil || open.Name != "records" {
		t.Errorf("DescriptionOf[Record] = %+v, %v, want no fields and the name records", open, err)
	}
}
