// Package recipes shows how to mount an httpapi.Handler on routers, behind a proxy and
// below middleware. Each file is one recipe, and its test checks the whole service through
// it. The README has a summary.
package recipes
