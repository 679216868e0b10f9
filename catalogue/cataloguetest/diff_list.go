package cataloguetest

import (
	"fmt"
	"strings"
)

// A recordList keeps the first records that are added to it and counts all.
type recordList struct {
	first []listedRecord
	n     int
}

// A listedRecord is a record that only one of two catalogues has.
type listedRecord struct {
	id   int
	text []byte // JSON
}

// shown returns the beginning of the record.
func (r listedRecord) shown() string { return truncate(string(r.text), recordShown) }

func (s *recordList) add(id int, text []byte) {
	if s.n++; s.n <= diffShown {
		s.first = append(s.first, listedRecord{id, text})
	}
}

// String returns the ids, such as "3, 7" or, if not all were kept, "3, 7 and 17 more".
func (s *recordList) String() string {
	var ids []string
	for _, r := range s.first {
		ids = append(ids, fmt.Sprint(r.id))
	}
	list := strings.Join(ids, ", ")
	if more := s.n - len(s.first); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
