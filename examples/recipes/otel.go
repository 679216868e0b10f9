package recipes

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/gobacklist/backlist/httpapi"
)

// Trace makes a span of each request. The handler names it with [NameSpan].
func Trace(h http.Handler, spans trace.TracerProvider) http.Handler {
	return otelhttp.NewHandler(h, "catalogue", otelhttp.WithTracerProvider(spans))
}

// NameSpan is an Options.OnAccess that names the span of a request after its method and
// collection. Both have few values, unlike paths and queries.
func NameSpan(ctx context.Context, a httpapi.Access) {
	span := trace.SpanFromContext(ctx)
	if a.Collection == "" {
		return
	}
	span.SetName(a.Method + " " + a.Collection)
	span.SetAttributes(attribute.String("backlist.collection", a.Collection))
}
