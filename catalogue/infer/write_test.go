package infer_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

const smallFile = `{"posts":[{"id":1,"title":"a","authorId":2}],"authors":[{"id":2,"name":"b"}]}`

// TestWrite writes files: what was served is in the form that the file had.
func TestWrite(t *testing.T) {
	for _, row := range []struct{ reason, file, want string }{ // want is "" if it is the file
		{"collections", smallFile + "\n", ""},
		{"indented", "{\n  \"posts\": [\n    {\n      \"id\": 1\n    }\n  ]\n}\n", ""},
		{"indented by a tab", "[\n\t{\n\t\t\"id\": 1\n\t}\n]\n", ""},
		{"an object", `{"profile":{"name":"a"},"posts":[]}` + "\n", ""},
		{"an object with an id", `{"profile":{"name":"a","id":7},"posts":[]}` + "\n", ""},
		{"one record", `{"name":"a","n":1.50}` + "\n", ""},
		{"a list", `[{"id":"b","n":1e5},{"id":"c"}]` + "\n", ""},
		{"no records", "[]\n", ""},
		{"members that are not served", `{"version":[1,2],"posts":[],"v":null}` + "\n", ""},
		{"ids that become texts", `{"posts":[{"id":-1,"authorId":0},{"id":"a"},{"id":1.0}],"authors":[{"id":0}]}` + "\n",
			""},
		{"records without ids", `[{"a":1},{"id":3}]` + "\n", `[{"id":4,"a":1},{"id":3}]` + "\n"},
		{"JSON lines", "{\"id\":1}\n{\"id\":2,\"a\":[1]}\n", ""},
		{"a byte order mark", "\ufeff{\"posts\":[{\"id\":1}]}\n", ""},
		{"gzip", packed(t, smallFile+"\n"), ""},
	} {
		if diff := gocmp.Diff(cmp.Or(row.want, row.file), serve(t, row.file).written()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
