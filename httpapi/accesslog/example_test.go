package accesslog_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/accesslog"
	"github.com/gobacklist/backlist/resources"
)

func Example() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{} // varies
		}
		return a
	}}))
	c, err := resources.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := httpapi.New(c, httpapi.Options{OnAccess: accesslog.New(logger)})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/events/?ordering=-name&token=secret", nil))
	// Output:
	// level=INFO msg=request collection=events method=GET status=200 bytes=52
}
