// Package pgtest runs a real PostgreSQL for the tests of a program: in a directory
// of its own, reached by nothing but a Unix socket there, and gone with the test.
// A test can kill it as a crash would, start it again, freeze it, and give it a
// streaming replica that lags for as long as the test likes.
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
// It is made for Unix; elsewhere [Find] returns an error, so that tests skip.
//
// # What the server is set to
//
// Text compares as people sort it (ICU's en-US, where this PostgreSQL has ICU) and
// the time zone is Asia/Kathmandu, three quarters of an hour off the others: so that
// a statement that forgot its COLLATE "C", or counts on UTC, is seen by a test.
// Otherwise it is as installed, with a write-ahead log that a replica can follow, and
// fsync on unless [Options] says no. The one role is postgres, without a password:
// the directory is closed to others.
//
// # When the test process is killed
//
// A server has a guard, a shell that does nothing but read from a pipe whose other
// end the test process holds. When that process is gone, whatever ended it, the
// guard stops the server, frozen or not, and removes its directory. A parent death
// signal of Linux would not do: it follows the thread that started the server, not
// the process, it does not reach what is frozen, and it leaves the directory.
package pgtest
