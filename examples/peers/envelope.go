package main

import "strconv"

// address is the URL in the links of an envelope.
const address = "http://127.0.0.1/api/events/"

// appendHead appends an envelope up to its first record. Its links have the
// parameters limit, offset and ordering only.
func appendHead(dst []byte, o order, offset, count int) []byte {
	dst = append(dst, `{"count":`...)
	dst = strconv.AppendInt(dst, int64(count), 10)
	dst = append(dst, `,"next":`...)
	if offset+pageSize < count {
		dst = appendLink(dst, o, offset+pageSize)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"previous":`...)
	if offset > 0 {
		dst = appendLink(dst, o, offset-pageSize)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, `,"results":[`...)
}

func appendLink(dst []byte, o order, offset int) []byte {
	dst = append(dst, `"`+address+`?limit=`...)
	dst = strconv.AppendInt(dst, pageSize, 10)
	if offset > 0 {
		dst = append(dst, "&offset="...)
		dst = strconv.AppendInt(dst, int64(offset), 10)
	}
	if o != byStart {
		dst = append(dst, "&ordering="...)
		dst = append(dst, o.query()...)
	}
	return append(dst, '"')
}

// appendRecord appends a record, with a comma before it unless it is the first.
func appendRecord[S string | []byte](dst []byte, record S) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return append(dst, record...)
}

func appendTail(dst []byte) []byte { return append(dst, "]}"...) }

// appendPage appends a whole envelope.
func appendPage(dst []byte, o order, offset, count int, page []*record) []byte {
	dst = appendHead(dst, o, offset, count)
	for _, r := range page {
		dst = appendRecord(dst, r.json)
	}
	return appendTail(dst)
}
