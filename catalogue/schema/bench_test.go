package schema

import (
	"encoding/json"
	"testing"
)

func BenchmarkEventMarshal(b *testing.B) {
	var event Event
	if err := json.Unmarshal(dataset(b)["events"][0], &event); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := event.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEventUnmarshal(b *testing.B) {
	text := dataset(b)["events"][0]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var event Event
		if err := event.UnmarshalJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecordAppendJSON(b *testing.B) {
	record := parse(b, string(dataset(b)["books"][0]))
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = record.AppendJSON(dst[:0])
	}
}

func BenchmarkValidate(b *testing.B) {
	events := must(b, "events")
	text := []byte(body("events", "labels", "[3,1]"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.Validate(text, Checks{Exists: exists}); err != nil {
			b.Fatal(err)
		}
	}
}
