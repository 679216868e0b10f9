package negotiation

import "strings"

// ContentCoding returns the first coding in the values of Content-Encoding, as it was
// sent, or "" if there is none. The token identity stands for no coding. RFC 9110 reserves
// it for Accept-Encoding (section 12.5.3), but clients send it.
func ContentCoding(values []string) string {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			coding = strings.Trim(coding, " \t")
			if coding != "" && !equalFold(coding, "identity") {
				return coding
			}
		}
	}
	return ""
}
