package pgstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	store := open(t, pgstore.Options{DSN: recorder.dsn, MaxConns: 1})
	recorder.take()
	var members []string
	for _, word := range words {
		members = append(members, quoted(word)+":"+quoted(word))
	}
	record := `{"id":1,` + strings.Join(members, ",") + `}`
	load(t, store, `{"authors":[`+record+`],"books":[`+record+`]}`)
	handler := handle(t, store, httpapi.Options{Authorizer: httpapi.AllowAll})
	ask := func(status int, a testRequest) {
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
			ask(200, testRequest{method: "GET", path: "/api/" + segment + "/", query: query})
		}
		ask(404, testRequest{method: "GET", path: "/api/" + word + "/"})
		text := quoted(word)
		dates := `"startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z"`
		ask(201, testRequest{method: "POST", path: "/api/events/", header: json,
			body: fmt.Sprintf(`{"name":%s,"slug":"s","summary":%[1]s,"description":%[1]s,"location":%[1]s,%s,%[1]s:1}`, text+" ", dates)})
		ask(400, testRequest{method: "POST", path: "/api/events/", header: json,
			body: fmt.Sprintf(`{"name":%s,"slug":%[1]s,%s,"labels":[%[1]s],"authors":%[1]s}`, text, dates)})
		ask(201, testRequest{method: "POST", path: "/api/social-links/", header: json,
			body: fmt.Sprintf(`{"title":%s,"url":"https://house.example/","type":%[1]s,"author":1}`, text)})
		ask(400, testRequest{method: "POST", path: "/api/social-links/", header: json,
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
	const byID = `ORDER BY t."id" ASC NULLS LAST LIMIT $1::bigint OFFSET $2::bigint) page`
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{DSN: recorder.dsn})
	load(t, store, `{"books":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"social-links":[`+
		`{"id":1,"title":"b","url":"u","logo":null,"type":"t","author":1},{"id":2,"title":"a","url":"u","logo":null,"type":"t","author":1}]}`)
	for _, key := range []string{"books", "social-links", "news"} {
		for _, field := range []string{"record", "keys", "keys[1]", "t.id", "ctid", "xmin", "tableoid", "t", "books", "collections", "count", "id desc", `"id"`, "ID", "1", "", "name;", "title "} {
			recorder.take()
			terms := []ordering.Term{ordering.Asc(field), ordering.Asc("id")}
			if _, err := collectionOf(store, key).List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 1}, Terms: terms}); err != nil {
				t.Fatal(err)
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
	store := open(t, pgstore.Options{DSN: recorder.dsn})
	load(t, store, `{"authors":[{"id":1},{"id":2}]}`)
	body := `{"name":"n","slug":"s","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z","authors":[` +
		strings.Repeat("1,2,", 500) + `1]}`
	recorder.take()
	if _, err := collectionOf(store, "events").Create(t.Context(), []byte(body), schema.Record{}); err != nil {
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

// TestRoundTrips checks how many statements requests need, each of which is a round trip.
func TestRoundTrips(t *testing.T) {
	recorder := newRecorder(t, shared.DSN(newDatabase(t, "template1")))
	store := open(t, pgstore.Options{DSN: recorder.dsn, Definitions: recordedFilms(), MaxConns: 1})
	load(t, store, `{"directors":[{"id":1,"name":"A","slug":"a","born":null,"website":""}],"genres":[{"id":1,"name":"a","position":0},{"id":2,"name":"b","position":0},{"id":3,"name":"c","position":0}]}`)
	h := handle(t, store, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, row := range []struct {
		method, target, body string
		want                 string
	}{
		{"GET", "/api/directors/1/", "", "SELECT"},
		{"GET", "/api/directors/", "", "SELECT"},
		{"POST", "/api/films/", `{"title":"T","slug":"t%d","minutes":90,"price":"9.50","director":1,"genres":[]}`, "begin SELECT SELECT SELECT WITH commit"}, // lock, slug, director
		{"PATCH", "/api/directors/1/", `{"name":"B%d"}`, "SELECT begin SELECT SELECT WITH commit"},                                                           // lock, record
		{"DELETE", "/api/genres/%d/", "", "SELECT begin SELECT SELECT SELECT SELECT WITH commit"},                                                            // two locks, record, films
	} {
		var got []string
		for i := 1; i <= 2; i++ { // the first time, statements are prepared
			recorder.take()
			at := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(i)) }
			r := httptest.NewRequest(row.method, at(row.target), strings.NewReader(at(row.body)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code >= 300 {
				t.Errorf("%s %s: %d %s", row.method, row.target, w.Code, w.Body)
			}
			got = nil
			for _, s := range recorder.take() {
				word, _, _ := strings.Cut(s.text, " ")
				got = append(got, word)
			}
		}
		if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %s: -want +got\n%s", row.method, row.target, diff)
		}
	}
}

// TestPreparedStatements checks that a connection prepares a statement again only after
// 64 others.
func TestPreparedStatements(t *testing.T) {
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{DSN: recorder.dsn, MaxConns: 1})
	loadFrom(t, store, houseOf(t, 1))
	load(t, store, `{"books":[{"id":1}]}`)
	events, books := collectionOf(store, "events"), collectionOf(store, "books")
	page := func(terms ...ordering.Term) {
		t.Helper()
		if _, _, err := pageOf(t.Context(), books, pagination.Window{Limit: 1}, terms...); err != nil {
			t.Fatal(err)
		}
	}
	otherOrderings := func(orders int) {
		t.Helper()
		fields := events.Description().Fields
		by := func(i int) ordering.Term { return ordering.Asc(ordering.Snake(fields[i].Name)) }
		for i := range orders {
			if _, _, err := pageOf(t.Context(), events, pagination.Window{Limit: 1}, by(1+i/10), by(1+(i/10+1+i%10)%12)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		reason         string
		do             func()
		prepared, used int
	}{
		{"first use", func() { page(ordering.Asc("id")) }, 1, 1},
		{"repeated use", func() { page(ordering.Asc("id")); page(ordering.Asc("id")) }, 0, 2},
		{"after few others", func() { otherOrderings(5); page(ordering.Asc("id")) }, 0, 1},
		{"after many others", func() { otherOrderings(70); page(ordering.Asc("id")) }, 1, 1},
	} {
		recorder.take()
		row.do()
		prepared, used := 0, 0
		for _, s := range recorder.take() {
			switch {
			case !strings.Contains(s.text, `FROM "books" t WHERE TRUE ORDER BY t."id"`):
			case s.params == nil:
				prepared++
			default:
				used++
			}
		}
		if diff := cmp.Diff(fmt.Sprint(row.prepared, row.used), fmt.Sprint(prepared, used)); diff != "" {
			t.Errorf("%s: prepared and used: -want +got\n%s", row.reason, diff)
		}
	}
}

// recorder is a proxy between a store and its server that records statements.
type recorder struct {
	dsn        string // for the store
	mu         sync.Mutex
	statements []statement
}

// statement is a statement that the server received. The parameters of COPY are its
// rows.
type statement struct {
	text   string
	params [][]byte
}

func newRecorder(t *testing.T, dsn string) *recorder {
	t.Helper()
	server, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	address := listener.Addr().(*net.TCPAddr)
	p := &recorder{dsn: fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s sslmode=disable",
		address.IP, address.Port, keyword(server.User), keyword(server.Password), keyword(server.Database))}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client, server.Host, server.Port)
		}
	}()
	return p
}

// keyword quotes a value in a DSN.
func keyword(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// serve copies all data between a client and the server.
func (p *recorder) serve(client net.Conn, host string, port uint16) {
	defer client.Close()
	network, address := pgconn.NetworkAddress(host, port)
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		io.Copy(client, server)
		client.Close()
	}()
	p.listen(client, server)
}

// listen records the messages of a client before it passes them to the server, so that no answer precedes
// the record. A message is a byte for its type, except for the first message, and its length, which
// includes itself.
func (p *recorder) listen(r io.Reader, server io.Writer) {
	prepared := map[string]string{}
	head := make([]byte, 5)
	for first := true; ; first = false {
		kind := head
		if first {
			kind = head[1:]
		}
		if _, err := io.ReadFull(r, kind); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		if !first {
			p.note(head[0], body, prepared)
		}
		if _, err := server.Write(slices.Concat(kind, body)); err != nil {
			return
		}
	}
}

// note records the statement or the parameters of a message.
func (p *recorder) note(kind byte, body []byte, prepared map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			prepared[m.Name] = m.Query
			p.statements = append(p.statements, statement{text: m.Query})
		}
	case 'Q':
		var m pgproto3.Query
		if m.Decode(body) == nil {
			p.statements = append(p.statements, statement{text: m.String})
		}
	case 'B':
		var m pgproto3.Bind
		if m.Decode(body) == nil {
			p.statements = append(p.statements, statement{prepared[m.PreparedStatement], m.Parameters})
		}
	case 'd':
		last := &p.statements[len(p.statements)-1]
		last.params = append(last.params, body)
	}
}

// take returns the statements since the last call.
func (p *recorder) take() []statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	statements := p.statements
	p.statements = nil
	return statements
}
