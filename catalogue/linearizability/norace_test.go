//go:build !race

package linearizability_test

func ignoreSynchronization(bool) {}
