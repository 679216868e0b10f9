package browse

import (
	"testing"

	"github.com/gobacklist/backlist/resources"
)

func TestHeading(t *testing.T) {
	for name, want := range map[string]string{
		"itemVariants": "Item variants", "item_variants": "Item variants", "social-links": "Social links", "startDate": "Start date",
		"id": "ID", "url": "URL", "été": "Été", "": "“”", " ": "“ ”", "__": "“__”", "x": "X",
		"isbn": "ISBN", "isbn13": "ISBN 13", "faqs": "FAQs", "coverUrl": "Cover URL", "posterWebp": "Poster WebP", "pdfFiles": "PDF files",
		"userIds": "User IDs", "tieins": "Tie-ins", "tiein": "Tie-in", "news": "News", "wires": "Wires", "idea": "Idea", "s": "S", "7": "7",
	} {
		if got := heading(name); got != want {
			t.Errorf("heading(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLabelOf(t *testing.T) {
	for _, test := range []struct{ reason, key, name, want string }{
		{"key and name are the same words", "social-links", "social link", "Social links"},
		{"camelCase", "itemVariants", "item variant", "Item variants"},
		{"the name has its own spelling", "eps", "E.P.", "Eps"}, // not only case and separators
		{"upper case in the name", "dvds", "DVD", "DVDs"},
		{"hyphen in the name", "addons", "add-on", "Add-ons"},
		{"an abbreviation", "faqs", "faq", "FAQs"},
		{"irregular plural", "people", "person", "People"},
		{"no name", "films", "", "Films"},
	} {
		if got := labelOf(resources.Description{Key: test.key, Name: test.name}); got != test.want {
			t.Errorf("%s: the label of %s is %q, want %q", test.reason, test.key, got, test.want)
		}
	}
}
