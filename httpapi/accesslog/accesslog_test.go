package accesslog_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/accesslog"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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
	tests := []struct {
		reason string
		access httpapi.Access
		want   string
	}{
		{"page", httpapi.Access{Collection: "news", Method: "GET", Status: 200, Bytes: 12, Duration: time.Millisecond, Window: pagination.Window{Limit: 21, Offset: 42}, Ordering: []ordering.Term{ordering.Desc("start_date"), ordering.Asc("name")}, Count: 60},
			"level=INFO msg=request collection=news method=GET status=200 bytes=12 duration=1ms limit=21 offset=42 ordering=-start_date,name count=60\n"},
		{"empty collection", httpapi.Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 21}},
			"level=INFO msg=request collection=news method=GET status=200 bytes=0 duration=0s limit=21 offset=0 count=0\n"},
		{"no page", httpapi.Access{Method: "GET", Status: 404, Bytes: 23, Count: -1},
			"level=INFO msg=request method=GET status=404 bytes=23 duration=0s\n"},
		{"ignored parameters", httpapi.Access{Collection: "news", Method: "GET", Status: 200, Window: pagination.Window{Limit: 21}, Ignored: []string{"q", "a b\n"}},
			`level=INFO msg=request collection=news method=GET status=200 bytes=0 duration=0s limit=21 offset=0 count=0 ignored="[q a b\n]"` + "\n"},
		{"newline in the method", httpapi.Access{Method: "A\nlevel=ERROR", Status: 405, Count: -1},
			`level=INFO msg=request method="A\nlevel=ERROR" status=405 bytes=0 duration=0s` + "\n"},
		{"server error", httpapi.Access{Collection: "news", Method: "GET", Status: 503, Count: -1},
			"level=ERROR msg=request collection=news method=GET status=503 bytes=0 duration=0s\n"},
		{"aborted request", httpapi.Access{Collection: "news", Method: "GET", Count: -1},
			"level=WARN msg=request collection=news method=GET status=0 bytes=0 duration=0s\n"},
	}
	for _, test := range tests {
		var got bytes.Buffer
		accesslog.New(newLogger(&got, slog.LevelInfo))(context.Background(), test.access)
		if diff := cmp.Diff(test.want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestDisabledLevel(t *testing.T) {
	var got bytes.Buffer
	log := accesslog.New(newLogger(&got, slog.LevelError))
	log(context.Background(), httpapi.Access{Status: 200})
	if got.Len() > 0 {
		t.Errorf("logged %q at a disabled level", &got)
	}
	if allocs := testing.AllocsPerRun(100, func() { log(context.Background(), httpapi.Access{Status: 200}) }); allocs > 0 {
		t.Errorf("%v allocations, want 0", allocs)
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
