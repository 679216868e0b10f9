package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// exposedHeaders are the response headers that pages may read, besides those that the Fetch
// standard always permits.
const exposedHeaders = "Allow, ETag, Location, Retry-After, WWW-Authenticate"

// corsMethods are the methods that pages may use. Whether a collection has them is decided
// by the request itself, whose 405 a page can read.
const corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// allowOrigins returns a handler that permits pages of the given origins to send requests to
// next and to read the responses, by the CORS protocol of the Fetch standard. "*" permits
// all pages. Requests of other pages are passed on, because the protocol does not protect the
// server: the browser hides the responses. Package browse refuses those that write.
func allowOrigins(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	all := slices.Contains(origins, "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		if !all {
			header.Add("Vary", "Origin") // also of responses to other origins
		}
		if origin == "" || !all && !slices.Contains(origins, origin) {
			next.ServeHTTP(w, r)
			return
		}
		if all {
			header.Set("Access-Control-Allow-Origin", "*")
		} else {
			header.Set("Access-Control-Allow-Origin", origin)
			// For pages that always send cookies. The service has none.
			header.Set("Access-Control-Allow-Credentials", "true")
		}
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, r)
			return
		}
		header.Set("Access-Control-Expose-Headers", exposedHeaders)
		next.ServeHTTP(w, r)
	})
}

// preflight permits the request that a page is about to send, with any headers. The preflight
// itself does not reach the served handler, because no program has sent it.
func preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Add("Vary", "Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", corsMethods)
	if names := r.Header.Values("Access-Control-Request-Headers"); len(names) > 0 {
		header.Set("Access-Control-Allow-Headers", strings.Join(names, ","))
	}
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// sendingToken returns a handler that passes the requests of pages of other origins that carry
// the token themselves to api, and all others to pages, which add the token of the cookie and
// must therefore know the sender.
func sendingToken(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" && r.Header.Get("Authorization") != "" {
			api.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// trusting returns a protection that lets pages of the given origins write, although it
// rejects those of other sites. "*" and "null" let all pages write, unless a cookie can hold
// the token.
func trusting(origins []string, token string) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	for _, origin := range origins {
		if p.AddTrustedOrigin(origin) != nil { // it is not the origin of a site
			p = http.NewCrossOriginProtection()
			if token == "" {
				p.AddInsecureBypassPattern("/")
			}
			break
		}
	}
	return p
}

// addOrigins parses the value of -cors, a list of origins with commas. They are compared
// byte by byte, so they must be as browsers send them.
func (c *config) addOrigins(list string) error {
	for origin := range strings.SplitSeq(list, ",") {
		origin = strings.TrimSpace(origin)
		err := http.NewCrossOriginProtection().AddTrustedOrigin(origin)
		if err != nil && origin != "*" && origin != "null" || strings.ToLower(origin) != origin {
			return fmt.Errorf(`%q is not an origin such as "http://localhost:5173", or "*"`, origin)
		}
		c.cors = append(c.cors, origin)
	}
	return nil
}
