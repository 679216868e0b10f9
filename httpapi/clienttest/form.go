package clienttest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// A form is what a client can know of the pages of a service, and what messages call it.
type form struct {
	pagination.Traits
	codec *cataloguetest.Codec // nil: the framework's
}

// names returns the names of the next link and the count, which are empty if pages have none.
func (f form) names() (next, count string) {
	next, count = "next", "count"
	if f.codec != nil {
		next, count = f.codec.Next, f.codec.Count
	}
	for name, of := range map[string]*string{"next": &next, "count": &count} {
		if !slices.Contains(f.Members, name) {
			*of = ""
		}
	}
	return next, count
}

// apart reports whether pages have places that depend on the number of records before them, and
// cannot overlap.
func (f form) apart() bool { return f.Counted && !f.Anywhere }

// unnoticed returns the names of kinds that no client can notice: what a page does not have cannot be
// wrong.
func (f form) unnoticed() (kinds []string) {
	next, count := f.names()
	if count == "" {
		kinds = append(kinds, "row-missing", "row-repeated-for-another", "count-shrinks")
	}
	if f.apart() && count == "" {
		kinds = append(kinds, "delete", "record-deleted")
	}
	if next == "" {
		kinds = append(kinds, "next-on-other-host", "next-without-tls", "next-is-self", "next-cycle", "empty-pages-with-next")
	}
	return kinds
}

// needPages returns the names of situations that a list without pages cannot have.
func (f form) needPages() []string {
	if f.Members != nil {
		return nil
	}
	return []string{"status-500-from-second-page", "status-503-from-second-page", "status-429-from-second-page", "many-pages", "full-pages", "one-full-page", "record-deleted"}
}

// failure returns the body of a response with an error.
func (f form) failure(status int) string {
	detail := http.StatusText(status)
	var body any = map[string]string{"detail": detail}
	if f.codec != nil && f.codec.Error != nil {
		_, body = f.codec.Error(cataloguetest.Failure{Status: status, Detail: detail})
	}
	text, _ := json.Marshal(body) // as a service would send it
	return string(text)
}

// words replaces what remedies say in braces by what the service has.
func (f form) words() *strings.Replacer {
	next, count := f.names()
	return strings.NewReplacer("{next}", cmp.Or(next, "a page"), "{count}", cmp.Or(count, "the number of records"))
}
