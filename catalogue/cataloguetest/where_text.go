package cataloguetest

import (
	"fmt"
	"strings"
	"time"
)

// text returns the Where as it is written in Go, with the fields that are set.
func (w *Where) text() string {
	var fields []string
	add := func(set bool, format string, value any) {
		if set {
			fields = append(fields, fmt.Sprintf(format, value))
		}
	}
	add(w.Method != "", "Method: %q", w.Method)
	add(w.Path != "", "Path: %q", w.Path)
	add(w.Collection != "", "Collection: %q", w.Collection)
	add(w.Page.set, "Page: AtOffset(%d)", w.Page.offset)
	add(w.Share != 0, "Share: %v", w.Share)
	add(w.Seed != 0, "Seed: %d", w.Seed)
	add(w.After != 0, "After: %d", w.After)
	add(w.Nth != 0, "Nth: %d", w.Nth)
	return "Where{" + strings.Join(fields, ", ") + "}"
}

// maxArgument is the number of bytes that are shown of a text passed to a fault.
const maxArgument = 40

// call returns the text of a call, such as `Status(503, "busy")`.
func call(function string, arguments ...any) string {
	var list []string
	for _, a := range arguments {
		switch a := a.(type) {
		case string:
			list = append(list, fmt.Sprintf("%q", truncate(a, maxArgument)))
		case time.Duration:
			list = append(list, a.String())
		default:
			list = append(list, fmt.Sprint(a))
		}
	}
	return function + "(" + strings.Join(list, ", ") + ")"
}
