package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tableScript describes the visible part of a table.
const tableScript = `(() => {
  const table = document.querySelector("section.table"), box = table.getBoundingClientRect()
  const header = [...document.querySelectorAll("thead th")]
  const ids = [...document.querySelectorAll("th.id")]
  const inView = e => { const b = e.getBoundingClientRect(), x = b.left + b.width / 2
    return x < Math.min(box.right, innerWidth) - 1 && (e.className.startsWith("id") || x > ids[0].getBoundingClientRect().right) }
  const middle = e => { const b = e.getBoundingClientRect(); return document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2) }
  return {
    scrolled: table.scrollLeft,
    header: header.every(e => Math.abs(e.getBoundingClientRect().top - box.top - 1) < 1 && e.contains(middle(e)) === inView(e)),
    stays: ids.every(e => Math.abs(e.getBoundingClientRect().left - box.left - 1) < 1),
    opaque: ids.every(e => !/rgba|transparent/.test(getComputedStyle(e).backgroundColor)),
    onTop: ids.filter(e => e.getBoundingClientRect().bottom < innerHeight).every(e => e.contains(middle(e))),
    ids: ids.length,
  }
})()`

type table struct {
	Scrolled float64 `json:"scrolled"`
	Header   bool    `json:"header"`
	Stays    bool    `json:"stays"`
	Opaque   bool    `json:"opaque"`
	OnTop    bool    `json:"onTop"`
	IDs      int     `json:"ids"`
}

// TestTable scrolls tables: the ids stay in view, and so does the header.
func TestTable(t *testing.T) {
	browser := launch(t)
	root := serve(t, sampleHouse(t))
	for _, width := range []int64{1280, 375} {
		for _, dark := range []bool{false, true} {
			p := open(t, browser, fmt.Sprintf("table-%d-%t", width, dark), width, dark)
			for _, path := range []string{"events/", "events/?ordering=-authors", "events/?ordering=-end_date,name", "labels/?ordering=-feature_events"} {
				p.visit(root + path)
				eval(p, chromedp.Evaluate[float64](`document.querySelector("section.table").scrollLeft = 700`))
				at := eval(p, chromedp.Evaluate[table](tableScript))
				if at.Scrolled < 100 || !at.Stays || !at.Opaque || !at.OnTop || at.IDs != 22 {
					t.Errorf("%s, %d pixels, scrolled: %+v", path, width, at)
				}
				eval(p, chromedp.Evaluate[float64](`document.querySelector("section.table").scrollTop = 120`))
				if at := eval(p, chromedp.Evaluate[table](tableScript)); !at.Header || !at.Stays {
					t.Errorf("%s, %d pixels, scrolled down: %+v", path, width, at)
				}
			}
			p.check("scrolled")
		}
	}
}

// coveredScript describes the focused element in a cell: whether it is at the place of the
// ids, and whether they cover it.
const coveredScript = `(() => {
  const e = document.activeElement, cell = e.closest("tbody td")
  if (!cell) return {}
  const id = cell.parentElement.querySelector("th.id").getBoundingClientRect(), box = e.getClientRects()[0]
  const left = Math.max(box.left, e.closest("section").getBoundingClientRect().left)
  const top = document.elementFromPoint(left + 3, box.top + box.height / 2)
  return {inCell: true, under: box.left - 5 < id.right, covered: !e.contains(top), what: e.innerText + " at " + box.left + ", ids end at " + id.right}
})()`

type covered struct {
	InCell  bool   `json:"inCell"`
	Under   bool   `json:"under"`
	Covered bool   `json:"covered"`
	What    string `json:"what"`
}

// TestFocusInTable moves through the links of a scrolling table, forwards and backwards.
// Chromium scrolls to elements only if little of them is visible, so some of them are at the
// place of the ids, which must not cover them.
func TestFocusInTable(t *testing.T) {
	p := open(t, launch(t), "focus-table", 375, false)
	p.visit(serve(t, sampleHouse(t)) + "events/?limit=2")
	seen, under := 0, 0
	for _, modifier := range []chromedp.Modifier{chromedp.ModifierNone, chromedp.ModifierShift} {
		for range 60 {
			p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(modifier)))
			at := eval(p, chromedp.Evaluate[covered](coveredScript))
			if at.InCell {
				seen++
			}
			if at.Under {
				under++
			}
			if at.Covered {
				t.Errorf("the ids cover the focus on %s", at.What)
				p.screenshot("covered")
			}
		}
	}
	if seen < 10 || under == 0 {
		t.Errorf("%d elements in cells had the focus, want at least 10, and %d were at the ids", seen, under)
	}
}
