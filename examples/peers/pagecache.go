//go:build pagecache

package main

import "github.com/gobacklist/backlist/httpapi"

// withoutPageCache returns options for a handler of an earlier revision, which has
// a page cache unless it is told to have none.
func withoutPageCache() httpapi.Options { return httpapi.Options{MaxCache: -1} }
