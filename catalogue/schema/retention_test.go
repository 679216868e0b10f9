package schema

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestRecordDoesNotRetainMemory derives small records from large ones and measures the
// memory that is retained after a garbage collection.
func TestRecordDoesNotRetainMemory(t *testing.T) {
	const large = 8 << 20
	text := func() string { return `"` + strings.Repeat("x", large) + `"` }
	with := func(r Record, name string, value any) Record {
		r, err := r.With(name, value)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, test := range []struct {
		reason string
		make   func() Record
		want   string
	}{
		{"large member removed", func() Record {
			return parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`).Without("large")
		}, `{"a":1,"id":2,"b":3}`},
		{"large member replaced", func() Record {
			return with(parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`), "large", 5)
		}, `{"a":1,"id":2,"large":5,"b":3}`},
		{"large member updated", func() Record {
			d := Description{Fields: []Field{{Name: "large", Kind: Integer}}}
			r, err := d.ValidateUpdate(parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`), []byte(`{"large":5}`), true, Checks{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}, `{"a":1,"id":2,"large":5,"b":3}`},
		{"member with a large name removed", func() Record {
			return parse(t, `{`+text()+`:1,"a":"b"}`).Without(strings.Repeat("x", large))
		}, `{"a":"b"}`},
		{"many members removed one by one", func() Record {
			var b strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&b, `"m%d":"%s",`, i, strings.Repeat("x", 2000))
			}
			r := parse(t, `{`+b.String()+`"id":2}`)
			for i := range 1999 {
				r = r.Without(fmt.Sprint("m", i))
			}
			return with(r, "m1999", 1)
		}, `{"m1999":1,"id":2}`},
		{"only member removed", func() Record {
			return parse(t, `{"large":`+text()+`}`).Without("large")
		}, `{}`},
		{"added member replaced", func() Record {
			return with(with(Record{ID: 1}, "large", strings.Repeat("x", large)), "large", nil)
		}, `{"id":1,"large":null}`},
		{"name that is part of a large string", func() Record {
			return with(Record{ID: 1}, text()[1:3], 0)
		}, `{"id":1,"xx":0}`},
		{"white space", func() Record {
			return parse(t, `{"a":1,`+strings.Repeat(" ", large)+`"b":2}`)
		}, `{"a":1,"b":2}`},
	} {
		r := test.make()
		retained := int64(heap())
		if got := r.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, excerpt(got), test.want)
		}
		r = Record{}
		if retained -= int64(heap()); retained > large/8 {
			t.Errorf("%s: %s retains %d bytes", test.reason, test.want, retained)
		}
	}
}

// heap returns the number of bytes of live objects.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestWithoutDoesNotModifyTheRecord checks that Without does not change the record it is
// derived from, whether the texts are copied or not.
func TestWithoutDoesNotModifyTheRecord(t *testing.T) {
	const text = `{"a":1,"id":7,"b":"xxxxxxxxxxxxxxxxxxxx","c":[2],"d":{}}`
	r := parse(t, text)
	for _, names := range [][]string{{"a"}, {"b"}, {"b", "a"}, {"a", "c", "b"}, {"d", "b", "c", "a"}} {
		less, want := r, text
		for i, name := range names {
			before := less.String()
			last := less.Without(name)
			if got := less.String(); got != before {
				t.Errorf("Without(%q) changed %s to %s", name, before, got)
			}
			value, _ := less.Get(name)
			want = strings.Replace(want, `"`+name+`":`+value, "", 1)
			want = strings.NewReplacer(",,", ",", "{,", "{", ",}", "}").Replace(want)
			if got := last.String(); got != want {
				t.Errorf("without %v: got %s, want %s", names[:i+1], got, want)
			}
			if !last.Equal(parse(t, want)) {
				t.Errorf("without %v: not Equal to %s", names[:i+1], want)
			}
			less = last
		}
	}
	if got := r.String(); got != text {
		t.Errorf("Without changed the first record to %s", got)
	}
}
