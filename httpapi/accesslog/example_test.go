package accesslog_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/accesslog"
)

func Example() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{} // varies
		}
		return a
	}}))
	h, err := httpapi.New(mustNew(), httpapi.Options{OnAccess: accesslog.New(logger)})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/events/?ordering=-name&token=secret", nil))
	// Output:
	// level=INFO msg=request collection=events method=GET status=200 bytes=52 limit=21 offset=0 ordering=-name count=0 ignored=[token]
}
