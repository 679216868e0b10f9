package clienttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// A form is what a client can know of the pages of a service, and what messages call it.
type form struct {
	style pagination.Style
	codec *cataloguetest.Codec // nil: the framework's
}

// names returns the codec, or one with the names of the framework.
func (f form) names() cataloguetest.Codec {
	if f.codec != nil {
		return *f.codec
	}
	return cataloguetest.Codec{Records: "results", Count: "count", Next: "next", Previous: "previous"}
}

// counted reports whether pages have the number of all records.
func (f form) counted() bool {
	return pagination.TraitsOf(f.style).Counted && f.names().Count != ""
}

// anywhere reports whether a client can ask for a page that begins at any record.
func (f form) anywhere() bool {
	return pagination.TraitsOf(f.style).Anywhere && !f.names().Tokens
}

// apart reports whether pages have places that depend on the number of records before them, and
// cannot overlap.
func (f form) apart() bool { return pagination.TraitsOf(f.style).Counted && !f.anywhere() }

// place returns the parameter that says where a page begins.
func (f form) place() string { return cmp.Or(f.names().Place, pagination.TraitsOf(f.style).Place) }

// unnoticed returns the names of kinds that no client can notice: what a page does not have cannot be
// wrong, and a load may leave the count as it is.
func (f form) unnoticed() (kinds []string) {
	is := f.names()
	if !f.counted() {
		kinds = append(kinds, "row-missing", "row-repeated-for-another", "count-shrinks")
	}
	if f.apart() {
		kinds = append(kinds, "load")
	}
	if f.apart() && !f.counted() {
		kinds = append(kinds, "delete", "record-deleted")
	}
	if is.Tokens || is.Next == "" {
		kinds = append(kinds, "next-on-other-host", "next-without-tls")
	}
	if is.Next == "" {
		kinds = append(kinds, "next-is-self", "next-cycle", "empty-pages-with-next")
	}
	if f.codec != nil {
		kinds = append(kinds, "browsable-api")
	}
	if traits := pagination.TraitsOf(f.style); traits.Counted && !is.Tokens {
		kinds = append(kinds, "tokens-expire")
	}
	if pagination.TraitsOf(f.style).Size == "" {
		kinds = append(kinds, "sizes-differ")
	}
	return kinds
}

// failure returns the body of a response with an error.
func (f form) failure(status int, detail string) string {
	var body any = map[string]string{"detail": detail}
	if f.codec != nil && f.codec.Error != nil {
		body = f.codec.Error(status, detail)
	}
	text, _ := json.Marshal(body) // as a service would send it
	return string(text)
}

// words replaces what remedies say in braces by what the service has.
func (f form) words() *strings.Replacer {
	is := f.names()
	next, end, shape, none := is.Next, is.Next+" is null", "without "+is.Records, "its "+is.Records+" are []"
	if is.Records == "" {
		shape, none = "that is not a list", "its page is []"
	}
	header, inHeader := strings.CutSuffix(is.Next, " header")
	switch {
	case is.Next == "":
		end = "a page is empty"
	case inHeader && header == "Link":
		next, end = "next in the Link header", "the Link header has no next"
	case inHeader, is.Tokens:
		end = "there is no " + is.Next
	}
	var walk []string
	if is.Tokens {
		walk = append(walk, fmt.Sprintf("send %s as %s", next, f.place()))
	} else if is.Next != "" {
		walk = append(walk, "follow "+next)
	}
	if f.codec == nil || f.anywhere() {
		walk = append(walk, fmt.Sprintf("advance the %s by the number of records received", cmp.Or(is.Place, "offset")))
	}
	if f.codec == nil || f.apart() && !is.Tokens {
		walk = append(walk, "count pages from 1")
	}
	twice, compare, fewer := ", or if a record occurs twice", "", ""
	if f.counted() {
		twice = fmt.Sprintf(", if a record occurs twice, or if there are more records than %s", is.Count)
		compare = fmt.Sprintf(", and compare the number of those left with %s", is.Count)
		fewer = fmt.Sprintf(", or if it has none and fewer than %s have been received", is.Count)
		shape += " or " + is.Count
		none = fmt.Sprintf("its %s is 0 and %s", is.Count, none)
	}
	return strings.NewReplacer(
		"{next}", next, "{end}", end, "{shape}", shape, "{none}", none, "{walk}", strings.Join(walk, ", or "),
		"{twice}", twice, "{compare}", compare, "{fewer}", fewer, "{count}", cmp.Or(is.Count, "the number of records"),
	)
}
