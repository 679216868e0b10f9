package sample

import "strings"

// slug makes of a text what may stand in a path: words of ASCII letters and
// digits, joined by dashes. Where nothing of the text is left, as in Japanese,
// it is the fallback.
func slug(text, fallback string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
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

// fold gives the ASCII letters or digit for a lower-case letter of the languages
// here, "" for all else.
func fold(r rune) string {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return string(r)
	}
	switch r {
	case 'à', 'á', 'ä', 'ą':
		return "a"
	case 'ç', 'ć':
		return "c"
	case 'è', 'é', 'ê', 'ë', 'ę':
		return "e"
	case 'ì', 'í', 'ï':
		return "i"
	case 'ł':
		return "l"
	case 'ñ', 'ń':
		return "n"
	case 'ò', 'ó', 'ö', 'ô':
		return "o"
	case 'ś':
		return "s"
	case 'ù', 'ú', 'û', 'ü':
		return "u"
	case 'ź', 'ż':
		return "z"
	case 'ß':
		return "ss"
	case 'œ':
		return "oe"
	}
	return ""
}
