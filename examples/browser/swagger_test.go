package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// swaggerPage shows a document with Swagger UI, as its own page does.
const swaggerPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Swagger UI</title>
<link rel="stylesheet" href="ui/swagger-ui.css"><div id="ui"></div><script src="ui/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({url: "openapi.json", dom_id: "#ui"})</script></html>`

// Swagger UI sends a request that the document describes: "Try it out" and "Execute".
// BACKLIST_OPENAPI_TOOLS is a directory with the packages of examples/openapi/tools.
func TestSwaggerUI(t *testing.T) {
	tools := os.Getenv("BACKLIST_OPENAPI_TOOLS")
	if tools == "" {
		t.Skip("BACKLIST_OPENAPI_TOOLS does not name the npm packages of examples/openapi/tools")
	}
	cat := films(t)
	api, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi.New(api, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/ui/", http.StripPrefix("/ui/", http.FileServer(http.Dir(filepath.Join(tools, "node_modules", "swagger-ui-dist")))))
	mux.Handle("/openapi.json", document)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, swaggerPage) })
	if err := httpapi.Mount(mux, "", api); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := open(t, launch(t), "swagger", 1280, false)
	p.visit(server.URL + "/")
	const operation = "#operations-films-listFilms "
	for _, button := range []string{".opblock-summary-control", ".try-out__btn", ".execute"} {
		p.do(chromedp.WaitVisible(chromedp.CSS(operation+button)), chromedp.Click(chromedp.CSS(operation+button)))
	}
	const status = operation + ".live-responses-table .response .response-col_status"
	p.do(chromedp.WaitVisible(chromedp.CSS(status)))
	p.screenshot("films")
	p.wantText(status, "200")
}
