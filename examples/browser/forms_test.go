package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNavigation uses the form for the number of a page, and the folded body of the response.
func TestNavigation(t *testing.T) {
	root := serve(t, sampleHouse(t))
	p := open(t, launch(t), "navigation", 375, false)

	p.visit(root + "events/?ordering=-id&limit=5&x=1")
	p.fill(map[string]string{"_page": "7"})
	p.click(".jump button")
	p.wantAddress("/api/events/?limit=5&offset=30&ordering=-id&x=1")
	p.wantText("h1 + .lead", "Records 31–35 of 300")
	if got := p.value("_page"); got != "7" {
		t.Errorf("number of the page = %s", got)
	}
	p.check("1-page")

	if open := p.texts(".exchange[open]"); len(open) != 0 {
		t.Error("the response is not folded")
	}
	p.do(chromedp.Click(chromedp.CSS(".exchange summary")))
	if open := p.texts(".exchange[open] pre"); len(open) != 1 || !strings.HasPrefix(open[0], "GET /api/events/?") {
		t.Errorf("unfolded response = %.50q", open)
	}
	p.do(chromedp.Click(chromedp.CSS(".curl code")))
	selected := eval(p, chromedp.Evaluate[string]("getSelection().toString()"))
	if !strings.HasPrefix(selected, "curl 'http") || !strings.HasSuffix(selected, "/api/events/?limit=5&offset=30&ordering=-id&x=1'") {
		t.Errorf("a click selects %q", selected)
	}
	p.check("2-body")
	p.checkRequests(root)
}
