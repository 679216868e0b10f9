package pgstore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// An input reads the JSON object of a load, one record at a time. After an error its methods have no
// effect.
type input struct {
	store *Store
	skip  bool // unknown keys
	r     *bufio.Reader
	dec   *json.Decoder
	err   error

	ahead        []byte // what dec has read of r, from offset on
	offset       int64
	line, column int    // of offset, in code points
	before       string // a short text that ends as what is before offset does

	parts   map[string]*part // by the keys of collections
	records int              // number of those that have been read
	lastIDs map[string]int   // the member lastIDsKey
}

// A part has the numbers of the records of one collection, and the highest id ever used.
type part struct{ start, end, lastID int }

// lastIDsKey is the member with the highest ids ever used, as in package catalogue.
const lastIDsKey = "$lastIds"

func newInput(s *Store, r io.Reader, skip bool) *input {
	in := &input{store: s, skip: skip, r: bufio.NewReader(r), line: 1, column: 1, parts: map[string]*part{}, lastIDs: map[string]int{}}
	if mark, _ := in.r.Peek(3); string(mark) == "\ufeff" { // which programs on Windows write
		_, _ = in.r.Discard(3)
	}
	in.dec = json.NewDecoder(in)
	return in
}

// Read reads what the decoder reads.
func (in *input) Read(p []byte) (n int, err error) {
	if in.err != nil { // the decoder needs no more
		return 0, in.err
	}
	n, err = in.r.Read(p)
	in.ahead = append(in.ahead, p[:n]...)
	if err != nil && err != io.EOF {
		in.err = fmt.Errorf("pgstore: %w", err)
	}
	return n, err
}

// read reads all. It calls yield with each record and its line, until yield returns false.
func (in *input) read(yield func(record string, line int) bool) error {
	if in.token("", "{") != json.Delim('{') {
		in.check("0")
	}
	for in.more() {
		in.member(yield)
	}
	in.token("", "{}")
	in.token("", "{}") // the end
	if in.err == io.EOF {
		return nil
	}
	return in.err
}

// member reads a member of the object.
func (in *input) member(yield func(record string, line int) bool) {
	key, _ := in.token(":0}", `{""`).(string)
	name, _ := json.Marshal(key)
	empty := string(name) + ":[]"
	if in.parts[key] != nil {
		empty += "," + empty
	}
	in.check("{" + empty + "}")
	p := &part{start: in.records}
	in.parts[key] = p
	t, err := in.store.table(key)
	switch {
	case key == lastIDsKey:
		in.readLastIDs()
		return
	case err != nil: // it is skipped
		in.value("}", `{"":0`)
		return
	case in.token("}", `{"":[`) != json.Delim('['):
		in.check(fmt.Sprintf("{%q:0}", key))
	}
	for in.more() {
		record, line := in.value("]}", `{"":[0`)
		if in.err == nil && !yield(record, line) {
			in.err = io.EOF
		}
		in.records++
		r, _ := schema.ParseKeyed([]byte(record)) // an error is found later
		p.lastID = max(p.lastID, t.identityOf(r).ID)
	}
	p.end = in.records
	in.token("}", `{"":0`)
}

// readLastIDs reads the value of the member lastIDsKey.
func (in *input) readLastIDs() {
	text, _ := in.value("}", `{"":0`)
	in.check(fmt.Sprintf("{%q:%s}", lastIDsKey, text))
	all, _ := decode[[]struct {
		Collection string `json:"collection"`
		ID         int    `json:"id"`
	}](text)
	for _, last := range all {
		in.lastIDs[last.Collection] = last.ID
	}
}

// check sets the error with which a catalogue refuses to load a text.
func (in *input) check(text string) {
	if in.err == nil {
		in.err = in.store.empty.Clone().Load(strings.NewReader(text), catalogue.LoadOptions{SkipUnknown: in.skip})
	}
}

// more reports whether there is another element before the next closing bracket.
func (in *input) more() bool { return in.err == nil && in.dec.More() }

// token reads a token. What closes it and after make a whole text of what has been read, which from
// then on ends as before does.
func (in *input) token(after, before string) json.Token {
	token, err := in.dec.Token()
	switch token {
	case json.Delim('{'):
		after = "}" + after
	case json.Delim('['):
		after = "]" + after
	}
	in.step(err, after, before)
	return token
}

// value reads a value and returns its text, and its line.
func (in *input) value(after, before string) (text string, line int) {
	var value json.RawMessage
	err := in.dec.Decode(&value)
	in.step(err, after, before)
	return string(value), in.line - bytes.Count(value, []byte("\n"))
}

// step checks the syntax of what has been read since the last step. err is the error of the decoder,
// whose texts are not those of package catalogue.
func (in *input) step(err error, after, before string) {
	if in.err != nil {
		return
	}
	step := in.ahead
	if err == nil {
		step = step[:in.dec.InputOffset()-in.offset]
	} else {
		after = ""
	}
	var syntax *schema.SyntaxError
	if errors.As(schema.CheckSyntax(slices.Concat([]byte(in.before), step, []byte(after))), &syntax) {
		if syntax.Line == 1 {
			syntax.Column += in.column - 1 - len(in.before)
		}
		syntax.Line += in.line - 1
		err = fmt.Errorf("catalogue: %w: %w", catalogue.ErrInvalidData, syntax)
	}
	if n := bytes.Count(step, []byte("\n")); n > 0 {
		in.line, in.column = in.line+n, 1
	}
	in.column += utf8.RuneCount(step[bytes.LastIndexByte(step, '\n')+1:])
	in.ahead, in.offset, in.before, in.err = in.ahead[len(step):], in.offset+int64(len(step)), before, err
}
