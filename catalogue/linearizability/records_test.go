package linearizability_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// text and instant convert numbers to texts and times that sort like the numbers.
// parse and number convert them back.
func text(n int) string { return fmt.Sprintf("k%06d", n) }

func parse(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.Atoi(s[1:])
}

var epoch = time.Date(2030, 1, 1, 18, 0, 0, 0, time.UTC)

func instant(n int) time.Time { return epoch.Add(time.Duration(n) * time.Microsecond) }
func number(t time.Time) int  { return int(t.Sub(epoch) / time.Microsecond) }

func pointer(n int) *int {
	if n == absent {
		return nil
	}
	return &n
}

func value(p *int) int {
	if p == nil {
		return absent
	}
	return *p
}

// A plainRecord is a struct without methods.
type plainRecord struct {
	ID int       `json:"id"`
	A  int       `json:"a"`
	B  string    `json:"b"`
	C  time.Time `json:"c"`
	D  []int     `json:"d"`
	E  float64   `json:"e"`
	F  *int      `json:"f"`
}

// plainCodec returns a codec for plain records.
func plainCodec() *codec[plainRecord] {
	return &codec[plainRecord]{
		names: [fields]string{"a", "b", "c", "d", "e", "f"},
		encode: func(r row) plainRecord {
			return plainRecord{r.ID, r.F[0], text(r.F[1]), instant(r.F[2]), []int{r.F[3], r.F[3]}, float64(r.F[4]) / 2, pointer(r.F[5])}
		},
		decode: func(p *plainRecord) (row, error) {
			b, err := parse(p.B)
			if len(p.D) != 2 || p.D[0] != p.D[1] {
				err = fmt.Errorf("record %d: d is %v", p.ID, p.D)
			}
			return row{p.ID, [fields]int{p.A, b, number(p.C), p.D[0], int(p.E * 2), value(p.F)}}, err
		},
		values: func(n int) [fields]any {
			return [fields]any{n, text(n), instant(n), []int{n, n}, float64(n) / 2, n}
		},
	}
}

// A customInt is a number with a MarshalJSON method that yields the processor, as a
// method of a program may.
type customInt int

func (g customInt) MarshalJSON() ([]byte, error) {
	runtime.Gosched()
	return strconv.AppendInt(nil, int64(g), 10), nil
}

// A customRecord is a struct whose MarshalJSON methods determine its keys and its
// JSON form.
type customRecord struct {
	ID int        `json:"id"`
	A  customInt  `json:"a"`
	B  customInt  `json:"b"`
	C  *customInt `json:"c"`
	D  string     `json:"d"`
	E  customInt  `json:"e"`
	F  *int       `json:"f"`
}

// MarshalJSON writes the fields as encoding/json would.
func (g customRecord) MarshalJSON() ([]byte, error) {
	type fields customRecord
	runtime.Gosched()
	return json.Marshal(fields(g))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (g *customRecord) UnmarshalJSON(data []byte) error {
	type fields customRecord
	return json.Unmarshal(data, (*fields)(g))
}

// customCodec returns a codec for custom records.
func customCodec() *codec[customRecord] {
	return &codec[customRecord]{
		names: [fields]string{"a", "b", "c", "d", "e", "f"},
		encode: func(r row) customRecord {
			c := customInt(r.F[2])
			return customRecord{r.ID, customInt(r.F[0]), customInt(r.F[1]), &c, text(r.F[3]), customInt(r.F[4]), pointer(r.F[5])}
		},
		decode: func(g *customRecord) (row, error) {
			d, err := parse(g.D)
			if g.C == nil {
				return row{}, fmt.Errorf("record %d: c is null", g.ID)
			}
			return row{g.ID, [fields]int{int(g.A), int(g.B), int(*g.C), d, int(g.E), value(g.F)}}, err
		},
		values: func(n int) [fields]any {
			c := customInt(n)
			return [fields]any{c, c, c, text(n), c, n}
		},
	}
}

// openCodec returns a codec for open records. An absent field is not a member.
func openCodec() *codec[schema.Record] {
	type members struct {
		A int    `json:"a"`
		B string `json:"b"`
		C []int  `json:"c"`
		D string `json:"d"`
		E int    `json:"e"`
		F *int   `json:"f,omitempty"`
	}
	return &codec[schema.Record]{
		names: [fields]string{"a", "b", "c", "d", "e", "f"},
		encode: func(r row) (record schema.Record) {
			data, err := json.Marshal(members{r.F[0], text(r.F[1]), []int{r.F[2]}, text(r.F[3]), r.F[4], pointer(r.F[5])})
			if err == nil {
				record, err = schema.ParseRecord(data)
			}
			if err != nil {
				panic(err) // impossible: data is a record
			}
			record.ID = r.ID
			return record
		},
		decode: func(record *schema.Record) (row, error) {
			var m members
			if err := json.Unmarshal([]byte(record.String()), &m); err != nil || len(m.C) != 1 {
				return row{ID: record.ID}, fmt.Errorf("record %v: %w", record, err)
			}
			b, err := parse(m.B)
			if err != nil {
				return row{}, err
			}
			d, err := parse(m.D)
			return row{record.ID, [fields]int{m.A, b, m.C[0], d, m.E, value(m.F)}}, err
		},
		values: func(n int) [fields]any {
			return [fields]any{n, text(n), []int{n}, text(n), n, n}
		},
	}
}

// eventCodec returns a codec for events. They have no optional field.
func eventCodec() *codec[resources.Event] {
	return &codec[resources.Event]{
		names: [fields]string{"name", "slug", "summary", "description", "start_date", "location"},
		encode: func(r row) resources.Event {
			return resources.Event{ID: r.ID, Name: text(r.F[0]), Slug: text(r.F[1]), Summary: text(r.F[2]), Description: text(r.F[3]),
				Labels: []int{}, Authors: []int{}, StartDate: schema.At(instant(r.F[4])), EndDate: schema.At(instant(99)), Location: text(r.F[5])}
		},
		decode: func(e *resources.Event) (row, error) {
			r := row{ID: e.ID}
			for i, s := range [...]string{e.Name, e.Slug, e.Summary, e.Description, "", e.Location} {
				n, err := parse(s)
				if err != nil {
					return r, err
				}
				r.F[i] = n
			}
			r.F[4] = number(e.StartDate.Time)
			return r, nil
		},
		values: func(n int) [fields]any {
			return [fields]any{text(n), text(n), text(n), text(n), instant(n), text(n)}
		},
	}
}
