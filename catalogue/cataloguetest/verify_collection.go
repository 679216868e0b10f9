package cataloguetest

import (
	"fmt"
	"slices"
)

// otherCollection describes what suggests that the client fetches another collection than
// that of the verification, or returns "". The paths are those of its requests.
func (v *verification) otherCollection(p pathology, ids []int, paths []string) string {
	if !slices.Contains(paths, v.data.path) {
		for _, c := range v.data.paths.all() {
			if path := v.data.paths.of(c); slices.Contains(paths, path) {
				return fmt.Sprintf("sent requests to %s and none to %s: if the client fetches the collection %s, set Verification.Collection to %q", path, v.data.path, c.Key, c.Key)
			}
		}
	}
	known := v.data.ids[:p.records]
	if len(ids) == 0 || slices.ContainsFunc(ids, func(id int) bool { return slices.Contains(known, id) }) {
		return ""
	}
	return fmt.Sprintf("returned %d records, and none of their ids is in the collection %s: the client probably fetches another collection; set Verification.Collection to the key of that", len(ids), v.data.key)
}
