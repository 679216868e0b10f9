package cataloguetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/ordering"
)

// formatRequests lists the last requests, one per line. The body of an error response
// follows in a line of its own.
func formatRequests(log []Exchange) string {
	var b strings.Builder
	switch more := len(log) - maxRequests; {
	case len(log) == 0:
		return "no requests were received"
	case more > 0:
		fmt.Fprintf(&b, "the last %d of %d requests:", maxRequests, len(log))
		log = log[more:]
	default:
		b.WriteString("requests:")
	}
	for _, e := range log {
		b.WriteString("\n  " + fake.Truncate(e.String(), maxLine))
		if text := errorText(e); text != "" {
			b.WriteString("\n    " + text)
		}
	}
	return b.String()
}

// Bounds on what is logged of a failed test.
const (
	maxRequests = 20  // the last ones
	maxLines    = 40  // of the changes
	maxLine     = 200 // bytes of a line
	maxResponse = 500 // bytes of the body of an error response
)

// errorText returns the beginning of the body of an error response in one line, or "" if
// none exists or if it is compressed.
func errorText(e Exchange) string {
	if e.Status < 400 || e.ResponseHeader.Get("Content-Encoding") != "" {
		return ""
	}
	const enough = 4 * maxResponse // the rest is not looked at
	text := strings.ToValidUTF8(string(e.ResponseBody[:min(len(e.ResponseBody), enough)]), "\ufffd")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return fake.Truncate(strings.Join(words, " "), maxResponse)
}

// formatFaults lists the last faults that have changed responses, in their order. It is empty if there
// are none.
func formatFaults(fired []string) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for i, row := range fired[max(len(fired)-maxRequests, 0):] {
		if i == 0 {
			fmt.Fprint(w, "\nfaults, with the numbers of their requests:")
		}
		fmt.Fprintf(w, "\n  %s", row)
	}
	_ = w.Flush() // to memory
	return out.String()
}

// formatChanges lists the first records that two states of a catalogue do not have in common.
func formatChanges(before, after *catalogue.Catalogue) string {
	var lines []string
	for key := range after.All() {
		old, now := recordsOf(before, key), recordsOf(after, key)
		removed, added := without(old, now), without(now, old)
		if len(removed)+len(added) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d records, now %d", key, len(old), len(now)))
		}
		for _, r := range removed {
			lines = append(lines, "- "+r)
		}
		for _, r := range added {
			lines = append(lines, "+ "+r)
		}
	}
	if lines == nil {
		return "the catalogue has not changed"
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("and %d more lines", more))
	}
	for i, line := range lines {
		lines[i] = "\n  " + fake.Truncate(line, maxLine)
	}
	return "changes to the catalogue since the start of the test:" + strings.Join(lines, "")
}

// recordsOf returns the records of a collection in the order of their ids, or in the default order
// if they have none.
func recordsOf(c *catalogue.Catalogue, key string) (records []string) {
	collection, err := c.Collection(key)
	if err != nil {
		return nil
	}
	list, _ := collection.List(context.Background(), catalogue.Query{Terms: []ordering.Term{ordering.Asc("id")}}) // cannot fail
	for _, r := range list.Records {
		records = append(records, string(r))
	}
	return records
}

// without returns the records that are not among others.
func without(records, others []string) []string {
	known := map[string]bool{}
	for _, r := range others {
		known[r] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(r string) bool { return known[r] })
}
