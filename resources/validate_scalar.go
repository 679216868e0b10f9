package resources

import "strconv"

// cleanTime takes strings that hold a date-time, which keeps its offset.
func cleanTime(value string) (text, message string) {
	if kindOf(value) != jsonString {
		return "", wrongTimeFormat
	}
	d, message := parseDateTime(unquote(value))
	if message != "" {
		return "", message
	}
	return `"` + string(d.appendWire(nil)) + `"`, ""
}

// cleanBool takes true and false, the numbers 1 and 0, and a set of words, each
// in lower case, in upper case, and with a capital.
func cleanBool(value string) (text, message string) {
	word := value
	switch kindOf(value) {
	case jsonString:
		word = unquote(value)
	case jsonInt, jsonFloat:
		word = digit(value)
	}
	switch word {
	case "t", "T", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "1":
		return "true", ""
	case "f", "F", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", "0":
		return "false", ""
	}
	return "", "Must be a valid boolean."
}

// digit is "1" or "0" for a number of that value, however it is written, else
// nothing.
func digit(number string) string {
	switch n, _ := strconv.ParseFloat(number, 64); n {
	case 0:
		return "0"
	case 1:
		return "1"
	}
	return ""
}

// cleanInteger takes integers. No field of the document needs it: ids are
// read-only.
func cleanInteger(value string) (text, message string) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return "", "A valid integer is required."
	}
	return strconv.Itoa(n), ""
}

// cleanTextList takes lists of strings, stripped. No field of the document
// needs it: labels cannot be posted.
func cleanTextList(value string) (text, message string) {
	if kind := kindOf(value); kind != jsonList {
		return "", notAList(kind)
	}
	list := []byte{'['}
	for item := range elements(value) {
		clean, messages := Field{Kind: Text}.cleanText(item)
		if messages != nil {
			return "", messages[0]
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, clean...)
	}
	return string(append(list, ']')), ""
}

// cleanJSON takes any value that a record can hold.
func cleanJSON(value string) (text, message string) {
	clean, err := canonical([]byte(value))
	if err != nil {
		return "", "Value must be valid JSON."
	}
	return string(clean), ""
}

// notAList is what is said where a list is expected.
func notAList(kind jsonKind) string {
	return `Expected a list of items but got type "` + string(kind) + `".`
}
