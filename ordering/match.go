package ordering

// Ranges returns the ranges of keys of the condition's field that satisfy the condition;
// see [Condition.Ranges]. The error wraps [ErrUnknownField] if there is no such field,
// and otherwise [ErrInvalidCondition].
func (fs *Fields[T]) Ranges(c Condition) ([]Range, error) {
	f, ok := fs.Lookup(c.field)
	if !ok && c.operator != invalid {
		return nil, fs.unknown(c.field)
	}
	return c.Ranges(f.KeyOf)
}

// Matcher returns a function that reports whether a record satisfies all conditions. It
// is for filtering a slice, for example with [slices.DeleteFunc]. Without conditions the
// function always returns true. It is safe for concurrent use. A call computes one key
// for each condition.
//
// The errors are those of [Fields.Ranges].
func (fs *Fields[T]) Matcher(conditions ...Condition) (func(record T) bool, error) {
	type test struct {
		key    func(*T) Key
		ranges []Range
	}
	tests := make([]test, len(conditions))
	for i, c := range conditions {
		ranges, err := fs.Ranges(c)
		if err != nil {
			return nil, err
		}
		f, _ := fs.Lookup(c.field)
		tests[i] = test{f.Key, ranges}
	}
	return func(record T) bool {
		for _, t := range tests {
			if !InRanges(t.ranges, t.key(&record)) {
				return false
			}
		}
		return true
	}, nil
}
