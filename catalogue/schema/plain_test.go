package schema

import (
	"strings"
	"testing"
	"time"
)

// What is accepted without an expression is accepted by Django's expressions, too.
func TestPlainForms(t *testing.T) {
	for _, text := range []string{"a.bc", "www.example.org", "a-b.c--d.example", "1.2.3.ab", strings.Repeat("a", 63) + ".ab", "x.Ab"} {
		if !plainDomain(text) {
			t.Errorf("%q is not plain", text)
		}
		checkPlain(t, text)
	}
	for _, text := range []string{
		"", ".", "a", "a.b", "a.b1", "a..bc", ".a.bc", "a.bc.", "-a.bc", "a-.bc", "a.-bc", "a.b-", "a_b.cd", "a.b_c", "1.2.3.4", "é.bc",
		strings.Repeat("a", 64) + ".ab", "a." + strings.Repeat("b", 64), strings.Repeat("a.", 127) + "bc", "a.bc:80", "u@a.bc", "[::1]",
	} {
		if plainDomain(text) {
			t.Errorf("%q is plain", text)
		}
		checkPlain(t, text)
	}
	for text, want := range map[string]bool{
		"a": true, "a.b+c-d_e": true, "A1": true, "": false, ".a": false, "a.": false, "a..b": false, "+a": false, "a+": false, "a b": false, "é": false,
	} {
		if got := plainMailbox(text); got != want {
			t.Errorf("mailbox %q: %v, want %v", text, got, want)
		}
		checkPlain(t, text)
	}
	for _, text := range []string{"10:30", "10:30:59", "1:2:3", "24:00", "23:60", "10:30:60", "103000", "1030", "T10:30", "10:30:00Z", "١٠:30"} {
		checkPlain(t, text)
	}
}

func FuzzPlainForms(f *testing.F) {
	for _, text := range []string{"www.example.org", "/a?b#c", "a.b+c", "10:30:59", "10:30", "1:2:3", "a-b.c-", "localhost", "xn--a.bc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPlain(t, text) })
}

// checkPlain compares the judgement without an expression with that of the expression.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	if plainMailbox(text) && !mailboxForm().MatchString(text) {
		t.Errorf("mailbox %q is plain and not a mailbox", text)
	}
	if plainDomain(text) && !(domainForm().MatchString(text) && shortLabels(text)) {
		t.Errorf("domain %q is plain and not one of an address", text)
	}
	for _, as := range []Framework{{}, DRF318(time.UTC)} {
		if host, rest, _ := strings.Cut(text, "/"); plainDomain(host) && isPrintable(rest) && !validHost(text, as) {
			t.Errorf("host %q is plain and not one of a URL", text)
		}
		if clock, ok := clockOf(text); ok && strings.Trim(text, "0123456789:") == "" {
			want, isISO := Time(0), false
			if as.has(readsISO) {
				if day, _, _, ok := isoTime(text); ok {
					want, isISO = Time(day), true
				}
			}
			if m := clockForm().FindStringSubmatch(text); !isISO && (m == nil || m[2] != "") {
				t.Errorf("time %q is plain and has not the form of a time", text)
			} else if !isISO {
				want, _ = clockOf(m[1])
			}
			if clock != want {
				t.Errorf("time %q: %v, want %v", text, clock, want)
			}
		}
	}
}
