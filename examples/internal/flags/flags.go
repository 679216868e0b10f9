// Package flags parses the flags of a program and suggests the nearest one for a flag that does
// not exist.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

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
