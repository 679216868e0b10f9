package ordering

import (
	"bytes"
	"encoding/json"
)

// JSON is the key of any JSON value: null, a boolean, a number, a string, a
// list, or an object (by the bytes of its text with white space taken out).
// Empty text is null, as an absent value is; text that is not JSON is taken for
// a string. O(len(text)).
func JSON(text string) Key {
	if text == "" {
		return Null()
	}
	switch c := text[0]; {
	case c == '"':
		var s string
		if json.Unmarshal([]byte(text), &s) == nil {
			return Text(s)
		}
	case c == '-' || digit(c):
		if json.Valid([]byte(text)) {
			return Number(text)
		}
	case text == "null":
		return Null()
	case text == "true" || text == "false":
		return Bool(c == 't')
	case c == '[':
		return jsonList(text)
	case c == '{':
		var b bytes.Buffer
		if json.Compact(&b, []byte(text)) == nil {
			return Object(b.String())
		}
	}
	return Text(text)
}

func jsonList(text string) Key {
	var elements []json.RawMessage
	if json.Unmarshal([]byte(text), &elements) != nil {
		return Text(text)
	}
	keys := make([]Key, len(elements))
	for i, e := range elements {
		keys[i] = JSON(string(bytes.TrimSpace(e)))
	}
	return List(keys...)
}
