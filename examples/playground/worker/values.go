//go:build js && wasm

package main

import (
	"net/http"
	"syscall/js"

	"github.com/gobacklist/backlist/examples/playground/internal/bridge"
)

// readRequest reads an object {method, url, headers: [[name, value]], body: Uint8Array}.
func readRequest(v js.Value) bridge.Request {
	req := bridge.Request{Method: v.Get("method").String(), URL: v.Get("url").String()}
	headers := v.Get("headers")
	for i := range headers.Length() {
		pair := headers.Index(i)
		req.Headers = append(req.Headers, []string{pair.Index(0).String(), pair.Index(1).String()})
	}
	body := v.Get("body")
	req.Body = make([]byte, body.Length())
	js.CopyBytesToGo(req.Body, body)
	return req
}

// writeResponse returns an object {status, statusText, headers, body}. The body is null if
// there must not be one.
func writeResponse(resp bridge.Response) js.Value {
	headers := make([]any, len(resp.Headers))
	for i, pair := range resp.Headers {
		headers[i] = []any{pair[0], pair[1]}
	}
	body := js.Null()
	if resp.Body != nil {
		body = bytesOf(resp.Body)
	}
	return js.ValueOf(map[string]any{
		"status":     resp.Status,
		"statusText": http.StatusText(resp.Status),
		"headers":    headers,
		"body":       body,
	})
}

// bytesOf returns a Uint8Array with a copy of data.
func bytesOf(data []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	return array
}
