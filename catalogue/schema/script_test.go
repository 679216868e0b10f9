package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
)

// section is a text of a file in the txtar format: rows with a name.
type section struct {
	name string
	rows []row
}

// row is a line "value => want  # reason".
type row struct{ value, want, reason string }

// readRows returns the sections of a file in testdata.
func readRows(t testing.TB, file string) (sections []section) {
	t.Helper()
	for _, text := range txtar.Read(t, file) {
		s := section{name: text.Name}
		for line := range strings.SplitSeq(text.Data, "\n") {
			if line == "" {
				continue
			}
			value, want, ok := strings.Cut(line, " => ")
			if !ok {
				t.Fatalf("%s: no => in %q", file, line)
			}
			var reason string
			if i := strings.LastIndex(want, "  # "); i >= 0 {
				want, reason = want[:i], want[i+len("  # "):]
			}
			s.rows = append(s.rows, row{expand(t, value), expand(t, want), reason})
		}
		sections = append(sections, s)
	}
	return sections
}

// expand replaces {{repeat "text" n}}, and {{"text"}} with the escapes of Go.
func expand(t testing.TB, line string) string {
	t.Helper()
	if !strings.Contains(line, "{{") {
		return line
	}
	parsed, err := template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat}).Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out strings.Builder
	must(t, parsed.Execute(&out, nil))
	return out.String()
}

// matches reports whether a text is the expected one, in which the first … stands for any text.
func matches(want, got string) bool {
	before, after, any := strings.Cut(want, "…")
	return got == want || any && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

// describedField returns the field called value that the name of a section describes.
func describedField(t *testing.T, description string) Field {
	t.Helper()
	f := Field{Name: "value"}
	for i, word := range strings.Fields(description) {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.Atoi(value)
		kinds := []string{
			"integer", "text", "slug", "date-time", "boolean", "url", "reference", "references", "text-list", "json",
			"float", "decimal", "date", "choice",
		}
		switch kind := slices.Index(kinds, word); {
		case i == 0 && kind >= 0:
			f.Kind = Integer + Kind(kind)
			if f.Kind == Array {
				f.Item = &Field{Kind: Text}
			}
		case word == "time":
			f.Kind = TimeOfDay
		case word == "duration":
			f.Kind = Interval
		case word == "3.18":
		case name == "min":
			f.Min = value
		case name == "max":
			f.Max = value
		case name == "digits":
			f.Digits = number
		case name == "places":
			f.Places = number
		case name == "choices":
			f.Choices = strings.Split(value, "|")
		case name == "nullable":
			f.Nullable = true
		case name == "blank":
			f.Blank = true
		default:
			t.Fatalf("%s: unknown word %s", description, word)
		}
	}
	return f
}

// TestValues checks the values in testdata/values.txtar.
func TestValues(t *testing.T) {
	for _, s := range readRows(t, "values.txtar") {
		t.Run(s.name, func(t *testing.T) {
			d := Description{Name: "film", Fields: []Field{describedField(t, s.name)}}
			ctx := t.Context()
			if strings.HasSuffix(s.name, " 3.18") {
				ctx = WithFramework(ctx, DRF318(nil))
			}
			for _, row := range s.rows {
				record, err := d.Validate(ctx, []byte(`{"value":`+row.value+`}`), Checks{Find: exists})
				got, _ := record.Get("value")
				var errs FieldErrors
				if errors.As(err, &errs) && len(errs) == 1 && errs[0].Field == "value" {
					got = "error: " + errorText(errs[0])
				} else if err != nil {
					got = err.Error()
				}
				if got != row.want {
					t.Errorf("%s (%s): %s, want %s", excerpt(row.value), row.reason, got, row.want)
				}
			}
		})
	}
}

// errorText returns the messages of a field, or the JSON of the errors of its parts.
func errorText(e FieldError) string {
	if e.Messages != nil {
		return strings.Join(e.Messages, " | ")
	}
	return string(e.appendJSON(nil))
}

// TestBodies checks the bodies in testdata/bodies.txtar.
func TestBodies(t *testing.T) {
	d := own()["films"]
	checks := Checks{
		Find: exists,
		Taken: func(_ context.Context, fields, values []string) (bool, error) {
			return fields[0] == "slug" && values[0] == `"taken"`, nil
		},
		Now: func() time.Time { return time.Date(2026, 1, 2, 1, 4, 5, 600_000_999, time.FixedZone("", -7200)) },
	}
	for _, s := range readRows(t, "bodies.txtar") {
		t.Run(s.name, func(t *testing.T) {
			for _, row := range s.rows {
				current := film(t)
				var record Record
				var err error
				if s.name == "POST" {
					record, err = d.Validate(t.Context(), []byte(row.value), checks)
				} else {
					record, err = d.ValidateUpdate(t.Context(), current, []byte(row.value), s.name != "PUT", checks)
				}
				got, want := response(t, record, err), strings.TrimPrefix(row.want, "error: ")
				if others, ok := strings.CutPrefix(want, "with "); ok {
					changed := film(t)
					for name, value := range parse(t, others).All() {
						if changed, err = changed.With(name, json.RawMessage(value)); err != nil {
							t.Fatal(err)
						}
					}
					want = changed.String()
				}
				if !matches(want, got) {
					t.Errorf("%s (%s):\n%s, want\n%s", excerpt(row.value), row.reason, got, want)
				}
				if strings.HasPrefix(row.want, "error: ") != (err != nil && !strings.HasPrefix(row.want, "with ")) {
					t.Errorf("%s (%s): error %v", excerpt(row.value), row.reason, err)
				}
				if diff := cmp.Diff(film(t).String(), current.String()); diff != "" {
					t.Errorf("%s (%s): current has changed (-want +got):\n%s", excerpt(row.value), row.reason, diff)
				}
			}
		})
	}
}

// TestSyntaxErrors checks the texts in testdata/syntax.txtar.
func TestSyntaxErrors(t *testing.T) {
	for _, s := range readRows(t, "syntax.txtar") {
		for _, row := range s.rows {
			err := jsontext.Check([]byte(row.value), jsontext.MaxDepth)
			if err == nil {
				t.Errorf("%s: no error, want %s", excerpt(row.value), row.want)
				continue
			}
			if got := fmt.Sprintf("line %d column %d: %s", err.Line, err.Column, err.Reason); !matches(row.want, got) {
				t.Errorf("%s (%s): %s, want %s", excerpt(row.value), row.reason, got, row.want)
			}
			if s.name == "anywhere" {
				continue
			}
			want := fmt.Sprintf("JSON parse error - %s: line %d column %d", err.Reason, err.Line, err.Column)
			var serr *SyntaxError
			_, bodyErr := own()["films"].Validate(t.Context(), []byte(row.value), Checks{})
			_, updateErr := own()["films"].ValidateUpdate(t.Context(), film(t), []byte(row.value), true, Checks{})
			for _, err := range []error{bodyErr, updateErr} {
				if !errors.As(err, &serr) || !errors.Is(err, ErrInvalid) || err.Error() != want {
					t.Errorf("%s (%s): %v, want a SyntaxError %s", excerpt(row.value), row.reason, err, want)
				}
			}
		}
	}
}

// otherKinds has kinds of fields that films do not have, and filters that Check rejects.
var otherKinds = Description{
	Fields: []Field{
		{Name: "rating", Kind: Float}, {Name: "price", Kind: Decimal}, {Name: "born", Kind: Date},
		{Name: "at", Kind: Timestamp}, {Name: "minutes", Kind: Integer}, {Name: "status", Kind: Choice, Choices: []string{"a"}},
		{Name: "owner", Kind: Reference}, {Name: "tags", Kind: Array, Item: &Field{Kind: Text}}, {Name: "line1", Kind: Slug},
		{Name: "starts", Kind: TimeOfDay}, {Name: "length", Kind: Interval}, {Name: "priority", Kind: Integer, Choices: []string{"0", "1", "10"}},
	},
	Filters: []string{
		"rating", "rating__in", "price__range", "born__range", "born__in", "at", "at__in", "minutes__in", "minutes__contains",
		"status__icontains", "status__isnull", "owner", "owner__isnull", "tags", "line_1", "unknown", "unknown__in",
		"starts", "starts__range", "length", "length__in", "priority", "priority__in",
	},
}

// manyLookups has filters of many lookups.
var manyLookups = Description{
	Fields: []Field{
		{Name: "title", Kind: Text}, {Name: "minutes", Kind: Integer}, {Name: "done", Kind: Boolean}, {Name: "owner", Kind: Reference},
		{Name: "tags", Kind: Array, Item: &Field{Kind: Text}}, {Name: "day", Kind: Date}, {Name: "at", Kind: Timestamp},
	},
	Filters: strings.Fields(`title__endswith title__iendswith title__regex title__iregex minutes__contains minutes__regex done__in
		owner__range tags__isnull day__year day__year__gte day__year__lt day__year__gt day__year__lte day__year__in day__year__range
		day__year__isnull day__iso_year day__iso_year__in day__month day__month__in at__date at__date__gt at__hour__range at__date__year`),
}

// TestFilters checks the queries in testdata/filters.txtar.
func TestFilters(t *testing.T) {
	for _, s := range readRows(t, "filters.txtar") {
		d, known := own()["films"], filterExists
		switch s.name {
		case "films, without a function that knows records":
			known = nil
		case "other kinds":
			d, known = otherKinds, nil
		case "lookups":
			d, known = manyLookups, nil
		}
		for _, row := range s.rows {
			filter, err := d.Filter(t.Context(), query(t, row.value), Checks{Find: known})
			var parts []string
			for _, test := range filter.Tests {
				values, _ := json.Marshal(append([]string{}, test.Values...))
				parts = append(parts, test.Field+" "+test.Lookup+" "+string(values))
			}
			got := strings.Join(parts, "; ")
			var errs FieldErrors
			if errors.As(err, &errs) && errors.Is(err, ErrInvalid) && got == "" {
				text, _ := errs.MarshalJSON()
				got = "error: " + string(text)
			} else if err != nil {
				t.Errorf("%s (%s): %v", row.value, row.reason, err)
			}
			if want := strings.TrimPrefix(row.want, "none"); got != want || filter.Search != nil {
				t.Errorf("%s (%s): %s and search %v, want %s", row.value, row.reason, got, filter.Search, want)
			}
		}
	}
}

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
