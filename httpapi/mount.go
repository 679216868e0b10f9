package httpapi

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// Mount registers h on mux for prefix+"/api" and prefix+"/api/", so that both
// /api and all below it reach the handler, behind [http.StripPrefix] if there
// is a prefix. Links of a [Handler] then carry the prefix.
//
// The prefix is "" or a decoded path such as "/shop": it begins with a slash,
// does not end with one, is clean ("//", "." and ".." are not) and has no
// braces, since those are wildcards to a mux. Any other prefix, a nil mux or
// handler, and a pattern that the mux refuses because it conflicts with one it
// has, give an [ErrInvalidConfig]; in the last case the first of the two paths may
// have been registered.
func Mount(mux *http.ServeMux, prefix string, h http.Handler) error {
	switch {
	case mux == nil:
		return fmt.Errorf("%w: nil mux", ErrInvalidConfig)
	case h == nil:
		return fmt.Errorf("%w: nil handler", ErrInvalidConfig)
	case prefix != "" && !validPrefix(prefix):
		return fmt.Errorf("%w: prefix %q is not a clean path like /shop", ErrInvalidConfig, prefix)
	}
	if prefix != "" {
		h = http.StripPrefix(prefix, h)
	}
	if err := register(mux, prefix+"/api", h); err != nil {
		return err
	}
	return register(mux, prefix+"/api/", h)
}

func validPrefix(prefix string) bool {
	return len(prefix) > 1 && prefix[0] == '/' && path.Clean(prefix) == prefix &&
		!strings.ContainsAny(prefix, "{}?#% \t\r\n")
}

// register turns the panic of a mux that refuses a pattern into an error.
func register(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrInvalidConfig, reason)
		}
	}()
	mux.Handle(pattern, h)
	return nil
}
