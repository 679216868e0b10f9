package sample_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

func TestWriteToKeysInDocumentOrder(t *testing.T) {
	for _, house := range []*sample.House{{}, sample.New(sample.Options{Others: 1})} {
		var b bytes.Buffer
		if _, err := house.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		var got, want []string
		d := json.NewDecoder(&b)
		d.Token() // opening brace
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, key.(string))
			var records []json.RawMessage
			if err := d.Decode(&records); err != nil || records == nil {
				t.Fatalf("%v: %v, %v", key, records, err)
			}
		}
		for _, d := range schema.Descriptions() {
			want = append(want, d.Key)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestWriteToModifiedHouse(t *testing.T) {
	house := sample.New(sample.Options{})
	house.Events = house.Events[:1]
	house.Events[0].Name = `A "new" <name> & more`
	var b bytes.Buffer
	if _, err := house.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"events":[`+"\n"+`{"id":1,"name":"A \"new\" <name> & more",`) {
		t.Errorf("the modified name is not written as the service does:\n%.300s", b.String()[strings.Index(b.String(), `"events"`):])
	}
}

func TestWriteToErrors(t *testing.T) {
	t.Run("year out of range", func(t *testing.T) {
		house := sample.New(sample.Options{})
		house.Events[2].EndDate = schema.At(time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC))
		_, err := house.WriteTo(&bytes.Buffer{})
		if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), "events: record 2") {
			t.Errorf("err = %v, want one that wraps schema.ErrInvalid and names the record", err)
		}
	})
	t.Run("failing writer", func(t *testing.T) {
		full := text(t, sample.Options{Events: 3, Books: 3, Others: 1})
		for _, room := range []int{0, 1, 4095, 4096, 5000, len(full) - 1} {
			w := &limitedWriter{room: room}
			n, err := sample.New(sample.Options{Events: 3, Books: 3, Others: 1}).WriteTo(w)
			if !errors.Is(err, errFull) || n != int64(len(w.got)) {
				t.Errorf("room for %d bytes: WriteTo = %d, %v; %d bytes written", room, n, err, len(w.got))
			}
			if !bytes.HasPrefix(full, w.got) {
				t.Errorf("room for %d bytes: the output is not a prefix of the full output", room)
			}
		}
	})
}

var errFull = errors.New("full")

// A limitedWriter fails after room bytes.
type limitedWriter struct {
	room int
	got  []byte
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room-len(w.got))
	w.got = append(w.got, p[:n]...)
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}
