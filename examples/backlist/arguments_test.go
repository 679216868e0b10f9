package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInvalidArguments(t *testing.T) {
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "house.json")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	dir, valid := t.TempDir(), file(`{"books":[]}`)
	truncated, repeated := file(`{"books":[`), file(`{"books":[{"id":1},{"id":1}],"magazines":[]}`)
	tests := []struct {
		reason string
		args   []string
		want   string // in the message
	}{
		{"unknown flag", []string{"-port", "80"}, "-port"},
		{"unexpected argument", []string{"house.json"}, `"house.json"`},
		{"address without a port", []string{"-addr", "localhost"}, "localhost"},
		{"port out of range", []string{"-addr", "127.0.0.1:99999"}, "99999"},
		{"missing file", []string{"-data", filepath.Join(t.TempDir(), "missing.json")}, "missing.json"},
		{"directory instead of a file", []string{"-data", dir}, dir},
		{"truncated file", []string{"-data", truncated}, truncated},
		{"repeated id in a file", []string{"-data", repeated}, "record 1"},
		{"file and seed", []string{"-data", valid, "-seed", "7"}, "-data"},
		{"file and size", []string{"-books", "0", "-data", valid}, "-data"},
		{"negative seed", []string{"-seed", "-1"}, "-seed"},
		{"negative size", []string{"-events", "-1"}, "-events"},
		{"size is not a number", []string{"-others", "many"}, `"many"`},
		{"open and token", []string{"-open", "-token", "s3cret"}, "-open and -token"},
		{"empty token", []string{"-token", ""}, "-token"},
		{"token with a space", []string{"-token", "two words"}, "-token"},
		{"limit of 0", []string{"-max-limit", "0"}, "-max-limit 0"},
		{"limit is not a number", []string{"-max-limit", "ten"}, `"ten"`},
		{"base URL without a scheme", []string{"-base-url", "books.example"}, "books.example"},
		{"invalid boolean", []string{"-open=perhaps"}, "perhaps"},
		{"missing value", []string{"-token"}, "-token"},
		{"fault without a name", []string{"-fail", "GET /api/events/"}, `want one such as 503`},
		{"method in lower case", []string{"-fail", "get cut"}, `want "GET"`},
		{"unknown fault", []string{"-fail", "mising-row"}, "did you mean missing-row?"},
		{"unknown number", []string{"-fail", "cut nth2"}, "nth=2"},
		{"unknown name of a number", []string{"-fail", "cut ntth=2"}, "nth"},
		{"number 0", []string{"-fail", "cut nth=0"}, "nth=2"},
		{"share without its sign", []string{"-fail", "503 10"}, "10%"},
		{"share of nothing", []string{"-fail", "503 0%"}, `"0%"`},
		{"share that is not a number", []string{"-fail", "503 NaN%"}, `"NaN%"`},
		{"missing argument", []string{"-fail", "slow 100"}, `want "slow 100 50ms"`},
		{"argument that is not a number", []string{"-fail", "truncate x"}, `want "truncate 100"`},
		{"argument that is not a time", []string{"-fail", "GET delay 3"}, `want "delay 2s"`},
		{"negative time", []string{"-fail", "delay -1s"}, `want "delay 2s"`},
		{"quote without its end", []string{"-fail", `503 "busy`}, `"busy`},
		{"path that is redirected", []string{"-fail", "/api/events cut"}, `want "/api/events/"`},
		{"path with a query", []string{"-fail", "/api/events/?limit=2 cut"}, `want "/api/events/"`},
		{"status of the library", []string{"-fail", "99"}, "want 200 to 999"},
		{"delay without a unit", []string{"-delay", "200"}, "200ms"},
		{"origin without a scheme", []string{"-cors", "localhost:5173"}, `want "http://localhost:5173"`},
		{"origin with a path", []string{"-cors", "http://localhost:5173/"}, `want "http://localhost:5173"`},
		{"origin with upper case and the default port", []string{"-cors", "https://Shop.example:443"}, `want "https://shop.example"`},
		{"second origin", []string{"-cors", "http://localhost,"}, "-cors"},
		{"control on all addresses", []string{"-control", ":8081"}, `want "127.0.0.1:8081"`},
		{"control on another address", []string{"-control", "192.0.2.1:0"}, `want "127.0.0.1:0"`},
		{"control on a name", []string{"-control", "shop.example:0"}, `want "127.0.0.1:0"`},
		{"control without a port", []string{"-control", "127.0.0.1"}, "127.0.0.1:0"},
		{"empty control", []string{"-control", ""}, "-control"},
		{"save over a file", []string{"-save", valid}, "-data " + valid},
		{"save to a directory", []string{"-save", dir}, dir},
		{"save into a missing directory", []string{"-save", filepath.Join(dir, "missing", "house.json")}, "missing"},
		{"save to a missing file of records", []string{"-data", filepath.Join(dir, "house.json"), "-save", filepath.Join(dir, "house.json")}, "without -data"},
		{"interval without a file", []string{"-save-every", "1s"}, "-save"},
		{"negative interval", []string{"-save", filepath.Join(dir, "new.json"), "-save-every", "-1s"}, "-save-every -1s"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append([]string{"-addr", "127.0.0.1:0"}, tt.args...)
			if !slices.Contains(tt.args, "-data") {
				args = few(args...)
			}
			if code := run(context.Background(), args, &stdout, &stderr); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout = %q, want nothing", &stdout)
			}
			line := stderr.String()
			if !strings.HasPrefix(line, "backlist: ") || strings.Index(line, "\n") != len(line)-1 || !strings.Contains(line, tt.want) {
				t.Errorf("stderr = %q, want one line with %s", line, tt.want)
			}
		})
	}
}
