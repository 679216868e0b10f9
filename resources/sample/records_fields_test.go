package sample_test

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// allowed reports whether a field may have a value other than null and "", for kinds that
// do not refer to other records. It does not use package resources to find out.
func allowed(f schema.Field, value json.RawMessage) bool {
	var text string
	isText := json.Unmarshal(value, &text) == nil
	matches := func(pattern string) bool { return isText && regexp.MustCompile(pattern).MatchString(text) }
	switch f.Kind {
	case schema.Integer:
		n, err := strconv.Atoi(string(value))
		return err == nil && (f.Min == nil || n >= *f.Min) && (f.Max == nil || n <= *f.Max)
	case schema.Text:
		return matches(`^\S(.*\S)?$`)
	case schema.Slug:
		return matches(`^[a-zA-Z0-9_-]+$`)
	case schema.Timestamp:
		_, err := time.Parse(time.RFC3339, text)
		return isText && err == nil
	case schema.Boolean:
		return slices.Contains([]string{"true", "false"}, string(value))
	case schema.URL:
		u, err := url.Parse(text)
		return isText && err == nil && u.Scheme == "https" && u.Host != ""
	case schema.TextList:
		var list []string
		return json.Unmarshal(value, &list) == nil
	case schema.JSON:
		return string(value) != "null"
	case schema.Float:
		_, err := strconv.ParseFloat(string(value), 64)
		return err == nil
	case schema.Decimal:
		return matches(`^\d{1,` + strconv.Itoa(max(1, f.Digits-f.Places)) + `}\.\d{` + strconv.Itoa(f.Places) + `}$`)
	case schema.Date:
		_, err := time.Parse(time.DateOnly, text)
		return isText && err == nil
	case schema.Choice:
		return isText && slices.Contains(f.Choices, text)
	}
	return false
}

func TestRecordsFollowFields(t *testing.T) {
	all := records(t, 11, map[string]int{"films": 300, "directors": 25, "genres": 20}, cinema()...)
	ids := map[string][]int{}
	for key, list := range all {
		for _, r := range list {
			ids[key] = append(ids[key], r.ID)
		}
	}
	for _, d := range cinema() {
		for _, f := range d.Fields {
			nulls, blanks, seen := 0, 0, map[string]bool{}
			for _, r := range all[d.Key] {
				text, ok := r.Get(f.Name)
				var refs []int
				switch {
				case !ok:
					t.Fatalf("%s %d has no %s", d.Key, r.ID, f.Name)
				case text == "null":
					nulls++
					continue
				case text == `""`:
					blanks++
				case f.Kind == schema.Reference:
					refs = append(refs, 0)
					ok = json.Unmarshal([]byte(text), &refs[0]) == nil
				case f.Kind == schema.References:
					ok = json.Unmarshal([]byte(text), &refs) == nil && slices.IsSorted(refs)
				default:
					ok = allowed(f, json.RawMessage(text))
				}
				for _, id := range refs {
					ok = ok && slices.Contains(ids[f.Refers], id)
				}
				if !ok || f.Unique && seen[text] {
					t.Fatalf("%s %d: %s is %s, which is invalid or repeated", d.Key, r.ID, f.Name, text)
				}
				seen[text] = true
			}
			if (nulls > 0) != f.Nullable || (blanks > 0) != f.Blank {
				t.Errorf("%s.%s: %d nulls and %d blanks", d.Key, f.Name, nulls, blanks)
			}
			if least := min(len(all[d.Key]), 2); len(seen) < least {
				t.Errorf("%s.%s: %d different values", d.Key, f.Name, len(seen))
			}
		}
	}
}

func TestRecordsIntegerBounds(t *testing.T) {
	tests := []struct {
		reason    string
		min, max  *int
		low, high int // of all values
	}{
		{"none", nil, nil, 0, 999},
		{"at least 5", pointer(5), nil, 5, 1004},
		{"at most 5", nil, pointer(5), -994, 5},
		{"at most -5", nil, pointer(-5), -1004, -5},
		{"one value", pointer(7), pointer(7), 7, 7},
		{"32 bits", pointer(math.MinInt32), pointer(math.MaxInt32), 0, 999},
		{"all", pointer(math.MinInt), pointer(math.MaxInt), 0, 999},
		{"the least", nil, pointer(math.MinInt), math.MinInt, math.MinInt},
		{"the greatest", pointer(math.MaxInt - 1), nil, math.MaxInt - 1, math.MaxInt},
	}
	for _, tt := range tests {
		d := schema.Description{Key: "a", Segment: "a", Name: "a", Fields: []schema.Field{{Name: "f", Kind: schema.Integer, Min: tt.min, Max: tt.max}}}
		low, high := math.MaxInt, math.MinInt
		for _, r := range records(t, 1, map[string]int{"a": 5000}, d)["a"] {
			var n int
			if err := r.Decode("f", &n); err != nil {
				t.Fatal(err)
			}
			low, high = min(low, n), max(high, n)
		}
		if low < tt.low || high > tt.high || high-low < (tt.high-tt.low)*9/10 {
			t.Errorf("%s: from %d to %d, want from %d to %d", tt.reason, low, high, tt.low, tt.high)
		}
	}
}
