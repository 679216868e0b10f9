package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestNavigation uses the form for the columns, which other links keep, and the folded body of the
// response.
func TestNavigation(t *testing.T) {
	root := serve(t, sampleHouse(t))
	p := open(t, launch(t), "navigation", 375, false)

	p.visit(root + "events/?ordering=-id&limit=5&x=1")
	p.wantText(".columns summary", "Columns 7 of 13")
	// The name is always there, so that the first box is that of the slug.
	p.do(chromedp.Focus(chromedp.CSS(".columns summary")), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
	p.check("0-columns")
	p.do(chromedp.Click(chromedp.CSS("[value=poster]")))
	p.click(".columns button")
	p.wantText(".columns summary", "Columns 7 of 13")
	if got, want := p.texts("thead th"), []string{"Name", "Summary", "Description", "Location", "Start date", "Poster", "ID\n▼"}; !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("columns = %q, want %q", got, want)
	}
	p.click("a[rel=next]")
	p.wantAddress("/api/events/?_columns=summary&_columns=description&_columns=location&_columns=startDate&_columns=poster&_columns=id&limit=5&offset=5&ordering=-id&x=1")
	p.wantText("h1 + .lead", "Records 6–10 of 300")
	p.check("1-page")

	if open := p.texts(".exchange[open]"); len(open) != 0 {
		t.Error("the response is not folded")
	}
	p.do(chromedp.Click(chromedp.CSS(".exchange summary")))
	if open := p.texts(".exchange[open] code"); len(open) != 1 || !strings.HasPrefix(open[0], "curl 'http") {
		t.Errorf("unfolded response = %.50q", open)
	}
	p.do(chromedp.Click(chromedp.CSS(".curl code")))
	selected := eval(p, chromedp.Evaluate[string]("getSelection().toString()"))
	if !strings.HasPrefix(selected, "curl 'http") || !strings.HasSuffix(selected, "/api/events/?limit=5&offset=5&ordering=-id&x=1'") {
		t.Errorf("a click selects %q", selected)
	}
	p.check("2-body")
	p.checkRequests(root)
}

// TestFormWidth measures forms in a wide window: lines of inputs stay short enough to read.
func TestFormWidth(t *testing.T) {
	p := open(t, launch(t), "width", 1920, false)
	root := serve(t, films(t))
	for _, path := range []string{"films/?_method=POST", "films/1/?_method=PATCH"} {
		p.visit(root + path)
		const script = `document.querySelector("form.form").getBoundingClientRect().width / parseFloat(getComputedStyle(document.documentElement).fontSize)`
		if width := eval(p, chromedp.Evaluate[float64](script)); width < 30 || width > 40 {
			t.Errorf("%s: the form is %.1f rem wide, want at most 40", path, width)
		}
		p.check("form")
	}
}

type note struct {
	ID   int      `json:"id"`
	Text string   `json:"text" backlist:"blank"`
	Tags []string `json:"tags"`
}

// TestUnchangedForm sends forms as they are: whatever the browser does with line endings and
// blanks, nothing is changed.
func TestUnchangedForm(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`one\ntwo`, `\n`, `\r\n\r\n x \r`, `a\rb\n\rc`, ` a\tb `, `\ud83d\ude00 \"<&amp;`, ``}
	var all []string
	for i, text := range texts {
		all = append(all, fmt.Sprintf(`{"id":%d,"text":"%s","tags":["a","b\r\n","%s"]}`, i+1, text, text))
	}
	if err := cat.Load(strings.NewReader(`{"notes":[`+strings.Join(all, ",")+`]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	notes, err := cat.Collection("notes")
	if err != nil {
		t.Fatal(err)
	}
	root := serve(t, cat)
	p := open(t, launch(t), "unchanged", 800, false)
	for i, text := range texts {
		id := fmt.Sprint(i + 1)
		before, err := notes.Get(t.Context(), id, schema.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		p.visit(root + "notes/" + id + "/?_method=PATCH")
		p.click(".form button")
		p.wantText(".done", "Note "+id+" has been changed.")
		if after, err := notes.Get(t.Context(), id, schema.Filter{}); err != nil || string(after) != string(before) {
			t.Errorf("%s: the form has changed %s to %s: %v", text, before, after, err)
		}
	}
}
