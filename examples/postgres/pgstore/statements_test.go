package pgstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestStatements checks that words from requests are in parameters only: hostile words
// must lead to the same statements as harmless ones.
func TestStatements(t *testing.T) {
	hostile := []string{
		"qz'; drop table events; --", `qz"; drop table events; --`, "qz/*", "qz*/", "qz--", "qz$1", "qz\\", "qz\n--", "qz;", "qz t.id", "qz%s",
		"t.qz", "(select qz)", "qz)", "qz desc nulls first", "keys[qz]", "qz::text", "qz😀", `u&"\0071z"`, "$$qz$$",
	}
	var harmless []string
	for i := range hostile {
		harmless = append(harmless, fmt.Sprintf("word_%c", 'a'+i))
	}
	texts := map[string][]string{}
	for name, words := range map[string][]string{"harmless": harmless, "hostile": hostile} {
		t.Run(name, func(t *testing.T) {
			statements := statementsFor(t, words)
			var params [][]byte
			for _, s := range statements {
				texts[name] = append(texts[name], s.text)
				params = append(params, s.params...)
			}
			for _, word := range words {
				if !slices.ContainsFunc(params, func(p []byte) bool { return bytes.Contains(p, []byte(word)) }) {
					t.Errorf("%q is in no parameter", word)
				}
			}
			slices.Sort(texts[name])
			texts[name] = slices.Compact(texts[name])
		})
	}
	if diff := cmp.Diff(texts["harmless"], texts["hostile"]); diff != "" {
		t.Errorf("statements: -harmless +hostile\n%s", diff)
	}
	for _, text := range texts["hostile"] {
		if strings.Contains(text, "qz") {
			t.Errorf("statement contains a word: %s", text)
		}
	}
}

// statementsFor sends words in all parts of requests and returns the statements that
// the database received.
func statementsFor(t *testing.T, words []string) []statement {
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{Primary: recorder.dsn, MaxConns: 1})
	recorder.take()
	var members []string
	for _, word := range words {
		members = append(members, quoted(word)+":"+quoted(word))
	}
	record := `{"id":1,` + strings.Join(members, ",") + `}`
	load(t, store, `{"authors":[`+record+`],"books":[`+record+`]}`)
	handler := handle(t, store, httpapi.Options{Authorizer: httpapi.AllowAll})
	ask := func(status int, a asked) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, a.request())
		if w.Code != status {
			t.Errorf("%v: %d %s, want %d", a, w.Code, w.Body, status)
		}
	}
	json := map[string]string{"Content-Type": "application/json"}
	for i, word := range words {
		query := url.Values{"ordering": {"-" + word + "," + word}, "limit": {word}, "offset": {"1;" + word}, "format": {"api"}, word: {word}}.Encode()
		for _, segment := range []string{"events", "labels", "social-links", "books", "authors"} {
			ask(200, asked{method: "GET", path: "/api/" + segment + "/", query: query})
		}
		ask(404, asked{method: "GET", path: "/api/" + word + "/"})
		text := quoted(word)
		dates := `"startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z"`
		ask(201, asked{method: "POST", path: "/api/events/", header: json,
			body: fmt.Sprintf(`{"name":%s,"slug":"s","summary":%[1]s,"description":%[1]s,"location":%[1]s,%s,%[1]s:1}`, text+" ", dates)})
		ask(400, asked{method: "POST", path: "/api/events/", header: json,
			body: fmt.Sprintf(`{"name":%s,"slug":%[1]s,%s,"labels":[%[1]s],"authors":%[1]s}`, text, dates)})
		ask(201, asked{method: "POST", path: "/api/social-links/", header: json,
			body: fmt.Sprintf(`{"title":%s,"url":"https://house.example/","type":%[1]s,"author":1}`, text)})
		ask(400, asked{method: "POST", path: "/api/social-links/", header: json,
			body: fmt.Sprintf(`{"title":%s,"url":%[1]s,"type":%[1]s,"author":%[1]s}`, text)})
		if err := store.Insert(t.Context(), "books", []byte(fmt.Sprintf(`{"id":%d,%s:%[2]s}`, i+2, text))); err != nil {
			t.Error(err)
		}
		if err := store.Index(t.Context(), "books", ordering.Desc(ordering.Snake(word))); err != nil {
			t.Error(err)
		}
	}
	return recorder.take()
}

// TestOrderingByOtherNames checks that columns that are not fields, and other names, are
// unknown fields and are not sent to the database.
func TestOrderingByOtherNames(t *testing.T) {
	const byID = "ORDER BY t.id ASC NULLS LAST LIMIT $1 OFFSET $2) page"
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{Primary: recorder.dsn})
	load(t, store, `{"books":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"social-links":[`+
		`{"id":1,"title":"b","url":"u","logo":null,"type":"t","author":1},{"id":2,"title":"a","url":"u","logo":null,"type":"t","author":1}]}`)
	for _, key := range []string{"books", "social-links", "news"} {
		for _, field := range []string{"record", "keys", "keys[1]", "t.id", "ctid", "xmin", "tableoid", "t", "books", "collections", "count", "id desc", `"id"`, "ID", "1", "", "name;", "title "} {
			recorder.take()
			terms := []ordering.Term{ordering.Asc(field), ordering.Asc("id")}
			list, err := collectionOf(store, key).List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 1}, Terms: terms})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(terms[1:], list.Terms); diff != "" {
				t.Errorf("%s by %q: used terms: -want +got\n%s", key, field, diff)
			}
			if err := store.Index(t.Context(), key, terms...); !errors.Is(err, ordering.ErrUnknownField) {
				t.Errorf("index of %s by %q: %v, want %v", key, field, err, ordering.ErrUnknownField)
			}
			for _, s := range recorder.take() {
				if strings.Contains(s.text, "ORDER BY") && !strings.Contains(s.text, byID) || strings.Contains(s.text, "INDEX") {
					t.Errorf("%s by %q: statement %s", key, field, s.text)
				}
			}
		}
	}
}

// TestRepeatedReferences checks that a post looks up each reference once.
func TestRepeatedReferences(t *testing.T) {
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{Primary: recorder.dsn})
	load(t, store, `{"authors":[{"id":1},{"id":2}]}`)
	body := `{"name":"n","slug":"s","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z","authors":[` +
		strings.Repeat("1,2,", 500) + `1]}`
	recorder.take()
	if _, err := collectionOf(store, "events").Create(t.Context(), []byte(body)); err != nil {
		t.Fatal(err)
	}
	lookups := 0
	for _, s := range recorder.take() {
		if strings.Contains(s.text, `FROM "authors"`) && s.params != nil {
			lookups++
		}
	}
	if lookups != 2 {
		t.Errorf("%d lookups of authors, want 2", lookups)
	}
}
