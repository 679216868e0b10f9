package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A benchParcel is a small record of the benchmarks of writes.
type benchParcel struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Number int    `json:"number"`
	Depot  int    `json:"depot"`
	Weight int    `json:"weight"`
	Name   string `json:"name"`
}

func benchParcels(b *testing.B, n int) *catalogue.Collection[benchParcel] {
	c, err := catalogue.NewCollection[benchParcel](catalogue.Options{Indexes: [][]ordering.Term{
		{ordering.Asc("number")},
		{ordering.Asc("name")},
		{ordering.Asc("weight")},
		{ordering.Asc("depot"), ordering.Asc("weight")},
	}})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 8))
	err = c.Batch(func(tx *catalogue.Tx[benchParcel]) error {
		for i, number := range r.Perm(n) {
			p := benchParcel{
				Code:   fmt.Sprintf("c%d", i),
				Number: number / 4,
				Depot:  i % 10,
				Weight: r.IntN(n),
				Name:   fmt.Sprintf("%03d %d", r.IntN(1000), i),
			}
			if _, err := tx.Insert(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// readPages reads pages everywhere, until the indexes have all their arrays.
func readPages(b *testing.B, c *catalogue.Collection[benchParcel], n int) {
	for range 10 {
		for at := 0; at < n; at += 64 {
			for _, term := range []string{"id", "number", "name", "weight", "code"} {
				w := pagination.Window{Offset: at, Limit: 1}
				if _, err := c.Where().View(w, ordering.Asc(term)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// BenchmarkWrite writes single records, before and after pages of all indexes were read, and reads
// after writes. The records grow with each row, so compare at the same -benchtime=20000x.
// BenchmarkWrite of the engine compares with trees alone.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	for _, read := range []string{"unread", "read"} {
		c := benchParcels(b, n)
		if read == "read" {
			readPages(b, c, n)
		}
		r := rand.New(rand.NewPCG(3, 9))
		row := func(name string, f func() error) {
			b.Run(read+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		seq := 0
		weigh := func(p *benchParcel) error { p.Weight = r.IntN(n); return nil }
		update := func() error { return c.Update(1+r.IntN(n), weigh) }
		row("update one index", update)
		row("update no index", func() error {
			return c.Update(1+r.IntN(n), func(*benchParcel) error { return nil })
		})
		row("insert", func() error {
			seq++
			p := benchParcel{
				Code:   fmt.Sprintf("n%d", seq),
				Number: r.IntN(n),
				Weight: r.IntN(n),
				Name:   fmt.Sprint(r.IntN(n)),
			}
			_, err := c.Insert(p)
			return err
		})
		row("delete and insert", func() error {
			id := 1 + r.IntN(n)
			p, err := c.Get(id)
			if err != nil {
				return err
			}
			if err := c.Delete(id); err != nil {
				return err
			}
			_, err = c.Insert(p)
			return err
		})
		row("update by text", func() error { return c.By("code").Update(fmt.Sprint("c", r.IntN(n)), weigh) })
		row("get", func() error { _, err := c.Get(1 + r.IntN(n)); return err })
		row("get by text", func() error { _, err := c.By("code").Get(fmt.Sprint("c", r.IntN(n))); return err })
		page := func(term string) error {
			_, err := c.Page(pagination.Window{Offset: r.IntN(n), Limit: 20}, ordering.Asc(term))
			return err
		}
		row("page", func() error { return page("name") })
		then := func(name string, read func() error) {
			row("update and "+name, func() error {
				if err := update(); err != nil {
					return err
				}
				return read()
			})
		}
		then("page", func() error { return page("weight") })
		then("position", func() error {
			_, err := c.Where().Position(1+r.IntN(n), ordering.Asc("weight"))
			return err
		})
		token := ""
		then("page after", func() (err error) {
			_, token, err = c.Where().PageAfter(token, 20, ordering.Asc("weight"))
			return err
		})
	}
}
