package catalogue_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// An ownExchange is one recorded request and its response.
type ownExchange struct {
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *struct{ Text, Base64 string }
	}
	Want struct {
		Status int
		Body   *struct{ Text string }
		Page   *struct {
			Count int
			IDs   []int `json:"ids"`
		}
	}
}

// TestRecordedCollections compares lists, records, updates, deletions and posts with the
// responses of the framework, over structs and over open records.
func TestRecordedCollections(t *testing.T) {
	t.Run("typed", func(t *testing.T) { replayOwn(t, ownTyped(t), false) })
	t.Run("open", func(t *testing.T) { replayOwn(t, ownOpen(t), true) })
}

func replayOwn(t *testing.T, cat *catalogue.Catalogue, exact bool) {
	if err := cat.LoadFile("../httpapi/testdata/own/dataset.json", catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile("../httpapi/testdata/own/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for line := range strings.Lines(string(lines)) {
		var v ownExchange
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.compare(t, cat, exact) {
			compared[v.Request.Method]++
		}
	}
	for method, least := range map[string]int{"GET": 350, "POST": 80, "PUT": 80, "PATCH": 90, "DELETE": 50} {
		if compared[method] < least {
			t.Errorf("%d requests with method %s were compared, want at least %d", compared[method], method, least)
		}
	}
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}

// compare sends the request to the catalogue and compares the results. It reports false
// for requests that do not reach a collection.
func (v *ownExchange) compare(t *testing.T, cat *catalogue.Catalogue, exact bool) bool {
	u, err := url.Parse(v.Request.Target)
	if err != nil || !slices.Contains([]int{200, 201, 204, 400, 404}, v.Want.Status) {
		return false
	}
	parts := strings.Split(strings.TrimPrefix(u.Path, "/api/"), "/")
	c, err := cat.Collection(parts[0])
	format := u.Query().Get("format")
	if err != nil || parts[len(parts)-1] != "" || !slices.Contains([]string{"", "json", "api"}, format) {
		return false
	}
	if len(parts) == 2 && v.Request.Method == "GET" {
		return v.comparePage(t, c, u)
	}
	id := 0
	if len(parts) == 3 {
		if id, err = strconv.Atoi(strings.TrimSpace(parts[1])); err != nil {
			return false
		}
	} else if len(parts) != 2 {
		return false
	}
	record, err, ok := v.send(t.Context(), c, id, u.Query())
	if !ok {
		return false
	}
	status, text := v.response(record, err)
	if status != v.Want.Status {
		t.Errorf("%s: %s %s: status %d (%v), want %d", v.Tag, v.Request.Method, v.Request.Target, status, err, v.Want.Status)
	} else if v.Want.Body != nil {
		want := v.Want.Body.Text
		indented := strings.Contains(v.Request.Headers["Accept"], "indent")
		if want != "" && (indented || !exact && status < 300) { // a struct does not keep the form of numbers
			want, text = normalized(t, want), normalized(t, text)
		}
		if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("%s: %s %s (-want +got):\n%s", v.Tag, v.Request.Method, v.Request.Target, diff)
		}
	}
	return true
}

// comparePage compares the page of a list.
func (v *ownExchange) comparePage(t *testing.T, c catalogue.AnyCollection, u *url.URL) bool {
	query := pagination.ParseQuery(u.RawQuery)
	list, _ := query.Get("ordering")
	if v.Want.Page == nil && v.Want.Status != 400 || strings.Contains(list, "genres") {
		return false // the framework repeats records ordered by genres
	}
	terms := ordering.Parse(strings.ReplaceAll(list, "pk", "id"), nil)
	count, records, err := listed(c.List(t.Context(), catalogue.Query{Params: u.Query(), Window: pagination.Limits{}.Window(query), Terms: terms}))
	if v.Want.Status == 400 {
		if _, text := v.response(nil, err); text != v.Want.Body.Text {
			t.Errorf("%s: %v %s, want %s", v.Request.Target, err, text, v.Want.Body.Text)
		}
		return true
	}
	ids := []int{}
	for _, r := range records {
		ids = append(ids, idIn(t, r))
	}
	if diff := cmp.Diff(v.Want.Page.IDs, ids); err != nil || count != v.Want.Page.Count || diff != "" {
		t.Errorf("%s: error %v, count %d, want %d, ids (-want +got):\n%s", v.Request.Target, err, count, v.Want.Page.Count, diff)
	}
	return true
}

// send sends the request. ok is false if it is not for a method of a collection.
func (v *ownExchange) send(ctx context.Context, c catalogue.AnyCollection, id int, params url.Values) (record []byte, err error, ok bool) {
	var body []byte
	if v.Request.Body != nil {
		body = []byte(v.Request.Body.Text)
		if v.Request.Body.Base64 != "" {
			body, _ = base64.StdEncoding.DecodeString(v.Request.Body.Base64)
		}
	}
	switch v.Request.Method {
	case "GET":
		record, err = c.Get(ctx, strconv.Itoa(id), params)
	case "POST":
		record, err = c.Create(ctx, body)
	case "PUT", "PATCH":
		record, err = c.Update(ctx, strconv.Itoa(id), params, body, v.Request.Method == "PATCH", nil)
	case "DELETE":
		err = c.Delete(ctx, strconv.Itoa(id), params, nil)
	default:
		return nil, nil, false
	}
	return record, err, true
}

// response returns the response of a server.
func (v *ownExchange) response(record []byte, err error) (status int, body string) {
	var syntax *schema.SyntaxError
	var fields schema.FieldErrors
	switch {
	case err == nil && v.Request.Method == "DELETE":
		return 204, ""
	case err == nil && v.Request.Method == "POST":
		return 201, string(record)
	case err == nil:
		return 200, string(record)
	case errors.Is(err, catalogue.ErrNotFound):
		return 404, `{"detail":"Not found."}`
	case errors.As(err, &syntax):
		text, _ := json.Marshal(map[string]string{"detail": syntax.Error()})
		return 400, string(text)
	case errors.As(err, &fields):
		text, _ := fields.MarshalJSON()
		return 400, string(text)
	}
	return 500, err.Error()
}

// normalized returns JSON with numbers in one form.
func normalized(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
