package cataloguetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
)

// Live is the running service that a fake stands for; see [Server.Compare].
type Live struct {
	// URL is the address of the service, such as https://catalogue.example.org, before the path of
	// a request. If empty, the responses are those of Recording, and no request is sent.
	URL string

	// Client sends the requests to URL, without following redirects. Its Transport can add
	// credentials. If nil, it is [http.DefaultClient].
	Client *http.Client

	// Recording is the name of a file with the responses of the service, in JSON lines. Compare
	// writes it if URL is set, and reads it if not. If empty, there is none, and URL must be set.
	// The file has neither headers of requests, nor cookies, nor the values of parameters whose
	// names suggest a secret, such as api_key. They are not printed either.
	Recording string

	// Volatile lists the names of members whose values differ from one service to another, such as
	// updatedAt. Both sides must have them, at the same places.
	Volatile []string
}

// A recording has the responses of a service to requests: of the service itself, or of a file.
type recording struct {
	Live
	fake string        // URL of the fake, which takes the place of the service's in responses
	file *json.Decoder // nil: the service is asked
	text bytes.Buffer  // what it has answered
	at   int           // number of requests
}

// An answer is one line of a recording: a response without its secrets.
type answer struct {
	Request string // method, path and query
	Status  int
	Header  http.Header
	Body    string
}

func newRecording(live Live, fake string) (*recording, error) {
	rec := &recording{Live: live, fake: fake}
	switch {
	case live.URL != "":
		return rec, nil
	case live.Recording == "":
		return nil, errors.New("neither Live.URL nor Live.Recording is set")
	}
	text, err := os.ReadFile(live.Recording)
	if err != nil {
		return nil, fmt.Errorf("%w; set Live.URL to record it", err)
	}
	rec.file = json.NewDecoder(bytes.NewReader(text))
	return rec, nil
}

// next returns the response to the next request.
func (rec *recording) next(r *http.Request, body []byte) (a answer, err error) {
	rec.at++
	if rec.file == nil {
		a, err = answerTo(r, cmp.Or(rec.Client, http.DefaultClient), strings.TrimSuffix(rec.URL, "/"), body, rec.fake)
		if err == nil {
			err = json.NewEncoder(&rec.text).Encode(a)
		}
		return a, err
	}
	if err = rec.file.Decode(&a); err == nil && a.Request != requested(r) {
		err = fmt.Errorf("it is to %s, not to %s", a.Request, requested(r))
	}
	if err != nil {
		err = fmt.Errorf("%s: response %d: %w; set Live.URL to record it again", rec.Recording, rec.at, err)
	}
	return a, err
}

// write writes the file, unless it has been read.
func (rec *recording) write() error {
	if rec.file != nil || rec.Recording == "" {
		return nil
	}
	return os.WriteFile(rec.Recording, rec.text.Bytes(), 0o666)
}

// requested returns the method, the path and the query of a request.
func requested(r *http.Request) string {
	return secret.ReplaceAllString(r.Method+" "+r.URL.RequestURI(), withoutSecret)
}

// maxAnswer is the maximum length of a response that is compared.
const maxAnswer = 64 << 20

// answerTo sends a request to its path below base, for which the response has fake. It does not
// follow redirects.
func answerTo(r *http.Request, client *http.Client, base string, body []byte, fake string) (a answer, err error) {
	sent := r.Clone(r.Context())
	sent.RequestURI, sent.Host = "", ""
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if sent.URL, err = r.URL.Parse(base + r.URL.EscapedPath()); err != nil {
		return a, err
	}
	sent.URL.RawQuery = r.URL.RawQuery
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := direct.Do(sent)
	if err != nil {
		return a, errors.New(secret.ReplaceAllString(err.Error(), withoutSecret))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return a, fmt.Errorf("%s: %w", requested(r), err)
	case len(text) > maxAnswer:
		return a, fmt.Errorf("%s: the response is longer than %d bytes", requested(r), maxAnswer)
	}
	resp.Header.Del("Set-Cookie")
	encoded, err := json.Marshal(answer{requested(r), resp.StatusCode, resp.Header, string(text)})
	if err != nil {
		return a, err
	}
	encoded = bytes.ReplaceAll(encoded, []byte(base), []byte(fake))
	return a, json.Unmarshal(secret.ReplaceAll(encoded, []byte(withoutSecret)), &a)
}

// secret matches a parameter of a URL, alone or in JSON, whose name suggests a secret.
var secret = regexp.MustCompile(`(?i)((?:[?&]|\\u0026)(?:[\w.-]*(?:token|secret|passw|signature|credential|api_?key|access_?key|session)[\w.-]*|auth|authorization|sig)=)[^&"\\\s]*`)

const withoutSecret = "${1}REDACTED"
