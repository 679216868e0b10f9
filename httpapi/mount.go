package httpapi

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// Mount registers h on mux for prefix+"/api/" and prefix+"/api", or for another root if h
// has a method Root() string, as a [Handler] has. If prefix is not empty, Mount wraps h in
// [http.StripPrefix]. The links of a Handler contain the prefix unless it has a BaseURL.
//
// The prefix is empty or a decoded path such as "/shop". It must begin with a slash and
// not end with one, be clean in the sense of [path.Clean], and contain neither white space
// nor any of the characters {}?#%.
//
// Mount returns an error wrapping [ErrInvalidConfig] if mux or h is nil, the prefix is
// invalid, or a pattern conflicts with one that is already registered. In the
// last case the first of the two patterns may have been registered.
func Mount(mux *http.ServeMux, prefix string, h http.Handler) error {
	switch {
	case mux == nil:
		return fmt.Errorf("%w: nil mux", ErrInvalidConfig)
	case h == nil:
		return fmt.Errorf("%w: nil handler", ErrInvalidConfig)
	case prefix != "" && !validPrefix(prefix):
		return fmt.Errorf("%w: prefix %q is not a clean path like /shop", ErrInvalidConfig, prefix)
	}
	root := defaultRoot
	if rooted, ok := h.(interface{ Root() string }); ok {
		root = rooted.Root()
	}
	if prefix != "" {
		h = http.StripPrefix(prefix, h)
	}
	if root != "/" {
		if err := register(mux, prefix+strings.TrimSuffix(root, "/"), h); err != nil {
			return err
		}
	}
	return register(mux, prefix+root, h)
}

// defaultRoot is the documented path of the root listing.
const defaultRoot = "/api/"

// checkRoot returns the path of the root listing, or an error.
func checkRoot(root string) (string, error) {
	switch {
	case root == "":
		return defaultRoot, nil
	case root == "/", strings.HasSuffix(root, "/") && validPrefix(strings.TrimSuffix(root, "/")) && isPlain(root):
		return root, nil
	}
	return "", fmt.Errorf("%w: Root %q is not a clean path in ASCII that ends in a slash, like /v1/", ErrInvalidConfig, root)
}

func validPrefix(prefix string) bool {
	return len(prefix) > 1 && prefix[0] == '/' && path.Clean(prefix) == prefix &&
		!strings.ContainsAny(prefix, "{}?#% \t\r\n")
}

// register registers a pattern. It returns an error if [http.ServeMux.Handle] panics.
func register(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrInvalidConfig, reason)
		}
	}()
	mux.Handle(pattern, h)
	return nil
}
