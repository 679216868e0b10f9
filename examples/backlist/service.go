package main

import (
	"log"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// A service makes the handlers of houses.
type service struct {
	config
	errorLog *log.Logger
	document http.Handler
}

// api returns the handler of the collections. If there is a base URL, prefix follows it in
// links. Otherwise links begin with the prefix of the request.
func (s *service) api(records *catalogue.Catalogue, prefix string) (*httpapi.Handler, error) {
	base := s.baseURL
	if base != "" {
		base = strings.TrimRight(base, "/") + prefix
	}
	return httpapi.New(records, httpapi.Options{
		Authorizer: s.authorizer(),
		BaseURL:    base,
		Limits:     s.limits,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			s.errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
}

// routes returns a handler for the API, the HTML pages and, if prefix is empty, the OpenAPI
// document, whose paths have no prefix.
func (s *service) routes(records *catalogue.Catalogue, prefix string) (http.Handler, error) {
	collections, err := s.api(records, prefix)
	if err != nil {
		return nil, err
	}
	var api http.Handler = collections
	if s.browse {
		if api, err = browse.New(api, browse.Options{CrossOrigin: trusting(s.cors)}); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/openapi.json" && prefix == "":
			s.document.ServeHTTP(w, r)
		case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			// Relative to the URL of the request, which may have a prefix.
			w.Header().Set("Location", "api/")
			w.WriteHeader(http.StatusFound)
		default:
			api.ServeHTTP(w, r)
		}
	}), nil
}
