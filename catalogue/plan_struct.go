package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A field is a field of a struct with the plan of its type.
type field struct {
	*plan
	name   string
	index  int
	offset uintptr
}

func (p planner) structure(pl *plan) {
	pl.flat = true
	for i := range pl.typ.NumField() {
		f := pl.typ.Field(i)
		sub := &field{p.of(f.Type), f.Name, i, f.Offset}
		pl.flat = pl.flat && sub.flat
		if err := notCopied(f, sub.plan); err != nil {
			pl.noCopy = cmp.Or(pl.noCopy, fmt.Errorf("field %s: %w", f.Name, err))
		}
		if sub.shares {
			pl.copies = append(pl.copies, sub)
		}
		pl.open = pl.open || sub.open
		if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); strings.Contains(","+options+",", ",string,") {
			pl.noJSON = fmt.Errorf("field %s: %w", f.Name, errStringOption)
		}
		if sub.noJSON != nil {
			pl.noJSON = cmp.Or(pl.noJSON, fmt.Errorf("field %s: %w", f.Name, sub.noJSON))
		}
		pl.hold(sub.plan)
		if sub.checked {
			pl.checks = append(pl.checks, sub)
		}
	}
	pl.shares = len(pl.copies) > 0
}

// errStringOption is the error for a field that could be written but not loaded.
var errStringOption = errors.New("the option string of a json tag is not supported: remove it")

// notCopied returns an error if a field of a struct cannot be copied.
func notCopied(f reflect.StructField, pl *plan) error {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-" && options == "" && pl.open:
		return errors.New("it is not in the JSON and can contain itself")
	case !f.IsExported() && f.Anonymous && (pl.kind != reflect.Struct || pl.clones || writesJSON(f.Type)):
		return fmt.Errorf("%v is unexported and embedded, and cannot be copied: embed an exported type", f.Type)
	case f.IsExported() || f.Anonymous:
		return pl.noCopy
	case pl.shares:
		return fmt.Errorf("%v contains references and the field is unexported, so it cannot be copied", f.Type)
	}
	return nil
}

// offsetOf returns the offset of a field in a struct. The path to the field must contain
// no pointers.
func offsetOf(t reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		f := t.Field(i)
		offset, t = offset+f.Offset, f.Type
	}
	return offset
}
