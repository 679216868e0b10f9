package schema

import "testing"

func TestDate(t *testing.T) {
	runField(t, Field{Kind: Date}, []row{
		ok(`"2024-05-10"`, `"2024-05-10"`, "wire form"),
		ok(`"2024-5-1"`, `"2024-05-01"`, "single digits"),
		ok(`"2024-05-10\n"`, `"2024-05-10"`, "newline"),
		ok(`"2024-02-29"`, `"2024-02-29"`, "leap day"),
		ok(`"0001-01-01"`, `"0001-01-01"`, "first day"),
		ok(`"9999-12-31"`, `"9999-12-31"`, "last day"),
		bad(`"2024-02-30"`, "no such day", badDate),
		bad(`"2023-02-29"`, "no such day", badDate),
		bad(`"2024-13-01"`, "no such month", badDate),
		bad(`"2024-00-01"`, "no such month", badDate),
		bad(`"2024-01-00"`, "no such day", badDate),
		bad(`"0000-01-01"`, "year 0", badDate),
		bad(`" 2024-05-10"`, "leading space", badDate),
		bad(`"2024-05-10 "`, "trailing space", badDate),
		bad(`"2024-05-10\n\n"`, "two newlines", badDate),
		bad(`"20240510"`, "no hyphens", badDate),
		bad(`"2024-005-10"`, "three digits", badDate),
		bad(`"2024-05-10T00:00:00Z"`, "time", badDate),
		bad(`"10/05/2024"`, "slashes", badDate),
		bad(`"12024-01-01"`, "year of five digits", badDate),
		bad(`"٢٠٢٤-05-10"`, "not ASCII digits", badDate),
		bad(`""`, "empty", badDate),
		bad(`20240510`, "number", badDate),
		bad(`true`, "boolean", badDate),
		bad(`[]`, "list", badDate),
		bad(`{}`, "object", badDate),
		bad(`null`, "null", notNull),
	})
	runField(t, Field{Kind: Date, Nullable: true}, []row{
		ok(`null`, `null`, "null"),
		bad(`""`, "an empty string is not null", badDate),
	})
}

// invalidChoice returns the message for a value with the given text in Python.
func invalidChoice(text string) string { return `"` + text + `" is not a valid choice.` }

func TestChoice(t *testing.T) {
	runField(t, Field{Kind: Choice, Choices: []string{"released", "5", "True", "1.0", "é"}}, []row{
		ok(`"released"`, `"released"`, "choice"),
		ok(`"r\u0065leased"`, `"released"`, "escaped"),
		ok(`"é"`, `"é"`, "not ASCII"),
		ok(`5`, `"5"`, "text of a number"),
		ok(`true`, `"True"`, "text of a boolean"),
		ok(`1e0`, `"1.0"`, "text of a number in Python"),
		bad(`"Released"`, "upper case", invalidChoice("Released")),
		bad(`" released "`, "not trimmed", invalidChoice(" released ")),
		bad(`""`, "empty", invalidChoice("")),
		bad(`6`, "number", invalidChoice("6")),
		bad(`-0`, "negative zero", invalidChoice("0")),
		bad(`1e22`, "number with exponent", invalidChoice("1e+22")),
		bad(`1e999`, "out of range for a float64", invalidChoice("inf")),
		bad(`-1e999`, "out of range for a float64", invalidChoice("-inf")),
		bad(`false`, "boolean", invalidChoice("False")),
		bad(`null`, "null", notNull),
		bad(`[]`, "list", invalidChoice("[]")),
		bad(`[ null, true , [1.50], {} ]`, "list", invalidChoice("[None, True, [1.5], {}]")),
		bad(`{"aB":"x", "c_d":{"e1":[]}}`, "object, with names in snake_case", invalidChoice("{'a_b': 'x', 'c_d': {'e_1': []}}")),
		bad(`{"aB":1,"c":2,"a_b":3}`, "repeated name", invalidChoice("{'a_b': 3, 'c': 2}")),
		bad(`["it's","\"","'\"","\\"]`, "quotes", invalidChoice(`["it's", '"', '\'"', '\\']`)),
		bad(`["\t\n\r\u0000\u007f\u0085\u00a0\u200b\u2028"]`, "characters that are not printed",
			invalidChoice(`['\t\n\r\x00\x7f\x85\xa0\u200b\u2028']`)),
		bad(`["é🙂\ufffd\udb40\udc01"]`, "characters above ASCII", invalidChoice("['é🙂\ufffd\\U000e0001']")),
		bad(`["a\ud800b"]`, "unpaired surrogate in a list", invalidChoice(`['a\ud800b']`)),
		bad(`"a\ud800b"`, "unpaired surrogate", invalidChoice("a\ufffdb")),
	})
	runField(t, Field{Kind: Choice, Choices: []string{"a"}, Blank: true, Nullable: true}, []row{
		ok(`""`, `""`, "empty"),
		ok(`null`, `null`, "null"),
		bad(`" "`, "not trimmed", invalidChoice(" ")),
	})
}

func TestNullableBoolean(t *testing.T) {
	runField(t, Field{Kind: Boolean, Nullable: true}, []row{
		ok(`null`, `null`, "null"),
		ok(`""`, `null`, "empty"),
		ok(`"null"`, `null`, "word"),
		ok(`"Null"`, `null`, "word"),
		ok(`"NULL"`, `null`, "word"),
		bad(`"nuLL"`, "unknown word", badBool),
		bad(`" "`, "not trimmed", badBool),
		ok(`"off"`, `false`, "word"),
	})
}

func TestTextList(t *testing.T) {
	runField(t, Field{Kind: TextList}, []row{
		ok(`[]`, `[]`, "empty"),
		ok(`[" a ","a",5]`, `["a","a","5"]`, "trimmed, in order"),
		bad(`["a",null,true]`, "null in the list", notNull),
		bad(`["a"," "]`, "blank in the list", notBlank),
		bad(`[["a"]]`, "list in the list", notString),
		bad(`{}`, "object", `Expected a list of items but got type "dict".`),
		bad(`"a"`, "string", `Expected a list of items but got type "str".`),
	})
}
