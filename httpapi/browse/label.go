package browse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
)

// heading returns the name of a collection or a member in words, such as "Social links",
// "Start date" or "ID".
func heading(name string) string {
	words := inWords(name)
	if strings.TrimSpace(words) == "" {
		return "“" + name + "”"
	}
	return capital(words)
}

// inWords returns a name in words, such as "start date" or "cover URL".
func inWords(name string) string {
	return spelled(strings.NewReplacer("-", " ", "_", " ").Replace(ordering.Snake(name)))
}

// spelled returns words with the usual spelling of abbreviations.
func spelled(words string) string {
	all := strings.Split(words, " ")
	for i, word := range all {
		all[i] = spelledWord(word)
	}
	return strings.Join(all, " ")
}

// spelledWord returns a word in lower case, or its plural, with its usual spelling. Digits
// after it, as in isbn13, do not matter.
func spelledWord(word string) string {
	stem := strings.TrimRight(word, "0123456789")
	digits := word[len(stem):]
	stem, plural := strings.CutSuffix(stem, "s")
	switch stem {
	case "api", "bic", "csv", "doi", "ean", "epub", "faq", "gtin", "html", "iban", "id", "ip", "isbn", "issn", "json",
		"pdf", "png", "seo", "sku", "svg", "uri", "url", "utc", "uuid", "vat", "xml":
		stem = strings.ToUpper(stem)
	case "webp":
		stem = "WebP"
	case "tiein":
		stem = "tie-in"
	default:
		return word
	}
	if plural {
		stem += "s"
	}
	return stem + digits
}

// capital returns text with its first letter in upper case.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
