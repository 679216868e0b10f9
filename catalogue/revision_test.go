package catalogue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// revisionOf returns the revision of a collection.
func revisionOf(t *testing.T, c catalogue.AnyCollection) uint64 {
	t.Helper()
	revision, err := c.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func TestRevisionContextDone(t *testing.T) {
	encoded, err := mustNew().Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		if _, err := encoded.Revision(ctx); !errors.Is(err, ctx.Err()) {
			t.Errorf("Revision: %v, want %v", err, ctx.Err())
		}
	}
}
