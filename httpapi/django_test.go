package httpapi_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestDjango checks that DJANGO.md names tags that a field accepts, and identifiers that exist.
func TestDjango(t *testing.T) {
	text, err := os.ReadFile("DJANGO.md")
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for name, file := range map[string]string{
		"catalogue": "catalogue", "schema": "catalogue.schema", "pagination": "pagination", "httpapi": "httpapi",
		"browse": "httpapi.browse", "openapi": "httpapi.openapi", "cataloguetest": "httpapi.cataloguetest",
	} {
		known[name] = true
		exported(t, name, file, known)
	}
	rows, tags, names := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows++
		for _, code := range regexp.MustCompile("`[^`]*`").FindAllString(cells[2], -1) {
			code = strings.ReplaceAll(strings.Trim(code, "`"), "\x00", "|")
			name, _, _ := strings.Cut(code, ".")
			switch {
			case strings.HasPrefix(code, "backlist:"):
				tags++
				if err := describes(code); err != nil {
					t.Errorf("%s: %v", code, err)
				}
			case known[name]:
				names++
				if !known[code] {
					t.Errorf("%s: there is no such identifier", code)
				}
			}
		}
	}
	if rows < 40 || tags < 20 || names < 40 {
		t.Errorf("%d rows with %d tags and %d identifiers: the table is not read", rows, tags, names)
	}
}

// describes returns nil if a field of some type accepts a tag.
func describes(tag string) (err error) {
	for _, value := range []any{"", 0, []string{}, []int{}, time.Time{}} {
		id := reflect.StructField{Name: "ID", Type: reflect.TypeFor[int](), Tag: `json:"id"`}
		field := reflect.StructField{Name: "Field", Type: reflect.TypeOf(value), Tag: reflect.StructTag(`json:"field" ` + tag)}
		fields := []reflect.StructField{id, field}
		if strings.Contains(tag, "key") {
			fields = fields[1:]
		}
		if _, err = schema.Describe(reflect.StructOf(fields), "records", ""); err == nil {
			return nil
		}
	}
	return err
}

// exported adds the exported identifiers of a package to known, such as schema.Field.Rule.
func exported(t *testing.T, name, file string, known map[string]bool) {
	record, err := os.ReadFile("../.ci/api/" + file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^(?:field|type) ([\w.]+)|^func (?:\(\w+ \*?(\w+)[^)]*\) )?(\w+)`).FindAllStringSubmatch(string(record), -1) {
		known[name+"."+strings.TrimPrefix(line[1]+line[2]+"."+line[3], ".")] = true
		known[name+"."+line[1]] = true
	}
}
