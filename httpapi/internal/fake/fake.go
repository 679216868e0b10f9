// Package fake has what the fake servers of package cataloguetest and the checks of package
// clienttest share.
package fake

import (
	"crypto/tls"
	"strings"
	"time"
)

// InBubble reports whether the calling goroutine is in a bubble of testing/synctest. The
// times that time.Now returns there have no monotonic clock reading, so removing it does
// not change them. Unlike the date, this is true however long the bubble sleeps.
func InBubble() bool {
	now := time.Now()
	return now == now.Round(0)
}

// tlsState returns the state of an encrypted connection to host, for requests and responses
// that were not encrypted.
func tlsState(host string) *tls.ConnectionState {
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: host}
}

// Truncate shortens a text to a number of bytes, between two characters.
func Truncate(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + "…"
}
