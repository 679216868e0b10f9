package cataloguetest

import (
	"strings"
	"testing"
	"testing/fstest"
)

// FuzzFixtures checks that loading a fixture returns a consistent catalogue or an error
// that begins with the file name.
func FuzzFixtures(f *testing.F) {
	for _, seed := range []string{
		`[{"id": 1, "a": 1}, {"id": 1}]`, `{"results": [{"id": 2}, 5]}`, "{\"id\": 1}\n\n{\"id\": 0}\n", `{"books": [{"id": 1, "id": 2}], "news": null}`,
		"[\n{\"id\": 9223372036854775808}]", `{"n\u0061me": 1, "results": []}`, "\u00a0[]", "[{}]", "[", "", "\xff", `{"events": [{"id": 1, "name": {"a": [1]}}]}`,
	} {
		f.Add(seed, uint8(len(seed)))
	}
	names := []string{"books.json", "books.ndjson", "events.json", "server.json", "other.jsonl"}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		name := names[int(which)%len(names)]
		server := mustNew()
		err := loadFixtures(fstest.MapFS{name: {Data: []byte(text)}}, server)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fixtures: "+name) {
				t.Errorf("%s with %q: %v", name, text, err)
			}
			return
		}
		if err := server.Check(); err != nil {
			t.Error(err)
		}
	})
}
