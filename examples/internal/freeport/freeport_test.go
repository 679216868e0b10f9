package freeport

import (
	"net"
	"slices"
	"testing"
)

func TestAddresses(t *testing.T) {
	list, err := Addresses(20)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range list {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if port := l.Addr().(*net.TCPAddr).Port; port < 10_000 || port >= 30_000 {
			t.Errorf("port %d, want one that systems do not choose", port)
		}
	}
	if slices.Sort(list); len(slices.Compact(list)) != 20 {
		t.Errorf("an address is repeated in %q", list)
	}
}
