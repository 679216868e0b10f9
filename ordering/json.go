package ordering

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON returns the key of a JSON value. White space around the value is ignored. An
// object compares by its text without white space. Empty text, which stands for an
// absent value, is null. Text that is not valid JSON is a string. O(len(text)) for each
// level of nested lists.
func JSON(text string) Key {
	if text == "" {
		return Null()
	}
	if k, ok := jsonValue(strings.Trim(text, " \t\r\n")); ok {
		return k
	}
	return Text(text)
}

// jsonValue is like JSON for a text without white space around it. ok is false if the
// text is not valid JSON.
func jsonValue(text string) (k Key, ok bool) {
	if text == "" {
		return Key{}, false
	}
	switch c := text[0]; {
	case c == '"':
		var s string
		ok = json.Unmarshal([]byte(text), &s) == nil
		return Text(s), ok
	case c == '-' || digit(c):
		if json.Valid([]byte(text)) {
			return Number(text), true
		}
	case text == "null":
		return Null(), true
	case text == "true" || text == "false":
		return Bool(c == 't'), true
	case c == '[':
		return jsonList(text)
	case c == '{':
		var b bytes.Buffer
		ok = json.Compact(&b, []byte(text)) == nil
		return Object(b.String()), ok
	}
	return Key{}, false
}

func jsonList(text string) (k Key, ok bool) {
	var elements []json.RawMessage
	if json.Unmarshal([]byte(text), &elements) != nil {
		return Key{}, false
	}
	keys := make([]Key, len(elements))
	for i, e := range elements {
		keys[i] = JSON(string(e))
	}
	return List(keys...), true
}
