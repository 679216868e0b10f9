package catalogue_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

type (
	nameTagged struct {
		Name string `json:"Title"`
	}
	nameUntagged struct{ Title string }

	// A twin has fields with the same names. encoding/json takes those with tags.
	twin struct {
		ID int `json:"id"`
		nameTagged
		nameUntagged
		A     string `json:"Note"`
		Note  string
		Quote int `json:"it☺"` // the name in the tag is not valid
	}
)

func TestTaggedMembersWin(t *testing.T) {
	twins := catalogue.Define[twin]("twins", catalogue.Options{Unique: []string{"title"}})
	house, err := catalogue.New(twins)
	if err != nil {
		t.Fatal(err)
	}
	c, err := twins.In(house)
	if err != nil {
		t.Fatal(err)
	}
	record := twin{1, nameTagged{"a"}, nameUntagged{"b"}, "c", "d", 5}
	if _, err := c.Insert(record); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := house.Save(&file); err != nil {
		t.Fatal(err)
	}
	if want := `{"id":1,"Title":"a","Note":"c","Quote":5}`; !strings.Contains(file.String(), want) {
		t.Errorf("saved %s, want %s", &file, want)
	}
	if err := house.Load(&file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Where(ordering.Equal("title", "a"), ordering.Equal("note", "c"), ordering.Equal("quote", 5)).First()
	record.Title, record.Note = "", "" // they are not in the file
	if diff := cmp.Diff(record, got, cmp.AllowUnexported(twin{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

type (
	left  struct{ Side string }
	right struct{ Side string }
)

// TestConflictingMembers uses two fields of which encoding/json would write neither.
func TestConflictingMembers(t *testing.T) {
	type both struct {
		ID int `json:"id"`
		left
		right
	}
	_, err := catalogue.NewCollection[both](catalogue.Options{})
	if err == nil || !strings.Contains(err.Error(), `catalogue_test.both has two members "Side"`) {
		t.Errorf("NewCollection: %v, want an error that names the member", err)
	}
	type hidden struct {
		ID int `json:"id"`
		left
		right
		Side string
	}
	if _, err := catalogue.NewCollection[hidden](catalogue.Options{}); err != nil {
		t.Errorf("a field hides both: %v", err)
	}
}
