// Package flags parses the flags of a program, has one of several programs, and suggests the
// nearest one for a flag that does not exist.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Framework defines the flag -framework, which sets a version of Django REST framework whose
// TIME_ZONE is the location with a name.
func Framework(set *flag.FlagSet, f *schema.Framework, zone string) {
	set.Func("framework", "answer as Django REST framework `VERSION`, 3.14 or 3.18 (default 3.14)", func(text string) error {
		switch text {
		case "3.14":
			*f = schema.Framework{}
			return nil
		case "3.18":
			location, err := time.LoadLocation(zone)
			*f = schema.DRF318(location)
			return err
		}
		return errors.New("want 3.14 or 3.18")
	})
}

// Parse parses the arguments of a program. Its set must have [flag.ContinueOnError]. Parse
// prints no error, so that the caller can print it in one line. If help is requested, it prints
// the usage to stdout and returns [flag.ErrHelp]. If no flag has the name, the error has the name
// of the nearest flag, or of all flags if none is near.
func Parse(set *flag.FlagSet, args []string, stdout io.Writer) error {
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		set.SetOutput(stdout)
		set.Usage()
	}
	if err == nil {
		return nil
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !unknown {
		return explained(set, err)
	}
	var known []string
	set.VisitAll(func(f *flag.Flag) { known = append(known, "-"+f.Name) })
	return fmt.Errorf("unknown flag %s: %s", name, ordering.Suggest(name, known))
}

// explained returns the error of package flag for an invalid value, with what is wanted instead.
func explained(set *flag.FlagSet, err error) error {
	m := regexp.MustCompile(`^(.*) for (flag |)-([^ ]+): (?:parse error|value out of range)$`).FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	want := "true or false"
	switch set.Lookup(m[3]).Value.(flag.Getter).Get().(type) {
	case int:
		want = "a whole number such as 100"
	case uint64:
		want = "a whole number such as 100, not a negative one"
	case time.Duration:
		want = "a time with its unit, such as 200ms or 3s"
	}
	return fmt.Errorf("%s for %s-%s: want %s", m[1], m[2], m[3], want)
}

// Duration parses a time that is not negative, as in 200ms.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("want a time with its unit, such as 200ms or 3s")
	}
	return d, nil
}
