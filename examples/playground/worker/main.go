//go:build js && wasm

// Worker is the program of the playground's service worker, which sw.js starts. It finds
// the functions of the worker in the global object playground: scope is the URL of its
// scope, load, save and remove are a store whose functions return promises, started is
// called with the function that answers requests, and failed with the text of an error.
package main

import (
	"context"
	"log"
	"os"
	"syscall/js"

	"github.com/gobacklist/backlist/examples/playground/internal/bridge"
	"github.com/gobacklist/backlist/examples/playground/internal/house"
)

func main() {
	errorLog := log.New(os.Stderr, "playground: ", 0) // the console
	worker := js.Global().Get("playground")
	b, err := open(worker, errorLog)
	if err != nil {
		worker.Call("failed", err.Error())
		return
	}
	worker.Call("started", js.FuncOf(func(_ js.Value, args []js.Value) any {
		req, done := readRequest(args[0]), args[1]
		go func() { done.Invoke(writeResponse(b.Answer(context.Background(), req))) }()
		return nil // the event loop continues while the goroutine waits
	}))
	select {}
}

func open(worker js.Value, errorLog *log.Logger) (*bridge.Bridge, error) {
	handler, err := house.Open(context.Background(), store{worker}, errorLog)
	if err != nil {
		return nil, err
	}
	return bridge.New(handler, worker.Get("scope").String(), errorLog)
}
