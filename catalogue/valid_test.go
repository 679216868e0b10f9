package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// A holder is a record with one value.
type holder[V any] struct {
	ID    int `json:"id"`
	Value V   `json:"value"`
}

// Types that contain themselves or have methods for their JSON.
type (
	node struct {
		Map  map[string]node `json:"map,omitempty"`
		Next *node           `json:"next,omitempty"`
		Any  any             `json:"any,omitempty"`
	}
	lists    []lists
	pointers *pointers
	written  string
	text     string
	strict   string
	tagged   struct{ n int }
)

func (w written) MarshalJSON() ([]byte, error)     { return []byte(w), nil }
func (w *written) UnmarshalJSON(data []byte) error { *w = written(data); return nil }
func (t text) MarshalText() ([]byte, error)        { return []byte(t), nil }
func (t *text) UnmarshalText(data []byte) error    { *t = text(data); return nil }
func (t tagged) MarshalText() ([]byte, error)      { return fmt.Append(nil, t.n%2), nil }
func (t *tagged) UnmarshalText(data []byte) error {
	return second(fmt.Sscan(string(data), &t.n))
}
func (s *strict) UnmarshalJSON(data []byte) error {
	if string(data) == `""` {
		return errors.New("empty")
	}
	return json.Unmarshal(data, (*string)(s))
}

// A customRecord has methods for the JSON of the whole record.
type customRecord struct {
	ID   int    `json:"id"`
	JSON string `json:"json"`
}

func (s customRecord) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"id":%d,"json":%s}`, s.ID, s.JSON), nil
}

func (s *customRecord) UnmarshalJSON(data []byte) error {
	var m struct {
		ID   int             `json:"id"`
		JSON json.RawMessage `json:"json"`
	}
	err := json.Unmarshal(data, &m)
	*s = customRecord{m.ID, string(m.JSON)}
	return err
}

// An idRecord has methods for the JSON of the whole record and can contain itself.
type idRecord struct {
	ID  int `json:"id"`
	Any any `json:"any"`
}

func (w idRecord) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"id":%d}`, w.ID), nil
}

func (w *idRecord) UnmarshalJSON(data []byte) error {
	return second(fmt.Sscanf(string(data), `{"id":%d}`, &w.ID))
}

// A withoutID ignores the id when it is decoded.
type withoutID struct {
	ID int `json:"id"`
}

func (*withoutID) UnmarshalJSON([]byte) error { return nil }

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func nestedAny(levels int) any {
	var value any
	if err := json.Unmarshal([]byte(nested(levels)), &value); err != nil {
		panic(err)
	}
	return value
}

// reloaded inserts a record, saves the catalogue and loads it into a new one. It returns
// the JSON of both catalogues, or the error of Insert.
func reloaded[T any](t *testing.T, r T) (before, after string, err error) {
	t.Helper()
	cat := mustHave(resources.New(catalogue.DefineBare[T]("books", catalogue.Options{})))
	books := collectionOf(t, cat, "books")
	if err := catalogue.InsertBare(cat, "books", r); err != nil {
		if !errors.Is(err, catalogue.ErrInvalid) || books.Count() != 0 {
			t.Errorf("Insert: %v with %d records, want ErrInvalid with none", err, books.Count())
		}
		return "", "", err
	}
	before = saved(t, cat)
	other := mustHave(resources.New(catalogue.DefineBare[T]("books", catalogue.Options{})))
	if err := other.Load(strings.NewReader(before), catalogue.LoadOptions{}); err != nil {
		t.Errorf("Load of %.300s: %v", before, err)
		return before, "", nil
	}
	return before, saved(t, other), nil
}

// A reloadRow is a record to insert. If names is not empty, Insert must return an error
// that contains it.
type reloadRow struct {
	reason, names string
	insert        func(t *testing.T) (before, after string, err error)
}

func stores[T any](reason string, record T) reloadRow { return refuses(reason, "", record) }

func refuses[T any](reason, names string, record T) reloadRow {
	return reloadRow{reason, names, func(t *testing.T) (string, string, error) { return reloaded(t, record) }}
}

func record[V any](value V) holder[V] { return holder[V]{Value: value} }

// TestStoredRecordsCanBeLoaded checks that each record is refused, or can be saved and
// loaded again.
func TestStoredRecordsCanBeLoaded(t *testing.T) {
	var loop pointers
	loop = &loop
	cycle := []any{nil}
	cycle[0] = cycle
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, row := range []reloadRow{
		stores("nil", record[any](nil)),
		refuses("NaN", "value", record(math.NaN())),
		refuses("infinity", "value", record(math.Inf(-1))),
		refuses("NaN in a pointer", "value", record(new(float32(math.NaN())))),
		refuses("NaN in an interface", "value", record(any(math.NaN()))),
		refuses("infinity in a map", "value", record(any(map[string]any{"x": []any{math.Inf(1)}}))),
		refuses("invalid raw JSON", "value", record(json.RawMessage(`{"x":`))),
		refuses("two values of raw JSON", "value", record(json.RawMessage(`1 2`))),
		refuses("raw JSON with a repeated name", "value", record(json.RawMessage(`{"a":1,"a":2}`))),
		refuses("raw JSON with a lone surrogate", "value", record(json.RawMessage(`"\ud800"`))),
		refuses("raw JSON that is not UTF-8", "value", record(json.RawMessage("\"\xff\""))),
		refuses("a channel in an interface", "value", record(any(make(chan int)))),
		refuses("text that is not UTF-8", "value", record("a\xff")),
		refuses("such text in a list", "value", record([]string{"a", "\xc3"})),
		refuses("such text in an interface", "value", record(any([]any{"\xff"}))),
		refuses("such text as a key", "value", record(any(map[string]any{"\xff": 1.0}))),
		refuses("a DateTime of year 10000", "value", record(schema.DateTime{Time: day(10_000)})),
		refuses("a DateTime of year 10000 with an offset", "value",
			record(schema.DateTime{Time: day(10_000).In(time.FixedZone("", 14*60*60))})),
		refuses("a time of year 10000", "value", record(day(10_000))),
		refuses("a time of year -1", "value", record(day(-1))),
		refuses("a zone of more than a day", "value", record(day(2026).In(time.FixedZone("", 25*60*60)))),
		refuses("infinity as a json.Number in an interface", "value", record(any(json.Number("Inf")))),
		stores("a list of the maximum depth", record(json.RawMessage(nested(199)))),
		refuses("a list that is too deep", "value", record(json.RawMessage(nested(200)))),
		stores("raw JSON in a list", record([]json.RawMessage{json.RawMessage(nested(198))})),
		refuses("raw JSON in a list, too deep", "value", record([]json.RawMessage{json.RawMessage(nested(199))})),
		stores("an interface", record(nestedAny(199))),
		refuses("an interface, too deep", "value", record(nestedAny(200))),
		stores("lists of their own type", record(listsOf(199))),
		refuses("lists of their own type, too deep", "value", record(listsOf(200))),
		stores("objects in maps and pointers", record(nodeOf(199))),
		refuses("objects in maps and pointers, too deep", "value", record(nodeOf(200))),
		stores("an interface in an object", record(node{Next: &node{Any: nestedAny(197)}})),
		refuses("an interface in an object, too deep", "value", record(node{Next: &node{Any: nestedAny(198)}})),
		stores("JSON of a method", record(written(nested(199)))),
		refuses("JSON of a method, too deep", "value", record(written(nested(200)))),
		refuses("lone surrogate", "value", record(written(`"\ud800"`))),
		refuses("repeated name", "value", record(written(`{"a":1,"a":2}`))),
		refuses("repeated name in a nested object", "value", record(map[string]written{"x": `{"a":1,"a":2}`})),
		refuses("JSON that is not UTF-8", "value", record(written("\"\xff\""))),
		refuses("invalid JSON", "value", record(written(`{`))),
		stores("text with a surrogate pair", record(text("\U0001F642"))),
		refuses("text of a method that is not UTF-8", "value", record(text("a\xff"))),
		refuses("different keys with the same text", "value", record(map[tagged]int{{1}: 1, {3}: 2})),
		stores("keys with different texts", record(map[tagged]int{{1}: 1, {2}: 2})),
		refuses("a value that its type does not decode", "value", record(strict(""))),
		stores("a value that its type decodes", record(strict("x"))),
		refuses("such a value in a map", "value", record(map[string]*strict{"x": new(strict(""))})),
		refuses("a json.Number that no float64 holds", "value", record(json.Number("1e999999"))),
		refuses("such a number in JSON of a method", "value", record(written(`[1e400]`))),
		stores("an empty json.Number, which is encoded as 0", record(json.Number(""))),
		refuses("an invalid json.Number", "value", record(json.Number("x"))),
		refuses("a number that no float64 holds, in an interface", "value", record(any(json.Number("1e999999")))),
		stores("an integer that no float64 holds, in an interface", record(any([]any{int64(1<<53 + 1)}))),
		stores("the largest uint64 in an interface", record(any(uint64(1<<64-1)))),
		stores("an integer that a float64 holds", record(any(int64(-1<<53)))),
		stores("a float32 in an interface", record(any(float32(0.1)))),
		stores("the first day of year 0", record(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))),
		refuses("a DateTime of year 0", "value", record(schema.DateTime{Time: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)})),
		refuses("pointers in a cycle", "value", record(loop)),
		stores("a record with methods", customRecord{JSON: nested(199)}),
		refuses("a record with methods, too deep", "200", customRecord{JSON: nested(200)}),
		refuses("a record with methods, repeated name", "json", customRecord{JSON: `1,"json":2`}),
		refuses("a record that is decoded without its id", "id", withoutID{}),
		stores("a record with a func outside of its JSON", hookCloner{Name: "x", Hook: func() {}}),
		refuses("text that is not UTF-8 beside such a func", "name", hookCloner{Name: "\xff"}),
		refuses("a record with methods that hide a list containing itself", "any", idRecord{Any: cycle}),
	} {
		before, after, err := row.insert(t)
		switch refused := row.names != ""; {
		case refused && err == nil:
			t.Errorf("%s: stored as %.200s", row.reason, before)
		case refused && !strings.Contains(strings.ToLower(err.Error()), row.names):
			t.Errorf("%s: error %v, want one that contains %q", row.reason, err, row.names)
		case !refused && err != nil:
			t.Errorf("%s: %v", row.reason, err)
		case before != after:
			t.Errorf("%s: loaded as %.200s, want %.200s", row.reason, after, before)
		}
	}
}

// nodeOf returns a node whose JSON has levels of objects.
func nodeOf(levels int) *node {
	switch {
	case levels == 1:
		return &node{}
	case levels%3 == 0:
		return &node{Map: map[string]node{"a": *nodeOf(levels - 2), "b": {}}}
	}
	return &node{Next: nodeOf(levels - 1)}
}

func listsOf(depth int) lists {
	if depth == 1 {
		return lists{nil}
	}
	return lists{nil, listsOf(depth - 1), lists{}}
}

// A hookCloner has fields that only its method Clone can copy.
type hookCloner struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Hook func() `json:"-"`
	tail []int
}

func (h hookCloner) Clone() hookCloner {
	h.tail = slices.Clone(h.tail)
	return h
}

// A time whose zone has seconds, as all had before about 1900, is another instant in JSON.
// Insert refuses it.
func TestInsertZoneWithSeconds(t *testing.T) {
	type record struct {
		ID      int                  `json:"id"`
		At      time.Time            `json:"at"`
		Pointer *time.Time           `json:"pointer"`
		List    []time.Time          `json:"list"`
		Map     map[string]time.Time `json:"map"`
		Key     map[time.Time]int    `json:"key"`
		Date    schema.DateTime      `json:"date"`
		Hidden  time.Time            `json:"-"`
	}
	c := mustCollection[record](t, catalogue.Options{Unique: [][]string{{"at"}}})
	noon := time.Date(1900, 1, 1, 12, 0, 0, 0, time.FixedZone("LMT", 561)) // Paris
	for _, row := range []struct {
		reason string
		record record
		field  string // that is named in the error
	}{
		{"time", record{At: noon}, "At"},
		{"west of Greenwich", record{At: noon.In(time.FixedZone("LMT", -561))}, "At"},
		{"pointer", record{Pointer: &noon}, "Pointer"},
		{"list", record{List: []time.Time{{}, noon}}, "List: element 1"},
		{"map", record{Map: map[string]time.Time{"x": noon}}, "Map: key x"},
		{"key of a map", record{Key: map[time.Time]int{noon: 1}}, "Key"},
		{"DateTime, which rounds the offset", record{At: noon.UTC().Add(1 * time.Microsecond), Date: schema.DateTime{Time: noon}}, ""},
		{"not in the JSON", record{At: noon.UTC().Add(2 * time.Microsecond), Hidden: noon}, ""},
		{"minutes only", record{At: noon.In(time.FixedZone("", 540)).Add(3 * time.Microsecond)}, ""},
	} {
		switch _, err := c.Insert(row.record); {
		case row.field == "" && err != nil:
			t.Errorf("%s: %v", row.reason, err)
		case row.field != "" && (!errors.Is(err, catalogue.ErrInvalid) || !strings.Contains(err.Error(), "field "+row.field+": ")):
			t.Errorf("%s: %v, want ErrInvalid with field %s", row.reason, err, row.field)
		}
	}
}

// A reviewer is a record with two unique fields, one of which may be null.
type reviewer struct {
	ID    int     `json:"id"`
	Slug  string  `json:"slug"`
	Email *string `json:"email"`
}

// reviewers returns a collection of anna (1), bruno (2) and carla (3), the last without an email.
func reviewers(t *testing.T) *catalogue.Collection[reviewer] {
	t.Helper()
	c := mustCollection[reviewer](t, catalogue.Options{Name: "reviewers", Unique: [][]string{{"slug"}, {"email"}}, History: 10})
	must(t, c.ReplaceAll(slices.Values([]reviewer{
		{Slug: "anna", Email: new("a@x.example")}, {Slug: "bruno", Email: new("b@x.example")}, {Slug: "carla"},
	})))
	return c
}

// TestDuplicateIsRefused checks the texts of the errors, and that a write that is refused
// changes nothing.
func TestDuplicateIsRefused(t *testing.T) {
	anna := func(r *reviewer) error { r.Slug = "anna"; return nil }
	load := func(text string) func(*catalogue.Collection[reviewer]) error {
		return func(c *catalogue.Collection[reviewer]) error {
			return c.Load(strings.NewReader(text), catalogue.LoadOptions{})
		}
	}
	for _, test := range []struct {
		why   string
		write func(c *catalogue.Collection[reviewer]) error
		want  string
	}{
		{"insert", func(c *catalogue.Collection[reviewer]) error {
			return second(c.Insert(reviewer{Slug: "anna"}))
		}, `reviewers: duplicate value: slug "anna" is that of id 1`},
		{"insert with an id", func(c *catalogue.Collection[reviewer]) error {
			return second(c.Insert(reviewer{ID: 9, Slug: "dora", Email: new("b@x.example")}))
		}, `reviewers: duplicate value: email "b@x.example" is that of id 2`},
		{"upsert of a new record", func(c *catalogue.Collection[reviewer]) error {
			return second(c.Upsert(reviewer{ID: 9, Slug: "bruno"}))
		}, `reviewers: duplicate value: slug "bruno" is that of id 2`},
		{"upsert of a record that is there", func(c *catalogue.Collection[reviewer]) error {
			return second(c.Upsert(reviewer{ID: 3, Slug: "bruno"}))
		}, `reviewers: duplicate value: slug "bruno" is that of id 2`},
		{"update", func(c *catalogue.Collection[reviewer]) error { return c.Update(3, anna) },
			`reviewers: duplicate value: slug "anna" is that of id 1`},
		{"batch of one write", func(c *catalogue.Collection[reviewer]) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error { return tx.Update(2, anna) })
		}, `reviewers: duplicate value: slug "anna" is that of id 1`},
		{"two records of a batch", func(c *catalogue.Collection[reviewer]) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error {
				_, err := tx.Insert(reviewer{Slug: "dora"})
				_, again := tx.Insert(reviewer{Slug: "dora"})
				return errors.Join(err, again)
			})
		}, `reviewers: duplicate value: slug "dora" is that of id 4`},
		{"replacement", func(c *catalogue.Collection[reviewer]) error {
			return c.ReplaceAll(slices.Values([]reviewer{{Slug: "dora"}, {Slug: "emil"}, {Slug: "dora"}}))
		}, `reviewers: record 2: duplicate value: slug "dora" is that of the record at index 0`},
		{"load", load(`[{"id":7,"slug":"dora","email":null},{"id":5,"slug":"dora","email":null}]`),
			`reviewers: cannot load: record 5 (line 1): slug: duplicate value: slug "dora" is that of the record at index 0`},
	} {
		c := reviewers(t)
		before, all := c.Snapshot().Revision(), slices.Collect(c.All())
		err := test.write(c)
		if !errors.Is(err, catalogue.ErrDuplicate) || err.Error() != test.want {
			t.Errorf("%s: error\n%v, want\n%s", test.why, err, test.want)
		}
		equal(t, fmt.Sprintf("%s: records", test.why), all, slices.Collect(c.All()))
		if changes, now, err := c.Since(before); len(changes) > 0 || now != before || err != nil {
			t.Errorf("%s: %d changes, revision %d, %v, want revision %d", test.why, len(changes), now, err, before)
		}
		if id, err := c.Insert(reviewer{Slug: "dora"}); id != 4 || err != nil {
			t.Errorf("%s: the next insert returns %d, %v, want 4", test.why, id, err)
		}
	}
}

// A shelf has a name that is unique on its floor, of which nulls equal nothing.
type shelf struct {
	ID    int    `json:"id"`
	Floor *int   `json:"floor"`
	Name  string `json:"shelfName"`
	Place struct {
		Row int `json:"row"`
	} `json:"place"`
}

// TestErrorsComeTogether checks that the errors of one body come together, whatever finds them: the kind of
// a field, its bounds, a method of its type, or its type, at any depth.
func TestErrorsComeTogether(t *testing.T) {
	type port struct {
		Addr netip.Addr `json:"addr"`
		Port int        `json:"port" backlist:"max=9"`
	}
	type host struct {
		ID     int                   `json:"id"`
		Name   string                `json:"name"`
		Addr   netip.Addr            `json:"addr"`
		Born   time.Time             `json:"born"`
		State  *status               `json:"state"`
		Grade  grade                 `json:"grade" backlist:"choices=a|z"`
		Port   port                  `json:"port"`
		Ports  []port                `json:"ports"`
		Addrs  []netip.Addr          `json:"addrs"`
		Names  map[string]netip.Addr `json:"names"`
		Pair   [2]int                `json:"pair"`
		Ranks  map[int8]status       `json:"ranks"`
		Bytes  []byte                `json:"bytes"`
		Small  float32               `json:"small,string"`
		Narrow int8                  `json:"narrow"`
		Share  float64               `json:"share,string"`
	}
	about := mustDescribe[host](t, "hosts")
	for i := range about.Fields {
		if about.Fields[i].Name == "narrow" { // wider than its type
			about.Fields[i].Min, about.Fields[i].Max = "", ""
		}
	}
	hosts := collectionOf(t, mustCatalogue(t, catalogue.DefineBare[host]("hosts", catalogue.Options{Description: &about})), "hosts")
	const valid = `{"name":"n","addr":"192.0.2.1","born":"2024-05-01T10:00:00Z","state":"open","grade":"a","port":{"addr":"192.0.2.1","port":9},"ports":[],` +
		`"addrs":["192.0.2.1"],"names":{},"pair":[1,2],"ranks":{"1":"open"},"bytes":"QQ==","small":"0.5","narrow":1,"share":"1.0"}`
	must(t, second(hosts.Create(t.Context(), []byte(valid), schema.Record{})))
	const noIP, bad = `["ParseAddr(\"z\"): unable to parse IP"]`, `["Enter a valid value."]`
	const port9 = `"port":["Ensure this value is less than or equal to 9."]`
	wrong := []struct{ member, value, want string }{
		{"name", `""`, `["This field may not be blank."]`},
		{"addr", `"z"`, noIP},
		{"born", `"x"`, `["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]`},
		{"state", `"ajar"`, `["unknown"]`},
		{"grade", `"z"`, `["z is no grade"]`},
		{"port", `{"addr":"z","port":10}`, `{"addr":` + noIP + `,` + port9 + `}`},
		{"ports", `[{"addr":"192.0.2.1","port":1},{"addr":"z","port":10}]`, `[{},{"addr":` + noIP + `,` + port9 + `}]`},
		{"addrs", `["z","192.0.2.1",5]`, `{"0":` + noIP + `,"2":["ParseAddr(\"5\"): unable to parse IP"]}`},
		{"names", `{"a":"z","b":null}`, `{"a":` + noIP + `,"b":["This field may not be null."]}`},
		{"pair", `[1]`, `["Ensure this field has at least 2 elements."]`},
		{"ranks", `{"1":"ajar"}`, `["1: unknown"]`},
		{"bytes", `"*"`, bad},
		{"small", `"1e39"`, `["Ensure this value is less than or equal to 3.4028234663852886e+38."]`},
		{"narrow", `128`, `["Ensure this value is less than or equal to 127."]`},
		{"share", `"x"`, `["A valid number is required."]`},
	}
	var body, want []string
	for _, w := range wrong {
		body, want = append(body, `"`+w.member+`":`+w.value), append(want, `"`+w.member+`":`+w.want)
	}
	post := func(body []byte) ([]byte, error) { return hosts.Create(t.Context(), body, schema.Record{}) }
	for reason, write := range map[string]func(body []byte) ([]byte, error){
		"POST": post,
		"PUT":  func(body []byte) ([]byte, error) { return hosts.Update(t.Context(), "1", catalogue.Edit{Body: body}) },
		"PATCH": func(body []byte) ([]byte, error) {
			return hosts.Update(t.Context(), "1", catalogue.Edit{Body: body, Partial: true})
		},
	} {
		_, err := write([]byte("{" + strings.Join(body, ",") + "}"))
		equal(t, reason, "{"+strings.Join(want, ",")+"}", errorsOf(err))
		for i, w := range wrong {
			_, err := write([]byte(valid[:len(valid)-1] + "," + body[i] + "}"))
			equal(t, fmt.Sprintf("%s of %s alone", reason, w.member), "{"+want[i]+"}", errorsOf(err))
		}
	}
}

// errorsOf returns the JSON of the errors of fields that an error wraps.
func errorsOf(err error) string {
	var errs schema.FieldErrors
	if !errors.As(err, &errs) {
		return "no errors of fields"
	}
	text, _ := json.Marshal(errs)
	return string(text)
}
