package catalogue

//lint:file-ignore SA5008 repeated tags are what is tested

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
