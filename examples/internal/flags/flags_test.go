package flags

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		reason string
		args   []string
		want   string // the error
	}{
		{"no flags", nil, ""},
		{"all flags", []string{"-addr=x", "--records", "3", "rest"}, ""},
		{"mistyped flag", []string{"-adr", "x"}, "unknown flag -adr: did you mean -addr?"},
		{"mistyped flag with its value", []string{"-addr", "x", "--record=3"}, "unknown flag -record: did you mean -records?"},
		{"flag of nothing", []string{"-x"}, "unknown flag -x: want one of -addr, -open, -records, -seed, -version, -wait"},
		{"no number", []string{"-records", "x"}, `invalid value "x" for flag -records: want a whole number such as 100`},
		{"a number that is too large", []string{"-records", "99999999999999999999"},
			`invalid value "99999999999999999999" for flag -records: want a whole number such as 100`},
		{"a negative number", []string{"-seed", "-1"}, `invalid value "-1" for flag -seed: want a whole number such as 100, not a negative one`},
		{"no truth value", []string{"-open=perhaps"}, `invalid boolean value "perhaps" for -open: want true or false`},
		{"a time without a unit", []string{"-wait", "3"}, `invalid value "3" for flag -wait: want a time with its unit, such as 200ms or 3s`},
		{"an error of the program", []string{"-version", "x"}, `invalid value "x" for flag -version: want 3.14`},
	} {
		set := flag.NewFlagSet("films", flag.ContinueOnError)
		set.String("addr", "", "listen on `host:port`")
		set.Int("records", 0, "generate `N` films")
		set.Uint64("seed", 0, "")
		set.Bool("open", false, "")
		set.Duration("wait", 0, "")
		set.Func("version", "", func(string) error { return errors.New("want 3.14") })
		var printed strings.Builder
		set.SetOutput(&printed)
		err := Parse(set, tt.args, &printed)
		if got := textOf(err); got != tt.want || printed.Len() > 0 {
			t.Errorf("%s: error %q, printed %q; want %q and nothing", tt.reason, got, printed.String(), tt.want)
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The usage is printed if it is requested, and where the caller wants it.
func TestHelp(t *testing.T) {
	set := flag.NewFlagSet("films", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.String("addr", "", "listen on `host:port`")
	var printed strings.Builder
	if err := Parse(set, []string{"-help"}, &printed); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v, want %v", err, flag.ErrHelp)
	}
	if want := "Usage of films:\n  -addr host:port\n    \tlisten on host:port\n"; printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}
