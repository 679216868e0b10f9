package browse

import (
	"net/http"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// record is the page of a record.
type record struct {
	Members []namedCell
	Delete  string // link to the page that asks whether to delete the record, or ""
	Asking  bool   // this is that page
	Action  string // of the form on that page
}

// namedCell is the value of a member with its name in words.
type namedCell struct {
	Label string
	Cell  cell
}

// showRecord shows a record, and a form to change it if the caller may do so. With the
// parameter _method=DELETE it asks whether to delete the record.
func (b *browser) showRecord(p *page, r *http.Request, resp *response) {
	members, err := readMembers(resp.body.Bytes())
	if err != nil {
		p.showResponse(resp)
		return
	}
	c, id := b.find(r.URL.Path)
	links := b.links(c, "../../")
	p.Record = new(record)
	for _, m := range members {
		p.Record.Members = append(p.Record.Members, namedCell{heading(m.name), links.cell(m).finish()})
	}
	method := c.updateMethod()
	mayChange := method != "" && (!c.actions.Has(schema.Update) || b.offers(r, http.MethodPut))
	tag := resp.header.Get("Etag")
	if c.actions.Has(schema.Destroy) && (mayChange || method == "") {
		p.Record.Delete = "?format=api&" + methodName + "=" + http.MethodDelete
	}
	if p.Record.Delete != "" && readQuery(r).get(methodName) == http.MethodDelete {
		p.Record.Asking, p.Record.Action = true, formAction(http.MethodDelete, tag)
		p.Title = "Delete " + c.recordName(id) + "?"
	} else if mayChange {
		p.Form = newChangeForm(c, recordValues(c.Fields, members), nil, digests(c.Fields, members), tag)
	}
	p.here()
}
