package negotiation

import "strings"

// ToUTF8 converts a body of type m to UTF-8. It converts Latin-1 and returns
// the body itself for any other charset, known or not.
func (m MediaType) ToUTF8(body []byte) []byte {
	charset, ok := m.param("charset")
	if !ok || !isLatin1(charset) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, c := range body {
		if c < 0x80 {
			out = append(out, c)
		} else {
			out = append(out, 0xC0|c>>6, 0x80|c&0x3F)
		}
	}
	return out
}

func isLatin1(charset string) bool {
	name := strings.ToLower(strings.TrimSpace(charset))
	switch strings.ReplaceAll(name, "_", "-") {
	case "latin-1", "latin1", "l1", "iso-8859-1", "iso8859-1":
		return true
	}
	return false
}
