package sample

import "strings"

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
