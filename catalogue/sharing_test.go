package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A part is a struct inside a record.
type part struct {
	Pages []int `json:"pages"`
	Next  *part `json:"next"`
}

// A deep record has memory of each sort that could be shared.
type deep struct {
	ID     int               `json:"id"`
	Tags   []string          `json:"tags"`
	Grid   [][]int           `json:"grid"`
	Fixed  [2][]int          `json:"fixed"`
	Map    map[string][]int  `json:"map"`
	Note   *string           `json:"note"`
	Twice  **int             `json:"twice"`
	Raw    json.RawMessage   `json:"raw"`
	Raws   []json.RawMessage `json:"raws"`
	Any    any               `json:"any"`
	Part   part              `json:"part"`
	Parts  []part            `json:"parts"`
	ToPart *part             `json:"toPart"`
	Bytes  []byte            `json:"bytes"`
}

func newDeep() deep {
	return deep{
		Tags:  []string{"a", "b"},
		Grid:  [][]int{{1, 2}, {3}},
		Fixed: [2][]int{{1}, {2}},
		Map:   map[string][]int{"k": {1}},
		Note:  ptr("note"),
		Twice: ptr(ptr(2)),
		Raw:   json.RawMessage(`{"x":1}`),
		Raws:  []json.RawMessage{json.RawMessage(`1`)},
		Any:   map[string]any{"list": []any{"x", map[string]any{"y": 1.0}}},
		Part:  part{Pages: []int{1}, Next: &part{Pages: []int{2}}},
		Parts: []part{{Pages: []int{3}, Next: &part{Pages: []int{4}}}},
		ToPart: &part{
			Pages: []int{5}, Next: &part{Pages: []int{6}},
		},
		Bytes: []byte{1, 2},
	}
}

// spoil writes over all that a record leads to.
func spoil(d *deep) {
	d.Tags[0] = "SPOILT"
	d.Grid[0][0], d.Grid[1] = -1, nil
	d.Fixed[1][0] = -1
	d.Map["k"][0], d.Map["new"] = -1, []int{-1}
	*d.Note = "SPOILT"
	**d.Twice = -1
	copy(d.Raw, `[9,9,9]`)
	d.Raws[0][0] = '9'
	list := d.Any.(map[string]any)["list"].([]any)
	list[0] = "SPOILT"
	list[1].(map[string]any)["y"] = -1.0
	d.Any.(map[string]any)["new"] = true
	d.Part.Pages[0], d.Part.Next.Pages[0] = -1, -1
	d.Parts[0].Pages[0], d.Parts[0].Next.Pages[0] = -1, -1
	d.ToPart.Pages[0], d.ToPart.Next.Pages[0] = -1, -1
	d.Bytes[0] = 9
}

// TestStoredRecordsAreNobodyElses changes all that went in or came out by every
// way, and looks at the store afterwards.
func TestStoredRecordsAreNobodyElses(t *testing.T) {
	type collection = *catalogue.Collection[deep]
	insert := func(t *testing.T, c collection) *deep {
		d := newDeep()
		if _, err := c.Insert(d); err != nil {
			t.Fatal(err)
		}
		return &d
	}
	// Each way leaves one record with id 1 and gives what is shared if anything is.
	ways := map[string]func(t *testing.T, c collection) *deep{
		"insert": insert,
		"upsert new": func(t *testing.T, c collection) *deep {
			d := newDeep()
			if _, err := c.Upsert(d); err != nil {
				t.Fatal(err)
			}
			return &d
		},
		"upsert old": func(t *testing.T, c collection) *deep {
			insert(t, c)
			d := newDeep()
			d.ID = 1
			if _, err := c.Upsert(d); err != nil {
				t.Fatal(err)
			}
			return &d
		},
		"modify, kept pointer": func(t *testing.T, c collection) (kept *deep) {
			insert(t, c)
			if err := c.Update(1, func(d *deep) error { kept = d; return nil }); err != nil {
				t.Fatal(err)
			}
			return kept
		},
		"modify, assigned": func(t *testing.T, c collection) *deep {
			insert(t, c)
			other := newDeep()
			other.ID = 1
			if err := c.Update(1, func(d *deep) error { *d = other; return nil }); err != nil {
				t.Fatal(err)
			}
			return &other
		},
		"modify that fails": func(t *testing.T, c collection) *deep {
			insert(t, c)
			var kept *deep
			if err := c.Update(1, func(d *deep) error { kept = d; spoil(d); return errOwn }); err != errOwn {
				t.Fatal(err)
			}
			d := newDeep()
			*kept = d
			return &d
		},
		"tx insert": func(t *testing.T, c collection) *deep {
			d := newDeep()
			if err := c.Batch(func(tx *catalogue.Tx[deep]) error { _, err := tx.Insert(d); return err }); err != nil {
				t.Fatal(err)
			}
			return &d
		},
		"tx upsert": func(t *testing.T, c collection) *deep {
			d := newDeep()
			if err := c.Batch(func(tx *catalogue.Tx[deep]) error { _, err := tx.Upsert(d); return err }); err != nil {
				t.Fatal(err)
			}
			return &d
		},
		"tx modify": func(t *testing.T, c collection) (kept *deep) {
			insert(t, c)
			err := c.Batch(func(tx *catalogue.Tx[deep]) error {
				return tx.Update(1, func(d *deep) error { kept = d; return nil })
			})
			if err != nil {
				t.Fatal(err)
			}
			return kept
		},
		"tx get": func(t *testing.T, c collection) *deep {
			insert(t, c)
			var got deep
			if err := c.Batch(func(tx *catalogue.Tx[deep]) (err error) { got, err = tx.Get(1); return err }); err != nil {
				t.Fatal(err)
			}
			return &got
		},
		"tx get of its own insert, at once": func(t *testing.T, c collection) *deep {
			d := newDeep()
			err := c.Batch(func(tx *catalogue.Tx[deep]) error {
				_, err := tx.Insert(newDeep())
				got, err2 := tx.Get(1)
				spoil(&got)
				return errors.Join(err, err2)
			})
			if err != nil {
				t.Fatal(err)
			}
			return &d
		},
		"get": func(t *testing.T, c collection) *deep {
			insert(t, c)
			got, err := c.Get(1)
			if err != nil {
				t.Fatal(err)
			}
			return &got
		},
		"page": func(t *testing.T, c collection) *deep {
			insert(t, c)
			page, err := c.Page(whole, terms("-tags")...)
			if err != nil {
				t.Fatal(err)
			}
			return &page.Records[0]
		},
		"snapshot page": func(t *testing.T, c collection) *deep {
			insert(t, c)
			page, err := c.Snapshot().Page(whole)
			if err != nil {
				t.Fatal(err)
			}
			return &page.Records[0]
		},
		"snapshot get": func(t *testing.T, c collection) *deep {
			insert(t, c)
			got, err := c.Snapshot().Get(1)
			if err != nil {
				t.Fatal(err)
			}
			return &got
		},
		"all": func(t *testing.T, c collection) *deep {
			insert(t, c)
			return &slices.Collect(c.All())[0]
		},
		"ordered": func(t *testing.T, c collection) *deep {
			insert(t, c)
			seq, err := c.Ordered(terms("any")...)
			if err != nil {
				t.Fatal(err)
			}
			return &slices.Collect(seq)[0]
		},
		"get from a clone": func(t *testing.T, c collection) *deep {
			insert(t, c)
			got, err := c.Clone().Get(1)
			if err != nil {
				t.Fatal(err)
			}
			return &got
		},
		"modify in a clone": func(t *testing.T, c collection) *deep {
			insert(t, c)
			if err := c.Clone().Update(1, func(d *deep) error { spoil(d); return nil }); err != nil {
				t.Fatal(err)
			}
			d := newDeep()
			return &d
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			c, err := catalogue.NewCollection[deep](catalogue.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := newDeep()
			want.ID = 1
			wire := wireOf(want)
			spoil(way(t, c))
			got, err := c.Get(1)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			view, err := c.View(whole)
			if err != nil || view.Len() != 1 {
				t.Fatal(view.Len(), err)
			}
			if text, err := view.JSON(0); string(text) != wire || err != nil {
				t.Errorf("JSON %s, %v; want %s", text, err, wire)
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDocumentedRecordsAreNobodyElses does the same to the lists, pointers and
// messages of the service's own records.
func TestDocumentedRecordsAreNobodyElses(t *testing.T) {
	house := catalogue.New()
	checkAtEnd(t, house)
	label := resources.Label{CatchLines: []string{"a"}, Users: []int{1}, LogoFooter: ptr("f"), GlobalMessage: json.RawMessage(`{"m":1}`)}
	event := resources.Event{Labels: []int{1, 2}, Authors: []int{3}}
	link := resources.SocialLink{Logo: ptr("l")}
	_, err1 := house.Labels().Insert(label)
	_, err2 := house.Events().Insert(event)
	_, err3 := house.SocialLinks().Insert(link)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	spoilAll := func(l resources.Label, e resources.Event, s resources.SocialLink) {
		l.CatchLines[0], l.Users[0], *l.LogoFooter = "SPOILT", -1, "SPOILT"
		copy(l.GlobalMessage, `[9,9,9]`)
		e.Labels[0], e.Authors[0] = -1, -1
		*s.Logo = "SPOILT"
	}
	get := func() (l resources.Label, e resources.Event, s resources.SocialLink) {
		l, err1 := house.Labels().Get(1)
		e, err2 := house.Events().Get(1)
		s, err3 := house.SocialLinks().Get(1)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		return l, e, s
	}
	spoilAll(label, event, link)
	spoilAll(get())
	l, e, s := get()
	if l.CatchLines[0] != "a" || l.Users[0] != 1 || *l.LogoFooter != "f" || string(l.GlobalMessage) != `{"m":1}` {
		t.Errorf("label: %+v", l)
	}
	if diff := cmp.Diff([]int{1, 2, 3}, append(e.Labels, e.Authors...)); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if *s.Logo != "l" {
		t.Errorf("link: %q", *s.Logo)
	}
}

// TestArgumentsAreNotKept: options, terms and texts are the caller's again as
// soon as the call is over, and so is what comes back.
func TestArgumentsAreNotKept(t *testing.T) {
	order := terms("-name,live")
	c := products(t, 20, catalogue.Options{Ordering: order})
	want := ids(t, c, productType.id, nil)
	order[0], order[1] = ordering.Asc("no_such"), ordering.Desc("id")
	if diff := cmp.Diff(want, ids(t, c, productType.id, nil)); diff != "" {
		t.Errorf("default order:\n%s", diff)
	}
	by := terms("rank,-note,live")
	want = ids(t, c, productType.id, by)
	seq, err := c.Ordered(by...)
	if err != nil {
		t.Fatal(err)
	}
	by[0], by[1], by[2] = ordering.Desc("id"), ordering.Asc("price"), ordering.Asc("name")
	var got []int
	for p := range seq {
		got = append(got, p.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sequence after its terms have changed:\n%s", diff)
	}
	if diff := cmp.Diff(want, ids(t, c, productType.id, terms("rank,-note,live"))); diff != "" {
		t.Errorf("same order again:\n%s", diff)
	}
	fields := c.Fields()
	fields[0] = "SPOILT"
	if diff := cmp.Diff(productFields, c.Fields()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	page, err := c.Page(pagination.Window{Limit: 5}, terms("name")...)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(page.Records[:2], product{Name: "SPOILT"})
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// TestEncodedSharesNothing: bodies posted, answers and lists of fields.
func TestEncodedSharesNothing(t *testing.T) {
	house, ctx := catalogue.New(), context.Background()
	if err := house.Load(strings.NewReader(`{"authors":[{"id":1}]}`)); err != nil {
		t.Fatal(err)
	}
	links, err := house.Encoded("social-links")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"title":"T","url":"https://x.example/","type":"t","author":1}`)
	answer, err := links.Create(ctx, body)
	if err != nil {
		t.Fatal(err)
	}
	want := string(answer)
	for i := range body {
		body[i] = 'X'
	}
	for i := range answer {
		answer[i] = 'X'
	}
	_, records, err := links.Page(ctx, whole, nil)
	if err != nil || len(records) != 1 || string(records[0]) != want {
		t.Errorf("stored %s, %v; want %s", records, err, want)
	}
	records[0] = nil // the slice is the caller's, only what it holds is shared
	fields, err := links.Fields(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fields[0] = "SPOILT"
	if again, _ := links.Fields(ctx); again[0] != "id" {
		t.Errorf("fields %v", again)
	}
	if _, records, _ = links.Page(ctx, whole, nil); len(records) != 1 || string(records[0]) != want {
		t.Errorf("stored %s, want %s", records, want)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// TestSnapshotOfSharedRecords: a record that is replaced stays what it was in a
// snapshot, its JSON made late too.
func TestSnapshotOfSharedRecords(t *testing.T) {
	c := products(t, 3, catalogue.Options{})
	want, err := c.Get(2)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Snapshot()
	if err := c.Update(2, func(p *product) error { *p = product{ID: 2, Name: "new"}; return nil }); err != nil {
		t.Fatal(err)
	}
	view, err := s.View(pagination.Window{Limit: 1, Offset: 1})
	if err != nil || view.Len() != 1 {
		t.Fatal(view.Len(), err)
	}
	if text, err := view.JSON(0); err != nil || string(text) != wireOf(want) {
		t.Errorf("JSON %s, %v; want %s", text, err, wireOf(want))
	}
}
