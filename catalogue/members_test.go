package catalogue

//lint:file-ignore SA5008 repeated tags are what is tested

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

type (
	base struct {
		ID   int `json:"id"`
		Name string
	}
	hidden struct {
		base
		Name string
	}
	renamed struct {
		*base
		Title string `json:"Name"`
		Skip  int    `json:"-"`
		Dash  int    `json:"-,"`
	}
	twins struct {
		A    string `json:"Same"`
		Same string
	}
	left  struct{ Side string }
	right struct{ Side string }
	both  struct {
		left
		right
	}
	Again struct {
		*Again
		ID int `json:"id"`
	}
)

func TestMembersOf(t *testing.T) {
	for _, row := range []struct {
		reason string
		typ    reflect.Type
		want   []string
		err    string
	}{
		{"embedded", reflect.TypeFor[base](), []string{"id", "Name"}, ""},
		{"a field hides that of an embedded struct", reflect.TypeFor[hidden](), []string{"id", "Name"}, ""},
		{"a tag does so too; the tag - excludes a member, -, does not", reflect.TypeFor[renamed](), []string{"id", "Name", "-"}, ""},
		{"two with the same name in a struct", reflect.TypeFor[twins](), nil, `two members "Same"`},
		{"two with the same name in embedded structs", reflect.TypeFor[both](), nil, `two members "Side"`},
		{"a struct that embeds itself", reflect.TypeFor[Again](), []string{"id"}, ""},
		{"a time is a value", reflect.TypeFor[struct{ At time.Time }](), []string{"At"}, ""},
	} {
		list, err := membersOf(row.typ)
		if (err != nil) != (row.err != "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %v, want %s", row.reason, err, row.err)
			continue
		}
		var got []string
		for _, m := range list {
			got = append(got, m.name)
			if f := row.typ.FieldByIndex(m.index); f.Type != m.typ {
				t.Errorf("%s: %s is %v, and %v at its index", row.reason, m.name, m.typ, f.Type)
			}
		}
		if diff := cmp.Diff(row.want, got); row.err == "" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

type rating string

func (r *rating) OrderingKey() int64 { return int64(len(*r)) }

type loud string

func (l loud) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(string(l))) }

type allKinds struct {
	Int     int
	Int8    int8
	Int64   int64
	Bool    bool
	Byte    uint8
	Uint32  uint32
	Rating  rating
	Date    resources.DateTime
	String  string
	Uint64  uint64
	Float   float64
	Number  json.Number
	Loud    loud
	Time    time.Time
	Pointer *int
	List    []int
	Any     any
	*base
}

// TestKeyKinds checks that an index can rely on the kind of a member's keys.
func TestKeyKinds(t *testing.T) {
	want := map[string]store.Kind{
		"Int": store.Integer, "Int8": store.Integer, "Int64": store.Integer, "Bool": store.Integer, "Byte": store.Integer,
		"Uint32": store.Integer, "Rating": store.Integer, "Date": store.Integer, "String": store.Text,
	}
	typ := reflect.TypeFor[allKinds]()
	list, err := membersOf(typ)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := ordering.FieldsOf[allKinds]()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	for _, m := range list {
		kind := m.keyKind(typ)
		if kind != want[m.name] {
			t.Errorf("%s: kind %v, want %v", m.name, kind, want[m.name])
		}
		f, _ := fields.Lookup(ordering.Snake(m.name))
		for range 200 {
			var record allKinds
			if v := reflect.ValueOf(&record).Elem().Field(m.index[0]); m.typ.Kind() != reflect.Struct && m.typ.Kind() != reflect.Interface {
				if random, ok := quick.Value(v.Type(), rng); ok && v.CanSet() {
					v.Set(random)
				}
			}
			key := f.Key(&record)
			_, isInt := key.AsInt()
			_, isText := key.AsText()
			if kind == store.Integer && !isInt || kind == store.Text && !isText {
				t.Fatalf("%s of %+v: the key is neither a number nor text", m.name, record)
			}
		}
	}
}
