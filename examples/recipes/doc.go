// Package recipes shows how to mount an httpapi.Handler on routers, behind a proxy and
// below middleware, and how to restrict it to the records of a user. Each file is one recipe, and
// its test checks the whole service through it. The README has a summary.
package recipes
