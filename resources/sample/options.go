package sample

// Options say which of all houses it is, how big, and what is odd in it. Of each
// size, 0 is the default, less than 0 means no records, and more than ten million
// counts as ten million. The zero value is the house of seed 0 in the default
// sizes, with every oddity.
type Options struct {
	// Seed is any number. Each gives a house of its own, 0 as well.
	Seed uint64

	Events      int // default 300
	Labels      int // default 24
	Authors     int // default 60
	SocialLinks int // default 80; none if there are no authors
	Books       int // default 200

	// Others is the size of each of the other 34 collections; default 12.
	Others int

	// Without switches oddities off: no record has them then, whatever the seed
	// and the sizes, and nothing else of the house changes. 0 leaves all of them
	// in; bits that belong to none count for nothing. New costs the same.
	Without Oddity
}

// maxSize bounds a collection, so that a slip of the keyboard is no panic.
const maxSize = 10_000_000

// size is the number of records in the collection of a key.
func (o Options) size(key string) int {
	switch key {
	case "events":
		return clamp(o.Events, 300)
	case "labels":
		return clamp(o.Labels, 24)
	case "authors":
		return clamp(o.Authors, 60)
	case "social-links":
		if o.size("authors") == 0 {
			return 0
		}
		return clamp(o.SocialLinks, 80)
	case "books":
		return clamp(o.Books, 200)
	}
	return clamp(o.Others, 12)
}

func clamp(size, standard int) int {
	if size == 0 {
		return standard
	}
	return min(max(size, 0), maxSize)
}
