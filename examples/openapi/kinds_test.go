package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

type Launch struct {
	Location  string          `json:"location"`
	StartDate schema.DateTime `json:"startDate"`
	Published bool            `json:"published"`
}

type Sequel struct {
	Title string  `json:"title"`
	Logo  *string `json:"logo"`
}

// Manuscript is a type with almost all kinds of fields that encoding/json supports.
type Manuscript struct {
	Origin
	*Place
	ID       int              `json:"id"`
	Name     string           `json:"name"`
	Subtitle *string          `json:"subtitle"`
	Tags     []string         `json:"tags"`
	Notes    []string         `json:"notes,omitempty"`
	Blurb    *Blurb           `json:"blurb,omitempty"`
	Reviews  []*Blurb         `json:"reviews"`
	Prices   map[string]Price `json:"prices"`
	Ratings  map[int]*float32 `json:"ratings,omitempty"`
	Size     [3]float64       `json:"size"`
	Grid     [][]int8         `json:"grid"`
	Raw      json.RawMessage  `json:"raw"`
	Anything any              `json:"anything"`
	Exact    json.Number      `json:"exact"`
	Pages    uint16           `json:"pages,omitempty"`
	Cover    []byte           `json:"cover"`
	ISBN     ISBN             `json:"isbn"`
	Mood     mood             `json:"mood"`
	Sold     schema.DateTime  `json:"sold"`
	Checked  time.Time        `json:"checked,omitzero"`
	Reading  time.Duration    `json:"readingTime"`
	Series   *Series          `json:"series"`
	Tree     Tree             `json:"tree"`
	Launch   Launch           `json:"launch"`
	Sequel   *Sequel          `json:"sequel"`
	Rest     struct {
		Deep **int `json:"deep"`
	} `json:"rest"`
	Untagged bool
	Secret   string `json:"-"`
	Dash     int32  `json:"-,"`
}

// Origin is embedded. Its field name is hidden by that of Manuscript.
type Origin struct {
	Country string    `json:"country"`
	Added   time.Time `json:"added"`
	Name    int       `json:"name"`
}

// Place is embedded by pointer, so its members may be absent.
type Place struct {
	Row string `json:"row"`
}

// Blurb is the type of two fields.
type Blurb struct {
	By   string `json:"by"`
	Text string `json:"text,omitempty"`
}

// Price is a named integer.
type Price int64

// Series is a recursive struct.
type Series struct {
	Title  string   `json:"title"`
	Parent *Series  `json:"parent"`
	Others []Series `json:"others,omitempty"`
}

// Tree is a recursive type that is not a struct.
type Tree []Tree

// ISBN implements encoding.TextMarshaler.
type ISBN struct{ group, title int }

func (n ISBN) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d-%d", n.group, n.title), nil }

func (n *ISBN) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d-%d", &n.group, &n.title)
	return err
}

// mood implements json.Marshaler, so its schema is unknown.
type mood int

func (m mood) MarshalJSON() ([]byte, error) {
	return json.Marshal(strings.Repeat("!", int(m)))
}

var manuscriptDefinition = catalogue.Define[Manuscript]("manuscripts", catalogue.Options{})

func insert[T any](t *testing.T, c *catalogue.Catalogue, d catalogue.Definition[T], records ...T) {
	t.Helper()
	collection, err := d.In(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if _, err := collection.Insert(r); err != nil {
			t.Fatal(err)
		}
	}
}

// putOptional inserts records with and without their optional members.
func putOptional(t *testing.T, c *catalogue.Catalogue) {
	t.Helper()
	insert(t, c, resources.SocialLinks, resources.SocialLink{Author: 1}, resources.SocialLink{Author: 1, Logo: new(string)})
	insert(t, c, resources.Labels, resources.Label{}, resources.Label{
		LogoFooter: new(string), LogoFooterWebp: new(string), FacebookPage: new(string),
		BlueskyPage: new(string), LinkedinPage: new(string), InstagramPage: new(string),
	})
}

// putManuscripts inserts a zero manuscript and two with all fields set.
func putManuscripts(t *testing.T, c *catalogue.Catalogue) {
	t.Helper()
	subtitle, seven, half := "A subtitle", 7, float32(0.5)
	seventh := &seven
	full := Manuscript{
		Origin: Origin{Country: "IT", Added: time.Now()}, Place: &Place{"3"},
		Name: "Onda", Subtitle: &subtitle, Tags: []string{"sea"}, Notes: []string{"old"},
		Blurb: &Blurb{"A", "fine"}, Reviews: []*Blurb{{"B", ""}, nil}, Prices: map[string]Price{"EUR": 1900},
		Ratings: map[int]*float32{1: &half, 2: nil}, Size: [3]float64{1, 2.5, 1e21}, Grid: [][]int8{{-1}, nil},
		Raw: json.RawMessage(`{"a":[1,null]}`), Anything: map[string]any{"b": 1.5}, Exact: "12.50", Pages: 300,
		Cover: []byte{1, 2, 3}, ISBN: ISBN{88, 7}, Mood: 2, Sold: schema.At(time.Now()), Checked: time.Now(), Reading: time.Hour,
		Series: &Series{"S", &Series{Title: "P"}, []Series{{Title: "Q"}}}, Tree: Tree{{}, {{}}, nil},
		Sequel: &Sequel{Title: "Next"}, Untagged: true, Secret: "x", Dash: 5,
	}
	full.Rest.Deep = &seventh
	insert(t, c, manuscriptDefinition, Manuscript{}, full, full)
}
