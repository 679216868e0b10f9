package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobacklist/backlist/resources/sample"
)

// TestHelp checks that the usage has every flag with its default, and fits on a screen.
func TestHelp(t *testing.T) {
	for _, name := range []string{"-h", "-help", "--help"} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{name}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, stderr %q", name, code, &stderr)
		}
		if stdout.String() != usage {
			t.Errorf("output of %s:\n%s", name, &stdout)
		}
	}
	flags := new(config).flags()
	flags.VisitAll(func(f *flag.Flag) {
		if !regexp.MustCompile(`(?m)^  .*-` + f.Name + `\b`).MatchString(usage) {
			t.Errorf("the usage has no -%s", f.Name)
		}
		if d := f.DefValue; !slices.Contains([]string{"", "0", "false", "true"}, d) && !strings.Contains(usage, "default "+d) {
			t.Errorf("the usage does not have %s, the default of -%s", d, f.Name)
		}
	})
	made := generated(t, sample.Options{})
	made["others"] = made["faqs"]
	for _, name := range []string{"events", "labels", "social-links", "authors", "books", "others"} {
		if text := fmt.Sprintf("-%s %d", name, len(made[name])); !strings.Contains(usage, text) {
			t.Errorf("the usage does not have %s", text)
		}
	}
	for _, match := range regexp.MustCompile(`(?m)(?:^  |, )-([a-z-]+)`).FindAllStringSubmatch(usage, -1) {
		if flags.Lookup(match[1]) == nil {
			t.Errorf("there is no flag -%s", match[1])
		}
	}
	lines := strings.Split(strings.TrimSuffix(usage, "\n"), "\n")
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("line of more than 80 characters: %s", line)
		}
	}
	if len(lines) > 30 {
		t.Errorf("%d lines, want at most 30", len(lines))
	}
	for _, f := range forms() {
		if !regexp.MustCompile(`\b` + f.name + `\b`).MatchString(usage[strings.Index(usage, "FAULT is"):]) {
			t.Errorf("the usage has no fault %s", f.name)
		}
	}
}
