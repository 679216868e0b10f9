package sample_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestRecordsOfDocument loads records of the documented collections.
func TestRecordsOfDocument(t *testing.T) {
	text, err := json.Marshal(records(t, 3, map[string]int{"events": 40}, schema.Descriptions()...))
	if err != nil {
		t.Fatal(err)
	}
	house := catalogue.New()
	if err := house.Load(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for key, c := range house.All() {
		want := 12
		if key == "events" {
			want = 40
		}
		if c.Count() != want {
			t.Errorf("%s: %d records, want %d", key, c.Count(), want)
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// TestRecordsOfOwnCollections loads records into a catalogue of directors and films, which
// rejects repeated values of unique fields, and then deletes and creates records.
func TestRecordsOfOwnCollections(t *testing.T) {
	type director struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	type film struct {
		ID        int             `json:"id"`
		Slug      string          `json:"slug" backlist:"slug,unique"`
		Minutes   uint8           `json:"minutes" backlist:"unique"`
		Price     string          `json:"price" backlist:"decimal=5.2"`
		Released  *string         `json:"released" backlist:"date"`
		Rating    *schema.Float64 `json:"rating"`
		Director  int             `json:"director" backlist:"refers=directors"`
		CreatedAt schema.DateTime `json:"createdAt" backlist:"created"`
	}
	films := catalogue.Define[film]("films", catalogue.Options{})
	house, err := catalogue.NewOnly(films, catalogue.Define[director]("directors", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var descriptions []schema.Description
	for _, c := range house.All() {
		descriptions = append(descriptions, c.Description())
	}
	all := records(t, 1, map[string]int{"films": 256}, descriptions...)
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.Load(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if err := house.Check(); err != nil {
		t.Fatal(err)
	}
	c, err := house.Encoded("films")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all["films"] {
		got, err := c.Get(t.Context(), want.ID, nil)
		if err != nil || string(got) != want.String() {
			t.Fatalf("Get = %s, %v, want %v", got, err, want)
		}
		if err := c.Delete(t.Context(), want.ID, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Create(t.Context(), want.AppendJSON(nil)); err != nil {
			t.Fatalf("Create of %v: %v", want, err)
		}
	}
}
