package sample

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Records generates records of collections with the given descriptions, which may be any.
// The result has a list for each key, sorted by id. encoding/json marshals it to the form
// that catalogue.Load reads.
//
// By default each collection has 12 records.
//
// Every record has all fields of its description, and [schema.Description.Validate] accepts it,
// unless a rule refuses it. Sets of unique fields are ignored, so a catalogue may refuse the
// records of a description with Unique. Some values are null or blank where the description
// allows it. All references resolve, and one to the same collection has a lower id. Times of
// fields that are Created are before 2026 and ascend with the ids. If the description has no
// fields, the records only have ids.
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
//   - A field refers to records by a text, or its bounds, lengths or pattern permit no value that
//     Records can make up.
//
// O(records × fields²).
func Records(opts Options, descriptions ...schema.Description) (map[string][]schema.Record, error) {
	m, err := described(opts, descriptions)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	all := map[string][]schema.Record{}
	checks := schema.Checks{Exists: func(context.Context, string, int) (bool, error) { return true, nil }}
	for _, d := range descriptions {
		plain := d
		plain.Fields, plain.Rule = withoutRules(d.Fields), nil
		records := make([]schema.Record, m.sizes[d.Key])
		for i := range records {
			id := idAt(i)
			records[i] = record(id, m.members(d.Key, d.Fields, id)...)
			if _, err := plain.Validate(context.Background(), []byte(records[i].String()), checks); err != nil {
				return nil, fmt.Errorf("sample: %s: id %d: %w", d.Key, id, err)
			}
		}
		all[d.Key] = records
	}
	return all, nil
}

// members returns the members of a record, or of an object inside it.
func (m *maker) members(key string, fields []schema.Field, id int) (list []member) {
	for _, f := range fields {
		if f.Name != "id" && !f.Computed {
			list = append(list, member{f.Name, m.value(key, f, id)})
		}
	}
	return list
}

func withoutRules(fields []schema.Field) []schema.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Rule, f.Check, f.Fields = nil, nil, withoutRules(f.Fields)
		if f.Item != nil {
			f.Item = &withoutRules([]schema.Field{*f.Item})[0]
		}
	}
	return fields
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
		if f.By != "" {
			return fmt.Errorf("it refers to %s by %s", f.Refers, f.By)
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
			return joined(d.fit(f, pick(d.rng, l.Lines), suffix), " ", suffix)
		}
		return joined(d.fit(f, l.title(d.rng), suffix), " ", suffix)
	case schema.Slug, schema.UnicodeSlug:
		return joined(d.fit(f, slug(l.title(d.rng), "text"), suffix), "-", suffix)
	case schema.Email:
		return joined("reader-"+d.hex(8), "-", suffix) + "@example.org"
	case schema.UUID:
		text := d.hex(32)
		return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
	case schema.Timestamp:
		micros := d.below(60_000_000)
		return stamp(day(-170).Add(time.Duration(n)*time.Minute + time.Duration(micros)*time.Microsecond))
	case schema.Boolean:
		return n == 1
	case schema.URL:
		return joined(site+d.hex(8), "/", suffix)
	case schema.Reference:
		return idAt(n)
	case schema.References:
		return m.references(d, f)
	case schema.Array:
		if f.Item.Kind == schema.Text {
			return d.texts(l, suffix)
		}
		list := make([]any, max(d.below(4), f.MinLength))
		for i := range list {
			list[i] = m.element(d, f, i)
		}
		return list
	case schema.Map:
		elements := map[string]any{}
		for i := range d.below(4) {
			elements[slug(l.title(d.rng), "name")] = m.element(d, f, i)
		}
		return elements
	case schema.Object:
		return record(0, m.members(d.key, f.Fields, d.id)...)
	case schema.JSON:
		return d.anything(l, n)
	case schema.Float:
		return json.Number(fmt.Sprintf("%d.%d", n/10, n%10))
	case schema.Decimal:
		return decimal(n, f.Places)
	case schema.Date:
		return date(day(-n))
	}
	if f.Kind == schema.Choice {
		return f.Choices[n]
	}
	return "" // of a pattern
}

// element returns the i-th element of a list or map.
func (m *maker) element(d *draw, f schema.Field, i int) any {
	item := *f.Item
	item.Name = fmt.Sprintf("%s.%d", f.Name, i)
	return m.value(d.key, item, d.id)
}

// fit lengthens or shortens a text so that it and the suffix, with a character between them, have
// a length that a field permits.
func (d *draw) fit(f schema.Field, text, suffix string) string {
	if suffix != "" {
		suffix = " " + suffix
	}
	for utf8.RuneCountInString(text)+len(suffix) < f.MinLength {
		text += "-" + text
	}
	runes := []rune(text)
	if limit := f.MaxLength - len(suffix); f.MaxLength > 0 && limit >= 0 && len(runes) > limit {
		text = strings.TrimRight(string(runes[:limit]), " -")
	}
	return text
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
	for range max(d.below(5), f.MinLength) {
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
