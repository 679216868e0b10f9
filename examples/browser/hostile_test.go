package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gobacklist/backlist/catalogue"
)

// TestHostileRecords has a browser show records that want to be run.
func TestHostileRecords(t *testing.T) {
	all := catalogue.New()
	const attack = `"><script>window.pwned=1;alert(1)</script><img src=x onerror='window.pwned=1'><svg onload=window.pwned=1>`
	quoted := strings.ReplaceAll(attack, `"`, `\"`)
	records := `{"books":[{"id":1,"name":"` + quoted + `","cover":"javascript:window.pwned=1","site":"https://x.example/\"onmouseover=window.pwned=1",
		"` + quoted + `":[{"a":"` + quoted + `"}],"html":"<p onclick='window.pwned=1'>` + quoted + `</p>","word":"` + strings.Repeat("w", 10_000) + `",
		"right":"\u202e\u0639\u0631\u0628\u064a","none":null,"style":"</style><script>window.pwned=1</script>"}]}`
	if err := all.Load(strings.NewReader(records)); err != nil {
		t.Fatal(err)
	}
	root := serve(t, all)
	p := open(t, launch(t), "hostile", 390, false)
	p.visit(root + `books/?z="><script>window.pwned=1</script>`)
	p.look("records")
	p.do(chromedp.Click(chromedp.CSS("tbody summary")), chromedp.Click(chromedp.CSS("td:nth-child(2)")))
	if ask(p, chromedp.Evaluate[bool](`"pwned" in window || document.querySelector("script, img, svg, [onclick], [onmouseover], [onerror]") !== null`)) {
		t.Error("a record got into the page's own markup")
	}
	if ask(p, chromedp.Evaluate[bool](`(() => { const s = document.createElement("script"); s.textContent = "window.pwned=1"; document.body.append(s); return "pwned" in window })()`)) {
		t.Error("the policy lets a script run that has got into the page")
	}
	p.quiet(root)
	if err := all.Check(); err != nil {
		t.Error(err)
	}
}
