package cataloguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// Keep replaces the records of a collection by those with the given ids, as they were at
// the start of the test. Clients see the change at one instant. The collection is given by
// its key, such as "events".
//
//	house.Keep("events", 1, 2, 3) // and no others
//	house.Keep("events")          // none
//
// If the collection is unknown, or had no record with one of the ids, Keep marks the test
// as failed and changes nothing. It may be called from any goroutine. O(n) for n records
// at the start.
func (h *House) Keep(collection string, ids ...int) {
	h.tb.Helper()
	if err := keep(h.Catalogue, h.initial, collection, ids); err != nil {
		h.tb.Errorf("cataloguetest: Keep: %v", err)
		return
	}
	if h.log.empty() {
		h.kept.Store(h.Catalogue.Clone())
	}
}

// before returns the records before the first request, if Keep has chosen them, and
// otherwise those at the start.
func (h *House) before() *catalogue.Catalogue {
	if kept := h.kept.Load(); kept != nil {
		return kept
	}
	return h.initial
}

// keep replaces the records of a collection by some of those that it has in another
// catalogue.
func keep(house, from *catalogue.Catalogue, collection string, ids []int) error {
	records, err := recordsByID(from, collection)
	if err != nil {
		return err
	}
	var kept [][]byte
	for _, id := range ids {
		record, err := records.get(id)
		if err != nil {
			return err
		}
		kept = append(kept, record)
	}
	return replaceRecords(house, collection, kept)
}

// Swap exchanges the contents of two records of a collection: all members but their ids.
// Clients see the change at one instant. In an ordering by another field, the records
// change places. The collection is given by its key, such as "events".
//
// If the collection is unknown, or has no record with one of the ids, Swap marks the test
// as failed and changes nothing. It may be called from any goroutine, but a write between
// its read and its write would be lost. O(n) for n records.
func (h *House) Swap(collection string, id, other int) {
	h.tb.Helper()
	if err := swap(h.Catalogue, collection, id, other); err != nil {
		h.tb.Errorf("cataloguetest: Swap: %v", err)
	}
}

// swap exchanges the contents of two records.
func swap(house *catalogue.Catalogue, collection string, id, other int) error {
	records, err := recordsByID(house, collection)
	if err != nil {
		return err
	}
	a, err := records.get(id)
	if err != nil {
		return err
	}
	b, err := records.get(other)
	if err != nil {
		return err
	}
	if records[id], err = withID(b, id); err != nil {
		return err
	}
	if records[other], err = withID(a, other); err != nil {
		return err
	}
	return replaceRecords(house, collection, slices.Collect(maps.Values(records)))
}

// idRecords is the JSON of records by their ids.
type idRecords map[int][]byte

// recordsByID returns all records of a collection.
func recordsByID(house *catalogue.Catalogue, collection string) (idRecords, error) {
	c, err := house.Encoded(collection)
	if err != nil {
		return nil, err
	}
	_, list, err := c.Page(context.Background(), pagination.Window{Limit: -1}, nil)
	if err != nil {
		return nil, err
	}
	records := make(idRecords, len(list))
	for _, record := range list {
		var r struct{ ID int }
		if err := json.Unmarshal(record, &r); err != nil {
			return nil, err
		}
		records[r.ID] = record
	}
	return records, nil
}

func (r idRecords) get(id int) ([]byte, error) {
	if record, ok := r[id]; ok {
		return record, nil
	}
	return nil, fmt.Errorf("%w: %d", catalogue.ErrNotFound, id)
}

// withID returns a record with another id.
func withID(record []byte, id int) ([]byte, error) {
	r, err := schema.ParseRecord(record)
	if err != nil {
		return nil, err
	}
	r.ID = id
	return r.AppendJSON(nil), nil
}

// replaceRecords replaces the records of a collection.
func replaceRecords(house *catalogue.Catalogue, collection string, records [][]byte) error {
	list := slices.Concat([]byte("["), bytes.Join(records, []byte(",")), []byte("]"))
	return house.LoadCollection(collection, bytes.NewReader(list))
}
