package main

import (
	"net"
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
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	dir, valid := t.TempDir(), file(`{"books":[]}`)
	truncated, repeated := file(`{"books":[`), file(`{"books":[{"id":1},{"id":1}]}`)
	type row struct {
		reason string
		args   []string
		want   string // in the message
	}
	refused := []row{
		{"address without a port", []string{"-addr", "localhost"}, "localhost"},
		{"port in use", []string{"-addr", busy.Addr().String()}, busy.Addr().String()},
		{"remedy for it", []string{"-addr", busy.Addr().String()}, "; -addr 127.0.0.1:0 chooses a free port"},
		{"control port in use", []string{"-control", busy.Addr().String()}, "; -control 127.0.0.1:0 chooses a free port"},
		{"control on all addresses", []string{"-control", ":8081"}, "127.0.0.1:8081"},
		{"control on another address", []string{"-control", "192.0.2.1:0"}, "127.0.0.1:0"},
		{"control on a name", []string{"-control", "shop.example:0"}, "-control"},
		{"control without a port", []string{"-control", "127.0.0.1"}, "missing port"},
	}
	invalid := []row{
		{"port of json-server", []string{"--port", "80"}, "unknown flag -port: write -addr 127.0.0.1:PORT"},
		{"flag of json-server after the file", []string{"db.json", "--watch"}, "unknown flag -watch: a file is always watched"},
		{"mistyped flag", []string{"-tokne", "s3cret"}, "unknown flag -tokne: did you mean -token?"},
		{"mistyped flag with its value", []string{"-open", "--max_limits=3"}, "unknown flag -max_limits: did you mean -max-limit?"},
		{"flag of nothing", []string{"-x"}, "unknown flag -x: want one of -addr, "},
		{"unexpected argument", []string{"-data", "", valid, "house.json"}, `unexpected argument "house.json"`},
		{"file and its collections beside flags for generated records", []string{valid}, valid + " cannot be combined with"},
		{"missing file as argument", []string{"-data", "", "missing.json"}, "missing.json: no such file or directory: want a JSON file"},
		{"mistyped flag after a file", []string{"-data", "", valid, "-opne"}, "did you mean -open?"},
		{"save to another file that exists", []string{"-data", "", valid, "-save", truncated}, "serve it, with -save alone"},
		{"save without a file", []string{"-data", "", "-save"}, "flag needs an argument: -save"},
		{"missing file", []string{"-data", filepath.Join(t.TempDir(), "missing.json")}, "missing.json"},
		{"directory instead of a file", []string{"-data", dir}, dir},
		{"truncated file", []string{"-data", truncated}, truncated},
		{"repeated id in a file", []string{"-data", repeated}, "record 1"},
		{"file and seed", []string{"-data", valid, "-seed", "7"}, "-data"},
		{"file and size", []string{"-books", "0", "-data", valid}, "-data"},
		{"file and import", []string{"-data", valid, "-import", "http://127.0.0.1:1"}, "-import and -data"},
		{"import and size", []string{"-import", "http://127.0.0.1:1"}, "-import cannot be combined"},
		{"import without a scheme", []string{"-data", "", "-import", "127.0.0.1:8080"}, "want a URL such as http://"},
		{"import with a query", []string{"-data", "", "-import", "http://127.0.0.1:1/?a=b"}, "want a URL such as http://"},
		{"import of a page", []string{"-data", "", "-import", "http://127.0.0.1:1/api/events"}, "want a URL such as http://"},
		{"negative seed", []string{"-seed", "-1"}, "-seed"},
		{"negative size", []string{"-events", "-1"}, "invalid value"},
		{"size is not a number", []string{"-others", "many"}, `"many"`},
		{"open and token", []string{"-open", "-token", "s3cret"}, "-open and -token"},
		{"limit of 0", []string{"-max-limit", "0"}, "-max-limit 0"},
		{"unknown style of pages", []string{"-pages", "number"}, "want offsets, numbers or cursors"},
		{"limit is not a number", []string{"-max-limit", "ten"}, "want a whole number such as 100"},
		{"base URL without a scheme", []string{"-base-url", "books.example"}, "books.example"},
		{"unknown version", []string{"-framework", "3.15"}, "want 3.14 or 3.18"},
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
		{"missing argument", []string{"-fail", "late"}, `want "late cut"`},
		{"argument that is not a number", []string{"-fail", "truncate x"}, `want "truncate 100"`},
		{"argument that is not a time", []string{"-fail", "GET delay 3"}, `want "delay 2s"`},
		{"negative time", []string{"-fail", "delay -1s"}, `want "delay 2s"`},
		{"quote without its end", []string{"-fail", `503 "busy`}, `"busy`},
		{"mistyped path", []string{"-fail", "/api/evnets/ cut"}, "did you mean /api/events/?"},
		{"path that is redirected", []string{"-fail", "/api/events cut"}, `want "/api/events/"`},
		{"path with a query", []string{"-fail", "/api/events/?limit=2 cut"}, `want "/api/events/"`},
		{"status of the library", []string{"-fail", "99"}, "want 200 to 999"},
		{"delay without a unit", []string{"-delay", "3"}, "want a time with its unit, such as 200ms or 3s"},
		{"no space before the path", []string{"-fail", "GET/x"}, "want a space before the path, as in 'GET /x 503'"},
		{"origin without a scheme", []string{"-cors", "localhost:5173"}, `such as "http://localhost:5173"`},
		{"origin with a path", []string{"-cors", "http://localhost:5173/"}, `such as "http://localhost:5173"`},
		{"origin with upper case", []string{"-cors", "https://Shop.example"}, `such as "http://localhost:5173"`},
		{"save over a file", []string{"-save", valid}, "-data " + valid},
		{"save to a directory", []string{"-save", dir}, dir},
		{"save into a missing directory", []string{"-save", filepath.Join(dir, "missing", "house.json")}, "missing"},
	}
	for i, tt := range append(refused, invalid...) {
		want := exitMisused
		if i < len(refused) {
			want = exitFailed
		}
		t.Run(tt.reason, func(t *testing.T) {
			var stdout, stderr strings.Builder
			args := append([]string{"-addr", "127.0.0.1:0"}, tt.args...)
			if !slices.Contains(tt.args, "-data") {
				args = few(args...)
			}
			if code := run(t.Context(), args, &stdout, &stderr); code != want || stdout.Len() > 0 {
				t.Errorf("exit code %d, want %d; stdout %q", code, want, stdout.String())
			}
			line := stderr.String()
			if !strings.HasPrefix(line, "backlist: ") || strings.Index(line, "\n") != len(line)-1 || !strings.Contains(line, tt.want) {
				t.Errorf("stderr = %q, want one line with %s", line, tt.want)
			}
		})
	}
}

// TestHelp checks that the usage has the flags and is not an error.
func TestHelp(t *testing.T) {
	for _, name := range []string{"-h", "--help"} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), []string{name}, &stdout, &stderr)
		if code != exitOK || stderr.Len() > 0 || !strings.Contains(stdout.String(), "-fail FAULT") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", name, code, stdout.String(), stderr.String())
		}
	}
}
