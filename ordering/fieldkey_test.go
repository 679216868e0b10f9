package ordering_test

import (
	"encoding/json"
	"errors" // for testing/quick
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

type host struct {
	ID      int
	Addr    netip.Addr
	Pointer *netip.Addr
	List    []netip.Addr
	Array   [2]netip.Addr
	Map     map[string]netip.Addr
	Name    string
	Alias   *string
	Seen    *time.Time
	Shade   shade
}

// hosts are in the order of their addresses. Their texts are in another order.
func hosts() []host {
	var list []host
	for i, s := range []string{"9.0.0.1", "10.0.0.1", "192.168.0.1"} {
		a, name := netip.MustParseAddr(s), []string{"a", "B", "c"}[i]
		list = append(list, host{
			ID: i, Addr: a, Pointer: &a, List: []netip.Addr{a}, Array: [2]netip.Addr{a}, Map: map[string]netip.Addr{"x": a},
			Name: name, Alias: &name, Shade: shade(name),
		})
	}
	return list
}

func addrKey(a netip.Addr) sortkey.Key {
	b, _ := a.MarshalBinary()
	return sortkey.Text(string(b))
}

func fold(s string) sortkey.Key { return sortkey.Text(strings.ToLower(s)) }

// order returns the ids of the hosts in the order of a field.
func order(t *testing.T, fields *ordering.Fields[host], name string) (ids []int) {
	t.Helper()
	list := hosts()
	list[0], list[2] = list[2], list[0]
	if err := fields.Sort(list, ordering.Asc(name)); err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		ids = append(ids, h.ID)
	}
	return ids
}

// A TypeKey supplies the keys of all fields of its type, of pointers to it and of lists
// of it. Maps are compared by their JSON all the same.
func TestTypeKey(t *testing.T) {
	fields := fieldsOf[host](t, ordering.TypeKey(addrKey))
	plain := fieldsOf[host](t)
	for _, name := range []string{"addr", "pointer", "list", "array"} {
		if diff := cmp.Diff([]int{0, 1, 2}, order(t, fields, name)); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]int{1, 2, 0}, order(t, plain, name)); diff != "" { // "10." < "19" < "9."
			t.Errorf("by %s without the function (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 0}, order(t, fields, "map")); diff != "" {
		t.Errorf("by map (-want +got):\n%s", diff)
	}
	for _, name := range []string{"pointer", "list"} {
		f, _ := fields.Lookup(name)
		if f.Key(&host{}).Compare(sortkey.Null()) != 0 {
			t.Errorf("%s: the key of nil is not null", name)
		}
	}
	between := ordering.Between("pointer", netip.MustParseAddr("9.255.0.0"), netip.MustParseAddr("11.0.0.0"))
	if diff := cmp.Diff([]int{1}, matching(t, fields, between, hosts())); diff != "" {
		t.Errorf("%v (-want +got):\n%s", between, diff)
	}
}

// A FieldKey supplies the keys of one field, whose conditions compare by them too.
func TestFieldKey(t *testing.T) {
	fields := fieldsOf[host](t, ordering.FieldKey("name", fold), ordering.FieldKey("alias", fold))
	for name, want := range map[string][]int{"name": {0, 1, 2}, "alias": {0, 1, 2}, "shade": {1, 0, 2}} {
		if diff := cmp.Diff(want, order(t, fields, name)); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", name, diff)
		}
	}
	text := "B"
	for _, c := range []ordering.Condition{
		ordering.Equal("name", "b"), ordering.Equal("alias", "b"), ordering.Equal("alias", &text),
		ordering.Prefix("name", "B"), ordering.Between("name", "B", "BZ"),
	} {
		if diff := cmp.Diff([]int{1}, matching(t, fields, c, hosts())); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c, diff)
		}
	}
	f, _ := fields.Lookup("alias")
	if f.Key(&host{}).Compare(sortkey.Null()) != 0 {
		t.Error("the key of a nil pointer is not null")
	}
	if f, _ = fields.Lookup("name"); f.Kind != reflect.Invalid {
		t.Errorf("kind %v, want any: the function can return any key", f.Kind)
	}
	type meeting struct {
		At  time.Time
		End struct{ time.Time }
	}
	times, err := ordering.FieldsOf[meeting](ordering.TypeKey(func(t time.Time) sortkey.Key { return sortkey.Int(int64(t.Hour())) }))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"at", "end"} {
		if f, ok := times.Lookup(name); !ok || f.Kind != reflect.Invalid {
			t.Errorf("%s has the kind %v, want any: the function for times can return any key", name, f.Kind)
		}
	}
	for _, v := range []any{5, shade("b"), json.Number("1")} {
		if _, err := fields.Matcher(ordering.Equal("name", v)); !errors.Is(err, ordering.ErrInvalidCondition) {
			t.Errorf("name = %#v: error %v, want %v: the function decides how strings compare", v, err, ordering.ErrInvalidCondition)
		}
	}
}

// A function can take a pointer. It is not called with nil, which is null.
func TestKeyOfPointer(t *testing.T) {
	key := func(p *time.Time) sortkey.Key { return sortkey.Int(int64(p.Year())) }
	for what, k := range map[string]ordering.KeyFunc{"field": ordering.FieldKey("seen", key), "type": ordering.TypeKey(key)} {
		fields, err := ordering.FieldsOf[host](k)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		f, _ := fields.Lookup("seen")
		if got := f.Key(&host{}); got.Compare(sortkey.Null()) != 0 {
			t.Errorf("%s: the key of nil is %v, want null", what, got)
		}
		seen := time.Date(1958, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := f.Key(&host{Seen: &seen}); got.Compare(sortkey.Int(1958)) != 0 {
			t.Errorf("%s: the key is %v, want that of the function", what, got)
		}
	}
}

// Of several functions for a field or a type, the last one counts. One for the field
// precedes one for the type.
func TestLastKeyFunc(t *testing.T) {
	constant := func(i int64) func(string) sortkey.Key {
		return func(string) sortkey.Key { return sortkey.Int(i) }
	}
	for _, row := range []struct {
		why   string
		funcs []ordering.KeyFunc
		want  int64
	}{
		{"the last for the field", []ordering.KeyFunc{ordering.FieldKey("name", constant(1)), ordering.FieldKey("name", constant(2))}, 2},
		{"the last for the type", []ordering.KeyFunc{ordering.TypeKey(constant(1)), ordering.TypeKey(constant(2))}, 2},
		{"the field before the type", []ordering.KeyFunc{ordering.FieldKey("name", constant(1)), ordering.TypeKey(constant(2))}, 1},
		{"an earlier one of another type", []ordering.KeyFunc{ordering.FieldKey("name", func(int) sortkey.Key { return sortkey.Int(1) }), ordering.FieldKey("name", constant(2))}, 2},
	} {
		fields, err := ordering.FieldsOf[host](row.funcs...)
		if err != nil {
			t.Errorf("%s: %v", row.why, err)
			continue
		}
		f, _ := fields.Lookup("name")
		if got, _ := f.Key(&host{}).AsInt(); got != row.want {
			t.Errorf("%s: key %d, want %d", row.why, got, row.want)
		}
	}
}

func TestInvalidKeyFuncs(t *testing.T) {
	for _, row := range []struct {
		why   string
		funcs []ordering.KeyFunc
		is    error
		want  string
	}{
		{"the zero KeyFunc", []ordering.KeyFunc{{}}, ordering.ErrInvalidFields, "function 0 is nil"},
		{"a nil function for a field", []ordering.KeyFunc{ordering.FieldKey[string]("name", nil)}, ordering.ErrInvalidFields, "function 0 is nil"},
		{"a nil function for a type", []ordering.KeyFunc{ordering.TypeKey(addrKey), ordering.TypeKey[string](nil)}, ordering.ErrInvalidFields, "function 1 is nil"},
		{"another type", []ordering.KeyFunc{ordering.FieldKey("name", func(int) sortkey.Key { return sortkey.Null() })}, ordering.ErrInvalidFields,
			"name: its key function takes int, the field is string"},
		{"a named type", []ordering.KeyFunc{ordering.FieldKey("shade", fold)}, ordering.ErrInvalidFields, "takes string, the field is ordering_test.shade"},
		{"a list of the type", []ordering.KeyFunc{ordering.FieldKey("list", addrKey)}, ordering.ErrInvalidFields, "takes netip.Addr, the field is []netip.Addr"},
		{"an unknown field", []ordering.KeyFunc{ordering.FieldKey("aliass", fold)}, ordering.ErrUnknownField, "did you mean alias?"},
		{"the name of the Go field", []ordering.KeyFunc{ordering.FieldKey("Name", fold)}, ordering.ErrUnknownField, "did you mean name?"},
		{"no field", []ordering.KeyFunc{ordering.FieldKey("", fold)}, ordering.ErrUnknownField, `""`},
	} {
		_, err := ordering.FieldsOf[host](row.funcs...)
		if !errors.Is(err, row.is) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %v with %q", row.why, err, row.is, row.want)
		}
	}
}

// Text reports true only for functions of one field that take a string.
func TestKeyFuncText(t *testing.T) {
	for _, row := range []struct {
		why  string
		k    ordering.KeyFunc
		want bool
	}{
		{"a field of text", ordering.FieldKey("price", sortkey.Decimal), true},
		{"a field of a named type", ordering.FieldKey("shade", func(shade) sortkey.Key { return sortkey.Null() }), false},
		{"a type", ordering.TypeKey(sortkey.Decimal), false},
		{"a nil function", ordering.FieldKey[string]("price", nil), false},
		{"the zero KeyFunc", ordering.KeyFunc{}, false},
	} {
		_, key, ok := row.k.ForText()
		if ok != row.want || ok && key("2.0").Compare(sortkey.Int(2)) != 0 {
			t.Errorf("%s: Text() reports %v, want %v", row.why, ok, row.want)
		}
	}
}
