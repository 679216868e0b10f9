package crash_test

import (
	"math/rand/v2"
	"os"
	"testing"
)

// A mutation is a change of the program that a round must detect.
type mutation struct {
	reason string
	edits  []edit
	flags  []string
	fault  func(*round) error
	silent bool // only porcupine may detect it
}

// TestSerializable tests that stale pages are detected: nodes with -serializable serve
// some.
func TestSerializable(t *testing.T) {
	program, err := unedited()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []mutation{
		{reason: "by the checker", flags: []string{"-serializable"}, fault: readAfterWrite},
		{reason: "by porcupine", flags: []string{"-serializable"}, fault: readAfterWrite, silent: true},
	} {
		t.Run(m.reason, func(t *testing.T) { m.run(t, program, 10) })
	}
}

// TestMutations changes the source code of the store, one mutation at a time.
func TestMutations(t *testing.T) {
	for _, m := range []mutation{
		{
			reason: "a read does not wait for earlier writes",
			edits:  []edit{{"etcdstore/follow.go", "once.Do(func() { once.err = s.catchUp(ctx) })", "once.err = nil"}},
			fault:  readAfterWrite,
		},
		{
			reason: "a read asks only its own member for the revision",
			edits:  []edit{{"etcdstore/follow.go", "clientv3.WithKeysOnly())", "clientv3.WithKeysOnly(), clientv3.WithSerializable())"}},
			fault:  crowded(stopLeader),
		},
		{
			reason: "a write is acknowledged before it is stored",
			edits: []edit{{"etcdstore/draft.go", "got, err := d.store.client.Txn(ctx).If(conditions...).Then(ops...).Commit()",
				"go d.store.client.Txn(context.Background()).If(conditions...).Then(ops...).Commit()\n\tif ctx != nil {\n\t\treturn true, nil\n\t}\n\tgot, err := d.store.client.Txn(ctx).Commit()"}},
			fault: crowded(killOne),
		},
		{
			reason: "a transaction does not depend on the collections that it has read",
			edits:  []edit{{"etcdstore/draft.go", "If(conditions...).", "If(conditions[:1]...)."}},
			fault:  crowded(noFault),
		},
		{
			reason: "the highest id ever used is not stored",
			edits:  []edit{{"etcdstore/draft.go", "strconv.Itoa(d.lastIDs[key])", "strconv.Itoa(0*d.lastIDs[key])"}},
			fault:  killAfterDelete,
		},
	} {
		t.Run(m.reason, func(t *testing.T) {
			if os.Getenv(mutationsVariable) == "" {
				if _, err := overlayOf(t.TempDir(), m.edits...); err != nil {
					t.Fatal(err)
				}
				return
			}
			program, err := build(t.TempDir(), m.edits...)
			if err != nil {
				t.Fatal(err)
			}
			m.run(t, program, 20)
		})
	}
}

// run expects that one of the rounds fails.
func (m mutation) run(t *testing.T, program string, rounds int) {
	r := newRun(startCluster(t, program, m.flags...), rand.New(rand.NewPCG(rand.Uint64(), 0)))
	defer r.http.CloseIdleConnections()
	r.checker.silent = m.silent
	for i := range rounds {
		if err := r.round(m.fault); err != nil {
			t.Logf("detected in round %d: %.300v", i+1, err)
			return
		}
	}
	t.Errorf("not detected in %d rounds: %v", rounds, &r.checker.stats)
}
