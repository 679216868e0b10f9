package sample

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// Write writes records of the 39 documented collections in the format that
// [catalogue.Catalogue.Load] reads: a JSON object with an array of records for each
// collection, in the document's order and with one record per line.
//
// By default there are 300 events, 24 labels, 60 authors, 80 social links, 200 books, and 12
// records in each of the other collections. Without authors there are no social links.
//
// Write returns an error if w does, or if Options.Sizes has another key. O(records), about
// 20 µs each.
func Write(w io.Writer, opts Options) error {
	c, err := resources.New()
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	standard := map[string]int{"events": 300, "labels": 24, "authors": 60, "social-links": 80, "books": 200}
	sizes := map[string]int{}
	for key := range c.All() {
		sizes[key] = opts.size(key, cmp.Or(standard[key], 12))
	}
	if sizes["authors"] == 0 {
		sizes["social-links"] = 0
	}
	m, err := newMaker(opts, sizes)
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	b := bufio.NewWriter(w)
	lead := "{"
	for key, collection := range c.All() {
		fields, kinds := collection.Description().Fields, []string(nil)
		if fields == nil {
			fields, kinds = inventedFields(key)
		}
		fmt.Fprintf(b, "%s%q:[", lead, key)
		separator := "\n"
		for i := range sizes[key] {
			b.WriteString(separator)
			if _, err := b.WriteString(m.record(key, fields, kinds, i).String()); err != nil {
				return fmt.Errorf("sample: %w", err)
			}
			separator = ",\n"
		}
		b.WriteByte(']')
		lead = ",\n"
	}
	b.WriteString("}\n")
	if err := b.Flush(); err != nil { // also reports errors of earlier writes
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}

// record generates the record at index n of one of the 39 collections. If its fields are invented,
// they have kinds.
func (m *maker) record(key string, fields []schema.Field, kinds []string, n int) schema.Record {
	d := m.draw(key, "", n)
	switch key {
	case "events":
		return d.event()
	case "social-links":
		return d.link()
	}
	members, _ := m.members(key, fields, n, nil) // none is unique; references to empty collections are null
	l := pick(d.rng, m.Languages)
	for i, kind := range kinds {
		switch kind {
		case "person":
			members[i].value = l.person(d.rng)
		case "slug":
			members[i].value = d.slug(fmt.Sprintf("%s %d", members[0].value, d.id))
		case "line":
			members[i].value = pick(d.rng, l.Lines)
		case "html":
			members[i].value = l.paragraphs(d.rng, d.between(1, 3))
		}
	}
	return record(d.id, members...)
}

// invented are the collections whose fields the document does not show, each with the fields that
// its records have here. A field has a kind after a colon, the key of the collection to which it
// refers after > or, as a list, after >>, or choices after =. Bounds are the kind of an integer. A
// question mark permits null.
const invented = `
attribute-types name=binding|pages|signed|language position:0..99
attributes type>attribute-types value:json
authors name:person slug:slug bio:html language=it|en|fr|de|es|pl|ja|ar portrait:url? bornIn:1931..2001
collaborators name:person email:email role=editor|translator|illustrator|proofreader active:bool
direct-sales book>books quantity:1..12 amount:money soldOn:date event>events?
books name slug:slug price:money pages:64..704 publishedOn:date? author>authors? label>labels? language=it|en|fr|de|es|pl|ja|ar description:html cover:url inPrint:bool
bookshop-sales bookshop:person book>books quantity:1..12 discount:number amount:money soldOn:date
carts createdAt:time items>>items voucher>vouchers? total:money state=open|paid|abandoned
commissions collaborator>collaborators project>projects percentage:number
compensations author>authors book>books amount:money paidOn:date?
collaborator-invoices number:slug collaborator>collaborators amount:money issuedOn:date paidOn:date?
contributions crowdfunding>crowdfundings name:person amount:money message:line anonymous:bool createdAt:time
credit-notes number:slug customer:person reason:line issuedOn:date
crowdfundings project>projects name goal:int raised:money startDate:date endDate:date open:bool
direct-debit-payments directDebit>direct-debits amount:money dueOn:date state=due|collected|returned
credit-note-lines creditNote>credit-notes book>books quantity:1..12 amount:money
restockings supplier>suppliers book>books quantity:1..12 orderedOn:date arrivedOn:date?
direct-debits mandate:slug debtor:person signedOn:date active:bool
expenses project>projects? category=paper|printing|travel|rights amount:money spentOn:date
inventories warehouse:person book>books copies:0..3000 takenOn:date
items itemVariant>itemVariants quantity:1..12 price:money
itemVariants variant>variants name=paperback|hardback|ebook sku:slug stock:-2..400
products name slug:slug kind=book|ebook|bag|poster price:money label>labels book>books?
projects name label>labels authors>>authors dueOn:date
proposals title sender:person email:email submittedAt:time accepted:bool?
reshipments shipment>shipments reason=lost|damaged|misdirected requestedAt:time
services name=proofreading|layout|translation price:money hourly:bool
shipments cart>carts carrier:person recipient:person shippedAt:time deliveredAt:time?
tieins name book>books medium=film|series|play|game releasedOn:date
vouchers code:slug discount:number validUntil:date used:bool
variants product>products name=paperback|hardback|ebook attributes>>attributes
wires sender:person amount:money receivedAt:time cart>carts? note:line?
publishers name language=it|en|fr|de|es|pl|ja|ar website:url
suppliers name:person email:email leadDays:3..45
news title slug:slug body:html label>labels? publishedAt:time
faqs question:line answer:html position:0..99
`

// inventedFields returns the fields of a collection in invented, and their kinds there.
func inventedFields(key string) (fields []schema.Field, kinds []string) {
	_, rest, _ := strings.Cut(invented, "\n"+key+" ")
	line, _, _ := strings.Cut(rest, "\n")
	for word := range strings.FieldsSeq(line) {
		f, kind := inventedField(word)
		fields, kinds = append(fields, f), append(kinds, kind)
	}
	return fields, kinds
}

func inventedField(word string) (f schema.Field, kind string) {
	word, f.Nullable = strings.CutSuffix(word, "?")
	end := strings.IndexAny(word+":", ":>=")
	f.Name, word = word[:end], word[end:]
	low, high, isRange := strings.Cut(strings.TrimPrefix(word, ":"), "..")
	switch kind = strings.TrimLeft(word, ":>="); {
	case strings.HasPrefix(word, ">>"):
		f.Kind, f.Refers = schema.References, kind
	case strings.HasPrefix(word, ">"):
		f.Kind, f.Refers = schema.Reference, kind
	case strings.HasPrefix(word, "="):
		f.Kind, f.Choices = schema.Choice, strings.Split(kind, "|")
	case isRange:
		f.Kind, f.Min, f.Max = schema.Integer, low, high
	case kind == "money":
		f.Kind, f.Digits, f.Places = schema.Decimal, 8, 2
	default: // of text: a title, person, line or html
		f.Kind = cmp.Or(map[string]schema.Kind{
			"int": schema.Integer, "bool": schema.Boolean, "date": schema.Date, "time": schema.Timestamp, "slug": schema.Slug,
			"url": schema.URL, "email": schema.Email, "json": schema.JSON, "number": schema.Float,
		}[kind], schema.Text)
	}
	return f, kind
}

func (d *draw) event() schema.Record {
	where := pick(d.rng, places[:])
	l := d.language(where.language)
	kind := pick(d.rng, l.Kinds)
	begin, end := d.times(where.offset)
	poster, webp := "", ""
	if d.n%9 != 2 {
		poster = media + d.hex(8) + ".jpg"
		webp = poster + ".webp"
	}
	return record(d.id,
		member{"name", kind + " " + l.Open + l.title(d.rng) + l.Close},
		member{"slug", d.slug(kind)}, // which all events of the kind share
		member{"summary", pick(d.rng, l.Lines)},
		member{"description", l.paragraphs(d.rng, d.between(1, 3))},
		member{"location", where.venue},
		member{"startDate", schema.At(begin)},
		member{"endDate", schema.At(end)},
		member{"published", d.n%6 != 5},
		member{"poster", poster},
		member{"posterWebp", webp},
		member{"labels", d.refs("labels", d.below(3))},
		member{"authors", d.refs("authors", d.n%4)},
	)
}

// times returns the beginning and the end of an event at an offset from UTC.
func (d *draw) times(offset time.Duration) (begin, end time.Time) {
	length := time.Duration(d.between(4, 12)) * 15 * time.Minute
	begin = day(d.near()).Add(time.Duration(d.between(9*4, 20*4))*15*time.Minute - offset)
	switch {
	case d.n%10 == 3: // midnight
		begin = day(d.near()).Add(-offset)
	case d.n%10 == 5: // at the same instant, in different offsets
		begin = day(0).Add(16 * time.Hour)
	case d.n%10 == 7: // several days
		length += time.Duration(d.between(1, 3)) * 24 * time.Hour
	}
	at := time.FixedZone("", int(offset/time.Second))
	return begin.In(at), begin.Add(length).In(at)
}

// link generates a social link. Two links to an author on the same site have the same URL.
func (d *draw) link() schema.Record {
	author := idAt(d.below(d.sizes["authors"]))
	site := pick(d.rng, []string{"facebook", "bluesky", "linkedin", "instagram"})
	var logo any
	if d.n%4 == 1 {
		logo = media + d.hex(8) + ".png"
	}
	return record(d.id,
		member{"title", "on " + site},
		member{"url", fmt.Sprintf("https://%s.example/%d/", site, author)},
		member{"logo", logo},
		member{"type", site},
		member{"author", author},
	)
}

// A place is the venue of an event. The venues are invented, the cities are real.
type place struct {
	venue    string
	language string        // code
	offset   time.Duration // of its clocks from UTC
}

const hour = time.Hour

var places = [...]place{
	{"Libreria del Molo, Genova", "it", 2 * hour},
	{`Salone delle Carte, pad. 2 "Ovale", Torino`, "it", 2 * hour},
	{"Reading Room <5>, London", "en", hour},
	{"Quire & Quill, Dublin", "en", hour},
	{"Café de l'Écritoire, Besançon", "fr", 2 * hour},
	{"Haus der Bögen, Straße am Kanal 3, Köln", "de", 2 * hour},
	{"Librería del Zaguán, Buenos Aires", "es", -3 * hour},
	{"Księgarnia pod Żurawiem, Łódź", "pl", 2 * hour},
	{"The Colophon, Kolkata", "en", 5*hour + 30*time.Minute},
	{"紙魚書店、東京", "ja", 9 * hour},
	{"مكتبة الحبر، عمّان", "ar", 3 * hour},
	{"online", "en", 0},
}
