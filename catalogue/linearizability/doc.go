// Package linearizability has no API. Its tests check with porcupine that the
// collections of package catalogue, and the answers of package httpapi over them,
// are linearizable.
package linearizability
