package cataloguetest

import (
	"fmt"
	"strconv"
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

// A faultCall is the call of a function that returned a fault.
type faultCall struct {
	function  string
	arguments []any // strings, integers and durations
}

func call(function string, arguments ...any) faultCall { return faultCall{function, arguments} }

// String returns the call in short, such as `Status(503, "busy")`.
func (c faultCall) String() string {
	return c.format(func(a any) string {
		if text, ok := a.(string); ok {
			return fmt.Sprintf("%q", truncate(text, maxArgument))
		}
		return fmt.Sprint(a)
	})
}

// code returns the call as it is written in a test.
func (c faultCall) code() string {
	return "cataloguetest." + c.format(func(a any) string {
		switch a := a.(type) {
		case string:
			return quoteCode(a)
		case time.Duration:
			return durationCode(a)
		}
		return fmt.Sprint(a)
	})
}

func (c faultCall) format(argument func(any) string) string {
	var list []string
	for _, a := range c.arguments {
		list = append(list, argument(a))
	}
	return c.function + "(" + strings.Join(list, ", ") + ")"
}

func quoteCode(text string) string {
	if strings.Contains(text, `"`) && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// durationCode returns the Go expression of a duration.
func durationCode(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, unit := range []struct {
		d    time.Duration
		code string
	}{{time.Hour, "time.Hour"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}} {
		if n := d / unit.d; n > 0 && d%unit.d == 0 {
			if n == 1 {
				return unit.code
			}
			return fmt.Sprintf("%d*%s", n, unit.code)
		}
	}
	return fmt.Sprintf("time.Duration(%d)", d)
}
