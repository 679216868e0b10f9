package sample

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Records generates records of collections with the given descriptions, which may be any.
// The result has a list for each key, sorted by id. encoding/json marshals it to the form
// that catalogue.Load reads.
//
// By default each collection has 12 records.
//
// Every record has all fields of its description, and [schema.Description.Validate]
// accepts it, unless a rule or pattern refuses it. Sets of unique fields are ignored, so a catalogue
// may refuse the records of a description with Unique. Some values are null or blank where the
// description allows it. All references resolve, and one to the same collection has a lower id.
// Times of fields that are Created are before 2026 and ascend with the ids. If the description
// has no fields, the records only have ids.
//
// Records returns an error that names the field, or else the key, in these cases:
//
//   - [schema.Description.Check] returns it.
//   - A key is repeated, or Options.Sizes has a key that no description has.
//   - A field refers to a collection that has no description. A read-only list of ids may
//     refer to nothing.
//   - A reference that cannot be null is to a collection without records, or such
//     references form a cycle.
//   - A unique field has not enough values: for example, a Choice has fewer choices than
//     there are records. If the field is nullable, the other records have null instead.
//
// O(records × fields²).
func Records(opts Options, descriptions ...schema.Description) (map[string][]schema.Record, error) {
	m, err := described(opts, descriptions)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	all := map[string][]schema.Record{}
	for _, d := range descriptions {
		records := make([]schema.Record, m.sizes[d.Key])
		for i := range records {
			id := idAt(i)
			var members []member
			for _, f := range d.Fields {
				if f.Name != "id" {
					members = append(members, member{f.Name, m.value(d.Key, f, id)})
				}
			}
			records[i] = record(id, members...)
		}
		all[d.Key] = records
	}
	return all, nil
}

// strangers is the number of ids in lists of ids that refer to no collection.
const strangers = 40

// described returns a maker of collections with the given descriptions.
func described(opts Options, descriptions []schema.Description) (*maker, error) {
	sizes := map[string]int{}
	for _, d := range descriptions {
		if err := d.Check(); err != nil {
			return nil, err
		}
		if _, twice := sizes[d.Key]; twice {
			return nil, fmt.Errorf("the key %q is repeated", d.Key)
		}
		sizes[d.Key] = opts.size(d.Key, 12)
	}
	m, err := newMaker(opts.Seed, sizes)
	if err := cmp.Or(err, opts.check(sizes)); err != nil {
		return nil, err
	}
	sizes[""] = strangers
	for _, d := range descriptions {
		for _, f := range d.Fields {
			if err := m.check(d.Key, f); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", d.Key, f.Name, err)
			}
		}
	}
	return m, checkCycles(descriptions)
}

// check returns an error if there are not enough values for a field.
func (m *maker) check(key string, f schema.Field) error {
	if f.Kind == schema.Reference || f.Kind == schema.References {
		_, known := m.sizes[f.Refers]
		if !known || f.Refers == "" && !(f.Kind == schema.References && f.ReadOnly) {
			return fmt.Errorf("there is no description of %q", f.Refers)
		}
	}
	if f.Name == "id" || f.Nullable || f.Kind == schema.References && !f.Unique {
		return nil
	}
	if n := m.choices(key, f); n < m.needed(key, f) {
		return fmt.Errorf("%d values for %d records", n, m.sizes[key])
	}
	return nil
}

// checkCycles returns an error if references that cannot be null form a cycle.
func checkCycles(descriptions []schema.Description) error {
	done := map[string]bool{}
	waits := func(f schema.Field) bool {
		return f.Kind == schema.Reference && !f.Nullable && !done[f.Refers]
	}
	for range descriptions {
		for _, d := range descriptions {
			done[d.Key] = done[d.Key] || !slices.ContainsFunc(d.Fields, waits)
		}
	}
	for _, d := range descriptions {
		if i := slices.IndexFunc(d.Fields, waits); i >= 0 && !done[d.Key] {
			return fmt.Errorf("%s: %s: references that cannot be null form a cycle", d.Key, d.Fields[i].Name)
		}
	}
	return nil
}

// value returns the value of a field in the record with the given id. It depends only on
// the field, the id, and the sizes of its collection and of the one it refers to.
func (m *maker) value(key string, f schema.Field, id int) any {
	d := &draw{stream(m.seed, key+"."+f.Name, id), m, key, id, indexOf(id)}
	blank := f.Kind == schema.Text || f.Kind == schema.Slug || f.Kind == schema.URL
	switch {
	case f.Created:
		return m.created(d)
	case f.Nullable && d.oneIn(4):
		return nil
	case f.Blank && blank && !f.Unique && d.oneIn(4):
		return ""
	}
	choices := m.choices(key, f)
	if f.Refers == key {
		choices = min(choices, d.n) // earlier records
	}
	if !f.Unique {
		if choices == 0 {
			return empty(f)
		}
		return m.choice(d, f, d.below(choices), "")
	}
	n := m.rank(d, f)
	if n < 0 || n >= choices {
		return nil
	}
	return m.choice(d, f, n, strconv.Itoa(id))
}

// empty returns the value of a field without choices.
func empty(f schema.Field) any {
	if f.Kind == schema.References {
		return []int{}
	}
	return nil
}

// choices returns the number of values that a field can have. If the field is unique, that is
// at least the size of the collection, if possible.
func (m *maker) choices(key string, f schema.Field) int {
	size := m.needed(key, f)
	switch f.Kind {
	case schema.Boolean:
		return 2
	case schema.Choice:
		return len(f.Choices)
	case schema.Integer:
		_, n := window(f, size)
		return n
	case schema.Decimal:
		return min(power(f.Digits), max(power(f.Places+3), size))
	case schema.Date:
		return min(700_000, max(30*365, size)) // the first is in the year 109
	case schema.Timestamp:
		return max(340*24*60, size)
	case schema.Reference:
		return m.sizes[f.Refers]
	case schema.References:
		if f.Unique {
			return 0
		}
		return m.sizes[f.Refers]
	}
	return max(1000, size)
}

// needed returns the number of different values that a field must have.
func (m *maker) needed(key string, f schema.Field) int {
	if f.Unique {
		return m.sizes[key]
	}
	return min(m.sizes[key], 1)
}

// choice returns the value number n of a field. suffix is appended to texts.
func (m *maker) choice(d *draw, f schema.Field, n int, suffix string) any {
	l := pick(d.rng, d.Languages)
	switch f.Kind {
	case schema.Integer:
		low, _ := window(f, m.needed(d.key, f))
		return low + n
	case schema.Text:
		if f.Blank {
			return joined(pick(d.rng, l.Lines), " ", suffix)
		}
		return joined(l.title(d.rng), " ", suffix)
	case schema.Slug:
		return joined(slug(l.title(d.rng), "text"), "-", suffix)
	case schema.Timestamp:
		micros := d.below(60_000_000)
		return d.stamp(day(-170).Add(time.Duration(n)*time.Minute + time.Duration(micros)*time.Microsecond))
	case schema.Boolean:
		return n == 1
	case schema.URL:
		return joined(site+d.hex(8), "/", suffix)
	case schema.Reference:
		return idAt(n)
	case schema.References:
		return m.references(d, f)
	case schema.Array:
		return d.texts(l, suffix)
	case schema.JSON:
		return d.anything(l, n)
	case schema.Float:
		return json.Number(fmt.Sprintf("%d.%d", n/10, n%10))
	case schema.Decimal:
		return decimal(n, f.Places)
	case schema.Date:
		return date(day(-n))
	}
	return f.Choices[n]
}

func joined(text, separator, suffix string) string {
	if suffix == "" {
		return text
	}
	return text + separator + suffix
}

// window returns the lowest of 1000 integers near zero that the bounds of a field allow,
// and their number. If size is greater, it is the number. If the bounds allow fewer
// integers, they are all of these.
func window(f schema.Field, size int) (low, count int) {
	n, least, most := max(1000, size), math.MinInt, math.MaxInt
	if n, err := strconv.Atoi(f.Min); err == nil {
		least = n
	}
	if n, err := strconv.Atoi(f.Max); err == nil {
		most = n
	}
	if least > most {
		return 0, 0
	}
	low = min(max(0, least), most)
	above := uint64(most) - uint64(low) // does not overflow
	count = int(min(uint64(n-1), above)) + 1
	below := uint64(low) - uint64(least)
	more := int(min(uint64(n-count), below))
	return low - more, count + more
}

// power returns 10ⁿ, or 10⁹ if that is less.
func power(n int) int {
	p := 1
	for range min(n, 9) {
		p *= 10
	}
	return p
}

// decimal returns n as text with the point before the last places.
func decimal(n, places int) string {
	text := fmt.Sprintf("%0*d", places+1, n)
	if places <= 0 {
		return text
	}
	return text[:len(text)-places] + "." + text[len(text)-places:]
}

// references returns at most four ids, ascending and without duplicates.
func (m *maker) references(d *draw, f schema.Field) []int {
	size := m.sizes[f.Refers]
	if f.Refers == d.key {
		size = d.n
	}
	ids := []int{}
	for range d.below(5) {
		ids = append(ids, idAt(d.below(size)))
	}
	return ascending(ids)
}

func (d *draw) texts(l language, suffix string) []string {
	lines := []string{}
	for range d.below(4) {
		lines = append(lines, pick(d.rng, l.Lines))
	}
	if suffix != "" {
		lines = append(lines, suffix)
	}
	return lines
}

// anything returns a number, a text, a list or an object that contains n.
func (d *draw) anything(l language, n int) any {
	text := l.title(d.rng)
	switch d.below(4) {
	case 0:
		return n
	case 1:
		return text + " " + strconv.Itoa(n)
	case 2:
		return []any{n, text}
	}
	return struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
	}{n, text}
}

// rank returns a number for the record that no other record of the collection has. It is
// less than the size of the collection. The ranks are not in the order of the ids, except
// for a reference to the same collection, for which they begin at -1.
func (m *maker) rank(d *draw, f schema.Field) int {
	if f.Refers == d.key {
		return d.n - 1
	}
	size := uint64(m.sizes[d.key])
	step := size*5/8 | 1
	for gcd(step, size) != 1 {
		step += 2
	}
	offset := stream(d.seed, d.key+"."+f.Name, 0).next() % size
	return int((uint64(d.n)*step + offset) % size)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// created returns the time at which a record was created, in the years 2021 to 2025.
func (m *maker) created(d *draw) schema.DateTime {
	const seconds = 1600 * 24 * 60 * 60
	step := seconds / m.sizes[d.key]
	return schema.At(day(-1800).Add(time.Duration(d.n*step+d.below(step)) * time.Second))
}
