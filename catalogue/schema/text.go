package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

const (
	isBlank = "This field may not be blank."
	hasNull = "Null characters are not allowed."

	notText        = "Not a valid string."
	notSlug        = `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`
	notUnicodeSlug = `Enter a valid "slug" consisting of Unicode letters, numbers, underscores, or hyphens.`
	notURL         = "Enter a valid URL."
	notEmail       = "Enter a valid email address."
	notUUID        = "Must be a valid UUID."
)

// cleanText accepts a string, which it trims, or a number, whose digits it keeps.
func (f Field) cleanText(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, notText, "", nil)
}

func (f Field) cleanSlug(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, notSlug, notSlug, validSlug)
}

func (f Field) cleanUnicodeSlug(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, notSlug, notUnicodeSlug, validUnicodeSlug)
}

func (f Field) cleanURL(value string, checks *checker) (text string, messages []string) {
	return f.cleanString(value, notURL, notURL, func(text string) bool { return validURL(text, checks.as) })
}

func (f Field) cleanEmail(value string, checks *checker) (text string, messages []string) {
	return f.cleanString(value, notEmail, notEmail, func(text string) bool {
		last := text[strings.LastIndexAny(text, ".@")+1:]
		return validEmail(text) && (!checks.as.namesDomains || strings.Trim(last, "0123456789") != "")
	})
}

func (f Field) cleanRegex(value string, _ *checker) (text string, messages []string) {
	wrong := cmp.Or(f.Message, "This value does not match the required pattern.")
	return f.cleanString(value, wrong, wrong, f.Pattern.MatchString)
}

// cleanChoice accepts a value whose text in Python is one of the choices. Those of an Integer are
// numbers in JSON.
func (f Field) cleanChoice(value string, _ *checker) (text string, messages []string) {
	if value == `""` && f.Blank {
		return value, nil
	}
	chosen := pythonText(value)
	switch {
	case !slices.Contains(f.Choices, chosen):
		return invalid(`"%s" is not a valid choice.`, strings.ToValidUTF8(chosen, "\ufffd"))
	case f.Kind == Integer:
		return chosen, nil
	}
	return string(jsontext.AppendString(nil, chosen)), nil
}

// cleanString returns all messages about the length, the characters and the form of a string at
// once, together with the text. notText is the message for another value, and wrong the one for
// a text that is not valid. If valid is nil, all texts are.
func (f Field) cleanString(value, notText, wrong string, valid func(string) bool) (text string, messages []string) {
	clean, ok := f.stringOf(value)
	switch {
	case !ok:
		return invalid("%s", notText)
	case clean == "" && f.Blank:
		return `""`, nil
	case clean == "":
		return invalid(isBlank)
	}
	length := codePoints(clean)
	if f.MaxLength > 0 && length > f.MaxLength {
		messages = append(messages, fmt.Sprintf("Ensure this field has no more than %d characters.", f.MaxLength))
	}
	if length < f.MinLength {
		messages = append(messages, fmt.Sprintf("Ensure this field has at least %d characters.", f.MinLength))
	}
	if strings.IndexByte(clean, 0) >= 0 {
		messages = append(messages, hasNull)
	}
	if r, found := jsontext.FirstSurrogate(clean); found {
		messages = append(messages, fmt.Sprintf("Surrogate characters are not allowed: U+%04X.", r))
	}
	if valid != nil && !valid(clean) {
		messages = append(messages, wrong)
	}
	return string(jsontext.AppendString(nil, clean)), messages
}

// codePoints returns the number of code points of a result of jsontext.Unquote.
func codePoints(text string) (n int) {
	for i := range len(text) {
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	return n
}

// stringOf returns the text of a string or number. ok is false for other values and for
// numbers out of range for a float64.
func (f Field) stringOf(value string) (text string, ok bool) {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		text = jsontext.Unquote(value)
		if !f.Untrimmed {
			text = strings.TrimFunc(text, isSpace)
		}
		return text, true
	case jsontext.Int, jsontext.Float:
		_, err := strconv.ParseFloat(value, 64)
		return value, err == nil
	}
	return "", false
}

// isSpace reports whether r is white space that Python's str.strip removes. Python's int and
// float, which read ids and numbers, remove only the white space of package unicode.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// validSlug reports whether text is not empty and consists of ASCII letters, digits, _
// and -.
func validSlug(text string) bool {
	for _, r := range text {
		if !isLetter(r) && !isDigit(r) && r != '_' && r != '-' {
			return false
		}
	}
	return text != ""
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }

// validUnicodeSlug reports whether text is not empty and consists of characters that Python
// counts as letters or numbers, _ and -.
func validUnicodeSlug(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-' {
			return false
		}
	}
	return text != ""
}

// validEmail reports whether EmailValidator of Django 3.2 accepts a text. Labels of a domain with
// letters beyond ASCII are not converted to Punycode.
func validEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	return at >= 0 && validMailbox(text[:at]) && validDomain(text[at+1:])
}

// validMailbox reports whether text can stand before the @ of an address: words separated by dots,
// or a quoted string.
func validMailbox(text string) bool {
	if inside, ok := strings.CutPrefix(text, `"`); ok && len(inside) > 0 && strings.HasSuffix(inside, `"`) {
		return validQuoted(inside[:len(inside)-1])
	}
	for word := range strings.SplitSeq(text, ".") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !isAddressLetter(r) && !isDigit(r) && !strings.ContainsRune("-!#$%&'*+/=?^_`{}|~", r)
		}) {
			return false
		}
	}
	return true
}

// validQuoted reports whether text can be inside the quotes of a mailbox: control characters and
// ASCII without blanks, quotes and line ends. A backslash precedes any of them but line ends.
func validQuoted(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		escaped := c == '\\' && i+1 < len(text)
		if escaped {
			i++
			c = text[i]
		}
		if c == 0 || c == '\n' || c == '\r' || c > 0x7f || !escaped && (c == '\t' || c == ' ' || c == '"' || c == '\\') {
			return false
		}
	}
	return true
}

// validDomain reports whether text is a domain of an e-mail address: localhost, an address in
// brackets, or at least two labels.
func validDomain(text string) bool {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inside, "]"))
		return err == nil && addr.Zone() == "" && strings.HasSuffix(inside, "]")
	}
	labels := strings.Split(text, ".")
	for i, label := range labels {
		last := i == len(labels)-1
		if strings.HasSuffix(label, "-") || !last && strings.HasPrefix(label, "-") {
			return false
		}
		n := utf8.RuneCountInString(label)
		if n == 0 || n > maxLabel || last && n < 2 || strings.ContainsFunc(label, func(r rune) bool {
			return !isAddressLetter(r) && !isDigit(r) && r != '-' && (r < utf8.RuneSelf || !unicode.In(r, unicode.L, unicode.M, unicode.N))
		}) {
			return false
		}
	}
	return len(labels) > 1 || text == "localhost"
}

// isAddressLetter reports whether Python finds r in [A-Z] without regard to case.
func isAddressLetter(r rune) bool { return isLetter(r) || strings.ContainsRune("İıſ\u212a", r) }

// cleanUUID accepts a string as uuid.UUID of Python does, an integer, or a boolean, which is an
// integer there.
func cleanUUID(_ Field, value string, _ *checker) (text string, messages []string) {
	digits := ""
	switch jsontext.KindOf(value) {
	case jsontext.String:
		digits = uuidDigits(jsontext.Unquote(value))
	case jsontext.Int:
		if n, ok := new(big.Int).SetString(value, 10); ok && n.Sign() >= 0 && n.BitLen() <= 128 {
			digits = fmt.Sprintf("%032x", n)
		}
	case jsontext.Bool:
		digits = strings.Repeat("0", 31) + map[string]string{"true": "1", "false": "0"}[value]
	}
	if digits == "" {
		return invalid(notUUID)
	}
	return `"` + formatUUID(digits) + `"`, nil
}

// uuidDigits returns the 32 hexadecimal digits of a UUID in lower case, or "" if text is not one.
func uuidDigits(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "urn:", ""), "uuid:", "")
	text = strings.ReplaceAll(strings.Trim(text, "{}"), "-", "")
	if utf8.RuneCountInString(text) != 32 {
		return ""
	}
	digits, _ := strings.CutPrefix(strings.TrimSpace(text), "+") // what int() of Python accepts
	if !strings.HasPrefix(strings.ToLower(digits), "0x") {
		digits = "0x" + digits
	}
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok || n.Sign() < 0 {
		return ""
	}
	return fmt.Sprintf("%032x", n)
}

// formatUUID returns the usual form of a UUID.
func formatUUID(digits string) string {
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func filterUUID(_ Field, _, value string, _ *checker) (text, message string) {
	value = strings.TrimFunc(value, isSpace)
	digits := uuidDigits(value)
	switch {
	case value == "":
		return "", ""
	case digits == "":
		return "", "Enter a valid UUID."
	}
	return formatUUID(digits), ""
}

// filterText trims a text as its field does. It also trims the values of a choice, except in exact.
func filterText(f Field, _, value string, _ *checker) (text, message string) {
	switch {
	case strings.IndexByte(value, 0) >= 0:
		return "", hasNull
	case f.Untrimmed:
		return value, ""
	}
	return strings.TrimFunc(value, isSpace), ""
}

// Lengths in code points.
const (
	maxURL   = 2048
	maxHost  = 253 // without user and port
	maxLabel = 63
)

// lookalikes are the characters up to U+FFFF whose Unicode compatibility forms contain
// / ? # @ or :. Python's urlsplit rejects them.
const lookalikes = "\u2047\u2048\u2049\u2100\u2101\u2105\u2106\u2a74\ufe13\ufe16" +
	"\ufe55\ufe56\ufe5f\ufe6b\uff03\uff0f\uff1a\uff1f\uff20"

// validURL reports whether URLValidator of Django 3.2 or 5.2 accepts a text. It is stricter in
// three points: a host is not tried again in punycode, digits are ASCII, and an address
// in brackets is checked even after user information.
func validURL(text string, as Framework) bool {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || strings.ContainsAny(text, "\t\r\n") || utf8.RuneCountInString(text) > maxURL {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ftps":
	default:
		return false
	}
	network := upTo(rest, "/?#")
	host := upTo(network[strings.LastIndexByte(network, '@')+1:], ":")
	if utf8.RuneCountInString(host) > maxHost || strings.ContainsAny(network, lookalikes) {
		return false
	}
	return validAddress(rest, as) || validAddress(withoutUser(rest), as)
}

// upTo returns the part of text before the first character in set.
func upTo(text, set string) string {
	if i := strings.IndexAny(text, set); i >= 0 {
		return text[:i]
	}
	return text
}

// withoutUser removes "user@" or "user:password@" from the front of a text. It returns
// "" if the text does not begin so.
func withoutUser(text string) string {
	info, rest, found := strings.Cut(text, "@")
	user, password, _ := strings.Cut(info, ":")
	if !found || user == "" || strings.Contains(password, ":") ||
		strings.Contains(info, "/") || strings.ContainsAny(upTo(info, "?#"), "[]") ||
		strings.ContainsFunc(info, isSpace) {
		return ""
	}
	return rest
}

// validAddress reports whether a text is a host with an optional port, followed by an
// optional path, query or fragment without white space.
func validAddress(text string, as Framework) bool {
	host := upTo(text, ":/?#")
	if strings.HasPrefix(text, "[") {
		host = upTo(text, "]") + "]"
	}
	rest, found := strings.CutPrefix(text, host)
	if !found || !validHost(host) {
		return false
	}
	if strings.HasPrefix(rest, ":") {
		port := upTo(rest[1:], "/?#")
		if len(port) == 0 || len(port) == 1 && !as.readsPorts || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return false
		}
		rest = rest[1+len(port):]
	}
	return rest == "" || strings.IndexByte("/?#", rest[0]) >= 0 && !strings.ContainsFunc(rest, isSpace)
}

// validHost reports whether host is an IPv4 address, an IPv6 address in brackets,
// localhost, or a name of at least two labels whose last label can be a top-level
// domain.
func validHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		addr, err := netip.ParseAddr(host[1 : len(host)-1])
		return err == nil && addr.Is6() && addr.Zone() == ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Is4()
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if !validLabel(label) {
			return false
		}
	}
	return len(labels) > 1 && topLevel(labels[len(labels)-1])
}

// validLabel reports whether label has 1 to 63 letters, digits and hyphens, and neither
// begins nor ends with a hyphen. All code points from U+00A1 to U+FFFF are letters.
func validLabel(label string) bool {
	if strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
		return false
	}
	for _, r := range label {
		if !isLetter(r) && !isDigit(r) && r != '-' && (r < 0xa1 || r > 0xffff) {
			return false
		}
	}
	n := utf8.RuneCountInString(label)
	return 0 < n && n <= maxLabel
}

// topLevel reports whether a valid label can be a top-level domain: it has at least two
// characters and no digits, or it is xn-- followed by ASCII letters and digits.
func topLevel(label string) bool {
	tail, found := strings.CutPrefix(strings.ToLower(label), "xn--")
	if found && validSlug(tail) && !strings.ContainsAny(tail, "-_") {
		return true
	}
	return utf8.RuneCountInString(label) > 1 && !strings.ContainsAny(label, "0123456789")
}

// validUTF8 returns a value of a query in valid UTF-8. Invalid UTF-8 becomes U+FFFD.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
