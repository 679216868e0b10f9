package sample

// Options configures [New]. A size of zero means the default, a negative size means no
// records, and a size above ten million counts as ten million. The zero value is ready to
// use. It has seed 0, the default sizes and all oddities.
type Options struct {
	// Seed determines the contents of the house. Every value, including 0,
	// generates a different house.
	Seed uint64

	Events      int // default 300
	Labels      int // default 24
	Authors     int // default 60
	SocialLinks int // default 80; always 0 without authors
	Books       int // default 200

	// Others is the size of each of the other 34 collections; default 12.
	Others int

	// Without disables oddities: no record of the house has them. It changes neither
	// anything else in the house nor the cost of New. Unknown bits are ignored.
	Without Oddity
}

// maxSize bounds the size of a collection, so that a mistyped size does not panic.
const maxSize = 10_000_000

// size returns the number of records in a collection.
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
