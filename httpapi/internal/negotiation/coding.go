package negotiation

import "strings"

// ContentCoding returns the first coding in the values of Content-Encoding, as it was
// sent. It returns "" if the body is not encoded. It ignores the token identity, which RFC
// 9110 reserves for Accept-Encoding (section 12.5.3), but which clients send.
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
