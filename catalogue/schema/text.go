package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// cleanForm returns a function that cleans text as cleanString does.
func cleanForm(notText, wrong string, valid func(text string, as Framework) bool) func(Field, string, *checker) (string, []string) {
	return func(f Field, value string, checks *checker) (text string, messages []string) {
		return f.cleanString(value, notText, wrong, func(text string) bool { return valid(text, checks.as) })
	}
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
	i := slices.Index(f.Choices, chosen)
	switch {
	case i < 0:
		return invalid(`"%s" is not a valid choice.`, strings.ToValidUTF8(chosen, "\ufffd"))
	case f.Kind == Integer:
		return f.Choices[i], nil // not a part of the body
	}
	return string(jsontext.AppendString(nil, chosen)), nil
}

// cleanString returns the JSON of a text, and all messages about its length, characters and form at
// once: notText if the value is not a string, and wrong if valid, unless it is nil, rejects the
// text.
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

// compiled returns a function that compiles an expression once, because most programs need few.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// The forms of slugs. Python counts what is in L and N as letters and numbers.
var (
	slugForm        = compiled(`^[\w-]+$`)
	unicodeSlugForm = compiled(`^[_\pL\pN-]+$`)
)

func anyText(string, Framework) bool { return true }

func validSlug(text string, _ Framework) bool { return slugForm().MatchString(text) }

func validUnicodeSlug(text string, _ Framework) bool { return unicodeSlugForm().MatchString(text) }

// mailboxForm is the form of what is before the @ of an address: words separated by dots, or a quoted
// string. Letters are those that Python finds in [A-Z] without regard to case.
var mailboxForm = compiled("^(?:" + mailWord + `(?:\.` + mailWord + `)*|` +
	`"(?:[\x01-\x08\x0b\x0c\x0e-\x1f!#-\[\]-\x7f]|\\[\x01-\t\x0b\x0c\x0e-\x7f])*")$`)

const mailWord = "[-!#$%&'*+/=?^_`{}|~0-9A-Za-zİıſ\u212a]+"

// domainForm is the form of the domain after the @. It does not limit the length of labels.
var domainForm = compiled(`^(?:localhost|(?:[\pL\pM\pN](?:[\pL\pM\pN-]*[\pL\pM\pN])?\.)+[\pL\pM\pN-]+[\pL\pM\pN])$`)

// validEmail reports whether EmailValidator of Django 3.2 or 5.2 accepts a text. Labels of a domain with
// letters beyond ASCII are not converted to Punycode.
func validEmail(text string, as Framework) bool {
	at := strings.LastIndexByte(text, '@')
	if at > 0 && plainMailbox(text[:at]) && plainDomain(text[at+1:]) {
		return true
	}
	if at < 0 || !mailboxForm().MatchString(text[:at]) {
		return false
	}
	domain := text[at+1:]
	if last := domain[strings.LastIndexByte(domain, '.')+1:]; as.has(namesDomains) && strings.Trim(last, "0123456789") == "" {
		return false
	}
	return validAddress(domain, false) || domainForm().MatchString(domain) && shortLabels(domain)
}

// plainMailbox reports whether a text has the form of most mailboxes: words of letters, digits, - and _
// in ASCII, separated by dots or plus signs.
func plainMailbox(text string) bool {
	before := byte('.')
	for _, c := range []byte(text) {
		if !isWord(c) && (c != '.' && c != '+' || before == '.' || before == '+') {
			return false
		}
		before = c
	}
	return before != '.' && before != '+'
}

// plainDomain reports whether a text has the form of most domains, which e-mail addresses and URLs
// may have: names of letters, digits and hyphens in ASCII, the last of letters only.
func plainDomain(text string) bool {
	start, labels, letters, before := 0, 0, true, byte('.')
	for i, c := range []byte(text) {
		switch {
		case c == '.' && before != '.' && before != '-' && i-start <= maxLabel:
			start, labels, letters = i+1, labels+1, true
		case c == '-' && before != '.', '0' <= c && c <= '9':
			letters = false
		case c == '-' || c == '_' || !isWord(c):
			return false
		}
		before = c
	}
	last := len(text) - start
	return labels > 0 && letters && 2 <= last && last <= maxLabel && len(text) <= maxHost
}

// isWord reports whether c is an ASCII letter, a digit, - or _.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}

// validAddress reports whether text is an IP address in brackets, of version 6 if that is demanded.
func validAddress(text string, v6 bool) bool {
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return false
	}
	addr, err := netip.ParseAddr(text[1 : len(text)-1])
	return err == nil && addr.Zone() == "" && (addr.Is6() || !v6)
}

// shortLabels reports whether all labels of a domain have at most 63 code points.
func shortLabels(domain string) bool {
	for label := range strings.SplitSeq(domain, ".") {
		if utf8.RuneCountInString(label) > maxLabel {
			return false
		}
	}
	return true
}

// cleanUUID accepts a string as uuid.UUID of Python does, an integer, or a boolean, which is an
// integer there.
func cleanUUID(_ Field, value string, _ *checker) (text string, messages []string) {
	switch jsontext.KindOf(value) {
	case jsontext.String:
		text = uuidOf(jsontext.Unquote(value))
	case jsontext.Int:
		n, _ := new(big.Int).SetString(value, 10)
		text = uuidOf(fmt.Sprintf("%032x", n))
	case jsontext.Bool:
		text = uuidOf(strings.Repeat("0", 31) + map[string]string{"true": "1", "false": "0"}[value])
	}
	if text == "" {
		return invalid(notUUID)
	}
	return `"` + text + `"`, nil
}

// uuidOf returns the usual form of a UUID, or "" if text is not one.
func uuidOf(text string) string {
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
	digits = fmt.Sprintf("%032x", n)
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func filterUUID(_ Field, _, value string, _ *checker) (text, message string) {
	value = strings.TrimFunc(value, isSpace)
	if text = uuidOf(value); text == "" && value != "" {
		message = "Enter a valid UUID."
	}
	return text, message
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

// The forms of a user and a password before the host of a URL, in which brackets are only after ? and #,
// and of the host, the port and the rest. The host is an address in brackets, an IPv4 address, or a name of
// at least two labels, of which the last one has no digits or is xn-- and ASCII. All code points from
// U+00A1 to U+FFFF are letters.
var (
	userForm = compiled(`^(?:[^` + spaces + `:@/?#\[\]]+(?::[^` + spaces + `:@/?#\[\]]*(?:[?#][^` + spaces + `:@/]*)?)?|` +
		`[^` + spaces + `:@/?#\[\]]*[?#][^` + spaces + `:@/]*(?::[^` + spaces + `:@/]*)?)@`)
	hostForm = compiled(`^((?i:localhost)|\[[^\]]*\]|` + octet + `(?:\.` + octet + `){3}|` +
		`(?:[` + letter + `\d](?:[` + letter + `\d-]*[` + letter + `\d])?\.)+` +
		`(?:[Xx][Nn]--[A-Za-z0-9\x{212a}]+|[` + letter + `][` + letter + `-]*[` + letter + `])\.?)` +
		`(?::(\d{1,5}))?(?:[/?#][^` + spaces + `]*)?$`)
)

const (
	spaces = `\s\pZ\x0b\x1c-\x1f\x{85}`
	octet  = `(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
	letter = `A-Za-z\x{a1}-\x{ffff}`
)

// validURL reports whether URLValidator of Django 3.2 or 5.2 accepts a text. It is stricter in
// three points: a host is not tried again in punycode, digits are ASCII, and an address
// in brackets is checked even after user information.
func validURL(text string, as Framework) bool {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || strings.ContainsAny(text, "\t\r\n") || utf8.RuneCountInString(text) > maxURL {
		return false
	}
	network := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		network = rest[:i]
	}
	if (scheme == "https" || scheme == "http") && plainDomain(network) && isPrintable(rest[len(network):]) {
		return true
	}
	host, _, _ := strings.Cut(network[strings.LastIndexByte(network, '@')+1:], ":")
	return slices.Contains([]string{"http", "https", "ftp", "ftps"}, strings.ToLower(scheme)) &&
		utf8.RuneCountInString(host) <= maxHost && !strings.ContainsAny(network, lookalikes) &&
		(validHost(rest, as) || validHost(rest[len(userForm().FindString(rest)):], as))
}

// isPrintable reports whether a text is ASCII without white space and control characters.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// validHost reports whether text is what can be after the scheme and the user of a URL.
func validHost(text string, as Framework) bool {
	m := hostForm().FindStringSubmatch(text)
	return m != nil && (len(m[2]) != 1 || as.has(readsPorts)) && (validAddress(m[1], true) || m[1][0] != '[' && shortLabels(m[1]))
}

// validUTF8 returns a value of a query in valid UTF-8. Invalid UTF-8 becomes U+FFFD.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
