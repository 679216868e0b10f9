package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// initialRecords has labels and authors to refer to, and one record in each collection
// that can be posted to.
const initialRecords = `{"labels":[{"id":1},{"id":4}],"authors":[{"id":1},{"id":2}],
	"events":[{"id":3,"name":"n","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00+02:00"}],
	"social-links":[{"id":3,"title":"t","url":"https://x.example/","type":"x","author":1}]}`

// FuzzCreate posts bodies. A rejected body changes nothing. An accepted one adds one record
// with the posted members, and a GET returns the same record as the POST.
func FuzzCreate(f *testing.F) {
	const event = `"slug":"a-b","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00.5Z"`
	for _, body := range []string{
		`{"name":"N",` + event + `}`, "{\"name\":\"\u2003é\u00a0\"," + event + `}`, `{"name":" <é> \u2028","labels":[4,1],"authors":[2],"published":false,` + event + `}`,
		`{"name":"N","labels":[9],"poster":"x.png",` + event + `}`, `{"name":1.50,"summary":null,"start_date":"x",` + event + `}`,
		`{"title":"T","url":"https://x.example/?a=b","type":"blog","author":2}`, `{"title":"T","url":"x","type":"","author":"2"}`,
		`{}`, `[]`, `null`, ``, `{"a":`, "{\"name\":\"caf\xe9\"," + event + `}`, `{"name":"a","Name":"b",` + event + `}`,
	} {
		f.Add(true, "application/json", []byte(body))
		f.Add(false, "application/json;charset=latin-1", []byte(body))
	}
	f.Add(true, "text/plain", []byte("{}"))
	base := catalogue.New()
	if err := base.Load(strings.NewReader(initialRecords)); err != nil {
		f.Fatal(err)
	}
	before := allRecords(f, base)
	f.Fuzz(func(t *testing.T, events bool, contentType string, body []byte) {
		house := base.Clone()
		handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		path, remove := "/api/social-links/", house.SocialLinks().Delete
		if events {
			path, remove = "/api/events/", house.Events().Delete
		}
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header["Content-Type"] = []string{contentType}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)

		switch w.Code {
		case http.StatusCreated:
			id := checkCreated(t, handler, path, w.Body.Bytes())
			if strings.EqualFold(contentType, "application/json") {
				comparePosted(t, body, w.Body.Bytes())
			}
			if err := remove(id); err != nil {
				t.Errorf("%s %d: %v", path, id, err)
			}
		case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("Content-Length %s of %q", w.Header().Get("Content-Length"), w.Body)
		}
		if diff := cmp.Diff(before, allRecords(t, house)); diff != "" {
			t.Errorf("status %d: other records have changed (-want +got):\n%s", w.Code, diff)
		}
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
}

// allRecords returns all records of a catalogue as JSON, without the last ids.
func allRecords(t testing.TB, house *catalogue.Catalogue) string {
	t.Helper()
	var b strings.Builder
	if err := house.Save(&b); err != nil {
		t.Fatal(err)
	}
	records, _, _ := strings.Cut(b.String(), `"$lastIds"`)
	return strings.TrimRight(records, "}\n,")
}

// checkCreated checks that the created record is stored after the one with id 3.
func checkCreated(t *testing.T, handler http.Handler, path string, created []byte) (id int) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"?ordering=-id", nil))
	var page struct {
		Count   int
		Results []json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.Count != 2 || len(page.Results) != 2 {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	if diff := cmp.Diff(string(created), string(page.Results[0])); diff != "" {
		t.Errorf("GET (-created +got):\n%s", diff)
	}
	var record struct{ ID int }
	if err := json.Unmarshal(created, &record); err != nil || record.ID != 4 {
		t.Errorf("%s has id %d, want 4; %v", created, record.ID, err)
	}
	return record.ID
}

// comparePosted checks that the created record has the posted texts, trimmed, and the
// posted instants. It ignores bodies with escapes and members whose name
// appears twice, in any spelling, which package resources tests.
func comparePosted(t *testing.T, body, created []byte) {
	t.Helper()
	if bytes.ContainsRune(body, '\\') || !utf8.Valid(body) {
		return
	}
	var in, out map[string]any
	if json.Unmarshal(body, &in) != nil || json.Unmarshal(created, &out) != nil {
		t.Errorf("body %q was created as %q", body, created)
		return
	}
	flat := strings.ToLower(strings.ReplaceAll(string(body), "_", ""))
	for name, value := range in {
		posted, isText := value.(string)
		got, present := out[name].(string)
		if !isText || !present || strings.Count(flat, `"`+strings.ToLower(strings.ReplaceAll(name, "_", ""))+`"`) != 1 {
			continue
		}
		if name == "startDate" || name == "endDate" {
			compareInstants(t, name, posted, got)
		} else if want := strings.TrimFunc(posted, isBlank); got != want {
			t.Errorf("%s was posted as %q and created as %q", name, posted, got)
		}
	}
}

// compareInstants checks that two texts denote the same instant, to the microsecond. It
// ignores posted texts that package time cannot parse.
func compareInstants(t *testing.T, name, posted, got string) {
	t.Helper()
	want, err := time.Parse(time.RFC3339, posted)
	if err != nil {
		return
	}
	wire, err := time.Parse(time.RFC3339, got)
	if err != nil || !want.Truncate(time.Microsecond).Equal(wire) {
		t.Errorf("%s was posted as %s and created as %s: %v", name, posted, got, err)
	}
}

// isBlank reports what Python's str.isspace returns for one character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
