package pgtest

import (
	"fmt"
	"testing"
)

func TestReplica(t *testing.T) {
	s := started(t)
	do(t, s, "CREATE TABLE rows (n int)")
	t.Cleanup(func() { do(t, s, "DROP TABLE rows") })
	setTempDir(t, `a "b" c's`)
	r, err := s.Replica()
	must(t, err)
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	if !ask[bool](t, r, "SELECT pg_is_in_recovery()") || ask[bool](t, s, "SELECT pg_is_in_recovery()") {
		t.Fatal("wrong result of pg_is_in_recovery()")
	}
	rows := 0
	insert := func() {
		t.Helper()
		do(t, s, "INSERT INTO rows VALUES (1)")
		rows++
	}
	await := func() {
		t.Helper()
		eventually(t, fmt.Sprintf("the replica has %d rows", rows), func() bool {
			return ask[int](t, r, "SELECT count(*) FROM rows") == rows
		})
	}

	t.Run("streams", func(t *testing.T) {
		insert()
		await()
	})
	t.Run("lags while it is paused", func(t *testing.T) {
		must(t, r.PauseReplay())
		insert()
		// Wait until the replica has received the row.
		written := ask[string](t, s, "SELECT pg_current_wal_flush_lsn()::text")
		eventually(t, "the replica received the row", func() bool {
			return ask[bool](t, r, "SELECT pg_last_wal_receive_lsn() >= '"+written+"'")
		})
		if got := ask[int](t, r, "SELECT count(*) FROM rows"); got != rows-1 {
			t.Errorf("rows of a paused replica = %d, want %d", got, rows-1)
		}
		must(t, r.ResumeReplay())
		await()
		must(t, r.ResumeReplay()) // not paused
	})
	t.Run("catches up after it was killed", func(t *testing.T) {
		must(t, r.Kill())
		insert()
		must(t, r.Start())
		await()
	})
	t.Run("reconnects to its primary", func(t *testing.T) {
		must(t, s.Kill())
		if got := ask[int](t, r, "SELECT count(*) FROM rows"); got != rows {
			t.Errorf("rows without the primary = %d, want %d", got, rows)
		}
		must(t, s.Start())
		insert()
		await()
	})
	t.Run("has a replica", func(t *testing.T) {
		second, err := r.Replica()
		must(t, err)
		insert()
		eventually(t, "the replica's replica has all rows", func() bool {
			return ask[int](t, second, "SELECT count(*) FROM rows") == rows
		})
		must(t, second.Stop())
	})
	t.Run("primary cannot be paused", func(t *testing.T) {
		if s.PauseReplay() == nil || s.ResumeReplay() == nil {
			t.Error("PauseReplay or ResumeReplay of a primary = nil, want an error")
		}
	})
}
