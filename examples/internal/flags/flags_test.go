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
		{"flag of nothing", []string{"-x"}, "unknown flag -x: want one of -addr, -records"},
		{"invalid value", []string{"-records", "x"}, `invalid value "x" for flag -records: parse error`},
	} {
		set := flag.NewFlagSet("films", flag.ContinueOnError)
		set.String("addr", "", "listen on `host:port`")
		set.Int("records", 0, "generate `N` films")
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
