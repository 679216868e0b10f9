package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tableScript describes the visible part of a table.
const tableScript = `(() => {
  const table = document.querySelector("section.table"), top = Math.max(table.getBoundingClientRect().top, 0)
  const header = [...document.querySelectorAll("thead th")]
  const names = [...document.querySelectorAll(".name")]
  const first = names[0].getBoundingClientRect().right
  const edge = Math.max(table.getBoundingClientRect().left, 0)
  const inView = e => { const b = e.getBoundingClientRect(), x = b.left + b.width / 2
    return x < innerWidth - 1 && (e.className.startsWith("name") || x > first) }
  const middle = e => { const b = e.getBoundingClientRect(); return document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2) }
  return {
    scrolled: scrollX,
    header: header.every(e => Math.abs(e.getBoundingClientRect().top - top) <= 1 && e.contains(middle(e)) === inView(e)),
    stays: names.every(e => Math.abs(e.getBoundingClientRect().left - edge) <= 1),
    opaque: names.every(e => !/rgba|transparent/.test(getComputedStyle(e).backgroundColor)),
    onTop: names.filter(e => { const b = e.getBoundingClientRect(); return b.bottom < innerHeight && b.top > 40 }).every(e => e.contains(middle(e))),
    names: names.length,
    lines: [...document.querySelectorAll("tbody tr")].filter(e => e.offsetHeight > 36).length,
  }
})()`

// manyColumns shows all columns of events.
const manyColumns = "_columns=name,slug,summary,description,location,start_date,end_date,published,poster,poster_webp,labels,authors"

type table struct {
	Scrolled float64 `json:"scrolled"`
	Header   bool    `json:"header"`
	Stays    bool    `json:"stays"`
	Opaque   bool    `json:"opaque"`
	OnTop    bool    `json:"onTop"`
	Names    int     `json:"names"`
	Lines    int     `json:"lines"` // rows of more than one line
}

// TestTable scrolls pages with wide tables: the names stay in view, and so does the header. A row is one line.
func TestTable(t *testing.T) {
	browser := launch(t)
	root := serve(t, sampleHouse(t))
	for _, width := range []int64{1280, 640, 320} {
		for _, dark := range []bool{false, true} {
			p := open(t, browser, fmt.Sprintf("table-%d-%t", width, dark), width, dark)
			for _, path := range []string{"events/?" + manyColumns, "events/?ordering=-authors&" + manyColumns, "events/?ordering=-end_date,name", "labels/?ordering=-feature_events&_columns=name,slug,description,catch_phrase,catch_lines,global_message,feature_events,feature_authors,logo,logo_webp"} {
				p.visit(root + path)
				eval(p, chromedp.Evaluate[float64](`scrollTo(700, 0), 0`))
				at := eval(p, chromedp.Evaluate[table](tableScript))
				if at.Scrolled < 100 || !at.Stays || !at.Opaque || !at.OnTop || at.Names != 22 || at.Lines > 0 {
					t.Errorf("%s, %d pixels, scrolled: %+v", path, width, at)
				}
				eval(p, chromedp.Evaluate[float64](`scrollTo(700, document.querySelector("section.table").offsetTop + 120), 0`))
				if at := eval(p, chromedp.Evaluate[table](tableScript)); !at.Header || !at.Stays {
					t.Errorf("%s, %d pixels, scrolled down: %+v", path, width, at)
				}
			}
			p.check("scrolled")
		}
	}
}

// coveredScript describes the focused element in a cell: whether the window has scrolled to it,
// and whether the names or the header cover it.
const coveredScript = `(() => {
  const e = document.activeElement, cell = e.closest("tbody td")
  if (!cell) return {}
  const id = cell.parentElement.querySelector("th.name").getBoundingClientRect(), box = e.getClientRects()[0]
  const left = Math.max(box.left, 0)
  const top = document.elementFromPoint(left + 3, box.top + box.height / 2)
  return {inCell: true, moved: scrollX > 100, covered: !e.contains(top), what: e.innerText + " at " + box.left + ", names end at " + id.right}
})()`

type covered struct {
	InCell  bool   `json:"inCell"`
	Moved   bool   `json:"moved"`
	Covered bool   `json:"covered"`
	What    string `json:"what"`
}

// TestFocusInTable moves through the links of a wide table, forwards and backwards. The names,
// which stay in view, must not cover them.
func TestFocusInTable(t *testing.T) {
	p := open(t, launch(t), "focus-table", 375, false)
	p.visit(serve(t, sampleHouse(t)) + "events/?limit=4&" + manyColumns)
	seen, moved := 0, false
	for _, modifier := range []chromedp.Modifier{chromedp.ModifierNone, chromedp.ModifierShift} {
		for range 60 {
			p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(modifier)))
			at := eval(p, chromedp.Evaluate[covered](coveredScript))
			if at.InCell {
				seen++
			}
			moved = moved || at.Moved
			if at.Covered {
				t.Errorf("the names cover the focus on %s", at.What)
				p.screenshot("covered")
			}
		}
	}
	if seen < 10 || !moved {
		t.Errorf("%d elements in cells had the focus, want at least 10; the window has moved: %t", seen, moved)
	}
}
