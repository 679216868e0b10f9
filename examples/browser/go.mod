module github.com/gobacklist/backlist/examples/browser

go 1.26.0

replace github.com/gobacklist/backlist => ../..

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/gobacklist/backlist v0.0.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/tidwall/btree v1.8.2 // indirect
)
