package catalogue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Structs that point to each other, as those of API clients do: each has a member of each type.
type (
	mutual struct {
		ID int `json:"id"`
		others
	}
	others struct {
		N int                 `json:"n"`
		A *mutualA            `json:"a"`
		B []mutualB           `json:"b"`
		C map[string]*mutualC `json:"c"`
		D *mutualD            `json:"d"`
		E *mutualE            `json:"e"`
		F *mutualF            `json:"f"`
		G *mutualG            `json:"g"`
		H *mutualH            `json:"h"`
	}
	mutualA struct{ others }
	mutualB struct{ others }
	mutualC struct{ others }
	mutualD struct{ others }
	mutualE struct{ others }
	mutualF struct{ others }
	mutualG struct{ others }
	mutualH struct{ others }
)

// Three structs of which each contains the next.
type (
	writer struct {
		ID      int   `json:"id"`
		Country *land `json:"country"`
	}
	land struct {
		Name    string  `json:"name"`
		Capital *writer `json:"capital"`
		Region  *region `json:"region"`
	}
	region struct {
		Name string `json:"name"`
		Main *land  `json:"main"`
	}
)

// twice[T] has two members of the type T, so that the last of n such types contains the first 2ⁿ times.
type twice[T any] struct {
	L *T `json:"l"`
	R *T `json:"r"`
}

type (
	four    = twice[twice[struct{ N int }]]
	sixteen = twice[twice[four]]
	many    = twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[sixteen]]]]]]]]]]]]
	deep    struct {
		ID int  `json:"id"`
		In many `json:"in"`
	}
)

// TestDepth describes records with structs inside structs, and stores one.
func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		reason string
		define func(t *testing.T) schema.Description
		want   map[string]schema.Kind
	}{
		{"structs that point to each other would have 8! paths", storedAndDescribed(mutual{ID: 1, others: others{A: &mutualA{others{N: 2}}}}), map[string]schema.Kind{
			"a": schema.Object, "a__n": schema.Integer, "a__d__n": schema.Integer, "a__d__e": schema.JSON, "a__d__d": schema.JSON, "h__a__n": schema.Integer,
		}},
		{"a cycle of three structs is small", storedAndDescribed(writer{ID: 1, Country: &land{Name: "Italy"}}), map[string]schema.Kind{
			"country__name": schema.Text, "country__capital": schema.JSON, "country__region__name": schema.Text, "country__region__main": schema.JSON,
		}},
		{"structs with 2¹⁶ paths", storedAndDescribed(deep{ID: 1, In: many{}}), map[string]schema.Kind{
			"in__l__l__l__l__l__l__l": schema.Object, "in__r__r__r__r__r__r__r__r__r": schema.JSON,
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			d := tt.define(t)
			kinds, n := map[string]schema.Kind{}, 0
			for _, f := range append(schema.Nested(d.Fields), d.Fields...) {
				n++
				if _, asked := tt.want[ordering.Snake(f.Name)]; asked {
					kinds[ordering.Snake(f.Name)] = f.Kind
				}
			}
			if diff := cmp.Diff(tt.want, kinds); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
			if n > 2000 {
				t.Errorf("%d fields, want at most 2000", n)
			}
		})
	}
}

// storedAndDescribed returns a function that stores a record and returns the description of its type.
func storedAndDescribed[T any](record T) func(t *testing.T) schema.Description {
	return func(t *testing.T) schema.Description {
		records := catalogue.Define[T]("records", catalogue.Options{})
		cat, err := catalogue.New(records)
		if err != nil {
			t.Fatal(err)
		}
		c, err := records.In(cat)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(record); err != nil {
			t.Fatal(err)
		}
		got, err := c.Get(1)
		if diff := cmp.Diff(record, got, cmp.AllowUnexported(mutual{}, mutualA{}), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}
		served, _ := cat.Collection("records")
		return served.Description()
	}
}
