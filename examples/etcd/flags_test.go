package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
)

func TestInvalidArguments(t *testing.T) {
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"unexpected argument", []string{"books"}, `unexpected argument "books"`},
		{"unknown flag", []string{"-x"}, "not defined"},
		{"two authorizers", []string{"-open", "-token", "t"}, "-open and -token"},
		{"no key", []string{"-cert", "c"}, "-cert and -key"},
		{"no certificate", []string{"-key", "k"}, "-cert and -key"},
		{"client in a cluster", []string{"-endpoints", "http://x", "-cluster", "n1=http://x"}, "-endpoints cannot be combined"},
		{"client that joins", []string{"-endpoints", "http://x", "-join", "http://x"}, "-endpoints cannot be combined"},
		{"no time", []string{"-timeout", "0s"}, "-timeout is not positive"},
		{"prefix", []string{"-prefix", "house"}, `-prefix "house" does not end with a slash`},
		{"TLS for clients only", []string{"-cert", "c", "-key", "k", "-ca", "a", "-client", "https://x"}, "-peer must begin with https:"},
		{"TLS for peers only", []string{"-cert", "c", "-key", "k", "-ca", "a", "-peer", "https://x"}, "-client must begin with https:"},
		{"https without a certificate", []string{"-peer", "https://127.0.0.1:0"}, "-peer must begin with https:"},
		{"no authorities", []string{"-cert", "c", "-key", "k", "-peer", "https://x", "-client", "https://x"}, "needs -ca"},
		{"three with a name", []string{"-three", "-name", "n1"}, "-name cannot be combined with -three"},
		{"three clients", []string{"-three", "-endpoints", "http://x"}, "-endpoints cannot be combined with -three"},
		{"three with TLS", []string{"-three", "-cert", "c", "-key", "k"}, "cannot be combined with -three"},
		{"three without a port", []string{"-three", "-addr", "127.0.0.1"}, "-addr"},
		{"three with a directory and port 0", []string{"-three", "-addr", "127.0.0.1:0", "-dir", "d"}, "port 0"},
		{"invalid peer URL", []string{"-peer", ":"}, "-peer"},
		{"missing certificate", []string{"-endpoints", "https://127.0.0.1:1", "-cert", "/nonexistent", "-key", "/nonexistent"}, "/nonexistent"},
	} {
		t.Chdir(t.TempDir())
		err := run(t.Context(), row.args, strings.NewReader(""), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: run(%q) = %v, want an error with %q", row.reason, row.args, err, row.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run(-h) = %v, want %v", err, flag.ErrHelp)
	}
}
