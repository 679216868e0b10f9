package resources

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestRecordKeepsNoMoreThanItsSize makes small records from large ones, and looks
// at what of those is left when the garbage has been collected.
func TestRecordKeepsNoMoreThanItsSize(t *testing.T) {
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
		{"a large member is taken away", func() Record {
			return parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`).Without("large")
		}, `{"a":1,"id":2,"b":3}`},
		{"a large member is replaced", func() Record {
			return with(parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`), "large", 5)
		}, `{"a":1,"id":2,"large":5,"b":3}`},
		{"a large name is taken away", func() Record {
			return parse(t, `{`+text()+`:1,"a":"b"}`).Without(strings.Repeat("x", large))
		}, `{"a":"b"}`},
		{"many small members are taken away, one by one", func() Record {
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
		{"the only member is taken away", func() Record {
			return parse(t, `{"large":`+text()+`}`).Without("large")
		}, `{}`},
		{"a member that was added is replaced", func() Record {
			return with(with(Record{ID: 1}, "large", strings.Repeat("x", large)), "large", nil)
		}, `{"id":1,"large":null}`},
		{"a name is cut from a large text", func() Record {
			return with(Record{ID: 1}, text()[1:3], 0)
		}, `{"id":1,"xx":0}`},
		{"white space", func() Record {
			return parse(t, `{"a":1,`+strings.Repeat(" ", large)+`"b":2}`)
		}, `{"a":1,"b":2}`},
	} {
		r := test.make()
		kept := int64(heap())
		if got := r.String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, excerpt(got), test.want)
		}
		r = Record{}
		if kept -= int64(heap()); kept > large/8 {
			t.Errorf("%s: %d bytes are kept for %s", test.reason, kept, test.want)
		}
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestRecordsThatShareText checks that a record made from another one does not
// change it, whether its texts were joined anew or not.
func TestRecordsThatShareText(t *testing.T) {
	const text = `{"a":1,"id":7,"b":"xxxxxxxxxxxxxxxxxxxx","c":[2],"d":{}}`
	r := parse(t, text)
	for _, names := range [][]string{{"a"}, {"b"}, {"b", "a"}, {"a", "c", "b"}, {"d", "b", "c", "a"}} {
		less, want := r, text
		for i, name := range names {
			before := less.String()
			last := less.Without(name)
			if got := less.String(); got != before {
				t.Errorf("without %s: %s became %s", name, before, got)
			}
			value, _ := less.Get(name)
			want = strings.Replace(want, `"`+name+`":`+value, "", 1)
			want = strings.NewReplacer(",,", ",", "{,", "{", ",}", "}").Replace(want)
			if got := last.String(); got != want {
				t.Errorf("without %v: %s, want %s", names[:i+1], got, want)
			}
			if !last.Equal(parse(t, want)) {
				t.Errorf("without %v: another record than %s", names[:i+1], want)
			}
			less = last
		}
	}
	if got := r.String(); got != text {
		t.Errorf("the first record has become %s", got)
	}
}
