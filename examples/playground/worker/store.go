//go:build js && wasm

package main

import (
	"context"
	"syscall/js"
)

// store is the house.Store of the worker. Promises cannot be cancelled, so it ignores
// contexts.
type store struct{ worker js.Value }

func (s store) Load(_ context.Context, name string) ([]byte, error) {
	array, err := await(s.worker.Call("load", name))
	if err != nil {
		return nil, err
	}
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return data, nil
}

func (s store) Save(_ context.Context, name string, data []byte) error {
	_, err := await(s.worker.Call("save", name, bytesOf(data)))
	return err
}

func (s store) Delete(context.Context) error {
	_, err := await(s.worker.Call("remove"))
	return err
}

// await waits for a promise and returns its value. If the promise is rejected, the error
// is a js.Error.
func await(promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	results := make(chan result, 1)
	fulfilled := js.FuncOf(func(_ js.Value, args []js.Value) any {
		results <- result{value: args[0]}
		return nil
	})
	defer fulfilled.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		results <- result{err: js.Error{Value: args[0]}}
		return nil
	})
	defer rejected.Release()
	promise.Call("then", fulfilled, rejected)
	r := <-results
	return r.value, r.err
}
