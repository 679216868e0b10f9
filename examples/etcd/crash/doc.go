// Package crash tests that a node that is killed or stopped loses no write and serves no
// wrong page. It has no API. Its tests build the program of examples/etcd, start three
// nodes on loopback, and send requests to all of them while one is killed with SIGKILL
// and started again, or while the leader is stopped with SIGSTOP and continued.
//
// 64 walkers read a collection page by page. A checker of all writes checks every page:
// which records it may have, which it must have, their bytes, and their positions. Four
// writers create, change, delete and read records. Porcupine decides whether all writes
// and some of the reads are linearizable.
//
// A write without an answer, or with an answer of 503, may take effect later or never.
// It stays possible in all later rounds, until its effect is seen.
//
// SIGKILL does not end the machine: the tests do not show that a member syncs its files.
//
// Environment variables configure the tests:
//
//   - BACKLIST_ETCD_KILLS is the number of kills under load. The default is 3.
//   - BACKLIST_ETCD_STOPS is the number of times the leader is stopped. The default is 1.
//   - BACKLIST_ETCD_SEED is the seed of the random operations and faults. Runs with the
//     same seed still differ in the scheduling of processes.
//   - BACKLIST_ETCD_MUTATIONS=1 makes TestMutations change the source code of the store
//     and expect that the other tests detect it. Otherwise it only checks that each
//     change applies.
package crash
