package schema

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// decodeStrict unmarshals an object into a pointer to a struct. Unlike encoding/json, it
// requires that names are those of fields, spelled exactly and not repeated, and that
// values are null only if the field is nullable.
func decodeStrict(data []byte, fields []Field, into any) error {
	s := scanner{data: data, limit: maxDepth}
	if !s.whole() {
		return s.syntax
	}
	text := trimSpace(string(data))
	if kindOf(text) != jsonObject {
		return fmt.Errorf("%w record: want an object, got %s", ErrInvalid, excerpt(text))
	}
	if s.fault != nil {
		return fmt.Errorf("%w record: %w", ErrInvalid, s.fault)
	}
	for quoted, value := range members(text) {
		if err := checkMember(fields, unquote(quoted), value); err != nil {
			return err
		}
	}
	if json.Unmarshal(data, into) == nil {
		return nil
	}
	return blame(text, into)
}

// checkMember returns an error for a member that encoding/json would accept silently.
func checkMember(fields []Field, name, value string) error {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		known := make([]string, len(fields))
		for i, f := range fields {
			known[i] = f.Name
		}
		return &MemberError{name, fmt.Errorf("%w: %s", errUnknown, ordering.Suggest(name, known))}
	}
	if kindOf(value) == jsonNull && !fields[i].Nullable {
		return &MemberError{name, errNull}
	}
	if kindOf(value) != jsonList || fields[i].Kind == JSON {
		return nil
	}
	for item := range elements(value) {
		if kindOf(item) == jsonNull {
			return &MemberError{name, errNullItem}
		}
	}
	return nil
}

// blame returns an error for the member that cannot be unmarshalled. It tries each
// member on its own.
func blame(object string, into any) error {
	for quoted, value := range members(object) {
		if err := json.Unmarshal([]byte("{"+quoted+":"+value+"}"), into); err != nil {
			return &MemberError{unquote(quoted), err}
		}
	}
	return fmt.Errorf("%w record", ErrInvalid)
}
