package browse

import (
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// links maps members to what is known of their values.
type links map[string]target

// target is what is known of the values of a member: the relative link to a record whose
// id is the value, as the text before and after the id, escaped for HTML, or that the value
// is a number.
type target struct {
	before, after string
	number        bool
}

// pageTarget returns the link to the page of a record.
func pageTarget(path string) target {
	return target{before: escapedPath(path), after: "/?format=api"}
}

// rowTarget returns the link to the row of a record in a list.
func rowTarget(path string) target {
	return target{before: escapedPath(path) + "?format=api&amp;" + recordParam + "="}
}

func escapedPath(path string) string {
	return template.HTMLEscapeString((&url.URL{Path: path}).EscapedPath())
}

// listLinks returns the links of a page of records.
func (b *browser) listLinks(c *collection) links {
	all := b.links(c, "../")
	if c.hasPages() {
		all["id"] = pageTarget("./")
	}
	return all
}

// links returns the links of the fields that refer to records of other collections. up is
// the link to the root. The link to a record without a page leads to its row in the list.
func (b *browser) links(c *collection, up string) links {
	all := make(links)
	for _, f := range c.Fields {
		other := b.records[f.Refers]
		switch {
		case other != nil && other.hasPages():
			all[f.Name] = pageTarget(up + other.Segment + "/")
		case other != nil && other.actions.Has(schema.List):
			all[f.Name] = rowTarget(up + other.Segment + "/")
		case f.Kind == schema.Decimal:
			all[f.Name] = target{number: true}
		}
	}
	return all
}

// maxLinks is the maximum number of links in a cell. A longer list of ids is text.
const maxLinks = 50

// cell returns the cell of a member.
func (l links) cell(m member) cell {
	c := newCell(m.value)
	to, ok := l[m.name]
	if !ok {
		return c
	}
	if to.number && c.Class == "short" {
		c.Class = "number"
	}
	if to.before == "" {
		return c
	}
	ids := readIDs(m.value)
	if len(ids) == 0 || len(ids) > maxLinks {
		return c
	}
	c.Text, c.Whole = "", ""
	c.Links = to.links(ids)
	return c
}

// links returns a link for each id, separated by commas. It is HTML because a template
// would take several times as long.
func (to target) links(ids []int) template.HTML {
	var all strings.Builder
	for i, id := range ids {
		if i > 0 {
			all.WriteString(", ")
		}
		text := strconv.Itoa(id)
		all.WriteString(`<a href="` + to.before + text + to.after + `">` + text + `</a>`)
	}
	return template.HTML(all.String())
}

// readIDs returns the ids in a JSON number or list of numbers, or nil if the value is
// anything else.
func readIDs(value json.RawMessage) []int {
	if value[0] != '[' {
		id, err := strconv.Atoi(string(value))
		if err != nil || id < 1 {
			return nil
		}
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
