package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Op is an operation on a collection, and an element of a script. Its text is one
// line or, for a batch, a line and an indented line for each operation in it:
//
//	insert {"title":"Rope","year":1948}
//	update 1 {"year":1949} panic
//	batch fail
//		delete 1
//	snapshot s1
//	updateall {"year":1949} where year = 1948
//	s1: page -year,title offset=3 limit=2 where year >= 1940 and title prefix "R"
//
// If a catalogue has several collections, the key is put before the verb. A batch without a
// key can write to all:
//
//	films.insert {"title":"Rope"}
//	snapshot s1
//		films.page title
//
// A record is invalid if JSON cannot represent it. A write is checked if it is one of a
// request, which must not break a reference. The result of such an update is the record.
type Op struct {
	On      string   // name of a clone or a snapshot; "" for the catalogue itself, or for that of the batch
	In      string   // key of the collection; "" if there is only one, or for all
	Verb    string   // of a method; updateall and deleteall are those of a selection
	ID      int      // of get, has, update, delete, position; revision of since
	Records []string // JSON objects: one of insert, upsert, update, updateall; any number of replace, load
	How     string   // how a callback ends: "", fail, panic, goexit; or invalid or checked
	Name    string   // of the new snapshot, clone, or catalogue that is loaded from saved data
	Ops     []Op     // of a batch; of a new copy that is not kept
	Terms   string
	Offset  int
	Limit   int
	Where   []Condition
}

// A Condition restricts a field. Its operator is one of = != < <= > >= prefix in between outside
// null notnull contains icontains; in, between and outside, which is less or greater, have a JSON
// list as their value, null and notnull have none. Collections do not have the last two, only
// filters over HTTP.
type Condition struct{ Field, Operator, Value string }

func (c Condition) String() string {
	return strings.TrimSpace(c.Field + " " + c.Operator + " " + c.Value)
}

// byID are the verbs of operations that have an ID.
var byID = strings.Fields("get has update delete position since")

// Values returns the values as JSON. Of a list only those of in, between and outside are several.
func (c Condition) Values() []string {
	switch c.Operator {
	case "null", "notnull":
		return nil
	case "in", "between", "outside":
		return elements(c.Value)
	}
	return []string{c.Value}
}

var longRun = regexp.MustCompile(`x{100,}`)

// String returns the text of the operation. A run of many x is abbreviated, as in x{1000}.
func (op Op) String() string {
	parts := []string{op.Verb}
	if op.In != "" {
		parts[0] = op.In + "." + op.Verb
	}
	if op.On != "" {
		parts[0] = op.On + ": " + parts[0]
	}
	if slices.Contains(byID, op.Verb) {
		parts = append(parts, strconv.Itoa(op.ID))
	}
	if records := strings.Join(op.Records, ","); op.Verb == "replace" || op.Verb == "load" {
		parts = append(parts, "["+records+"]")
	} else {
		parts = append(parts, records)
	}
	parts = append(parts, op.Terms, op.Name, op.How)
	if op.Offset != 0 {
		parts = append(parts, fmt.Sprint("offset=", op.Offset))
	}
	if op.Limit != 0 {
		parts = append(parts, fmt.Sprint("limit=", op.Limit))
	}
	word := "where"
	for _, c := range op.Where {
		parts = append(parts, word, c.String())
		word = "and"
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	text := strings.Join(parts, " ")
	for _, inner := range op.Ops {
		text += "\n\t" + inner.String()
	}
	return longRun.ReplaceAllStringFunc(text, func(run string) string { return fmt.Sprintf("x{%d}", len(run)) })
}

var abbreviated = regexp.MustCompile(`x\{[0-9]+\}`)

// Parse parses a script. Empty lines and lines that begin with # are ignored.
func Parse(text string) (ops []Op, err error) {
	text = abbreviated.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(s[2 : len(s)-1])
		return strings.Repeat("x", n)
	})
	for line := range strings.Lines(text) {
		inner := strings.HasPrefix(line, "\t")
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		op, err := parseOp(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		if !inner {
			ops = append(ops, op)
		} else if last := len(ops) - 1; last < 0 || ops[last].Verb != "batch" && ops[last].Name == "" {
			return nil, fmt.Errorf("%s: not in a batch or of a copy", line)
		} else {
			ops[last].Ops = append(ops[last].Ops, op)
		}
	}
	return ops, nil
}

func parseOp(line string) (op Op, err error) {
	if name, rest, ok := strings.Cut(line, ": "); ok && !strings.ContainsAny(name, " {") {
		op.On, line = name, rest
	}
	op.Verb, line, _ = strings.Cut(line, " ")
	if key, verb, ok := strings.Cut(op.Verb, "."); ok {
		op.In, op.Verb = key, verb
	}
	if !slices.Contains(slices.Concat(Reads, Writes, []string{"snapshot", "clone", "save"}), op.Verb) {
		return op, errors.New("unknown operation")
	}
	if slices.Contains(byID, op.Verb) {
		var id string
		id, line, _ = strings.Cut(line, " ")
		if op.ID, err = strconv.Atoi(id); err != nil {
			return op, err
		}
	}
	for err == nil && line != "" {
		if line[0] == '{' || line[0] == '[' {
			var data string
			data, line, err = cutJSON(line)
			op.Records = elements(data)
			continue
		}
		var word string
		word, line, _ = strings.Cut(line, " ")
		key, number, _ := strings.Cut(word, "=")
		switch {
		case key == "offset":
			op.Offset, err = strconv.Atoi(number)
		case key == "limit":
			op.Limit, err = strconv.Atoi(number)
		case word == "where" || word == "and":
			var c Condition
			c.Field, line, _ = strings.Cut(line, " ")
			c.Operator, line, _ = strings.Cut(line, " ")
			if c.Operator != "null" && c.Operator != "notnull" {
				c.Value, line, err = cutJSON(line)
			}
			op.Where = append(op.Where, c)
		case word == "fail" || word == "panic" || word == "goexit" || word == "invalid" || word == "checked":
			op.How = word
		case op.Verb == "snapshot" || op.Verb == "clone" || op.Verb == "save":
			op.Name = word
		default:
			op.Terms = word
		}
	}
	return op, err
}

// elements returns the elements of a JSON list, or another value as the only one.
func elements(text string) (list []string) {
	if text == "" || text[0] != '[' {
		return []string{text}
	}
	for _, e := range decoded[[]json.RawMessage](text) {
		list = append(list, string(e))
	}
	return list
}

// cutJSON returns the JSON text at the start of line and the text after it.
func cutJSON(line string) (text, rest string, err error) {
	var data json.RawMessage
	d := json.NewDecoder(strings.NewReader(line))
	err = d.Decode(&data)
	return string(data), strings.TrimSpace(line[d.InputOffset():]), err
}
