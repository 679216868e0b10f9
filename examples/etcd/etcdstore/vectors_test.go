package etcdstore_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
)

const (
	recorded    = "../../../httpapi/testdata/"
	recordedOwn = "../../../httpapi/testdata/own/" // of the collections of films
)

// A vector is a request and the recorded response, in which {base} is the URL of the
// service.
type vector struct {
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           content
	}
	Want struct {
		Status  int
		Headers map[string]string // only those that are compared
		Body    *content
		Page    *struct{ SHA256 string }
	}
}

type content struct {
	Text   string
	Base64 []byte
}

// bytes returns the recorded bytes.
func (c content) bytes() []byte { return append([]byte(c.Text), c.Base64...) }

// TestVectors replays recorded requests in order and compares the responses, byte for
// byte. The records are loaded through node 2. Each write is sent to one node, the next
// write to the next one, and all other requests are sent to all nodes.
func TestVectors(t *testing.T) {
	open, err := openFilms()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason      string
		definitions []etcdstore.Definition
		dir         string
		n           int
	}{
		{"the collections of the service", nil, recorded, 1159},
		{"collections of a program's own types", typedFilms(), recordedOwn, 1217},
		{"collections of a program with open records", open, recordedOwn, 1217},
	} {
		t.Run(row.reason, func(t *testing.T) {
			n := newNodes(t, row.definitions, httpapi.Options{Authorizer: httpapi.AllowAll})
			n.loadFile(t, 1, row.dir+"dataset.json")
			if got := n.replay(t, row.dir+"vectors.jsonl"); got != row.n {
				t.Errorf("replayed %d of %d requests", got, row.n)
			}
			n.compare(t)
		})
	}
}

// replay sends the requests of a file and returns their number.
func (n *nodes) replay(t *testing.T, name string) (lines int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	writes := 0
	for decoder := json.NewDecoder(file); ; lines++ {
		var v vector
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return lines
		} else if err != nil {
			t.Fatalf("line %d: %v", lines+1, err)
		}
		handlers := n.handlers
		if isWrite(v.Request.Method) {
			handlers = n.handlers[writes%3 : writes%3+1]
			writes++
		}
		for i, handler := range handlers {
			if diff := cmp.Diff(v.wanted(), v.send(handler)); diff != "" {
				t.Errorf("line %d: %s %s, handler %d of %d (-want +got):\n%s", lines+1, v.Request.Method, v.Request.Target, i+1, len(handlers), diff)
			}
		}
	}
}

// isWrite reports whether requests with a method can change records.
func isWrite(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE"
}

// wanted returns the recorded parts of the response.
func (v *vector) wanted() map[string]string {
	want := map[string]string{"status": http.StatusText(v.Want.Status)}
	for name, value := range v.Want.Headers {
		want[name] = value
	}
	if v.Want.Body != nil {
		want["body"] = string(v.Want.Body.bytes())
	}
	if v.Want.Page != nil {
		want["page"] = v.Want.Page.SHA256
	}
	return want
}

// send sends the request and returns the same parts of the response.
func (v *vector) send(handler http.Handler) map[string]string {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = "host.example"
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	body := strings.ReplaceAll(w.Body.String(), "http://host.example", "{base}")

	got := map[string]string{"status": http.StatusText(w.Code)}
	for name := range v.Want.Headers {
		got[name] = strings.Join(w.Header().Values(name), ", ")
		if name == "Content-Type" { // without parameters, which were not recorded
			got[name], _, _ = strings.Cut(got[name], ";")
		}
	}
	if v.Want.Body != nil {
		got["body"] = body
	}
	if v.Want.Page != nil {
		sum := sha256.Sum256([]byte(body))
		got["page"] = hex.EncodeToString(sum[:])
	}
	return got
}
