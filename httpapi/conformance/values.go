package conformance

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// filler returns the value of a field that a check is not about. It is the same in all
// records, unless the field is unique.
func filler(f schema.Field, id int) string {
	if f.Unique {
		return numbered(f, id%1_000_000)
	}
	return numbered(f, 0)
}

// numbered returns the value number n of a field, as JSON. The values are different,
// unless the field has fewer than n, and those of numbers and times ascend.
func numbered(f schema.Field, n int) string {
	switch f.Kind {
	case schema.Integer:
		return strconv.Itoa(integer(f, n))
	case schema.Reference:
		return strconv.Itoa(1 + n)
	case schema.Float:
		return strconv.Itoa(n) + ".5"
	case schema.Decimal:
		return decimal(f, n)
	case schema.Timestamp:
		begin := time.Date(2024, 5, 10, 18, 0, 0, 0, time.FixedZone("", 2*60*60))
		return strconv.Quote(begin.Add(time.Duration(n) * time.Minute).Format(time.RFC3339))
	case schema.Date:
		return strconv.Quote(time.Date(2024, 5, 10+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	case schema.Boolean:
		return strconv.FormatBool(n%2 == 1)
	case schema.Choice:
		return strconv.Quote(f.Choices[n%len(f.Choices)])
	case schema.URL:
		return strconv.Quote("https://house.example/" + suffix("", n))
	case schema.References:
		return "[" + suffix("", n) + "]"
	case schema.TextList:
		if n == 0 {
			return "[]"
		}
		return fmt.Sprintf(`["%d"]`, n)
	case schema.JSON:
		if n == 0 {
			return "null"
		}
		return strconv.Itoa(n)
	}
	return strconv.Quote("same" + suffix("-", n))
}

// suffix returns "" for 0.
func suffix(separator string, n int) string {
	if n == 0 {
		return ""
	}
	return separator + strconv.Itoa(n)
}

// integer returns an integer within the bounds of a field, if possible 1+n.
func integer(f schema.Field, n int) int {
	low := 1
	if f.Max != nil && *f.Max < low {
		low = *f.Max
		if f.Min != nil {
			low = *f.Min
		}
	}
	if f.Min != nil {
		low = max(low, *f.Min)
	}
	if f.Max != nil && n > *f.Max-low {
		return low + n%(*f.Max-low+1)
	}
	return low + n
}

// decimal returns n units of the last place.
func decimal(f schema.Field, n int) string {
	digits := fmt.Sprintf("%0*d", f.Places+1, n)
	point := len(digits) - f.Places
	if f.Places == 0 {
		return strconv.Quote(digits)
	}
	return strconv.Quote(digits[:point] + "." + digits[point:])
}

// invalid returns values that a field must not have, as JSON.
func invalid(f schema.Field) []string {
	var values []string
	if !f.Nullable {
		values = append(values, "null")
	}
	switch f.Kind {
	case schema.Text, schema.Slug, schema.URL, schema.Choice:
		values = append(values, "[]", "{}")
	case schema.References, schema.TextList:
		values = append(values, "5", `"x"`)
	case schema.JSON:
	default:
		values = append(values, `"x"`, "[]")
	}
	switch {
	case f.Kind == schema.Slug || f.Kind == schema.URL:
		values = append(values, `"a b"`)
	case f.Kind == schema.Choice:
		values = append(values, `"no such choice"`)
	case f.Kind == schema.Date:
		values = append(values, `"2024-02-30"`)
	case f.Kind == schema.Decimal:
		values = append(values, `"0.`+fmt.Sprintf("%0*d", f.Places+1, 1)+`"`)
	}
	if f.Max != nil && *f.Max+1 > *f.Max {
		values = append(values, strconv.Itoa(*f.Max+1))
	}
	if f.Min != nil && *f.Min-1 < *f.Min {
		values = append(values, strconv.Itoa(*f.Min-1))
	}
	return values
}
