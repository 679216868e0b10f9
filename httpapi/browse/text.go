package browse

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// The maximum numbers of visible characters of a text, and of one in a table.
const (
	maxSeen = 72
	maxCell = 48
)

// cut shortens a text to maxSeen characters.
func cut(text string) string { return cutTo(text, maxSeen) }

// cutTo shortens a text to a number of characters of its first line, at a space if possible.
func cutTo(text string, most int) string {
	line, _, more := strings.Cut(text, "\n")
	runes := []rune(line[:min(len(line), (most+1)*utf8.UTFMax)])
	if !more && len(runes) <= most {
		return text
	}
	seen := string(runes[:min(len(runes), most)])
	if space := strings.LastIndexByte(seen, ' '); len(runes) > most && space > len(seen)*2/3 {
		seen = seen[:space]
	}
	return strings.TrimRight(seen, " ") + "…"
}

// grouped formats a count with commas between thousands. It returns "" for a negative one.
func grouped(n int) string {
	if n < 0 {
		return ""
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// counted returns a number of things, such as "1 record" or "1,234 records".
func counted(count int, thing string) string {
	if count != 1 {
		thing += "s"
	}
	return grouped(count) + " " + thing
}

// isID reports whether a text is an id.
func isID(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n > 0
}

// partsOf returns an iterator over the members of an object, or over the items of a list, which have
// no names.
func partsOf(value string) iter.Seq2[string, string] {
	if value[0] == '{' {
		object, _ := schema.ParseKeyed([]byte(value)) // the value is valid
		return object.All()
	}
	return func(yield func(name, value string) bool) {
		for _, item := range itemsOf(value) {
			if !yield("", string(item)) {
				return
			}
		}
	}
}

// itemsOf returns the items of a JSON list, or nil for other values.
func itemsOf(value string) (items []json.RawMessage) {
	_ = json.Unmarshal([]byte(value), &items)
	return items
}

// readText returns the value of a JSON string. It returns false for other values.
func readText(value string) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	if plain := value[1 : len(value)-1]; !strings.ContainsAny(plain, `\"`) && utf8.ValidString(plain) {
		return plain, true // most strings
	}
	err := json.Unmarshal([]byte(value), &text)
	return text, err == nil
}

// readList returns the elements of a JSON list as text, and whether some are lists or
// objects. It returns nil, true for other values.
func readList(value string) (texts []string, nested bool) {
	items := itemsOf(value)
	for _, item := range items {
		element := string(item)
		text, ok := readText(element)
		if !ok {
			text = element
		}
		texts = append(texts, text)
		nested = nested || element[0] == '[' || element[0] == '{'
	}
	return texts, nested || items == nil
}

// heading returns the name of a collection or a member in words, such as "Release dates",
// "Start date" or "ID".
func heading(name string) string {
	words := inWords(name)
	if strings.TrimSpace(words) == "" {
		return "“" + name + "”"
	}
	return wire.Capital(words)
}

// inWords returns a name in words, such as "start date" or "cover URL".
func inWords(name string) string {
	return spelled(wire.Words(ordering.Snake(name)))
}

// abbreviations are in upper case in the names of pages.
const abbreviations = " api bic csv doi ean epub faq gtin html iban id ip isbn issn json pdf png seo sku svg uri url utc uuid vat xml "

// spelled returns words with the usual spelling of abbreviations and of their plurals. Digits
// after one, as in isbn13, do not matter.
func spelled(words string) string {
	all := strings.Split(words, " ")
	for i, word := range all {
		stem := strings.TrimSuffix(strings.TrimRight(word, "0123456789"), "s")
		if stem != "" && strings.Contains(abbreviations, " "+stem+" ") {
			all[i] = strings.ToUpper(stem) + word[len(stem):]
		}
	}
	return strings.Join(all, " ")
}

// readableTime formats a date, or a date-time in UTC, for display. Two times of one instant have
// the same text.
func readableTime(text string) (seen string, ok bool) {
	if len(text) == len(time.DateOnly) {
		day, err := time.Parse(time.DateOnly, text)
		return day.Format("2 Jan 2006"), err == nil
	}
	if len(text) < len("2006-01-02T15:04:05Z") || text[10] != 'T' {
		return "", false
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.UTC().Format("2 Jan 2006, 15:04 UTC"), err == nil
}
