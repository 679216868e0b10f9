package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
)

// programArgs is the variable with the arguments of the program, if the test is run as it.
const programArgs = "BACKLIST_POSTGRES_PROGRAM"

func TestMain(m *testing.M) {
	if args := os.Getenv(programArgs); args != "" {
		if err := run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestKill kills the database and the program in turn beside writers, and replays the writes against
// a model. What was acknowledged is there afterwards. What was not is there as a whole or not at
// all. BACKLIST_POSTGRES_KILLS is the number of kills.
func TestKill(t *testing.T) {
	kills := 4
	if text := os.Getenv("BACKLIST_POSTGRES_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		kills = n
	}
	database := pgtest.New(t)
	p := startProcess(t, database)
	var writers []*writer
	for i := range 4 {
		writers = append(writers, &writer{T: t, name: fmt.Sprintf("w%d", i), ids: map[string]string{}})
	}
	var acknowledged, unknown, done int
	for kill := range kills {
		w := &watch{T: t, address: p.address}
		var running sync.WaitGroup
		for i, one := range writers {
			w.writing.Add(1)
			running.Go(func() {
				defer w.writing.Add(-1)
				one.writes(w, rand.New(rand.NewPCG(uint64(kill), uint64(i))))
			})
		}
		running.Go(w.reads)
		for until := 4 + rand.Int64N(40); w.acknowledged.Load() < until && w.writing.Load() > 0; {
			time.Sleep(time.Millisecond)
		}
		if kill%2 == 0 {
			must(t, database.Kill())
			w.stop.Store(true)
			running.Wait()
			must(t, database.Start())
		} else {
			must(t, p.command.Process.Kill())
			w.stop.Store(true)
			running.Wait()
			_ = p.command.Wait()
			awaitNoClients(t, database)
			p = startProcess(t, database)
		}
		state := readRecords(t, p.address)
		acknowledged += int(w.acknowledged.Load())
		for _, one := range writers {
			if one.next != nil {
				unknown++
			}
			if one.compare(state) {
				done++
			}
		}
		if t.Failed() {
			t.Fatalf("after kill %d", kill+1)
		}
		if (kill+1)%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d kills, %d writes acknowledged, %d not, %d of them made\n", kill+1, acknowledged, unknown, done)
		}
	}
	t.Logf("%d kills, %d writes acknowledged, %d not, %d of them made", kills, acknowledged, unknown, done)
}

// A process is the program, as a process of its own.
type process struct {
	command *exec.Cmd
	address string
}

func startProcess(t *testing.T, database *pgtest.Server) process {
	t.Helper()
	command := exec.Command(os.Args[0])
	args := []string{"-dsn", database.DSN("postgres"), "-shop", "-addr", "127.0.0.1:0", "-token", "secret", "-wait", "1m"}
	command.Env = append(os.Environ(), programArgs+"="+strings.Join(args, "\n"))
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, found := strings.Cut(line, "serving ")
	if err != nil || !found {
		t.Fatalf("the program says %q, then %v", line, err)
	}
	return process{command, strings.TrimSuffix(url, "/api/\n")}
}

// awaitNoClients waits until no transaction of a program that was killed can commit.
func awaitNoClients(t *testing.T, database *pgtest.Server) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.DSN("postgres"))
	must(t, err)
	defer conn.Close(t.Context())
	for clients := -1; clients != 0; time.Sleep(5 * time.Millisecond) {
		const query = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
		must(t, conn.QueryRow(t.Context(), query).Scan(&clients))
	}
}

// Records are those that writers change, with the names of those to which they refer.
type records struct {
	categories map[string]string // the codes of their parents, by their codes
	customers  map[string]string // their emails, by their names
	orders     map[string]string // the emails of their customers, by their numbers
}

// lines returns the records, a line each.
func (s records) lines() string {
	var list []string
	for kind, records := range map[string]map[string]string{"category": s.categories, "customer": s.customers, "order": s.orders} {
		for name, value := range records {
			list = append(list, kind+" "+name+": "+value)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func (s records) clone() records {
	copied := newRecords()
	for name, value := range s.categories {
		copied.categories[name] = value
	}
	for name, value := range s.customers {
		copied.customers[name] = value
	}
	for name, value := range s.orders {
		copied.orders[name] = value
	}
	return copied
}

func newRecords() records {
	return records{map[string]string{}, map[string]string{}, map[string]string{}}
}

// A watch has what writers and readers share until a kill.
type watch struct {
	*testing.T
	address      string
	stop         atomic.Bool
	writing      atomic.Int64 // number of writers
	acknowledged atomic.Int64
}

// send sends a request and returns the status and the body, or 0 if there is no answer.
func (w *watch) send(method, path, body string) (int, []byte) {
	r, err := http.NewRequest(method, w.address+path, strings.NewReader(body))
	if err != nil {
		w.Error(err)
		return 0, nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer secret")
	r.Close = true // so that nothing is sent twice
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}

// reads reads categories. None has a parent that was deleted with others.
func (w *watch) reads() {
	for !w.stop.Load() {
		status, body := w.send("GET", "/api/categories/?limit=1000", "")
		if status != http.StatusOK {
			continue
		}
		var page struct{ Results []category }
		if err := json.Unmarshal(body, &page); err != nil {
			w.Error(err)
		}
		ids := map[int]bool{}
		for _, c := range page.Results {
			ids[c.ID] = true
		}
		for _, c := range page.Results {
			if c.Parent != 0 && !ids[c.Parent] {
				w.Errorf("the parent %d of category %s is not on the page", c.Parent, c.Code)
			}
		}
	}
}

type category struct {
	ID     int
	Code   string
	Parent int
}

// A writer writes records whose names begin with its own. It knows all of them.
type writer struct {
	*testing.T
	name string
	n    int
	has  records           // what was acknowledged
	next *records          // after the last write, if that was not acknowledged
	ids  map[string]string // the segments of records, by their names
}

// writes writes until a write is not acknowledged, or the watch has ended.
func (one *writer) writes(w *watch, random *rand.Rand) {
	if one.has.orders == nil {
		one.has = newRecords()
	}
	for !w.stop.Load() {
		method, path, body, after := one.plan(random)
		one.next = &after
		status, answer := w.send(method, path, body)
		switch {
		case status == 0 || status == http.StatusServiceUnavailable:
			return
		case status >= 300:
			one.Errorf("%s %s %s: %d %s", method, path, body, status, answer)
			return
		}
		w.acknowledged.Add(1)
		one.has, one.next = after, nil
		one.learn(method, answer)
	}
}

// learn reads the segment of a record that was posted.
func (one *writer) learn(method string, answer []byte) {
	var record struct {
		ID                int
		Code, Name        string
		UUID, OrderNumber string
	}
	if method != "POST" {
		return
	}
	if err := json.Unmarshal(answer, &record); err != nil {
		one.Error(err)
	}
	switch {
	case record.OrderNumber != "":
	case record.UUID != "":
		one.ids[record.Name] = record.UUID
	default:
		one.ids[record.Code] = strconv.Itoa(record.ID)
	}
}

// plan returns a random write, and the records after it.
func (one *writer) plan(random *rand.Rand) (method, path, body string, after records) {
	after = one.has.clone()
	one.n++
	name := fmt.Sprintf("%s-%d", one.name, one.n)
	pick := func(of map[string]string) string {
		var names []string
		for known := range of {
			names = append(names, known)
		}
		slices.Sort(names)
		return names[random.IntN(len(names))]
	}
	switch kind := random.IntN(7); {
	case kind == 0 && len(after.categories) > 0: // with all that are below
		gone := []string{pick(after.categories)}
		path := "/api/categories/" + one.ids[gone[0]] + "/"
		for len(gone) > 0 {
			delete(after.categories, gone[0])
			for code, parent := range after.categories {
				if parent == gone[0] {
					gone = append(gone, code)
				}
			}
			gone = gone[1:]
		}
		return "DELETE", path, "", after
	case kind == 1 && len(after.customers) > 0: // with all their orders
		customer := pick(after.customers)
		for number, email := range after.orders {
			if email == after.customers[customer] {
				delete(after.orders, number)
			}
		}
		delete(after.customers, customer)
		return "DELETE", "/api/customers/" + one.ids[customer] + "/", "", after
	case kind == 2 && len(after.customers) > 0: // and the email in all their orders
		customer, email := pick(after.customers), name+"@x.example"
		for number, old := range after.orders {
			if old == after.customers[customer] {
				after.orders[number] = email
			}
		}
		after.customers[customer] = email
		return "PATCH", "/api/customers/" + one.ids[customer] + "/", fmt.Sprintf(`{"email":%q}`, email), after
	case kind <= 4 && len(after.customers) > 0:
		email := after.customers[pick(after.customers)]
		after.orders[name] = email
		return "POST", "/api/orders/", fmt.Sprintf(`{"orderNumber":%q,"customer":%q,"product":null,"watchers":[],`+
			`"lines":[{"sku":"ABC-0001","quantity":1,"unitPrice":"1.00","gift":false}],"tracking":null}`, name, email), after
	case kind <= 5:
		after.customers[name] = name + "@x.example"
		return "POST", "/api/customers/", fmt.Sprintf(`{"uuid":"00000000-0000-4000-8000-%06d%06d","email":"%s@x.example","name":%[3]q,"nickname":"",`+
			`"phone":"","password":"long enough","born":null,"address":null}`, len(one.name)*1000+int(one.name[1]), one.n, name), after
	}
	parent := "null"
	after.categories[name] = ""
	if len(one.has.categories) > 0 && random.IntN(4) > 0 {
		code := pick(one.has.categories)
		after.categories[name], parent = code, one.ids[code]
	}
	return "POST", "/api/categories/", fmt.Sprintf(`{"code":%q,"name":%[1]q,"parent":%s}`, name, parent), after
}

// compare compares the records with those of a state, and takes over the write that was not
// acknowledged if it was made, which it reports.
func (one *writer) compare(all records) (made bool) {
	one.Helper()
	got := newRecords()
	for of, from := range map[*map[string]string]map[string]string{
		&got.categories: all.categories, &got.customers: all.customers, &got.orders: all.orders,
	} {
		for name, value := range from {
			if strings.HasPrefix(name, one.name+"-") {
				(*of)[name] = value
			}
		}
	}
	if one.next != nil && got.lines() == one.next.lines() {
		one.has, one.next = got, nil
		for name := range got.categories {
			one.ids[name] = all.categories["id "+name]
		}
		for name := range got.customers {
			one.ids[name] = all.customers["id "+name]
		}
		return true
	}
	one.next = nil
	if diff := cmp.Diff(one.has.lines(), got.lines()); diff != "" {
		one.Errorf("%s: -acknowledged +stored\n%s", one.name, diff)
	}
	return false
}

// readRecords reads all records. Under "id " and the name is the segment of a record.
func readRecords(t *testing.T, address string) records {
	t.Helper()
	s, codes := newRecords(), map[int]string{}
	var categories []category
	readAll(t, address, "categories", &categories)
	for _, c := range categories {
		codes[c.ID] = c.Code
	}
	for _, c := range categories {
		s.categories[c.Code], s.categories["id "+c.Code] = codes[c.Parent], strconv.Itoa(c.ID)
	}
	var customers []struct{ Name, Email, UUID string }
	readAll(t, address, "customers", &customers)
	for _, c := range customers {
		s.customers[c.Name], s.customers["id "+c.Name] = c.Email, c.UUID
	}
	var orders []struct{ OrderNumber, Customer string }
	readAll(t, address, "orders", &orders)
	for _, o := range orders {
		s.orders[o.OrderNumber] = o.Customer
	}
	return s
}

// readAll reads the records of a collection. While the database starts it waits.
func readAll(t *testing.T, address, key string, into any) {
	t.Helper()
	w := &watch{T: t, address: address}
	var page struct {
		Count   int
		Results json.RawMessage
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, body := w.send("GET", "/api/"+key+"/?limit=1000", "")
		if status == http.StatusOK {
			must(t, errors.Join(json.Unmarshal(body, &page), json.Unmarshal(page.Results, into)))
			if page.Count > 1000 {
				t.Fatalf("%d %s, more than a page has", page.Count, key)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("GET %s: %d %s", key, status, body)
		}
	}
}
