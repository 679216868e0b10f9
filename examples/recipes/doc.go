// Package recipes shows how to mount an httpapi.Handler on routers, behind a proxy and
// below middleware, how to restrict it to the records of a user or of another record, how to
// accept other bodies, and how to keep passwords, sessions and other records with a key. Each
// file is one recipe, with a test. The README has a summary.
package recipes
