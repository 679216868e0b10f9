package schema

import (
	"fmt"
	"math"
)

// A Float64 is a number whose JSON always has a point or an exponent, such as 7.0 and
// 1e+16, as a service built with Django REST framework writes it. The JSON of a float64 is
// 7 instead.
type Float64 float64

// MarshalJSON returns the number as Python writes it. The error wraps [ErrInvalid] if the
// number is infinite or not a number.
func (f Float64) MarshalJSON() ([]byte, error) {
	if n := float64(f); !math.IsInf(n, 0) && !math.IsNaN(n) {
		return []byte(formatFloat(n)), nil
	}
	return nil, fmt.Errorf("%w: %v is not a JSON number", ErrInvalid, float64(f))
}
