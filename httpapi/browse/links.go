package browse

import (
	"encoding/json"
	"strconv"
)

// link is a link to the page of a record.
type link struct{ Text, Target string }

// links maps members whose values are ids to links to the collections of the records with
// these ids. The links are relative and end in a slash.
type links map[string]string

// listLinks returns the links of a page of records.
func (b *browser) listLinks(c *collection) links {
	all := b.links(c, "../")
	if c.hasPages() {
		all["id"] = "./"
	}
	return all
}

// links returns the links of the fields that refer to records with pages. up is the link
// to the root.
func (b *browser) links(c *collection, up string) links {
	all := make(links)
	for _, f := range c.Fields {
		if segment, ok := b.records[f.Refers]; ok {
			all[f.Name] = up + segment + "/"
		}
	}
	return all
}

// maxLinks is the maximum number of links in a cell. A longer list of ids is text.
const maxLinks = 50

// cell returns the cell of a member.
func (l links) cell(m member) cell {
	c := newCell(m.value)
	collection, ok := l[m.name]
	if !ok {
		return c
	}
	ids := readIDs(m.value)
	if len(ids) == 0 || len(ids) > maxLinks {
		return c
	}
	c.Text, c.Whole = "", ""
	for _, id := range ids {
		text := strconv.Itoa(id)
		c.Names = append(c.Names, link{text, collection + text + "/?format=api"})
	}
	return c
}

// readIDs returns the ids in a JSON number or list of numbers, or nil if the value is
// anything else.
func readIDs(value json.RawMessage) []int {
	var id int
	if json.Unmarshal(value, &id) == nil && id > 0 {
		return []int{id}
	}
	var ids []int
	if json.Unmarshal(value, &ids) != nil {
		return nil
	}
	for _, id := range ids {
		if id < 1 {
			return nil
		}
	}
	return ids
}
