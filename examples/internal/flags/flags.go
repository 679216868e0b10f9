// Package flags parses the flags of a program, has one of several programs, and suggests the
// nearest one for a flag that does not exist.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
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
		return err
	}
	var known []string
	set.VisitAll(func(f *flag.Flag) { known = append(known, "-"+f.Name) })
	return fmt.Errorf("unknown flag %s: %s", name, ordering.Suggest(name, known))
}
