// Package freeport finds addresses for the servers that tests start.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Addresses returns n addresses on loopback at which nothing listens. Their ports are below those that
// systems choose for clients and for listeners without a port, so that no other test takes one before its
// server starts, or while it is down. The error is that of the last of a thousand ports that are in use.
func Addresses(n int) (list []string, err error) {
	for attempts := 0; len(list) < n; attempts++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			if attempts > 1000 {
				return nil, err
			}
			continue
		}
		defer l.Close() // so that all are different
		list = append(list, l.Addr().String())
	}
	return list, nil
}
