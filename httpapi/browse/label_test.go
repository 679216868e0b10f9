package browse

import "testing"

func TestHeading(t *testing.T) {
	for name, want := range map[string]string{
		"itemVariants": "Item variants", "item_variants": "Item variants", "social-links": "Social links", "startDate": "Start date",
		"id": "ID", "url": "URL", "été": "Été", "": "“”", " ": "“ ”", "__": "“__”", "x": "X",
		"isbn": "ISBN", "isbn13": "ISBN 13", "faqs": "FAQs", "coverUrl": "Cover URL", "posterWebp": "Poster WebP", "pdfFiles": "PDF files",
		"userIds": "User IDs", "tieins": "Tie-ins", "tiein": "Tie-in", "news": "News", "wires": "Wires", "movies": "Movies", "éditions": "Éditions", "idea": "Idea", "s": "S", "7": "7",
	} {
		if got := heading(name); got != want {
			t.Errorf("heading(%q) = %q, want %q", name, got, want)
		}
	}
}
