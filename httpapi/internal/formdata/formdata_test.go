package formdata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
)

const boundary = "multipart/form-data; boundary=B"

// part returns a part of a multipart body, without its end.
func part(head, text string) string { return "--B\r\n" + head + "\r\n\r\n" + text + "\r\n" }

// TestParse has what Django's parsers answered to the same bodies.
func TestParse(t *testing.T) {
	const (
		end = "--B--\r\n"
		a   = "Content-Disposition: form-data; name=a"
		b   = "Content-Disposition: form-data; name=b"
	)
	in64 := func(text string) string { return part(a+"\r\nContent-Transfer-Encoding: base64", text) + end }
	for _, row := range []struct {
		reason, contentType, body string
		want                      []string // name=text, or the name of a file and a question mark
	}{
		{"parts in order", boundary, part(a, "1") + part(b, "2") + part(a, "3") + end, []string{"a=1", "b=2", "a=3"}},
		{"a file is the last of its name", boundary, part(a+"; filename=f", "1") + part(a, "2") + end, []string{"a=2", "a?"}},
		{"a file without a name is none", boundary, part(a+`; filename=""`, "1") + end, []string{"a=1"}},
		{"of several names, the last line's", boundary, part(a+"\r\n"+b, "1") + end, []string{"b=1"}},
		{"and of one line, the last", boundary, part(a+";name=b", "1") + end, []string{"b=1"}},
		{"a file, and then none", boundary, part(a+"; filename=f\r\n"+b, "1") + end, []string{"b=1"}},
		{"a name, and then none", boundary, part(a+"\r\nContent-Disposition: form-data", "1") + end, nil},
		{"a name that is quoted, with spaces", boundary, part(`content-disposition:;name=" \"é\" "`, "1") + end, []string{`"é"=1`}},
		{"an empty name", boundary, part(a[:len(a)-1]+`""`, "1") + end, []string{"=1"}},
		{"no name", boundary, part("Content-Disposition: form-data; named=a", "1") + end, nil},
		{"a header with a space after its name", boundary, part("Content-Disposition : form-data; name=a", "1") + end, nil},
		{"no empty line", boundary, "--B\r\n" + a + "\r\n" + end, nil},
		{"an empty line that belongs to the boundary", boundary, "--B\r\n" + a + "\r\n\r\n" + end, nil},
		{"no end", boundary, part(a, "1") + "-", []string{"a=1\r\n-"}},
		{"another boundary", boundary, strings.ReplaceAll(part(a, "1")+"--B--", "B", "C"), []string{"a=1\r\n--C--"}},
		{"a boundary inside a text", boundary, part(a, "1--B2") + end, []string{"a=1"}},
		{"before the first boundary", boundary, a + "\r\n\r\n1\r\n" + end, []string{"a=1"}},
		{"after the last one", boundary, end + a + "\r\n\r\n1", []string{"a=1"}},
		{"bare line feeds", boundary, strings.ReplaceAll(part(a, "1")+end, "\r\n", "\n"), nil},
		{"a bare line feed before a boundary", boundary, "--B\r\n" + a + "\r\n\r\n1\n" + end, []string{"a=1"}},
		{"empty lines in a text", boundary, part(a, "\r\n1\r\n\r\n") + end, []string{"a=\r\n1\r\n\r\n"}},
		{"a boundary with a space", `multipart/form-data; boundary="B B"`, strings.ReplaceAll(part(a, "1")+end, "B", "B B"), []string{"a=1"}},
		{"an empty body", boundary, "", nil},
		{"no parts", boundary, "a=1", nil},
		{"not UTF-8", boundary, part(a, "\xff\xe9\xe2\x82x\xf0\x90\x80") + end, []string{"a=\ufffd\ufffd\ufffdx\ufffd"}},
		{"Latin-1", boundary + "; charset=latin-1", part(a[:len(a)-1]+"\xe9", "\xff%E9") + end, []string{"é=ÿ%E9"}},

		{"base64", boundary, in64("aGk="), []string{"a=hi"}},
		{"base64 of bytes that are not UTF-8", boundary, in64("/+8="), []string{"a=\ufffd\ufffd"}},
		{"base64 of Latin-1", boundary + "; charset=latin-1", in64("6Q=="), []string{"a=é"}},
		{"base64 in lines", boundary, in64("a\r\nGk=\r\n"), []string{"a=hi"}},
		{"base64 without its end", boundary, in64("aGk"), []string{"a=aGk"}},
		{"base64 in capitals, with a parameter", boundary, part("Content-Transfer-Encoding: BASE64;x=y\r\n"+a, "aGk=") + end, []string{"a=hi"}},
		{"base64, and then not", boundary, part(a+"\r\nContent-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: 7bit", "aGk=") + end, []string{"a=aGk="}},
		{"any encoding", boundary, part(a+"\r\nContent-Transfer-Encoding: *", "aGk=") + end, []string{"a=aGk="}},

		{"pairs in order", Encoded, "a=1&&b=2&a&=3&a=4=5&", []string{"a=1", "b=2", "a=", "=3", "a=4=5"}},
		{"escapes", Encoded, "%61+b=%2B%26%3d+%C3%a9", []string{"a b=+&= é"}},
		{"escapes that are none", Encoded, "a=%&%zz=%4&b=%%41", []string{"a=%", "%zz=%4", "b=%A"}},
		{"escapes that are not UTF-8", Encoded, "a=%FF%E2%82&b=%C3x", []string{"a=\ufffd\ufffd", "b=\ufffdx"}},
		{"bytes in UTF-8", Encoded, "é=é%C3%A9", []string{"é=éé"}},
		{"bytes that are not all UTF-8", Encoded, "é=\xe9%C3%A9", []string{"Ã©=éé"}},
		{"Latin-1, escaped and not", Encoded + "; charset=latin-1", "\xe9=%E9+%C3%A9+é", []string{"é=é Ã© Ã©"}},
		{"another charset", Encoded + "; charset=koi8-r", "a=%C3%A9", []string{"a=é"}},
	} {
		var got []string
		f, fault := Parse(row.contentType, []byte(row.body))
		for _, v := range f {
			if v.Type == File {
				got = append(got, v.Name+"?"+v.Text)
			} else {
				got = append(got, v.Name+"="+v.Text)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" || fault != "" {
			t.Errorf("%s: %q: (-want +got)\n%s%s", row.reason, row.body, diff, fault)
		}
	}
}

// FuzzParse compares parts that mime/multipart has written with those that it reads. Names have nothing
// that it escapes, and texts no boundary.
func FuzzParse(f *testing.F) {
	f.Add("a|1|é|\r\n|x|?f|a|||\n")
	f.Add("  a  |--b|a;b=c|\r|%41+|\r\n\r\n|&=|\x00")
	f.Fuzz(func(t *testing.T, data string) {
		if strings.ContainsAny(data, "\"\\") || strings.Contains(data, "--B") || !utf8.ValidString(data) {
			t.Skip()
		}
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		if err := w.SetBoundary("B"); err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(data, "|")
		for i := 0; i+1 < len(fields); i += 2 {
			create := w.CreateFormField
			if strings.HasPrefix(fields[i+1], "?") {
				create = func(name string) (io.Writer, error) { return w.CreateFormFile(name, "f") }
			}
			out, err := create(fields[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(out, fields[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Count(body.String(), "--B") > len(fields)/2+1 { // one begins in a text
			t.Skip()
		}
		var texts, files Form
		for r := multipart.NewReader(bytes.NewReader(body.Bytes()), "B"); ; {
			p, err := r.NextRawPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Skip(err)
			}
			text, err := io.ReadAll(p)
			if err != nil {
				t.Fatal(err)
			}
			if name := strings.TrimSpace(p.FormName()); p.FileName() != "" {
				files = append(files, Value{Name: name, Type: File})
			} else {
				texts = append(texts, Value{Name: name, Text: string(text)})
			}
		}
		got, fault := Parse(w.FormDataContentType(), body.Bytes())
		want := append(texts, files...)
		if tooMany := len(want) > maxValues; (fault != "") != tooMany || !tooMany && !cmp.Equal(want, got) {
			t.Errorf("%q: %s\n%q, want %q", body.String(), fault, got, want)
		}
	})
}

// No form of a mebibyte allocates many times its size while it is read and becomes JSON.
func TestCost(t *testing.T) {
	const size = 1 << 20
	fill := func(before, text string) string { return before + strings.Repeat(text, (size-len(before))/len(text)) }
	lines := func(n int, name string) string {
		return fill("--B\r\n"+strings.Repeat("Content-Disposition:;name="+name+"\r\n", n)+"\r\n", "\xff")
	}
	fields := []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "b", Kind: schema.Array, Item: &schema.Field{Kind: schema.Object, Fields: []schema.Field{{Name: "a", Kind: schema.Text}}}}}
	var indexed, named strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&indexed, "b[%d]a=%s&", i, strings.Repeat("%", size/1000-12))
		fmt.Fprintf(&named, "%s%d=&", strings.Repeat("aA.", size/3000-2), i)
	}
	for _, row := range []struct{ reason, contentType, body string }{
		{"a part with 100 names", boundary, lines(100, "a")},
		{"a part with 20000 names", boundary, lines(20_000, "a")},
		{"a part with 100 files", boundary, lines(100, "a;filename=a")},
		{"long names", boundary, lines(500, strings.Repeat("\xff", 1000))},
		{"only boundaries", boundary, fill("", "--B")},
		{"a long boundary", "multipart/form-data; boundary=" + strings.Repeat("-", 199) + "b", fill("", "-")},
		{"only lines", boundary, fill("--B\r\n", "a:b\r\n")},
		{"only parameters", boundary, fill("--B\r\nContent-Disposition: x", ";a=b") + "\r\n\r\n"},
		{"empty parts", boundary, fill("", part("Content-Disposition:;name=a", ""))},
		{"base64", boundary, fill(part("Content-Disposition:;name=a\r\nContent-Transfer-Encoding:base64", "")[:70], "//79")},
		{"base64 that is none", boundary, fill("--B\r\nContent-Disposition:;name=a\r\nContent-Transfer-Encoding:base64\r\n\r\n", "\x80")},
		{"Latin-1", boundary + "; charset=latin1", lines(1, "a")},
		{"half of a rune", boundary, fill("--B\r\nContent-Disposition:;name=a\r\n\r\n", "\xe2\x82")},
		{"only separators", Encoded, fill("", "&")},
		{"many pairs", Encoded, fill("", "a&")},
		{"pluses", Encoded, fill("a=", "+")},
		{"percent signs", Encoded, fill("a=", "%")},
		{"escapes", Encoded, fill("a=", "%80")},
		{"escapes in Latin-1", Encoded + "; charset=latin1", fill("a=", "%80")},
		{"bytes that are not UTF-8", Encoded, fill("a=", "\xff")},
		{"control characters", Encoded, fill("a=", "\x01")},
		{"many objects", Encoded, indexed.String()},
		{"long names in camelCase", Encoded, named.String()},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, _ := Parse(row.contentType, []byte(row.body))
		f.Object(fields, Options{})
		runtime.ReadMemStats(&after)
		if got := int(after.TotalAlloc - before.TotalAlloc); got > 30*size {
			t.Errorf("%s: %d bytes, want at most %d", row.reason, got, 30*size)
		}
	}
}

// A value of each kind without parts is the same as text in a form and as JSON.
func TestKinds(t *testing.T) {
	m := values.Maker{Choose: rand.New(rand.NewPCG(1, 2)).IntN}
	find := func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }
	for _, f := range values.Fields() {
		about := schema.Description{Fields: []schema.Field{f}}
		for range 100 {
			value := m.Value(f)
			text := value
			if f.Kind.Scalar() && json.Unmarshal([]byte(value), &text) != nil {
				text = value
			}
			form := Form{{Name: f.Name, Text: text}}
			if f.Kind == schema.References || !f.Kind.Scalar() {
				form[0].Type = JSON
			}
			body := form.Object(about.Fields, Options{Framework: schema.DRF318(nil)})
			r, err := about.Validate(t.Context(), body, schema.Checks{Find: find})
			if got, _ := r.Get(f.Name); err != nil || got != value {
				t.Fatalf("%v, kind %d: %s becomes %s and is stored as %s, %v", f.Kind, f.Kind, value, body, got, err)
			}
		}
	}
}
