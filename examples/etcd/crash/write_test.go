package crash_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A kind is a kind of operation.
type kind int

const (
	create kind = iota
	patch
	remove
	get
	list // a page
)

func (k kind) String() string { return [...]string{"create", "patch", "delete", "get", "page"}[k] }

// An outcome is what a client knows about its operation.
type outcome int

const (
	unknown  outcome = iota // it may take effect later or never, or runs
	stored                  // it took effect
	notFound                // there was no such record
	refused                 // it never takes effect
)

func (o outcome) String() string { return [...]string{"unknown", "ok", "not found", "refused"}[o] }

// forever is the return of an operation that may still take effect.
const forever = math.MaxInt64

// A write is an operation that may change a record.
type write struct {
	kind      kind
	number    int // of its text
	id        int // 0 for a create whose record is not known
	call, ret int64
	outcome   outcome
	seen      int64 // return of the first read of its text, or 0
}

func (w *write) String() string {
	return fmt.Sprintf("%v(id %d, text %d) -> %v at %d to %d", w.kind, w.id, w.number, w.outcome, w.call, w.ret)
}

// possible reports whether the write may have taken effect before the instant.
func (w *write) possible(before int64) bool {
	return w.call < before && (w.outcome == stored || w.outcome == unknown)
}

// certain reports whether the write took effect before the instant.
func (w *write) certain(before int64) bool {
	return w.outcome == stored && w.ret < before || w.seen > 0 && w.seen < before
}

// textOf returns the text with a number. Texts have different lengths, so that parts of
// two are not a third.
func textOf(number int) string {
	return fmt.Sprintf("%d:%s", number, strings.Repeat(strconv.Itoa(number%97), 1+number%61))
}

// numberOf returns the number of a text, which must be that of textOf.
func numberOf(text string) (int, error) {
	before, _, _ := strings.Cut(text, ":")
	number, err := strconv.Atoi(before)
	if err != nil || textOf(number) != text {
		return 0, fmt.Errorf("text %q was never sent", text)
	}
	return number, nil
}

// encodedRow returns the exact bytes of a record.
func encodedRow(id, number int) string {
	return fmt.Sprintf(`{"id":%d,"text":%q}`, id, textOf(number))
}
