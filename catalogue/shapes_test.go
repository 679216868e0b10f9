package catalogue_test

import (
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Types of values as packages that many programs use declare them.
type (
	// A softDelete is null or a time, as gorm.DeletedAt is.
	softDelete sql.NullTime
	// A gitStamp is a struct around a time, as github.Timestamp and openapi_types.Date are.
	gitStamp struct{ time.Time }
	// A strftime is a named time, as strfmt.DateTime is.
	strftime time.Time
	// A guid writes its bytes as text, as uuid.UUID is.
	guid [16]byte
	// An objectID has methods for JSON and for text, as primitive.ObjectID is.
	objectID [4]byte
	// A pgText is null or a text, as pgtype.Text is.
	pgText struct {
		String string
		Valid  bool
	}
	// A pgUUID is null or the text of its bytes, as pgtype.UUID is.
	pgUUID struct {
		Bytes [4]byte
		Valid bool
	}
	// A pgNumeric has an exported integer, as pgtype.Numeric is.
	pgNumeric struct {
		Int   *big.Int
		Exp   int32
		Valid bool
	}
	// A nullable is absent, null or a value, as nullable.Nullable is.
	nullable[T any] map[bool]T
	// A jsonColumn is JSON, as datatypes.JSON is.
	jsonColumn json.RawMessage
	// A status is an enumeration that writes its name.
	status int
	// A letter is a generated enumeration.
	letter string
	// An expandable is an id or an object, as stripe.Customer is.
	expandable struct {
		ID    string `json:"id"`
		Email string `json:"email"`
	}
)

func (d softDelete) MarshalJSON() ([]byte, error) {
	if !d.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(d.Time)
}

func (d *softDelete) UnmarshalJSON(b []byte) error {
	if d.Valid = string(b) != "null"; !d.Valid {
		return nil
	}
	return json.Unmarshal(b, &d.Time)
}

func (s strftime) MarshalJSON() ([]byte, error)    { return time.Time(s).MarshalJSON() }
func (s *strftime) UnmarshalJSON(b []byte) error   { return (*time.Time)(s).UnmarshalJSON(b) }
func (g guid) MarshalText() ([]byte, error)        { return hex.AppendEncode(nil, g[:]), nil }
func (g *guid) UnmarshalText(b []byte) error       { _, err := hex.Decode(g[:], b); return err }
func (o objectID) MarshalText() ([]byte, error)    { return hex.AppendEncode(nil, o[:]), nil }
func (o *objectID) UnmarshalText(b []byte) error   { _, err := hex.Decode(o[:], b); return err }
func (o objectID) MarshalJSON() ([]byte, error)    { return json.Marshal(hex.EncodeToString(o[:])) }
func (o *objectID) UnmarshalJSON(b []byte) error   { return o.UnmarshalText(b[1 : len(b)-1]) }
func (s status) MarshalText() ([]byte, error)      { return []byte([]string{"open", "closed"}[s]), nil }
func (n pgNumeric) MarshalJSON() ([]byte, error)   { return n.Int.MarshalJSON() }
func (j jsonColumn) MarshalJSON() ([]byte, error)  { return json.RawMessage(j).MarshalJSON() }
func (j *jsonColumn) UnmarshalJSON(b []byte) error { return (*json.RawMessage)(j).UnmarshalJSON(b) }
func (n nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n[true]) }
func (e *expandable) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &e.ID)
	}
	type plain expandable
	return json.Unmarshal(b, (*plain)(e))
}

func (n *nullable[T]) UnmarshalJSON(b []byte) error {
	var v T
	err := json.Unmarshal(b, &v)
	*n = nullable[T]{string(b) != "null": v}
	return err
}

func (n *pgNumeric) UnmarshalJSON(b []byte) error {
	n.Int, n.Valid = new(big.Int), true
	return n.Int.UnmarshalJSON(b)
}

func (s *status) UnmarshalText(b []byte) error {
	*s = status(slices.Index([]string{"open", "closed"}, string(b)))
	if *s < 0 {
		return errors.New("unknown")
	}
	return nil
}

func (p pgText) MarshalJSON() ([]byte, error) {
	if !p.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(p.String)
}

func (p *pgText) UnmarshalJSON(b []byte) error {
	p.Valid = string(b) != "null"
	return json.Unmarshal(b, &p.String)
}

func (p pgUUID) MarshalJSON() ([]byte, error) {
	if !p.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(hex.EncodeToString(p.Bytes[:]))
}

func (p *pgUUID) UnmarshalJSON(b []byte) error {
	if p.Valid = string(b) != "null"; !p.Valid {
		return nil
	}
	return second(hex.Decode(p.Bytes[:], b[1:len(b)-1]))
}

// Structs that the records embed or contain.
type (
	Model struct {
		ID        uint `gorm:"primarykey"`
		CreatedAt time.Time
		DeletedAt softDelete `gorm:"index"`
	}
	BasicUser struct {
		Login  *string `json:"login,omitempty"`
		SiteID *int64  `json:"site_id,omitempty"`
	}
	apiResource struct {
		LastResponse *response `json:"-"`
	}
	response   struct{ Header map[string][]string }
	repository struct {
		ID          *int64          `json:"id,omitempty"`
		FullName    *string         `json:"full_name,omitempty"`
		Permissions map[string]bool `json:"permissions,omitempty"`
		Parent      *repository     `json:"parent,omitempty"`
		Topics      []string        `json:"topics,omitempty"`
	}
	pair[K comparable, V any] struct {
		ID  int     `json:"id"`
		Key K       `json:"key"`
		All map[K]V `json:"all"`
	}
	embedded struct {
		Title string `json:"title"`
		Inner *int   `json:"inner"`
	}
	mixed struct {
		Tags []string `json:"tags"`
		embedded
		ID     int              `json:"id"`
		Status letter           `json:"status"`
		Ready  *bool            `json:"ready"`
		Due    *schema.DateTime `json:"due"`
		Level  level            `json:"level"`
		Levels []level          `json:"levels"`
		Digits json.Number      `json:"digits"`
		Far    **string         `json:"far"`
		Lists  [][]int          `json:"lists"`
		Raw    json.RawMessage  `json:"raw"`
	}
	// An ownJSON has other members than fields.
	ownJSON struct {
		Number int `json:"id"`
		Name   string
		Parts  []*string
	}
	level int
)

func (l level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "level %d", l), nil }

func (l *level) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return second(fmt.Sscanf(string(text), "level %d", l))
}

func (o *ownJSON) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"id": o.Number, "name": o.Name, "parts": o.Parts})
}

func (o *ownJSON) UnmarshalJSON(data []byte) error {
	var read struct {
		ID    int
		Name  string
		Parts []*string
	}
	err := json.Unmarshal(data, &read)
	*o = ownJSON{read.ID, read.Name, read.Parts}
	return err
}

// A shape is a type of records, and the check that it is accepted, saved, loaded, ordered and copied.
type shape struct {
	source string // the kind of program from which it is
	check  func(t *testing.T)
}

// shapeOf returns the shape of a type. The records are what encoding/json reads, in the order of a field.
func shapeOf[T any](source string, opts catalogue.Options, by string, records ...string) shape {
	return shape{source, func(t *testing.T) {
		c, insert, err := catalogue.NewBare[T](opts)
		must(t, err)
		for _, text := range slices.Backward(records) {
			r := read[T](t, text)
			must(t, second(insert(r)))
			scribble(reflect.ValueOf(&r).Elem())
		}
		all := func(c *catalogue.Collection[schema.Record]) []T {
			list := catalogue.AllBare[T](c)
			slices.SortFunc(list, func(a, b T) int { // only the order of the ids is not that of the texts
				return slices.IndexFunc(records, func(text string) bool { return reflect.DeepEqual(read[T](t, text), a) }) -
					slices.IndexFunc(records, func(text string) bool { return reflect.DeepEqual(read[T](t, text), b) })
			})
			return list
		}
		want := read[[]T](t, "["+strings.Join(records, ",")+"]")
		for _, when := range []string{"inserted", "after changes of what was inserted and read"} {
			got := all(c)
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: %s, want %s", when, wireOf(got), wireOf(want))
			}
			for i := range got {
				scribble(reflect.ValueOf(&got[i]).Elem())
			}
		}
		var file strings.Builder
		must(t, c.Save(&file))
		again := read[[]T](t, wireOf(want)) // what encoding/json keeps of it
		if got := read[[]T](t, file.String()); !sameElements(again, got) {
			t.Errorf("saved: %s, want %s", file.String(), wireOf(again))
		}
		for text, want := range map[string][]T{"[" + strings.Join(records, ",") + "]": want, file.String(): again} {
			must(t, c.Load(strings.NewReader(text), catalogue.LoadOptions{}))
			if got := catalogue.AllBare[T](c); !sameElements(want, got) {
				t.Errorf("%s loaded: %s, want %s", text, wireOf(got), wireOf(want))
			}
		}
		must(t, c.Check())
		inCatalogue := opts
		inCatalogue.Description = &schema.Description{Sortable: []string{by}}
		checkShapeInCatalogue(t, mustCatalogue(t, catalogue.DefineBare[T]("all", inCatalogue)), by, file.String(), records)
	}}
}

// checkShapeInCatalogue loads a file into the only collection of a catalogue and compares the order of
// the records by a field, and what a client that sends a record back gets.
func checkShapeInCatalogue(t *testing.T, cat *catalogue.Catalogue, by, file string, records []string) {
	t.Helper()
	c := collectionOf(t, cat, "all")
	must(t, c.Load(strings.NewReader(file), catalogue.LoadOptions{}))
	name := c.Description().Identity().Name
	idOf := func(record string) string {
		return strings.Trim(string(read[map[string]json.RawMessage](t, record)[name]), `"`)
	}
	var want []string
	for _, text := range records {
		want = append(want, idOf(text))
	}
	for _, term := range []ordering.Term{ordering.Asc(by), ordering.Desc(by)} {
		_, list, err := listed(c.List(t.Context(), catalogue.Query{Terms: []ordering.Term{term}}))
		must(t, err)
		var got []string
		for _, record := range list {
			got = append(got, idOf(string(record)))
		}
		equal(t, "by "+ordering.Format([]ordering.Term{term}), want, got)
		slices.Reverse(want)
	}
	for _, id := range want {
		before := mustHave(c.Get(t.Context(), id, schema.Filter{}))
		for _, partial := range []bool{true, false} {
			after := mustHave(c.Update(t.Context(), id, catalogue.Edit{Body: before, Partial: partial}))
			equal(t, "sent back", string(before), string(after))
		}
	}
}

// read returns what encoding/json reads.
func read[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// sameElements reports whether lists have the same elements.
func sameElements[T any](a, b []T) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x T) bool {
		return !slices.ContainsFunc(b, func(y T) bool { return reflect.DeepEqual(x, y) })
	})
}

// scribble overwrites all memory that a value refers to, in unexported fields too. It spares what
// no program can change.
func scribble(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	switch v.Interface().(type) {
	case time.Time, netip.Addr, netip.AddrPort, netip.Prefix, *time.Location:
		v.SetZero()
		return
	case strftime:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			scribble(value)
			v.SetMapIndex(key, reflect.Value{})
		}
	case reflect.Interface:
		if !v.IsNil() {
			value := reflect.New(v.Elem().Type()).Elem()
			value.Set(v.Elem())
			scribble(value)
		}
	default:
		v.SetZero()
	}
}

// TestShapes stores records of the shapes that public programs have, and of others whose memory is laid
// out in an unusual way, while the garbage collector runs all the time.
func TestShapes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	none, byID, bySelf := catalogue.Options{}, catalogue.Options{ID: "id"}, catalogue.Options{ID: "_id"}
	for _, s := range []shape{
		shapeOf[struct {
			ID    int64          `json:"id"`
			Name  string         `json:"name"`
			Bio   sql.NullString `json:"bio"`
			Born  sql.NullTime   `json:"born"`
			Books sql.NullInt32  `json:"books"`
		}]("sqlc with json tags", none, "bio__string",
			`{"id":2,"name":"a","bio":{"String":"a","Valid":true},"born":{"Time":"2024-05-01T10:00:00Z","Valid":true},"books":{"Int32":3,"Valid":true}}`,
			`{"id":1,"name":"b","bio":{"String":"b","Valid":true},"born":{"Time":"0001-01-01T00:00:00Z","Valid":false},"books":{"Int32":0,"Valid":false}}`),
		shapeOf[struct {
			ID      int64     `json:"id"`
			Title   pgText    `json:"title"`
			Price   pgNumeric `json:"price"`
			Changed gitStamp  `json:"changed"`
		}]("sqlc with pgtype", none, "price",
			`{"id":2,"title":"a","price":5,"changed":"2024-05-01T10:00:00Z"}`,
			`{"id":1,"title":null,"price":100,"changed":"2023-05-01T10:00:00Z"}`),
		shapeOf[struct {
			ID   pgUUID `json:"id"`
			Name string `json:"name"`
		}]("sqlc with a UUID of pgtype as id", byID, "name",
			`{"id":"0000000b","name":"a"}`, `{"id":"0000000a","name":"b"}`),
		shapeOf[struct {
			ID    int              `json:"id"`
			Score sql.Null[int64]  `json:"score"`
			Nick  sql.Null[string] `json:"nick"`
		}]("a hand-written store with sql.Null", none, "score__v",
			`{"id":2,"score":{"V":-1,"Valid":true},"nick":{"V":"q","Valid":true}}`,
			`{"id":1,"score":{"V":3,"Valid":true},"nick":{"V":"r","Valid":false}}`),
		shapeOf[struct {
			Model
			Email string
			Cards []struct {
				Model
				Number string
			}
		}]("gorm.Model with DeletedAt and an association", none, "deleted_at",
			`{"ID":2,"CreatedAt":"2024-05-01T10:00:00Z","DeletedAt":"2025-01-01T00:00:00Z","Email":"a@x.example","Cards":[{"ID":1,"CreatedAt":"2024-05-01T10:00:00Z","DeletedAt":null,"Number":"1"}]}`,
			`{"ID":1,"CreatedAt":"2024-05-01T10:00:00Z","DeletedAt":null,"Email":"b@x.example","Cards":[]}`),
		shapeOf[struct {
			ID        uint       `json:"id"`
			CompanyID *uint      `json:"company_id"`
			Company   *Model     `json:"company,omitempty"`
			Extra     jsonColumn `json:"extra"`
		}]("gorm with a foreign key and a column of JSON", none, "company_id",
			`{"id":2,"company_id":5,"company":{"ID":5,"CreatedAt":"2024-05-01T10:00:00Z","DeletedAt":null},"extra":{"a":[1]}}`,
			`{"id":1,"company_id":null,"extra":[2]}`),
		shapeOf[struct {
			ID   int      `boil:"id" json:"id"`
			Name pgText   `boil:"name" json:"name,omitempty"`
			R    *Model   `boil:"-" json:"-"`
			L    struct{} `boil:"-" json:"-"`
		}]("sqlboiler with relations outside the JSON", none, "name", `{"id":2,"name":"a"}`, `{"id":1,"name":"b"}`),
		shapeOf[struct {
			ID        *int64       `json:"id,omitempty"`
			Number    *int         `json:"number,omitempty"`
			Title     *string      `json:"title,omitempty"`
			Locked    *bool        `json:"locked,omitempty"`
			CreatedAt *gitStamp    `json:"created_at,omitempty"`
			User      *BasicUser   `json:"user,omitempty"`
			Assignees []*BasicUser `json:"assignees,omitempty"`
		}]("go-github: pointers everywhere", none, "created_at",
			`{"id":9007199254740993,"number":2,"title":"a","locked":true,"created_at":"2024-05-01T10:00:00Z","user":{"login":"x","site_id":1},"assignees":[{"login":"y"}]}`,
			`{"id":1,"title":"b"}`),
		shapeOf[repository]("go-github: a type that contains itself", none, "full_name",
			`{"id":2,"full_name":"a/a","permissions":{"admin":true},"parent":{"id":1,"full_name":"b/b"},"topics":["go"]}`,
			`{"id":1,"full_name":"b/b"}`),
		shapeOf[struct {
			*BasicUser
			ID    int       `json:"id"`
			Since time.Time `json:"since"`
		}]("go-gitlab: an embedded pointer", none, "login",
			`{"login":"a","site_id":3,"id":2,"since":"2024-05-01T10:00:00Z"}`, `{"login":"b","id":1,"since":"2024-05-01T10:00:00Z"}`),
		shapeOf[struct {
			apiResource
			ID       string            `json:"id"`
			Amount   int64             `json:"amount"`
			Created  int64             `json:"created"`
			Customer *expandable       `json:"customer"`
			Metadata map[string]string `json:"metadata"`
		}]("stripe-go: a text as id, by an option", byID, "amount",
			`{"id":"ch_2","amount":5,"created":1,"customer":{"id":"cus_1","email":"a@x.example"},"metadata":{"a":"b"}}`,
			`{"id":"ch_1","amount":40,"created":2,"customer":null,"metadata":{}}`),
		shapeOf[struct {
			ID     int64            `json:"id"`
			Kind   letter           `json:"kind"`
			State  status           `json:"state"`
			Born   gitStamp         `json:"born"`
			Nick   nullable[string] `json:"nick"`
			Weight *float32         `json:"weight,omitempty"`
		}]("oapi-codegen with enumerations and nullable.Nullable", none, "state",
			`{"id":1,"kind":"a","state":"open","born":"2024-05-01T00:00:00Z","nick":null,"weight":1.5}`,
			`{"id":2,"kind":"b","state":"closed","born":"2024-05-01T00:00:00Z","nick":"a"}`),
		shapeOf[struct {
			ID      *int64        `json:"id"`
			At      strftime      `json:"at"`
			Tags    []*BasicUser  `json:"tags"`
			Any     interface{}   `json:"any,omitempty"`
			Numbers []json.Number `json:"numbers"`
		}]("go-swagger with strfmt.DateTime", none, "at",
			`{"id":2,"at":"2023-05-01T10:00:00Z","tags":[{"login":"a"}],"any":{"a":["b",null]},"numbers":[1.5]}`,
			`{"id":1,"at":"2024-05-01T10:00:00Z","tags":[],"numbers":[]}`),
		shapeOf[struct {
			ID     uint64     `json:"id"`
			Hash   guid       `json:"hash"`
			Number *big.Int   `json:"number"`
			Fees   []*big.Int `json:"fees"`
			Total  big.Int    `json:"total"`
		}]("a client of Ethereum", none, "number",
			`{"id":2,"hash":"0000000000000000000000000000000b","number":99,"fees":[1,18446744073709551617],"total":-5}`,
			`{"id":1,"hash":"0000000000000000000000000000000a","number":18446744073709551616,"fees":[],"total":5}`),
		shapeOf[struct {
			ID    int     `json:"id"`
			Share big.Rat `json:"share"`
			Rate  *big.Rat
			Float *big.Float `json:"float"`
		}]("a ledger with big.Rat and big.Float", none, "float",
			`{"id":2,"share":"1/3","Rate":"7/2","float":"0.5"}`, `{"id":1,"share":"2/3","Rate":null,"float":"0.75"}`),
		shapeOf[struct {
			ID     int64          `json:"id"`
			Addr   netip.Addr     `json:"addr"`
			Local  netip.AddrPort `json:"local"`
			Routes []netip.Prefix `json:"routes"`
			Peer   *netip.Addr    `json:"peer"`
			Lease  time.Duration  `json:"lease"`
		}]("a network service with netip (golang/go#51520)", none, "lease",
			`{"id":2,"addr":"192.0.2.1","local":"[fe80::1%eth0]:80","routes":["192.0.2.0/24"],"peer":"2001:db8::1","lease":1000000000}`,
			`{"id":1,"addr":"192.0.2.2","local":"192.0.2.1:80","routes":[],"peer":null,"lease":3600000000000}`),
		shapeOf[struct {
			ID  uint16     `json:"id"`
			IP  net.IP     `json:"ip"`
			Net *net.IPNet `json:"net"`
			Log slog.Level `json:"log"`
		}]("a network service with package net", none, "ip",
			`{"id":2,"ip":"192.0.2.1","net":{"IP":"192.0.2.0","Mask":"////AA=="},"log":"WARN"}`,
			`{"id":1,"ip":"192.0.2.2","net":null,"log":"INFO"}`),
		shapeOf[struct {
			ID      int                            `json:"id"`
			Headers map[string][]string            `json:"headers"`
			Matrix  [][]int                        `json:"matrix"`
			Deep    map[string]map[string][]*int64 `json:"deep"`
			Raw     json.RawMessage                `json:"raw"`
			Any     any                            `json:"any"`
		}]("a proxy: maps, nested slices, raw JSON", none, "matrix",
			`{"id":2,"headers":{"a":["b","c"]},"matrix":[[1,2],[3]],"deep":{"a":{"b":[1,null]}},"raw":{"x":1},"any":[{"y":null}]}`,
			`{"id":1,"headers":{},"matrix":[[2]],"deep":{},"raw":[],"any":"z"}`),
		shapeOf[struct {
			ID      int64          `json:"id"`
			Actor   *BasicUser     `json:"actor"`
			Payload map[string]any `json:"payload"`
			Took    time.Duration  `json:"took,omitempty"`
			mu      sync.Mutex
		}]("an audit log with a mutex", none, "took",
			`{"id":2,"actor":{"login":"a"},"payload":{"a":{"b":["c"]}},"took":5}`, `{"id":1,"actor":null,"payload":{},"took":70}`),
		shapeOf[pair[netip.Addr, []time.Time]]("two type parameters", none, "key",
			`{"id":2,"key":"192.0.2.1","all":{"192.0.2.3":["2024-05-01T10:00:00Z"]}}`, `{"id":1,"key":"192.0.2.2","all":{}}`),
		shapeOf[struct {
			Start time.Time               `json:"start"`
			Zone  *time.Location          `json:"-"`
			Days  [7]bool                 `json:"days"`
			Names map[time.Weekday]string `json:"names"`
			ID    int16                   `json:"id"`
		}]("a calendar with a zone outside the JSON", none, "start",
			`{"start":"2023-05-01T10:00:00Z","days":[true,false,true,false,false,false,true],"names":{"1":"Monday"},"id":2}`,
			`{"start":"2024-05-01T10:00:00+02:00","days":[false,false,false,false,false,false,false],"names":{},"id":1}`),
		shapeOf[struct {
			Point   [2]float64    `json:"point"`
			Polygon [][][]float64 `json:"polygon"`
			ID      uint32        `json:"fid"`
		}]("a map service with a fid", catalogue.Options{ID: "fid"}, "point",
			`{"point":[1.5,2],"polygon":[[[1,2],[3,4]]],"fid":2}`, `{"point":[2.5,2],"polygon":[],"fid":1}`),
		shapeOf[struct {
			ID      uint8   `json:"id"`
			Level   int8    `json:"level"`
			Value   float32 `json:"value"`
			Payload []byte  `json:"payload"`
		}]("a device with bytes", none, "value",
			`{"id":2,"level":-3,"value":0.1,"payload":"`+base64.StdEncoding.EncodeToString([]byte("abc"))+`"}`,
			`{"id":1,"level":3,"value":0.2,"payload":"eA=="}`),
		shapeOf[struct {
			ID   objectID `bson:"_id" json:"_id"`
			Name string   `json:"name"`
		}]("a document of MongoDB with an ObjectID", bySelf, "name", `{"_id":"0000000b","name":"a"}`, `{"_id":"0000000a","name":"b"}`),
		shapeOf[mixed]("a field of each kind that loads distinguish", none, "due",
			`{"tags":["a","é"],"title":"t","inner":5,"id":7,"status":"open","ready":true,"due":"2024-05-10T18:00:00-09:30",`+
				`"level":"level 3","levels":["level 1"],"digits":1.5,"far":"x","lists":[[1],[]],"raw":{"b":"é","a":1}}`,
			`{"status":"\u00e9","id":9,"title":"a\/b","far":null,"due":null,"ready":false,"inner":-1,"levels":[],"tags":[],"lists":[],"raw":[null],"digits":0.5}`),
		shapeOf[struct {
			Numbers [3]int          `json:"numbers"`
			ID      int             `json:"id"`
			Texts   [2][2]string    `json:"texts"`
			Places  [2]*response    `json:"places"`
			Lists   [1][]*response  `json:"lists"`
			Maps    [1]map[int]bool `json:"maps"`
		}]("arrays of all kinds", none, "numbers",
			`{"id":2,"numbers":[1,2,3],"texts":[["a",""],["","b"]],"places":[{"Header":{"a":[]}},null],"lists":[[null]],"maps":[{"1":true}]}`,
			`{"id":1,"numbers":[1,3,2],"texts":[["",""],["",""]],"places":[null,null],"lists":[[]],"maps":[{}]}`),
		shapeOf[struct {
			First struct{}    `json:"first"`
			ID    int         `json:"id"`
			Pages [500]int    `json:"-"`
			Texts [32]*string `json:"texts"`
			None  [0]*int     `json:"none"`
			Last  struct{}    `json:"last"` // without padding its address would be past the record
		}]("four kilobytes, and fields of size zero", none, "texts",
			`{"id":2,"texts":["a"`+strings.Repeat(",null", 30)+`,"b"],"first":{},"none":[],"last":{}}`,
			`{"id":1,"texts":["b"`+strings.Repeat(",null", 31)+`],"first":{},"none":[],"last":{}}`),
		shapeOf[ownJSON]("a record with methods for JSON", none, "name",
			`{"id":2,"name":"a","parts":["b",null]}`, `{"id":1,"name":"b","parts":[]}`),
	} {
		t.Run(s.source, s.check)
	}
}
