package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

const (
	records = 100_000
	limit   = 21 // records of a page
)

// A parcel is a record with an id. Four parcels have the same Number, a tenth the same Depot.
type parcel struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Number int    `json:"number"`
	Depot  int    `json:"depot"`
	Weight int    `json:"weight"`
	Name   string `json:"name"`
}

// newParcels returns a collection of parcels with indexes by code, number, name, weight, and by
// depot and weight. Readers have made all arrays of the indexes.
func newParcels() *catalogue.Collection[parcel] {
	c, err := catalogue.NewCollection[parcel](catalogue.Options{
		Indexes: [][]ordering.Term{by("number"), by("name"), by("weight"), by("depot,weight")},
	})
	check(err)
	r := rand.New(rand.NewPCG(3, 8))
	numbers := r.Perm(records)
	check(c.ReplaceAll(func(yield func(parcel) bool) {
		for i, number := range numbers {
			p := parcel{Code: code(i), Number: number / 4, Depot: i % 10, Weight: r.IntN(records), Name: fmt.Sprintf("%03d %d", r.IntN(1000), i)}
			if !yield(p) {
				return
			}
		}
	}))
	read(c)
	return c
}

// read reads so many pages that all indexes have arrays.
func read(c *catalogue.Collection[parcel]) {
	for range 10 {
		for at := 0; at < records; at += 64 {
			for _, term := range by("id,code,number,name,weight") {
				_, err := c.Where().View(pagination.Window{Offset: at, Limit: 1}, term)
				check(err)
			}
			_, err := c.Where(ordering.Equal("depot", at/64%10), ordering.AtLeast("weight", at)).Count()
			check(err)
		}
	}
}

func code(i int) string { return fmt.Sprint("c", i%records) }

func by(names string) []ordering.Term { return ordering.Parse(names, nil) }

// reads are rows that change nothing.
func reads() []row {
	c := newParcels()
	view := func(order []ordering.Term, where ...ordering.Condition) catalogue.View[parcel] {
		v, err := c.Where(where...).View(pagination.Window{Limit: limit}, order...)
		check(err)
		return v
	}
	at := func(i int) pagination.Window { return pagination.Window{Offset: i % (records - limit), Limit: limit} }
	number, name, weight := by("number"), by("name"), by("weight")
	tokens := []string{""} // after each hundredth record by number
	for len(tokens) < records/100 {
		_, token, err := c.Where().PageAfter(tokens[len(tokens)-1], 100, number...)
		check(err)
		tokens = append(tokens, token)
	}
	for range 10 { // so that all arrays that positions need are there
		for i := 0; i < records; i += 64 {
			_, err := c.Where().Position(1+i, weight...)
			check(err)
			_, _, err = c.Where().PageAfter(tokens[i/100], 1, number...)
			check(err)
		}
	}
	texts := make([]string, records)
	for i := range texts {
		texts[i] = code(i)
	}
	codes := c.By("code")
	tickets, uuids := newTickets()
	keys := tickets.By("id")
	return []row{
		{name: "get by id", runs: 10_000, run: func(i int) { _, err := c.Get(1 + i%records); check(err) }},
		{name: "get by text", runs: 3000, run: func(i int) { _, err := codes.Get(texts[i%records]); check(err) }},
		{name: "get by UUID", runs: 3000, run: func(i int) { _, err := keys.Get(uuids[i%len(uuids)]); check(err) }},
		{name: "page", runs: 2000, run: func(i int) { _, err := c.Page(at(i)); check(err) }},
		{name: "view", runs: 6000, run: func(i int) { _, err := c.Where().View(at(i)); check(err) }},
		{name: "view in another order", runs: 4000, run: func(i int) { _, err := c.Where().View(at(i), number...); check(err) }},
		{name: "view, each record by At", runs: 4000, run: func(i int) {
			v, err := c.Where().View(at(i))
			check(err)
			for i := range v.Len() {
				sum += v.At(i).Weight
			}
		}},
		{name: "view, each record by All", runs: 4000, run: func(i int) {
			v, err := c.Where().View(at(i))
			check(err)
			for _, p := range v.All() {
				sum += p.Weight
			}
		}},
		{name: "filter and order", runs: 600, run: func(i int) {
			view(weight, ordering.Equal("depot", i%10), ordering.AtLeast("weight", i%records))
		}},
		{name: "range in another order", runs: 1, run: func(int) { view(name, ordering.AtLeast("weight", records*9/10)) }},
		{name: "count", runs: 700, run: func(i int) {
			_, err := c.Where(ordering.Equal("depot", i%10), ordering.Between("weight", i%records, i%records+records/10)).Count()
			check(err)
		}},
		{name: "first", runs: 1200, run: func(i int) {
			_, err := c.Where(ordering.Equal("number", i%(records/4))).First(number...)
			check(err)
		}},
		{name: "position", runs: 1000, run: func(i int) { _, err := c.Where().Position(1+i%records, weight...); check(err) }},
		{name: "page after a token", runs: 500, run: func(i int) {
			_, _, err := c.Where().PageAfter(tokens[i%len(tokens)], limit, number...)
			check(err)
		}},
	}
}

var sum int // so that records are read

// A ticket is a record with a UUID.
type ticket struct {
	ID      string `json:"id" backlist:"key,uuid"`
	Subject string `json:"subject"`
}

func newTickets() (*catalogue.Collection[ticket], []string) {
	c, err := catalogue.NewCollection[ticket](catalogue.Options{})
	check(err)
	r := rand.New(rand.NewPCG(5, 5))
	uuids := make([]string, records)
	for i := range uuids {
		uuids[i] = fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}
	check(c.ReplaceAll(func(yield func(ticket) bool) {
		for _, uuid := range uuids {
			if !yield(ticket{uuid, uuid}) {
				return
			}
		}
	}))
	return c, uuids
}

// writes are rows that write. Nobody reads in between.
func writes() []row {
	c := newParcels()
	next := 2 * records
	fresh := func(i int) parcel {
		next++
		return parcel{Code: fmt.Sprint("n", next), Number: i % (records / 4), Depot: i % 10, Weight: i % records, Name: fmt.Sprint(i)}
	}
	deleted := rand.New(rand.NewPCG(6, 6)).Perm(records)
	return []row{
		{name: "update that moves nothing", runs: 500, run: func(i int) {
			check(c.Update(1+i%records, func(*parcel) error { return nil }))
		}},
		{name: "update that moves in one index", runs: 500, run: func(i int) {
			check(c.Update(1+i%records, func(p *parcel) error { p.Number = i % (records / 4); return nil }))
		}},
		{name: "update that moves in all indexes", runs: 300, run: func(i int) {
			p := fresh(i)
			check(c.Update(1+i%records, func(old *parcel) error { p.ID = old.ID; *old = p; return nil }))
		}},
		{name: "insert", runs: 500, run: func(i int) { _, err := c.Insert(fresh(i)); check(err) }},
		{name: "batch of 10 updates", runs: 30, run: func(i int) {
			check(c.Batch(func(tx *catalogue.Tx[parcel]) error {
				for j := range 10 {
					check(tx.Update(1+(i+j*777)%records, func(p *parcel) error { p.Number = i % (records / 4); return nil }))
				}
				return nil
			}))
		}},
		{name: "delete", runs: 500, run: func(int) {
			check(c.Delete(1 + deleted[0]))
			deleted = deleted[1:]
		}},
	}
}

// mixed are rows of reads and writes that alternate.
func mixed() []row {
	c := newParcels()
	number := by("number")
	update := func(i int) {
		check(c.Update(1+i%records, func(p *parcel) error { p.Number = i % (records / 4); return nil }))
	}
	view := func(i int) {
		_, err := c.Where().View(pagination.Window{Offset: i % records, Limit: limit}, number...)
		check(err)
	}
	updates := func(n int) func(i int) {
		return func(i int) {
			for j := range n {
				update(i + j*7919)
			}
		}
	}
	return []row{
		{name: "update after a view", runs: 400, before: view, run: update},
		{name: "100 updates after a view", runs: 7, before: view, run: updates(100)},
		{name: "first view after 1 write", runs: 800, before: update, run: view},
		{name: "first view after 10 writes", runs: 150, before: updates(10), run: view},
		{name: "first view after 100 writes", runs: 80, before: updates(100), run: view},
		{name: "snapshot", runs: 400, before: update, run: func(int) { c.Snapshot() }},
		{name: "update after a snapshot", runs: 200, before: func(int) { c.Snapshot() }, run: update},
	}
}

// A member is a record with a URL, an e-mail address and a date.
type member struct {
	ID     int    `json:"id"`
	Name   string `json:"name" backlist:"maxlength=40"`
	Site   string `json:"site" backlist:"url"`
	Mail   string `json:"mail" backlist:"email"`
	Joined string `json:"joined" backlist:"date"`
	Points int    `json:"points" backlist:"min=0"`
}

// files are rows that load and save members, and that search their names.
func files() []row {
	const n = 2000
	members := catalogue.Define[member]("members", catalogue.Options{Description: &schema.Description{Search: []string{"name"}}})
	c, err := catalogue.New(members)
	check(err)
	file := struct {
		Members []member `json:"members"`
	}{make([]member, n)}
	r := rand.New(rand.NewPCG(9, 9))
	for i := range file.Members {
		name := fmt.Sprintf("%012x-%011x", r.Int64N(1<<48), r.Int64N(1<<44))
		file.Members[i] = member{
			ID: i + 1, Name: name, Site: "https://www." + name[:9] + ".example/books/" + name[12:], Mail: name[:9] + "@mail.example.org",
			Joined: fmt.Sprintf("20%02d-%02d-%02d", r.IntN(30), 1+r.IntN(12), 1+r.IntN(28)), Points: r.IntN(1000),
		}
	}
	text, err := json.Marshal(file)
	check(err)
	load := func(opts catalogue.LoadOptions) { check(c.Load(bytes.NewReader(text), opts)) }
	load(catalogue.LoadOptions{})
	all, err := c.Collection("members")
	check(err)
	var searches []schema.Filter // each for other words, because counts and pages of the same words need one search
	for _, words := range []string{"wxyz", "xyzw", "yzwx", "zwxy"} {
		filter, err := all.Description().Filter(context.Background(), func(name string) []string {
			return map[string][]string{"search": {words}}[name]
		}, schema.Checks{})
		check(err)
		searches = append(searches, filter)
	}
	searched := 0
	return []row{
		{name: "search, per record", per: n, runs: 3, run: func(int) {
			searched++
			_, err := all.List(context.Background(), catalogue.Query{Filter: searches[searched%len(searches)], Window: pagination.Window{Limit: limit}})
			check(err)
		}},
		{name: "save, per record", per: n, runs: 2, run: func(int) { check(c.Save(io.Discard)) }},
		{name: "load, per record", per: n, runs: 2, run: func(int) { load(catalogue.LoadOptions{}) }},
		{name: "validated load, per record", per: n, runs: 1, run: func(int) { load(catalogue.LoadOptions{Validate: true}) }},
		{name: "json.Unmarshal instead, per record", per: n, runs: 1, run: func(int) {
			clear(file.Members)
			file.Members = nil
			check(json.Unmarshal(text, &file))
		}},
	}
}
