package schema

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// describeError returns the error for a struct with a field of type T and a tag.
func describeError[T any](tag string) error {
	f := reflect.StructField{Name: "Value", Type: reflect.TypeFor[T](), Tag: reflect.StructTag(`backlist:` + strconv.Quote(tag))}
	_, err := memberField(jsonmember.Member{Name: "value", Field: f})
	return err
}

func TestDescriptionOfTagErrors(t *testing.T) {
	for _, test := range []struct {
		err          error
		want, reason string
	}{
		{describeError[string]("slgu"), `unknown tag word "slgu": did you mean slug?`, "misspelled"},
		{describeError[string](""), `unknown tag word ""`, "empty tag"},
		{describeError[string]("slug,"), `unknown tag word ""`, "empty word"},
		{describeError[string]("slug, unique"), `unknown tag word " unique": did you mean unique?`, "space"},
		{describeError[string]("blank,slug,blank"), `"blank" is repeated`, "repeated"},
		{describeError[string]("slug=1"), `"slug" has a value`, "value"},
		{describeError[string]("default"), `"default" has no value`, "no value"},
		{describeError[string]("slug,url"), `"url": contradicts another word`, "two kinds"},
		{describeError[string]("date,decimal=3.1"), `"decimal": contradicts another word`, "two kinds"},
		{describeError[int]("slug"), `"slug": want a string, got int`, "slug on an integer"},
		{describeError[time.Time]("date"), `"date": want a string, got time.Time`, "date on a time"},
		{describeError[[]string]("url"), `"url": want a string, got []string`, "URL on a list"},
		{describeError[bool]("choices=a"), `"choices": want a string, got bool`, "choices on a boolean"},
		{describeError[string]("choices="), `"" is empty or repeated`, "no choice"},
		{describeError[string]("choices=a|b|a"), `"a" is empty or repeated`, "repeated choice"},
		{describeError[int]("decimal=8.2"), `"decimal": want a string, got int`, "decimal on an integer"},
		{describeError[float64]("decimal=8.2"), `"decimal": want a string, got float64`, "decimal on a float"},
		{describeError[string]("decimal=8"), `got "8"`, "no places"},
		{describeError[string]("decimal=0.0"), `got "0.0"`, "no digits"},
		{describeError[string]("decimal=2.3"), `got "2.3"`, "more places than digits"},
		{describeError[string]("decimal=5.-1"), `got "5.-1"`, "negative places"},
		{describeError[string]("decimal=99999.2"), `got "99999.2"`, "too many digits"},
		{describeError[string]("refers=films"), `"refers": want an integer or a slice of integers, got string`, "refers on a string"},
		{describeError[[]string]("refers=films"), `"refers": want an integer or a slice of integers`, "refers on a list of strings"},
		{describeError[[]byte]("refers=films"), `"refers": want an integer or a slice of integers`, "refers on text in base64"},
		{describeError[int]("refers="), `"refers": want the key of a collection`, "no key"},
		{describeError[int]("refers=films,min=1"), `"min": contradicts "refers"`, "bounds of a reference"},
		{describeError[string]("min=0"), `"min": want an integer, got string`, "min on text"},
		{describeError[float64]("max=0"), `"max": want an integer, got float64`, "max on a float"},
		{describeError[int]("min=x"), `"x" is not an integer`, "not a number"},
		{describeError[int]("min=99999999999999999999"), `is not an integer`, "out of range"},
		{describeError[int]("min=2,max=1"), `"max": "1" is not an integer within the other bounds`, "bounds in the wrong order"},
		{describeError[int8]("max=128"), `"max": "128" is not an integer within the other bounds`, "outside of the type"},
		{describeError[uint]("min=-1"), `"min": "-1" is not an integer within the other bounds`, "outside of the type"},
		{describeError[int]("blank"), `"blank": want a string`, "blank on an integer"},
		{describeError[string]("date,blank"), `"blank": want a string that is neither`, "blank on a date"},
		{describeError[[]string]("unique"), `"unique": want a single value, got []string`, "unique on a list"},
		{describeError[string]("created"), `"created": want a time, got string`, "created on text"},
		{describeError[time.Time]("created,default=2024-01-01T00:00Z"), `"default": contradicts "created"`, "default of a creation time"},
		{describeError[string]("choices=a|b,default=c"), `"c" is not a valid choice.`, "default is not a choice"},
		{describeError[string]("default="), notBlank, "empty default"},
		{describeError[string]("slug,default=a b"), badSlug, "default is not a slug"},
		{describeError[int]("default=x"), `"x" is not JSON`, "default is not JSON"},
		{describeError[int]("default="), `"" is not JSON`, "no default"},
		{describeError[int]("default=null"), notNull, "null for a field that is not a pointer"},
		{describeError[int]("min=0,default=-1"), "Ensure this value is greater than or equal to 0.", "default below the bound"},
		{describeError[string]("decimal=4.2,default=1.234"), "no more than 2 decimal places", "default has too many places"},
		{describeError[bool]("default=5"), badBool, "default is not a boolean"},
		{describeError[[]int]("refers=x,default=[0]"), missing("0"), "default is not an id"},
		{describeError[map[string]int](`default={"a":1`), "is not JSON", "default is not JSON"},
		{describeError[chan int]("blank"), "JSON cannot represent the type chan int", "channel"},
		{describeError[*complex128]("blank"), "JSON cannot represent the type complex128", "complex number"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.reason, test.err, test.want)
		}
	}
}

func TestDescriptionOfErrors(t *testing.T) {
	type misspelled struct {
		Minutes int `json:"minutes" backlist:"minn=0"`
	}
	type textID struct {
		Key string `json:"id"`
	}
	type taggedID struct {
		ID int `json:"id" backlist:"unique"`
	}
	type function struct{ F func() }
	type one struct{ Count int }
	type other struct{ Count int }
	type twice struct {
		one
		other
	}
	for _, test := range []struct {
		describe     func(string) (Description, error)
		want, reason string
	}{
		{DescriptionOf[misspelled], `schema: invalid description: schema.misspelled: field Minutes: unknown tag word "minn": did you mean min?`, "misspelled"},
		{DescriptionOf[textID], `field Key: the id must be an int, got string`, "text as id"},
		{DescriptionOf[taggedID], `field ID: the id has no tag backlist`, "tag of the id"},
		{DescriptionOf[function], `field F: JSON cannot represent the type func()`, "function"},
		{DescriptionOf[twice], `two members "Count"`, "two members of the same name"},
		{DescriptionOf[int], `int is not a struct`, "not a struct"},
		{DescriptionOf[*Base], `*schema.Base is not a struct`, "pointer"},
		{DescriptionOf[any], `interface {} is not a struct`, "interface"},
	} {
		d, err := test.describe("films")
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, ErrInvalid) || d.Key != "" {
			t.Errorf("%s: %+v, error %v, want %s", test.reason, d, err, test.want)
		}
	}
}
