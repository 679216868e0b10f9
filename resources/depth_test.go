package resources

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckDepth(t *testing.T) {
	tests := []struct {
		text         string
		limit        int
		line, column int // 0: no error
		reason       string
	}{
		{``, 0, 0, 0, "nothing"},
		{`5`, 0, 0, 0, "no brackets"},
		{`[]`, 1, 0, 0, "at the limit"},
		{`{"a":[{"b":[]}]}`, 4, 0, 0, "lists and objects, at the limit"},
		{`{"a":[{"b":[]}]}`, 3, 1, 12, "one too deep"},
		{`[]`, 0, 1, 1, "no room"},
		{`{}`, -1, 1, 1, "less than none"},
		{`[[],[],[]]`, 2, 0, 0, "side by side"},
		{`["[[[[\"[[[["]`, 1, 0, 0, "brackets in a string"},
		{"[\n\"é\",[", 1, 2, 5, "line and column"},
		{strings.Repeat("[", 1<<20), 1000, 1, 1001, "deep"},
		{`]]]]}}[`, 1, 0, 0, "no JSON"},
		{`["\`, 1, 0, 0, "ends in an escape"},
		{"\xff[[", 1, 1, 3, "not UTF-8"},
	}
	for _, test := range tests {
		err := CheckDepth([]byte(test.text), test.limit)
		var serr *SyntaxError
		if !errors.As(err, &serr) {
			if err != nil || test.line != 0 {
				t.Errorf("%s (%s): %v, want line %d", excerpt(test.text), test.reason, err, test.line)
			}
			continue
		}
		if serr.Line != test.line || serr.Column != test.column || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s (%s): %v, want line %d column %d", excerpt(test.text), test.reason, err, test.line, test.column)
		}
	}
}
