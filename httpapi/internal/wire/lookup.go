package wire

// A Lookup describes a lookup of filters to people.
type Lookup struct {
	Name     string
	Word     string // between a field and a value, such as "≥"
	Sentence string // what is true of a record's field
}

// LookupOf returns the lookup with a name, or one that has only the name.
func LookupOf(name string) Lookup {
	for _, l := range [...]Lookup{
		{"exact", "is", "is equal to the value."},
		{"in", "one of", "is one of the values, which are separated by commas."},
		{"isnull", "is", "is null if the value is true, and is not null if it is false."},
		{"range", "between", "is at least the first and at most the second of two values, which are separated by a comma."},
		{"gt", ">", "is greater than the value."},
		{"gte", "≥", "is at least the value."},
		{"lt", "<", "is less than the value."},
		{"lte", "≤", "is at most the value."},
		{"contains", "contains (same case)", "contains the value."},
		{"icontains", "contains", "contains the value in any letter case."},
		{"startswith", "begins with (same case)", "begins with the value."},
		{"istartswith", "begins with", "begins with the value in any letter case."},
		{"iexact", "is (any case)", "is equal to the value in any letter case."},
	} {
		if l.Name == name {
			return l
		}
	}
	return Lookup{Name: name, Word: name}
}
