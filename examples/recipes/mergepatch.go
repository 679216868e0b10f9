package recipes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// MergePatches returns a handler that also accepts bodies of the type application/merge-patch+json in a
// PATCH (RFC 7396). Without it, a PATCH merges the described members of objects, too, but replaces other
// objects as a whole; collections that have such fields must be [Merged].
func MergePatches(h http.Handler) http.Handler {
	const merge, both = "application/merge-patch+json", "application/json, application/merge-patch+json"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == http.MethodPatch && media == merge {
			r = r.Clone(r.Context())
			r.Header.Set("Content-Type", "application/json")
		}
		if r.Method == http.MethodOptions {
			w.Header().Set("Accept-Patch", both)
		}
		h.ServeHTTP(w, r)
	})
}

// Merged is a collection as it is served. A PATCH merges objects in its fields with those of the record,
// as RFC 7396 specifies.
type Merged struct{ catalogue.AnyCollection }

var errChanged = errors.New("the record has changed")

// Update changes a record.
func (c Merged) Update(ctx context.Context, segment string, u catalogue.Edit) ([]byte, error) {
	if !u.Partial {
		return c.AnyCollection.Update(ctx, segment, u)
	}
	for {
		now, err := c.Get(ctx, segment, u.Filter)
		if err != nil {
			return nil, err
		}
		merged := u
		merged.Body = c.merged(now, u.Body)
		merged.Precondition = func(record []byte) error {
			if !bytes.Equal(record, now) {
				return errChanged
			}
			if u.Precondition == nil {
				return nil
			}
			return u.Precondition(record)
		}
		record, err := c.AnyCollection.Update(ctx, segment, merged)
		if !errors.Is(err, errChanged) {
			return record, err
		}
	}
}

// merged returns a patch whose objects without described members are merged with those of a record. The
// collection finds what is wrong with a patch.
func (c Merged) merged(record, patch []byte) []byte {
	from, err1 := schema.ParseKeyed(record)
	to, err2 := schema.ParseKeyed(patch)
	if errors.Join(err1, err2) != nil {
		return patch
	}
	for _, f := range c.Description().Fields {
		if value, sent := to.Get(f.Name); sent && (f.Kind == schema.Map || f.Kind == schema.JSON) {
			old, _ := from.Get(f.Name)
			to, _ = to.With(f.Name, mergePatch(old, value))
		}
	}
	patch, _ = to.MarshalJSON() // always nil
	return patch
}

// mergePatch is MergePatch of RFC 7396, section 2.
func mergePatch(target, patch string) json.RawMessage {
	to, err := schema.ParseKeyed([]byte(patch))
	if err != nil { // no object
		return json.RawMessage(patch)
	}
	merged, _ := schema.ParseKeyed([]byte(target)) // otherwise empty
	for name, value := range to.All() {
		if value == "null" {
			merged = merged.Without(name)
			continue
		}
		old, _ := merged.Get(name)
		merged, _ = merged.With(name, mergePatch(old, value))
	}
	text, _ := merged.MarshalJSON()
	return text
}
