package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// checkPath returns an error if no request that the service answers can have the path.
func checkPath(path string, p paths) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("Where.Path: %q does not begin with a slash; want %s", path, suggestPath(path))
	}
	if front, _, ok := cutAny(path, "?#"); ok {
		return fmt.Errorf("Where.Path: %q has a query or a fragment; want %q, or a Page", path, front)
	}
	if isPattern(path) {
		if _, err := newPathPattern(path); err != nil {
			return fmt.Errorf("Where.Path: %q is not a pattern of http.ServeMux: %w", path, err)
		}
	}
	if p.isServed(wildcard.ReplaceAllString(path, "1") + "/") {
		return fmt.Errorf("Where.Path: the service redirects %q; want %q", path, path+"/")
	}
	return nil
}

// suggestPath returns what a test may have meant by a path without a slash in front.
func suggestPath(text string) string {
	if method, path, ok := strings.Cut(text, " "); ok && isToken(method) {
		return fmt.Sprintf("Where{Method: %q, Path: %q}", method, path)
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return fmt.Sprintf("%q", u.Path)
	}
	front, _, _ := cutAny(text, "?#")
	return fmt.Sprintf("%q", "/"+front)
}

// cutAny cuts text before the first of the given characters.
func cutAny(text, chars string) (front, rest string, found bool) {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return text[:i], text[i:], true
	}
	return text, "", false
}

// wildcard matches a wildcard of a pattern of http.ServeMux.
var wildcard = regexp.MustCompile(`\{[^{}/]*\}`)

// isPattern reports whether a path is a pattern.
func isPattern(path string) bool { return strings.ContainsAny(path, "{}") }

// A pathPattern matches requests by a pattern of http.ServeMux without method and host.
type pathPattern struct{ mux *http.ServeMux }

func newPathPattern(pattern string) (p pathPattern, err error) {
	defer func() {
		if reason := recover(); reason != nil { // of an invalid pattern
			err = fmt.Errorf("%v", reason)
		}
	}()
	p.mux = http.NewServeMux()
	p.mux.Handle(pattern, matched{})
	return p, nil
}

// matches reports whether the path of a request matches. The mux redirects some of the
// requests that do not.
func (p pathPattern) matches(r *http.Request) bool {
	handler, _ := p.mux.Handler(r)
	_, ok := handler.(matched)
	return ok
}

// matched is the handler of requests that match.
type matched struct{}

func (matched) ServeHTTP(http.ResponseWriter, *http.Request) {}
