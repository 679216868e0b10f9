package recipes

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// LoadCSV replaces the records of a collection by the rows of a CSV file, whose first row has the names
// of the members. A value that is JSON, such as 7, 1.50 or true, is that, an empty one is null, and
// others are text. After an error the collection is unchanged.
func LoadCSV(c *catalogue.Collection[schema.Record], file io.Reader) error {
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 {
		return err
	}
	records := make([]schema.Record, len(rows)-1)
	for i, row := range rows[1:] {
		for at, name := range rows[0] {
			var value any = row[at]
			switch {
			case name == "id":
				records[i].ID, err = strconv.Atoi(row[at])
			case row[at] == "":
				value = nil
			case json.Valid([]byte(row[at])):
				value = json.RawMessage(row[at])
			}
			if name != "id" {
				records[i], err = records[i].With(name, value)
			}
			if err != nil {
				return fmt.Errorf("row %d, %s: %w", i+1, name, err)
			}
		}
	}
	return c.ReplaceAll(slices.Values(records))
}
