package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
)

// A fault is a fault in text form, such as "GET /api/events/ 503 10%". The package
// documentation describes the form.
type fault struct {
	text  string
	match cataloguetest.Match
	fault cataloguetest.Fault
}

// parseFault parses the text form. A house still has to check the result.
func parseFault(text string) (fault, error) {
	words, err := splitWords(text)
	if err != nil {
		return fault{}, err
	}
	f, a := fault{text: text}, &arguments{words: words}
	if word := a.peek(); isMethod(word) {
		f.match.Method = a.next().text
	} else if isMethod(strings.ToUpper(word)) {
		return fault{}, fmt.Errorf("%q is not a method; want %q", word, strings.ToUpper(word))
	}
	if strings.HasPrefix(a.peek(), "/") {
		f.match.Path = a.next().text
	}
	if f.fault, err = a.fault(); err != nil {
		return fault{}, err
	}
	for len(a.words) > 0 {
		if err := setWhen(&f.match, a.next()); err != nil {
			return fault{}, err
		}
	}
	return f, nil
}

// isMethod reports whether a word is one of the methods of the service.
func isMethod(word string) bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}, word)
}

// setWhen sets the field of a Match that a word such as 10% or nth=2 stands for.
func setWhen(match *cataloguetest.Match, w word) error {
	if share, ok := strings.CutSuffix(w.text, "%"); ok && !w.quoted {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent > 0 && percent <= 100) {
			return fmt.Errorf("%q is not a share; want more than 0%% and at most 100%%", w.text)
		}
		match.Share = percent / 100
		return nil
	}
	name, value, ok := strings.Cut(w.text, "=")
	names := []string{"nth", "after", "offset", "seed"}
	switch {
	case w.quoted || !ok:
		return fmt.Errorf("unexpected %q after the fault; want a share such as 10%%, or nth=2, after=1, offset=21 or seed=7", w.text)
	case !slices.Contains(names, name):
		return fmt.Errorf("unknown %q: %s", w.text, ordering.Suggest(name, names))
	}
	number, err := strconv.ParseUint(value, 10, 31)
	if err != nil || number == 0 && (name == "nth" || name == "offset") {
		return fmt.Errorf("%q is not a number, as in %s=2", w.text, name)
	}
	switch name {
	case "nth":
		match.Nth = int(number)
	case "after":
		match.After = int(number)
	case "offset":
		match.Offset = int(number)
	case "seed":
		match.Seed = number
	}
	return nil
}

// A word is a part of a text between white space. A quoted word may contain white space.
type word struct {
	text   string
	quoted bool
}

// splitWords splits a text. Words in quotes or back quotes are as in Go.
func splitWords(text string) (words []word, err error) {
	for {
		text = strings.TrimSpace(text)
		if text == "" {
			return words, nil
		}
		if text[0] != '"' && text[0] != '`' {
			end := strings.IndexAny(text, " \t\r\n")
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, word{text: text[:end]}), text[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s does not end in its quote", text)
		}
		content, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word{content, true}), text[len(quoted):]
	}
}

// arguments are the words that are not parsed yet. After an error they are not used.
type arguments struct {
	words []word
	err   error
}

// errMissing is the error of a fault with too few arguments.
var errMissing = errors.New("an argument is missing")

// peek returns the next word, or "" if it is quoted or there is none.
func (a *arguments) peek() string {
	if len(a.words) == 0 || a.words[0].quoted {
		return ""
	}
	return a.words[0].text
}

// next removes and returns the next word.
func (a *arguments) next() word {
	if len(a.words) == 0 {
		a.fail(errMissing)
		return word{}
	}
	w := a.words[0]
	a.words = a.words[1:]
	return w
}

// fail keeps the first error.
func (a *arguments) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *arguments) text() string { return a.next().text }

// quoted removes and returns the next word if it is quoted, and "" otherwise.
func (a *arguments) quoted() string {
	if len(a.words) == 0 || !a.words[0].quoted {
		return ""
	}
	return a.next().text
}

// value removes and returns the next word unless it belongs to a Match.
func (a *arguments) value() string {
	if w := a.peek(); len(a.words) == 0 || strings.HasSuffix(w, "%") || strings.Contains(w, "=") {
		return ""
	}
	return a.next().text
}

func (a *arguments) number() int {
	w := a.next()
	n, err := strconv.Atoi(w.text)
	if err != nil {
		a.fail(fmt.Errorf("%q is not a number", w.text))
	}
	return n
}

func (a *arguments) duration() time.Duration {
	w := a.next()
	d, err := time.ParseDuration(w.text)
	if err != nil || d < 0 {
		a.fail(fmt.Errorf("%q is not a time", w.text))
	}
	return d
}
