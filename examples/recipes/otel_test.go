package recipes

import (
	"slices"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/gobacklist/backlist/httpapi"
)

func TestTrace(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	spans := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	h := Trace(newHandler(t, httpapi.Options{OnAccess: NameSpan}), spans)
	check(t, h, "")
	recorder.Reset()
	s := serve(t, h, "")
	for _, target := range []string{"films/?limit=5&offset=2", "films/99/", "nope/"} {
		s.do("GET", target, "")
	}
	var got []string
	for _, span := range recorder.Ended() {
		text := span.Name()
		for _, a := range span.Attributes() {
			if a.Key == "http.response.status_code" {
				text += " " + a.Value.String()
			}
		}
		got = append(got, text)
	}
	want := []string{"GET films 200", "GET films 404", "GET 404"}
	if !slices.Equal(got, want) {
		t.Errorf("spans\n%q, want\n%q", got, want)
	}
}
