// Package idna stands for golang.org/x/net/idna in the program of the service worker: browsers have
// converted the names of hosts to ASCII.
package idna

import (
	"errors"
	"strings"
)

// A Profile is the only one.
type Profile struct{}

// Lookup is a Profile.
var Lookup = Profile{}

// ToASCII returns a name in ASCII unchanged, and an error for others.
func (Profile) ToASCII(host string) (string, error) { return ToASCII(host) }

// ToASCII returns a name in ASCII unchanged, and an error for others.
func ToASCII(host string) (string, error) {
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		return "", errors.New("idna: the name of the host is not in ASCII")
	}
	return host, nil
}
