package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources/sample"
)

//go:embed static
var static embed.FS

// The files of Go that the start page shows.
var (
	//go:embed internal/house/films.go
	definitions string
	//go:embed internal/walk/walk_test.go
	clientTest string
)

// The names of files that the build makes.
const (
	workerName  = "sw.js"
	recordsName = "records.json" // made here, since that takes the worker half a second
	programName = "backlist.wasm.gz"
	missingName = "404.html" // only the host serves it
)

// contentPolicy is the Content-Security-Policy of the files. The start page has the same
// in a meta element for hosts that send no such header, which cannot contain frame-ancestors.
const (
	pagePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; frame-src 'self'; " +
		"connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'"
	contentPolicy = pagePolicy + "; frame-ancestors 'none'"
)

// A folder is the static files by name.
type folder map[string][]byte

// newFolder returns the files for a compiled program and the JavaScript that runs it.
func newFolder(wasm, runtime []byte) (folder, error) {
	files := make(folder)
	entries, err := static.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if files[entry.Name()], err = static.ReadFile("static/" + entry.Name()); err != nil {
			return nil, err
		}
	}
	if files[recordsName], err = sampleRecords(files["films.json"]); err != nil {
		return nil, err
	}
	delete(files, "films.json")
	fill(files, "index.html", "definitions", definitions)
	fill(files, "index.html", "test", clientTest)
	_, script, _ := strings.Cut(string(files[missingName]), "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	allowed := "script-src '" + integrity([]byte(script)) + "' "
	fill(files, missingName, "policy", strings.Replace(pagePolicy, "script-src ", allowed, 1))
	if files[programName], err = compress(wasm); err != nil {
		return nil, err
	}
	worker, err := newWorker(files, wasm)
	if err != nil {
		return nil, err
	}
	files[workerName] = slices.Concat(runtime, []byte("\n"), worker)
	return files, nil
}

// fill replaces a name in braces by a text in a page.
func fill(files folder, page, name, text string) {
	files[page] = bytes.Replace(files[page], []byte("{{"+name+"}}"), []byte(html.EscapeString(text)), 1)
}

// sampleRecords returns the records of the publishing house together with the films.
func sampleRecords(films []byte) ([]byte, error) {
	var records bytes.Buffer
	if err := sample.Write(&records, sample.Options{}); err != nil {
		return nil, err
	}
	publisher := bytes.TrimSuffix(bytes.TrimSpace(records.Bytes()), []byte("}"))
	return slices.Concat(publisher, []byte(",\n"), bytes.TrimPrefix(films, []byte("{"))), nil
}

// newWorker returns the script of the service worker with its constants. It has the hashes of the
// other files that it serves, so that a worker never uses the files of another version. It
// changes if and only if a file does, which is how browsers find a new version.
func newWorker(files folder, wasm []byte) ([]byte, error) {
	hashes := make(map[string]string)
	version := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != workerName && name != missingName {
			hashes[requestName(name)] = integrity(files[name])
		}
		fmt.Fprintf(version, "%s %x\n", name, sha256.Sum256(files[name]))
	}
	hashes[programName] += " " + integrity(wasm) // if the host decompresses it
	worker := string(files[workerName])
	for _, constant := range []struct {
		name, empty string
		value       any
	}{
		{"files", "{}", hashes},
		{"sizes", "[]", []int{len(files[programName]), len(wasm)}},
		{"version", `""`, fmt.Sprintf("%.8x", version.Sum(nil))},
		{"policy", `""`, contentPolicy},
	} {
		value, err := json.Marshal(constant.value)
		if err != nil {
			return nil, err
		}
		old := "\nconst " + constant.name + " = " + constant.empty
		before, after, found := strings.Cut(worker, old)
		if !found {
			return nil, fmt.Errorf("%s does not contain %q", workerName, old)
		}
		worker = before + "\nconst " + constant.name + " = " + string(value) + after
	}
	return []byte(worker), nil
}

// requestName returns the relative URL of a file. Hosts redirect index.html to its directory.
func requestName(name string) string {
	if name == "index.html" {
		return "./"
	}
	return name
}

// integrity returns the hash of a file in the form that fetch accepts.
func integrity(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func compress(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// write writes the files to a directory. The worker comes last: browsers that look for a
// new version in the meantime find a complete one.
func (f folder) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(f))
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == workerName }), workerName)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".new", f[name], 0o644); err != nil {
			return err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return err
		}
	}
	return nil
}
