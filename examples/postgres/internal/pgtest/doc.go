// Package pgtest runs PostgreSQL servers for tests. A server has its own temporary
// directory with a Unix socket and ends with the test. A test can kill it like a
// crash, start it again, freeze it, and add a streaming replica whose lag it controls.
//
//	db := pgtest.New(t)
//	conn, err := pgx.Connect(t.Context(), db.DSN("postgres"))
//
// Tests that share one server start it in TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(run(m)) }
//
//	func run(m *testing.M) int {
//		if _, err := pgtest.Find(); err != nil {
//			return m.Run() // each test calls [Require], which skips it
//		}
//		db, err := pgtest.Start(pgtest.Options{})
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			return 1
//		}
//		defer db.Stop()
//		...
//	}
//
// The package needs Unix. On other systems [Find] returns an error.
//
// # Settings of a server
//
// Text is ordered by the locale en-US of ICU, if available, and the time zone is
// Asia/Kathmandu, so that tests find statements that lack COLLATE "C" or assume UTC.
// Otherwise the server has the default settings, with a write-ahead log for replicas,
// and with fsync unless [Options] disables it. The only role is postgres, without a
// password. Other users have no access to the directory.
//
// # If the test process is killed
//
// A server has a guard, a shell that reads from a pipe whose other end the test
// process holds. When that process ends, for any reason, the guard stops the server,
// even a frozen one, and removes its directory. Linux's parent death signal does not
// suffice: it depends on the thread that started the server instead of the process,
// it does not end a frozen server, and it leaves the directory.
package pgtest
