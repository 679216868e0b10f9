//go:build !pagecache

package main

import "github.com/gobacklist/backlist/httpapi"

// withoutPageCache returns options for a handler. It has no page cache.
func withoutPageCache() httpapi.Options { return httpapi.Options{} }
