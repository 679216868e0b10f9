package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/gobacklist/backlist/catalogue"
)

// TestHostileRecords shows records that contain scripts.
func TestHostileRecords(t *testing.T) {
	cat := mustNew()
	const attack = `"><script>window.pwned=1;alert(1)</script><img src=x onerror='window.pwned=1'><svg onload=window.pwned=1>`
	quoted := strings.ReplaceAll(attack, `"`, `\"`)
	records := `{"books":[{"id":1,"name":"` + quoted + `","cover":"javascript:window.pwned=1","site":"https://x.example/\"onmouseover=window.pwned=1",
		"` + quoted + `":[{"a":"` + quoted + `"}],"html":"<p onclick='window.pwned=1'>` + quoted + `</p>","word":"` + strings.Repeat("w", 10_000) + `",
		"right":"\u202e\u0639\u0631\u0628\u064a","none":null,"style":"</style><script>window.pwned=1</script>"}]}`
	if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	root := serve(t, cat)
	p := open(t, launch(t), "hostile", 390, false)
	p.visit(root + `books/?z="><script>window.pwned=1</script>`)
	p.check("records")
	p.do(chromedp.Click(chromedp.CSS("td:nth-child(2)")))
	if eval(p, chromedp.Evaluate[bool](`"pwned" in window || document.querySelector("script, img, svg, [onclick], [onmouseover], [onerror]") !== null`)) {
		t.Error("a record is part of the page's markup")
	}
	if eval(p, chromedp.Evaluate[bool](`(() => { const s = document.createElement("script"); s.textContent = "window.pwned=1"; document.body.append(s); return "pwned" in window })()`)) {
		t.Error("the Content-Security-Policy permits an inline script")
	}
	p.checkRequests(root)
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}
