package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNavigation uses the forms and links that lead to other pages: the search at the root,
// the number of a page, and the folded body of the response.
func TestNavigation(t *testing.T) {
	root := serve(t, sampleHouse(t))
	p := open(t, launch(t), "navigation", 375, false)

	p.visit(root)
	p.fill(map[string]string{"search": "tie"})
	p.click(".find button")
	p.wantAddress("/api/?format=api&search=tie")
	if got := p.texts(".entries a"); !slices.Equal(got, []string{"Tie-ins"}) {
		t.Errorf("collections found = %q", got)
	}
	p.check("1-search")
	p.click(".find a.button")
	p.wantAddress("/api/?format=api")

	p.visit(root + "events/?ordering=-id&limit=5&x=1")
	p.fill(map[string]string{"_page": "7"})
	p.click(".jump button")
	p.wantAddress("/api/events/?format=api&limit=5&offset=30&ordering=-id&x=1")
	p.wantText(".bar .lead:first-child", "Records 31–35 of 300")
	if got := p.value("_page"); got != "7" {
		t.Errorf("number of the page = %s", got)
	}
	p.check("2-page")

	if open := p.texts("details.body[open]"); len(open) != 0 {
		t.Error("the body of the response is not folded")
	}
	p.do(chromedp.Click(chromedp.CSS("details.body summary")))
	if open := p.texts("details.body[open] pre"); len(open) != 1 || open[0][0] != '{' {
		t.Errorf("unfolded body = %.50q", open)
	}
	p.check("3-body")
	p.checkRequests(root)
}
