package jsonmember_test

//lint:file-ignore SA5008 the tests use invalid tags

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A member is the name and the value of a member of a JSON object.
type member struct{ Name, Value string }

// writtenMembers returns the members that encoding/json writes for a struct, in order.
func writtenMembers(t *testing.T, v any) (list []member) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	d := json.NewDecoder(bytes.NewReader(text)) // of valid JSON
	for _, _ = d.Token(); d.More(); {
		name, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value)
		list = append(list, member{name.(string), string(value)})
	}
	return list
}

// checkMembers compares the members of a struct with those that encoding/json writes. It
// ignores members that encoding/json omits because of a nil pointer or omitempty.
func checkMembers(t *testing.T, v any) {
	t.Helper()
	value := reflect.New(reflect.TypeOf(v)).Elem()
	value.Set(reflect.ValueOf(v))
	want := writtenMembers(t, v)
	written := map[string]bool{}
	for _, m := range want {
		written[m.Name] = true
	}
	members, conflicts := jsonmember.Of(value.Type())
	var got []member
	for _, m := range members {
		at, err := value.FieldByIndexErr(m.Field.Index)
		switch {
		case err != nil && !m.Indirect:
			t.Errorf("%v: %s is not in an embedded pointer: %v", value.Type(), m.Name, err)
		case err != nil, !written[m.Name] && slices.Contains(m.Options, "omitempty") && at.IsZero():
			continue
		}
		if at.Type() != m.Field.Type {
			t.Errorf("%v: %s has type %v, want %v", value.Type(), m.Name, m.Field.Type, at.Type())
		}
		text, err := json.Marshal(reflect.NewAt(at.Type(), at.Addr().UnsafePointer()).Interface())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, member{m.Name, string(text)})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-want +got)\n%s", value.Type(), diff)
	}
	for _, name := range conflicts {
		if written[name] {
			t.Errorf("%v: %s is a conflict, but encoding/json writes it", value.Type(), name)
		}
	}
}

// TestMembersOfGeneratedStructs uses random structs that embed each other by value and by
// pointer, with various tags.
func TestMembersOfGeneratedStructs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	tags := []string{"", "", "", "", `json:"A"`, `json:"B"`, `json:"a"`, `json:"-"`, `json:"-,"`, `json:",omitempty"`,
		`json:"C,omitempty"`, `json:"\\"`, `json:"B\"`, `json:"<&>"`, `json:"x'y"`, `json:"é "`, `json:","`, `xml:"A"`}
	for range 3000 {
		pool := []reflect.Type{}
		for level := range 4 {
			for range 1 + r.IntN(3) {
				pool = append(pool, generated(r, pool, tags, level))
			}
		}
		v := reflect.New(pool[len(pool)-1]).Elem()
		n := 0
		fill(v, r.IntN(4) == 0, &n)
		checkMembers(t, v.Interface())
		if t.Failed() {
			return
		}
	}
}

// generated returns a struct type with fields of type int and, from level 1 on, embedded
// structs from the pool.
func generated(r *rand.Rand, pool []reflect.Type, tags []string, level int) reflect.Type {
	names := []string{"A", "B", "C", "D", "E"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var fields []reflect.StructField
	for _, name := range names[:r.IntN(len(names))] {
		f := reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tags[r.IntN(len(tags))])}
		switch {
		case level > 0 && r.IntN(2) == 0:
			f.Type, f.Anonymous = pool[r.IntN(len(pool))], true
			if r.IntN(3) == 0 {
				f.Type = reflect.PointerTo(f.Type)
			}
		case r.IntN(8) == 0:
			f.Name, f.PkgPath = "hidden", "example.com/p"
		case r.IntN(8) == 0:
			f.Anonymous = true // an embedded int
		}
		if !slices.ContainsFunc(fields, func(g reflect.StructField) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return reflect.StructOf(fields)
}

// fill sets all numbers to different values, and all pointers unless nils is true.
func fill(v reflect.Value, nils bool, n *int) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case !f.CanSet():
		case f.Kind() == reflect.Int:
			*n++
			f.SetInt(int64(*n))
		case f.Kind() == reflect.Struct:
			fill(f, nils, n)
		case !nils:
			f.Set(reflect.New(f.Type().Elem()))
			fill(f.Elem(), nils, n)
		}
	}
}

// Types to embed.
type (
	title1 struct{ Title, Only1 string }
	Title2 struct{ Title, Only2 string }
	title3 struct {
		Title string `json:"title"`
	}
	Nested1 struct{ title1 }
	Nested2 struct{ title4 }
	title4  struct{ Title, Only3 string }
	nested2 struct{ title1 }
	Number  int
	number  int
	Loop    struct {
		*Loop
		Turns int
	}
	ping struct {
		*pong
		Ping int
	}
	pong struct {
		*ping
		Pong int
	}
	generic[T any] struct{ Of T }
)

// TestMembersOfDeclaredStructs covers types that reflect.StructOf cannot create, such as
// structs that embed unexported structs or themselves.
func TestMembersOfDeclaredStructs(t *testing.T) {
	one := title1{"t1", "o1"}
	two := Title2{"t2", "o2"}
	for _, row := range []struct {
		reason string
		value  any
	}{
		{"field hides two ambiguous fields before it", struct {
			title1
			Title2
			Title string
		}{one, two, "own"}},
		{"ambiguous fields", struct {
			title1
			Title2
		}{one, two}},
		{"tagged and untagged field", struct {
			title1
			Tagged struct {
				Other string `json:"Title"`
			}
			title3
		}{title1: one, title3: title3{"t3"}}},
		{"type embedded twice at the same level", struct {
			Nested1
			nested2
		}{Nested1{one}, nested2{one}}},
		{"embedded pointer to an unexported struct", struct {
			*title1
			ID int
		}{&one, 1}},
		{"embedded structs with tags", struct {
			title1  `json:"first"`
			*Title2 `json:"second"`
			title3  `json:",omitempty"`
		}{one, &two, title3{"t3"}}},
		{"invalid names in tags", struct {
			title1 `json:"a\"b"`
			B      int `json:"a'b"`
			C      int `json:"!#$%&()*+-./:;<=>?@[]^_{|}~ é٣"`
		}{one, 1, 2}},
		{"tags with a minus", struct {
			title1 `json:"-"`
			Title2 `json:"-,"`
			C      int `json:"c"`
		}{one, two, 0}},
		{"embedded numbers", struct {
			Number
			number
			C int
		}{1, 2, 3}},
		{"embedded unexported number with a tag", struct {
			number `json:"n"`
			C      int
		}{2, 3}},
		{"embedded pointers to numbers", struct {
			*Number
			*number
		}{new(Number), new(number)}},
		{"embedded interface", struct {
			fmt.Stringer
			error
		}{}},
		{"struct that embeds itself", Loop{Turns: 1}},
		{"struct that embeds a struct that embeds itself", struct {
			Loop
			Turns int `json:"turns"`
		}{Loop{Turns: 1}, 2}},
		{"structs that embed each other", ping{&pong{nil, 2}, 1}},
		{"generic struct", struct {
			generic[int]
			title1
		}{generic[int]{1}, one}},
		{"unexported field", struct {
			a int
			B int
		}{1, 2}},
	} {
		t.Run(row.reason, func(t *testing.T) { checkMembers(t, row.value) })
	}
}

// ints returns a struct with fields of type int, given by their names and tags.
func ints(namesAndTags ...string) reflect.Type {
	var fields []reflect.StructField
	for pair := range slices.Chunk(namesAndTags, 2) {
		fields = append(fields, reflect.StructField{Name: pair[0], Type: reflect.TypeFor[int](), Tag: reflect.StructTag(pair[1])})
	}
	return reflect.StructOf(fields)
}

func TestConflicts(t *testing.T) {
	type base struct{ ID int }
	for _, row := range []struct {
		reason  string
		typ     reflect.Type
		members []string
		want    []string
	}{
		{"two embedded fields", reflect.TypeFor[struct {
			title1
			Title2
		}](), []string{"Only1", "Only2"}, []string{"Title"}},
		{"two tags", ints("A", `json:"x"`, "B", `json:"x"`), nil, []string{"x"}},
		{"a tag decides", ints("A", `json:"B"`, "B", ""), []string{"B"}, nil},
		{"two tags and a field without one", ints("A", `json:"C"`, "B", `json:"C"`, "C", ""), nil, []string{"C"}},
		{"a conflict hides what is deeper", reflect.TypeFor[struct {
			Nested2
			title1
			Title2
		}](), []string{"Only3", "Only1", "Only2"}, []string{"Title"}},
		{"a type that is embedded twice", reflect.TypeFor[struct {
			Nested1
			nested2
		}](), nil, []string{"Title", "Only1"}},
		{"a type that is embedded twice, and a field that hides one of its own", reflect.TypeFor[struct {
			Nested1
			nested2
			Title string
		}](), []string{"Title"}, []string{"Only1"}},
		{"excluded fields conflict with none", reflect.TypeFor[struct {
			A int `json:"-"`
			B int `json:"-,"`
		}](), []string{"-"}, nil},
		{"a pointer to a struct", reflect.TypeFor[*base](), nil, nil},
		{"an interface", reflect.TypeFor[any](), nil, nil},
		{"no type", nil, nil, nil},
	} {
		members, conflicts := jsonmember.Of(row.typ)
		var names []string
		for _, m := range members {
			names = append(names, m.Name)
		}
		if diff := cmp.Diff(row.members, names); diff != "" {
			t.Errorf("%s: members (-want +got)\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(row.want, conflicts); diff != "" {
			t.Errorf("%s: conflicts (-want +got)\n%s", row.reason, diff)
		}
	}
}

// TestOmits compares with the JSON of a zero record, whose members are those that are not omitted.
func TestOmits(t *testing.T) {
	type inner struct{ Inner int }
	type record struct {
		*inner
		Plain  int
		Text   string          `json:",omitempty"`
		Number *int            `json:",omitempty,string"`
		List   []int           `json:",omitempty"`
		Map    map[string]int  `json:",omitempty"`
		None   [0]int          `json:",omitempty"`
		Pair   [2]int          `json:",omitempty"`
		Struct struct{}        `json:",omitempty"`
		Zero   struct{ N int } `json:",omitzero"`
		Time   time.Time       `json:",omitempty,omitzero"`
		Zeros  [2]int          `json:",omitzero"`
	}
	text, err := json.Marshal(record{})
	if err != nil {
		t.Fatal(err)
	}
	var served map[string]any
	if err := json.Unmarshal(text, &served); err != nil {
		t.Fatal(err)
	}
	members, _ := jsonmember.Of(reflect.TypeFor[record]())
	for _, m := range members {
		if _, ok := served[m.Name]; m.Omits() == ok {
			t.Errorf("%s is omitted: %t, want %t", m.Name, m.Omits(), !ok)
		}
	}
}

func TestOptions(t *testing.T) {
	type record struct {
		Name string `json:"omitempty"`
		Size int    `json:",omitempty,string"`
		Note string `json:"note,omitzerox" xml:",omitzero"`
		Bare int
	}
	want := map[string][]string{"Size": {"omitempty", "string"}, "note": {"omitzerox"}}
	got := map[string][]string{}
	members, _ := jsonmember.Of(reflect.TypeFor[record]())
	for _, m := range members {
		if len(m.Options) > 0 {
			got[m.Name] = m.Options
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
