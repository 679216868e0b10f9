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
		{ordering.Asc("number")}, {ordering.Asc("name")}, {ordering.Asc("weight")}, {ordering.Asc("depot"), ordering.Asc("weight")},
	}})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 8))
	err = c.Batch(func(tx *catalogue.Tx[benchParcel]) error {
		for i, number := range r.Perm(n) {
			if _, err := tx.Insert(benchParcel{Code: fmt.Sprintf("c%d", i), Number: number / 4, Depot: i % 10, Weight: r.IntN(n), Name: fmt.Sprintf("%03d %d", r.IntN(1000), i)}); err != nil {
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

// BenchmarkWrite writes single records; the rows "read" do so after pages of all indexes were read.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	for _, read := range []string{"unread", "read"} {
		c := benchParcels(b, n)
		if read == "read" {
			for range 10 {
				for at := 0; at < n; at += 64 {
					for _, term := range []string{"id", "number", "name", "weight", "code"} {
						if _, err := c.Where().View(pagination.Window{Offset: at, Limit: 1}, ordering.Asc(term)); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		}
		r := rand.New(rand.NewPCG(3, 9))
		row := func(name string, f func(i int) error) {
			b.Run(read+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := f(i); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		seq := 0
		row("update one index", func(int) error {
			return c.Update(1+r.IntN(n), func(p *benchParcel) error { p.Weight = r.IntN(n); return nil })
		})
		row("update no index", func(int) error {
			return c.Update(1+r.IntN(n), func(p *benchParcel) error { return nil })
		})
		row("insert", func(int) error {
			seq++
			_, err := c.Insert(benchParcel{Code: fmt.Sprintf("n%d", seq), Number: r.IntN(n), Weight: r.IntN(n), Name: fmt.Sprint(r.IntN(n))})
			return err
		})
		row("delete and insert", func(int) error {
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
		row("update by text", func(int) error {
			return c.By("code").Update(fmt.Sprint("c", r.IntN(n)), func(p *benchParcel) error { p.Weight = r.IntN(n); return nil })
		})
		row("get", func(int) error { _, err := c.Get(1 + r.IntN(n)); return err })
		row("get by text", func(int) error { _, err := c.By("code").Get(fmt.Sprint("c", r.IntN(n))); return err })
		row("page", func(int) error {
			_, err := c.Page(pagination.Window{Offset: r.IntN(n), Limit: 20}, ordering.Asc("name"))
			return err
		})
		row("update and page", func(int) error {
			if err := c.Update(1+r.IntN(n), func(p *benchParcel) error { p.Weight = r.IntN(n); return nil }); err != nil {
				return err
			}
			_, err := c.Page(pagination.Window{Offset: r.IntN(n), Limit: 20}, ordering.Asc("weight"))
			return err
		})
	}
}
