package etcdstore

import (
	"fmt"
	"strconv"
	"strings"
)

// layout has the names of a house's keys, all of which begin with its prefix:
//
//	version                  the current generation; every write writes it again
//	0/ids/films              the highest id ever used in a collection of generation 0
//	0/records/films/00…7     the JSON of a record
//
// [Store.Load] writes a new generation and makes it the current one.
type layout string

func (prefix layout) version() string { return string(prefix) + "version" }

func (prefix layout) generation(g string) string { return string(prefix) + g + "/" }

func (prefix layout) ids(g, collection string) string {
	return prefix.generation(g) + "ids/" + collection
}

func (prefix layout) record(g, collection string, id int) string {
	return fmt.Sprintf("%srecords/%s/%019d", prefix.generation(g), collection, id)
}

// A place is what a key of a generation names: a record, or the highest id of a
// collection if id is 0.
type place struct {
	collection string
	id         int
}

// place returns what a key names. ok is false if the key is not one of the generation.
func (prefix layout) place(g, key string) (p place, ok bool, err error) {
	rest, ok := strings.CutPrefix(key, prefix.generation(g))
	if !ok {
		return p, false, nil
	}
	if collection, ok := strings.CutPrefix(rest, "ids/"); ok {
		return place{collection, 0}, true, nil
	}
	if rest, ok := strings.CutPrefix(rest, "records/"); ok {
		if i := strings.LastIndexByte(rest, '/'); i >= 0 {
			id, err := strconv.Atoi(rest[i+1:])
			if p := (place{rest[:i], id}); err == nil && id > 0 && key == prefix.record(g, p.collection, p.id) {
				return p, true, nil
			}
		}
	}
	return p, true, fmt.Errorf("%w: unexpected key %q", ErrInvalidData, key)
}
