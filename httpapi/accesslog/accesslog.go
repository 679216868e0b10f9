// Package accesslog logs the requests to a handler of package httpapi with log/slog.
//
//	httpapi.Options{OnAccess: accesslog.New(slog.Default())}
//
// Each request results in one log record with the message "request" and the attributes
// method, status, bytes and duration. The attribute collection comes first if a collection has
// the path. Log records contain nothing else from the request, so no credentials or catalogue
// records are logged.
//
// Responses with status 500 and above are logged at [slog.LevelError], aborted
// requests at [slog.LevelWarn], all others at [slog.LevelInfo].
package accesslog

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
)

// New returns a function for [httpapi.Options.OnAccess] that logs to logger. If logger
// is nil, it uses the [slog.Default] at the time of the call to New. The function is
// safe for concurrent use. If the level of a request is disabled, it calls only the
// logger's Enabled method.
func New(logger *slog.Logger) func(context.Context, httpapi.Access) {
	if logger == nil {
		logger = slog.Default()
	}
	return func(ctx context.Context, a httpapi.Access) {
		level := levelOf(a.Status)
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := [...]slog.Attr{
			slog.String("collection", a.Collection),
			slog.String("method", a.Method),
			slog.Int("status", a.Status),
			slog.Int("bytes", a.Bytes),
			slog.Duration("duration", a.Duration),
		}
		from := 0
		if a.Collection == "" {
			from = 1
		}
		logger.LogAttrs(ctx, level, "request", attrs[from:]...)
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
