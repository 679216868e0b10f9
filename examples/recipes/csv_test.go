package recipes

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestLoadCSV loads files and reads the records in the order of a member, which is named as in the file.
func TestLoadCSV(t *testing.T) {
	c, err := catalogue.NewCollection[schema.Record](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := LoadCSV(c, strings.NewReader("id,Full Name,cca3,area,zip\n3,\"Smith, J\",ZWE,1.50,01234\n1,Doe,AFG,20,\n")); err != nil {
		t.Fatal(err)
	}
	page, err := c.Page(pagination.Window{}, ordering.Asc("area"), ordering.Asc("cca3"))
	if err != nil || len(page.Records) != 2 {
		t.Fatal(page, err)
	}
	for i, want := range []string{
		`{"id":3,"Full Name":"Smith, J","cca3":"ZWE","area":1.50,"zip":"01234"}`, `{"id":1,"Full Name":"Doe","cca3":"AFG","area":20,"zip":null}`,
	} {
		if got := page.Records[i].String(); got != want {
			t.Errorf("record %d is %s, want %s", i, got, want)
		}
	}
	for file, want := range map[string]string{
		"id,a\nx,1\n":                 "row 1, id: ",
		"a,b\n1,2\n3\n":               "record on line 3",
		"unitPrice,unit_price\n1,2\n": `"unitPrice" and "unit_price"`,
	} {
		if err := LoadCSV(c, strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) || c.Count() != 2 {
			t.Errorf("%q: %v and %d records, want an error with %s and 2 records", file, err, c.Count(), want)
		}
	}
	if err := LoadCSV(c, strings.NewReader("a\nx\ny\n")); err != nil || !c.Has(5) {
		t.Errorf("records without ids: %v", err)
	}
}
