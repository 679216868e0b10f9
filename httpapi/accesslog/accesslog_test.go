package accesslog_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/accesslog"
)

// newLogger returns a logger that writes text without the time.
func newLogger(w *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func TestAttributes(t *testing.T) {
	for _, test := range []struct {
		reason string
		access httpapi.Access
		want   string
	}{
		{"page", httpapi.Access{Collection: "news", Method: "GET", Status: 200, Bytes: 12, Duration: time.Millisecond},
			"level=INFO msg=request collection=news method=GET status=200 bytes=12 duration=1ms\n"},
		{"no collection", httpapi.Access{Method: "GET", Status: 404, Bytes: 23}, "level=INFO msg=request method=GET status=404 bytes=23 duration=0s\n"},
		{"newline in the method", httpapi.Access{Method: "A\nlevel=ERROR", Status: 405},
			`level=INFO msg=request method="A\nlevel=ERROR" status=405 bytes=0 duration=0s` + "\n"},
		{"server error", httpapi.Access{Collection: "news", Method: "GET", Status: 503},
			"level=ERROR msg=request collection=news method=GET status=503 bytes=0 duration=0s\n"},
		{"aborted request", httpapi.Access{Collection: "news", Method: "GET"},
			"level=WARN msg=request collection=news method=GET status=0 bytes=0 duration=0s\n"},
	} {
		var got bytes.Buffer
		accesslog.New(newLogger(&got, slog.LevelInfo))(t.Context(), test.access)
		if got.String() != test.want {
			t.Errorf("%s: %s, want %s", test.reason, &got, test.want)
		}
	}
}

func TestDisabledLevel(t *testing.T) {
	var got bytes.Buffer
	log := accesslog.New(newLogger(&got, slog.LevelError))
	allocs := testing.AllocsPerRun(100, func() { log(context.Background(), httpapi.Access{Status: 200}) })
	if got.Len() > 0 || allocs > 0 {
		t.Errorf("logged %q at a disabled level, with %v allocations", &got, allocs)
	}
}

func TestNilLogger(t *testing.T) {
	var got bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(newLogger(&got, slog.LevelInfo))
	accesslog.New(nil)(context.Background(), httpapi.Access{Status: 200})
	if got.Len() == 0 {
		t.Error("New(nil) did not log to slog.Default()")
	}
}
