package cataloguetest_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// shelf is a catalogue with these books, and nothing else.
func shelf(t *testing.T, books ...string) *catalogue.Catalogue {
	t.Helper()
	c := catalogue.New()
	fill(t, c, "books", books...)
	return c
}

func fill(t *testing.T, c *catalogue.Catalogue, key string, records ...string) {
	t.Helper()
	if err := c.LoadCollection(key, strings.NewReader("["+strings.Join(records, ",")+"]")); err != nil {
		t.Fatal(err)
	}
}

// numbered are n books called "Book 1" and so on.
func numbered(from, to int, name string) (books []string) {
	for id := from; id <= to; id++ {
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"%s %d"}`, id, name, id))
	}
	return books
}

// spaces are of either kind in what go-cmp writes, so that nobody relies on it.
var spaces = regexp.MustCompile(`[\s\x{a0}]+`)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		want, got    []string
		report       []string // lines that are in it, white space aside; none is ""
	}{
		{"nothing", "two empty houses are equal", nil, nil, nil},
		{"the same", "bytes are equal", numbered(1, 50, "Book"), numbered(1, 50, "Book"), nil},
		{"other order of members", "JSON objects have none", []string{`{"id":1,"name":"Onda","pages":96}`}, []string{`{"pages":96,"id":1,"name":"Onda"}`}, nil},
		{"digits", "1.0 is not how the service wrote 1.00",
			[]string{`{"id":1,"price":1.00}`}, []string{`{"id":1,"price":1.0}`},
			[]string{"books: want 1 record, got 1", "record 1 (-want +got):", `- "price":`, `"1.00",`, `+ "price":`}},
		{"one is gone", "an id of want alone", numbered(1, 3, "Book"), numbered(1, 2, "Book"),
			[]string{"books: want 3 records, got 2", "only wanted: 3"}},
		{"one too many", "an id of got alone", numbered(2, 3, "Book"), numbered(1, 3, "Book"),
			[]string{"books: want 2 records, got 3", "only got: 1"}},
		{"the largest id there is", "it must not be taken for the end of a list",
			[]string{`{"id":9223372036854775807}`}, nil, []string{"only wanted: 9223372036854775807"}},
		{"all are others", "the two lists are walked to both ends", numbered(1, 2, "Book"), numbered(3, 4, "Book"),
			[]string{"only wanted: 1, 2", "only got: 3, 4"}},
		{"a member is gone", "absent is not null", []string{`{"id":1,"isbn":null}`}, []string{`{"id":1}`},
			[]string{"record 1 (-want +got):", `- "isbn": nil,`}},
		{"many ids", "the report is bounded", numbered(1, 27, "Book"), nil,
			[]string{"only wanted: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 17 more"}},
		{"many records", "the report is bounded", numbered(1, 27, "Book"), numbered(1, 27, "Other"),
			[]string{"record 1 (-want +got):", "record 10 (-want +got):", "and 17 more records differ"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := shelf(t, c.want...), shelf(t, c.got...)
			report := cataloguetest.Diff(want, got)
			if c.report == nil && report != "" {
				t.Fatalf("%s, but:\n%s", c.reason, report)
			}
			plain := spaces.ReplaceAllString(report, " ")
			for _, line := range c.report {
				if !strings.Contains(plain, line) {
					t.Errorf("%s, but %q is not in:\n%s", c.reason, line, report)
				}
			}
			if n := strings.Count(report, "-want +got"); n > 10 {
				t.Errorf("%d records are shown", n)
			}
		})
	}
}

func TestDiffNamesTheCollections(t *testing.T) {
	want, got := shelf(t, `{"id":1}`), shelf(t, `{"id":1}`)
	fill(t, want, "authors", `{"id":1}`)
	fill(t, got, "faqs", `{"id":4}`)
	report := "authors: want 1 record, got 0\n  only wanted: 1\nfaqs: want 0 records, got 1\n  only got: 4\n"
	if diff := cmp.Diff(report, cataloguetest.Diff(want, got)); diff != "" {
		t.Error(diff)
	}
}

// Who has its books typed, in another order and with defaults, has the same books.
func TestDiffOfTypedRecords(t *testing.T) {
	type book struct {
		Name string `json:"name"`
		ID   int    `json:"id"`
	}
	typed, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, typed, "books", numbered(1, 30, "Book")...)
	if report := cataloguetest.Diff(shelf(t, numbered(1, 30, "Book")...), typed); report != "" {
		t.Error(report)
	}
}

func TestDiffOfNil(t *testing.T) {
	if report := cataloguetest.Diff(nil, nil); report != "" {
		t.Error(report)
	}
	if report := cataloguetest.Diff(nil, shelf(t, `{"id":2}`)); !strings.Contains(report, "only got: 2") {
		t.Errorf("report %q", report)
	}
}

// broken is a record whose JSON, once it is stored, is well formed but no record.
type broken struct {
	ID     int `json:"id"`
	stored *bool
}

func (b broken) Clone() broken { return b }

func (b broken) MarshalJSON() ([]byte, error) {
	if *b.stored {
		return []byte(`{"id":1,"id":2}`), nil
	}
	return []byte(`{"id":1}`), nil
}

func TestDiffTellsWhatCannotBeRead(t *testing.T) {
	want, err := catalogue.NewWith(catalogue.Define[broken]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	books, err := catalogue.Define[broken]("books", catalogue.Options{}).In(want)
	if err != nil {
		t.Fatal(err)
	}
	stored := false
	if _, err := books.Insert(broken{stored: &stored}); err != nil {
		t.Fatal(err)
	}
	stored = true
	if report := cataloguetest.Diff(want, catalogue.New()); !strings.Contains(report, "books: cannot be compared: ") {
		t.Errorf("report %q", report)
	}
}

// A collection is compared as it is at one instant: a record that is replaced by
// another, in one write, is never missing.
func TestDiffBesideAWriter(t *testing.T) {
	want := shelf(t, numbered(1, 40, "Book")...)
	got := want.Clone()
	books, err := got.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				for _, name := range []string{"Other", "Book"} {
					all := "[" + strings.Join(numbered(1, 40, name), ",") + "]"
					if err := got.LoadCollection("books", strings.NewReader(all)); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
	for range 100 {
		report := cataloguetest.Diff(want, got)
		if report != "" && !strings.Contains(report, "and 30 more records differ") {
			t.Errorf("some of a write:\n%s", report)
			break
		}
	}
	close(done)
	writer.Wait()
	if err := books.Check(); err != nil {
		t.Error(err)
	}
}

// What a test's end pays to say that nothing was written, or what.
func BenchmarkDiff(b *testing.B) {
	house := catalogue.New()
	all := "[" + strings.Join(numbered(1, 10_000, "Book"), ",") + "]"
	if err := house.LoadCollection("books", strings.NewReader(all)); err != nil {
		b.Fatal(err)
	}
	b.Run("fork of 10,000 records", func(b *testing.B) {
		fork := house.Clone()
		for b.Loop() {
			if report := cataloguetest.Diff(house, fork); report != "" {
				b.Fatal(report)
			}
		}
	})
	b.Run("another record among 10,000", func(b *testing.B) {
		fork := house.Clone()
		books, err := fork.Records("books")
		if err != nil {
			b.Fatal(err)
		}
		if err := books.Delete(5000); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if cataloguetest.Diff(house, fork) == "" {
				b.Fatal("no report")
			}
		}
	})
}
