package main

import (
	"os"
	"path/filepath"
	"testing"
)

// toolsDirectory is the variable with the directory in which the npm packages of
// tools/package.json are installed.
const toolsDirectory = "BACKLIST_OPENAPI_TOOLS"

// tools returns the directory with the commands of the npm packages. Without
// BACKLIST_OPENAPI_TOOLS the test is skipped.
func tools(t *testing.T) (modules string) {
	t.Helper()
	dir := os.Getenv(toolsDirectory)
	if dir == "" {
		t.Skipf("%s is not set: run npm ci --ignore-scripts in a copy of the directory tools, and set it to that copy", toolsDirectory)
	}
	return filepath.Join(dir, "node_modules")
}

// tool returns the path of a command of an npm package.
func tool(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(tools(t), ".bin", name)
}
