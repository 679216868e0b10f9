package catalogue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
	"github.com/google/go-cmp/cmp"
)

// faultOf returns the error of Check, unless it is about violations, which tests may leave.
func faultOf(c interface{ Check() error }) error {
	err := c.Check()
	if found := (catalogue.Violations)(nil); errors.As(err, &found) {
		return nil
	}
	return err
}

// mustHave returns a value, unless there is an error, which ends the tests.
func mustHave[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue { return mustHave(resources.New()) }

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	return mustHave(d.In(c))
}

// mustCatalogue returns an empty catalogue, which is checked when the test ends.
func mustCatalogue(t testing.TB, definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(definitions...)
	must(t, err)
	checkAtEnd(t, c)
	return c
}

// mustCollection returns an empty collection, which is checked when the test ends.
func mustCollection[T any](t testing.TB, opts catalogue.Options) *catalogue.Collection[T] {
	t.Helper()
	c, err := catalogue.NewCollection[T](opts)
	must(t, err)
	checkAtEnd(t, c)
	return c
}

// mustDescribe returns the description of the collection with the key, whose records have type T.
func mustDescribe[T any](t testing.TB, key string) schema.Description {
	t.Helper()
	about, err := schema.DescriptionOf[T](key)
	must(t, err)
	return about
}

// collectionOf returns the collection with the key, as a server uses it.
func collectionOf(t testing.TB, cat *catalogue.Catalogue, key string) catalogue.AnyCollection {
	t.Helper()
	c, err := cat.Collection(key)
	must(t, err)
	return c
}

func listed(list catalogue.Listing, err error) (count int, records [][]byte, _ error) {
	return list.Count, list.Records, err
}

var errOwn = errors.New("the caller's own error")

// panicked is the error that caught returns for a panic.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// caught calls f and returns its error, or its panic as an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked{v}
		}
	}()
	return f()
}

// wireOf returns the JSON of a value without HTML escapes.
func wireOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// dataset returns a catalogue with the records of the reference server.
func dataset(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	file, err := os.Open("testdata/dataset.json")
	must(t, err)
	defer file.Close()
	cat := mustNew()
	must(t, cat.Load(file, catalogue.LoadOptions{}))
	checkAtEnd(t, cat)
	return cat
}

// idIn returns the id in the JSON of a record.
func idIn(t *testing.T, record []byte) int {
	t.Helper()
	var of struct{ ID int }
	must(t, json.Unmarshal(record, &of))
	return of.ID
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func mustRecord(text string) schema.Record {
	return mustHave(schema.ParseRecord([]byte(text)))
}

func terms(text string) []ordering.Term { return play.Terms(text) }

// walked returns the records of a collection, page by page, one on each.
func walked[T any](c *catalogue.Collection[T], by []ordering.Term) (all []T) {
	for token := ""; ; {
		records, next, err := c.Where().PageAfter(token, 1, by...)
		all = append(all, records...)
		if token = next; token == "" || err != nil {
			return mustHave(all, err)
		}
	}
}

// listOf returns all records of a collection in an ordering.
func listOf[T any](c *catalogue.Collection[T], by []ordering.Term) []T {
	return slices.Collect(mustHave(c.Where().All(by...)))
}
