package sample

import (
	_ "embed"
	"html"
	"slices"
	"strings"
)

// textsJSON holds the texts, in eight languages of several scripts and both directions.
//
//go:embed texts.json
var textsJSON string

// texts are the parts of names and texts.
type texts struct {
	Languages []language
	Imprints  []string // names of labels
	Networks  []string // sites that links lead to; labels have pages on the first four
}

// A language holds the parts of names and texts in a language.
type language struct {
	Code        string
	Given       []string
	Family      []string
	FamilyFirst bool
	Heads       []string // first parts of titles
	Tails       []string // second parts of titles
	Space       string   // between the parts
	Open, Close string   // quotation marks
	Kinds       []string // kinds of events
	Lines       []string // sentences that fit any book
}

// language returns the language with the given code, or the first language if there is
// none.
func (m *maker) language(code string) language {
	i := slices.IndexFunc(m.Languages, func(l language) bool { return l.Code == code })
	return m.Languages[max(i, 0)]
}

func (l language) person(r *rng) string {
	given, family := pick(r, l.Given), pick(r, l.Family)
	if l.FamilyFirst {
		given, family = family, given
	}
	return given + " " + family
}

func (l language) title(r *rng) string { return pick(r, l.Heads) + l.Space + pick(r, l.Tails) }

func (l language) quote(title string) string { return l.Open + title + l.Close }

// colon returns the text between the kind and the title of an event.
func (l language) colon() string {
	if l.Space == "" {
		return l.Space
	}
	return ": "
}

// paragraphs returns an HTML fragment of n paragraphs of two sentences each.
func (l language) paragraphs(r *rng, n int) string {
	var b strings.Builder
	next := r.below(len(l.Lines))
	line := func() string {
		next++
		return html.EscapeString(l.Lines[next%len(l.Lines)])
	}
	for range n {
		b.WriteString("<p>" + line() + " <em>" + line() + "</em></p>")
	}
	return b.String()
}

// anchor returns an HTML link.
func anchor(url, text string) string {
	return `<a href="` + html.EscapeString(url) + `">` + html.EscapeString(text) + `</a>`
}

// slug converts a text to words of ASCII letters and digits, joined by hyphens. If
// nothing remains, as for Japanese, it returns the fallback.
func slug(text, fallback string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		letters := fold(r)
		if letters == "" {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(letters)
	}
	if b.Len() == 0 {
		return fallback
	}
	return b.String()
}

// fold converts a letter of the languages here to lower-case ASCII letters. It returns
// "" for all other characters except digits. It does not use package unicode, whose
// tables change between Go versions.
func fold(r rune) string {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return string(r)
	case r >= 'A' && r <= 'Z':
		return string(r - 'A' + 'a')
	}
	switch r {
	case 'à', 'á', 'ä', 'ą', 'À', 'Á', 'Ä', 'Ą':
		return "a"
	case 'ç', 'ć', 'Ç', 'Ć':
		return "c"
	case 'è', 'é', 'ê', 'ë', 'ę', 'È', 'É', 'Ê', 'Ë', 'Ę':
		return "e"
	case 'ì', 'í', 'ï', 'Ì', 'Í', 'Ï':
		return "i"
	case 'ł', 'Ł':
		return "l"
	case 'ñ', 'ń', 'Ñ', 'Ń':
		return "n"
	case 'ò', 'ó', 'ö', 'ô', 'Ò', 'Ó', 'Ö', 'Ô':
		return "o"
	case 'ś', 'Ś':
		return "s"
	case 'ù', 'ú', 'û', 'ü', 'Ù', 'Ú', 'Û', 'Ü':
		return "u"
	case 'ź', 'ż', 'Ź', 'Ż':
		return "z"
	case 'ß':
		return "ss"
	case 'œ', 'Œ':
		return "oe"
	}
	return ""
}
