// Package recipes shows how to mount an httpapi.Handler on routers, behind a proxy and
// below middleware, how to restrict it to the records of a user or of another record, how to
// accept other bodies, how to keep passwords, sessions and other records with a key, and how to
// follow changes. Each file is one recipe, with a test. The README has a summary.
package recipes
