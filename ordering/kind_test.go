package ordering_test

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

type rating string

func (r *rating) OrderingKey() int64 { return int64(len(*r)) }

type version string

func (v version) OrderingKey() ordering.Key { return ordering.List(ordering.Text(string(v))) }

type loud string

func (l loud) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(string(l))) }

type inner struct{ Inner int }

type allKinds struct {
	Int     int
	Int8    int8
	Int64   int64
	Bool    bool
	Byte    uint8
	Uint32  uint32
	Rating  rating
	Version version
	String  string
	Folded  string
	Uint64  uint64
	Float   float64
	Number  json.Number
	Loud    loud
	Time    time.Time
	Pointer *int
	List    []int
	Any     any
	*inner
}

// TestKinds checks that an index can rely on the kind of a field.
func TestKinds(t *testing.T) {
	want := map[string]ordering.Kind{
		"int": ordering.IntegerKey, "int_8": ordering.IntegerKey, "int_64": ordering.IntegerKey, "bool": ordering.BoolKey,
		"byte": ordering.IntegerKey, "uint_32": ordering.IntegerKey, "rating": ordering.IntegerKey, "string": ordering.TextKey,
	}
	fields, err := ordering.FieldsOf[allKinds](ordering.FieldKey("folded", func(s string) ordering.Key { return ordering.Int(int64(len(s))) }))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	for i, name := range fields.Names() {
		f, _ := fields.Lookup(name)
		if f.Kind != want[name] {
			t.Errorf("%s: kind %v, want %v", name, f.Kind, want[name])
		}
		for range 200 {
			var record allKinds
			if v := reflect.ValueOf(&record).Elem().Field(min(i, reflect.TypeFor[allKinds]().NumField()-1)); v.Kind() != reflect.Struct && v.Kind() != reflect.Interface {
				if random, ok := quick.Value(v.Type(), rng); ok && v.CanSet() {
					v.Set(random)
				}
			}
			key := f.Key(&record)
			_, isInt := key.AsInt()
			_, isText := key.AsText()
			if (f.Kind == ordering.IntegerKey || f.Kind == ordering.BoolKey) && !isInt || f.Kind == ordering.TextKey && !isText {
				t.Fatalf("%s of %+v: the key is neither a number nor text", name, record)
			}
		}
	}
}
