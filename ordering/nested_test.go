package ordering_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

type (
	geo     struct{ Lat, Lng int }
	address struct {
		City       string `json:"city"`
		PostalCode string `json:"postalCode"`
		Geo        *geo   `json:"geo"`
	}
	textual struct{ A int }
	area    struct{ Width, Height int64 }
	tree    struct {
		Name  string
		Left  *tree
		Other struct{ Inner *tree }
	}
	anchor struct{ Line int }
)

func (textual) MarshalText() ([]byte, error) { return nil, nil }
func (a area) OrderingKey() int64            { return a.Width * a.Height }

func TestNamesOfNestedFields(t *testing.T) {
	for _, row := range []struct {
		reason string
		record any
		want   string
	}{
		{"a struct, after its own name", struct {
			Home address `json:"homeAddress"`
			Z    int
		}{}, "home_address home_address__city home_address__postal_code home_address__geo home_address__geo__lat home_address__geo__lng z"},
		{"a pointer to a struct", struct{ A *geo }{}, "a a__lat a__lng"},
		{"a pointer to a pointer is not followed", struct{ A **geo }{}, "a"},
		{"a member of an embedded struct", struct{ anchor }{}, "line"},
		{"an embedded struct with a name", struct {
			anchor `json:"at"`
		}{}, "at at__line"},
		{"elements of lists and maps", struct {
			A []geo
			B [2]geo
			C map[string]geo
			D []*geo
		}{}, "a b c d"},
		{"types that write their own JSON", struct {
			A time.Time
			B struct{ time.Time }
			C textual
			D *textual
			E reversed
		}{}, "a b c d e"},
		{"a type that orders itself", struct{ A area }{}, "a a__width a__height"},
		{"a type that contains itself", tree{}, "name left other other__inner"},
		{"a type that is there twice", struct{ A, B geo }{}, "a a__lat a__lng b b__lat b__lng"},
		{"a name with two underscores", struct {
			A int `json:"geo__lat"`
		}{}, "geo__lat"},
		{"members that are not in the JSON", struct {
			A geo `json:"-"`
			B struct {
				C int `json:"-"`
			}
		}{}, "b"},
	} {
		fields, err := ordering.ValueFields(reflect.TypeOf(row.record))
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		var names []string
		for _, f := range fields {
			names = append(names, f.Name)
		}
		if diff := gocmp.Diff(row.want, strings.Join(names, " ")); diff != "" {
			t.Errorf("%s: -want +got\n%s", row.reason, diff)
		}
	}
}

func TestNestedNamesClash(t *testing.T) {
	for _, row := range []struct {
		reason string
		record any
		want   string
	}{
		{"a JSON name that is the name of a nested field", struct {
			Address address
			Other   string `json:"address__city"`
		}{}, `the name of both Address.City and Other is "address__city"`},
		{"the same the other way around", struct {
			Other   string `json:"address__city"`
			Address *address
		}{}, `the name of both Other and Address.City is "address__city"`},
		{"two nested fields", struct {
			A struct {
				B struct{ C int } `json:"b"`
				D int             `json:"b__c"`
			}
		}{}, `the name of both A.B.C and A.D is "a__b__c"`},
		{"two members of a nested struct", struct {
			A struct {
				B int `json:"line1"`
				C int `json:"line_1"`
			}
		}{}, `the name of both A.B and A.C is "a__line_1"`},
		{"a nested member without a name", struct {
			A struct {
				B int `json:"_"`
			}
		}{}, `the name of A.B is "_", which is empty`},
	} {
		_, err := ordering.ValueFields(reflect.TypeOf(row.record))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want an error with %q", row.reason, err, row.want)
		}
	}
}

type customer struct {
	ID      int
	Home    address
	Work    *address
	Manager *customer
	*anchor `json:"anchor"`
	*deep
}

type deep struct{ Part geo }

// Nested fields compare by their values, and are null if a struct on the way is nil.
func TestKeysOfNestedFields(t *testing.T) {
	full := customer{Home: address{City: "Bonn"}, Work: &address{City: "Rome", Geo: &geo{Lat: 5}}, anchor: &anchor{7}, deep: &deep{geo{Lng: 3}}}
	empty := customer{Work: &address{}}
	for _, row := range []struct {
		name   string
		record customer
		want   sortkey.Key
		kind   reflect.Kind
	}{
		{"home__city", full, sortkey.Text("Bonn"), reflect.String},
		{"home__geo__lat", full, sortkey.Null(), reflect.Invalid},
		{"work__city", full, sortkey.Text("Rome"), reflect.Invalid},
		{"work__city", customer{}, sortkey.Null(), reflect.Invalid},
		{"work__city", empty, sortkey.Text(""), reflect.Invalid},
		{"work__geo__lat", full, sortkey.Int(5), reflect.Invalid},
		{"work__geo__lat", empty, sortkey.Null(), reflect.Invalid},
		{"work__geo__lat", customer{}, sortkey.Null(), reflect.Invalid},
		{"work__geo", full, sortkey.JSON(`{"Lat":5,"Lng":0}`), reflect.Invalid},
		{"anchor__line", full, sortkey.Int(7), reflect.Invalid},
		{"anchor__line", empty, sortkey.Null(), reflect.Invalid},
		{"part__lng", full, sortkey.Int(3), reflect.Invalid},
		{"part__lng", empty, sortkey.Null(), reflect.Invalid},
	} {
		fields, err := ordering.ValueFields(reflect.TypeFor[customer]())
		if err != nil {
			t.Fatal(err)
		}
		f := fields[slices.IndexFunc(fields, func(f ordering.ValueField) bool { return f.Name == row.name })]
		record := reflect.ValueOf(&row.record).Elem()
		if got := f.Key(record); got != row.want || f.Kind != row.kind {
			t.Errorf("%s of %+v: %v, kind %v, want %v, %v", row.name, row.record, got, f.Kind, row.want, row.kind)
		}
		if name := ordering.Snake(record.Type().FieldByIndex(f.Field.Index).Name); !strings.HasSuffix(row.name, name) {
			t.Errorf("%s: its index is that of %s", row.name, name)
		}
		if n := testing.AllocsPerRun(10, func() { f.Key(record) }); n > 0 && row.name != "work__geo" {
			t.Errorf("%s: %v allocations", row.name, n)
		}
	}
}
