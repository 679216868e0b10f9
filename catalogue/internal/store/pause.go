//go:build !backlist_pause

package store

// pause does nothing. With the build tag backlist_pause, tests of interleavings wait at the
// places where it is called.
func pause() {}
