// Package accesslog writes one record of package log/slog for each request that a
// handler of package httpapi answers.
//
//	httpapi.Options{OnAccess: accesslog.New(slog.Default())}
//
// A record has the message "request" and the attributes method, status, bytes and
// duration; collection where there is one; and of pages limit, offset, ordering
// ("-start_date,name", if there is one) and count (if it is known). It has
// nothing else of what the client sent, so no token and no record gets into the
// log. Answers of 500 and more are logged at [slog.LevelError], aborted requests
// at [slog.LevelWarn], others at [slog.LevelInfo].
package accesslog

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// New returns a function for [httpapi.Options.OnAccess] that writes to a logger;
// nil is [slog.Default] at the time of the call. It may be called concurrently,
// as the logger may. What the logger's handler does not want at a level costs
// one call of Enabled.
func New(logger *slog.Logger) func(context.Context, httpapi.Access) {
	if logger == nil {
		logger = slog.Default()
	}
	return func(ctx context.Context, a httpapi.Access) {
		level := levelOf(a.Status)
		if !logger.Enabled(ctx, level) {
			return
		}
		var room [9]slog.Attr
		logger.LogAttrs(ctx, level, "request", attrs(room[:0], &a)...)
	}
}

func levelOf(status int) slog.Level {
	switch {
	case status == 0:
		return slog.LevelWarn
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	}
	return slog.LevelInfo
}

func attrs(list []slog.Attr, a *httpapi.Access) []slog.Attr {
	if a.Collection != "" {
		list = append(list, slog.String("collection", a.Collection))
	}
	list = append(list,
		slog.String("method", a.Method),
		slog.Int("status", a.Status),
		slog.Int("bytes", a.Bytes),
		slog.Duration("duration", a.Duration))
	if a.Window.Limit > 0 { // a page
		list = append(list, slog.Int("limit", a.Window.Limit), slog.Int("offset", a.Window.Offset))
	}
	if len(a.Ordering) > 0 {
		list = append(list, slog.String("ordering", ordering.Format(a.Ordering)))
	}
	if a.Count >= 0 {
		list = append(list, slog.Int("count", a.Count))
	}
	return list
}
