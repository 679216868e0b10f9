package etcdstore

import (
	"fmt"
	"io"
)

// A recordsFile writes records in the form that Catalogue.Load reads: an object with an
// array for each collection.
type recordsFile struct {
	w       io.Writer
	lastIDs map[string]int // the highest ids ever used
	current string         // the collection whose array is open, or ""
	written map[string]bool
}

// add writes a record. The records of a collection must be added one after another.
func (f *recordsFile) add(collection string, record []byte) error {
	if collection == f.current {
		_, err := fmt.Fprintf(f.w, ",%s", record)
		return err
	}
	if err := f.begin(collection); err != nil {
		return err
	}
	_, err := f.w.Write(record)
	return err
}

// begin ends the open array, if there is one, and begins that of a collection.
func (f *recordsFile) begin(collection string) error {
	separator := "],"
	if f.current == "" {
		separator = "{"
		f.written = map[string]bool{}
	}
	f.current = collection
	f.written[collection] = true
	_, err := fmt.Fprintf(f.w, "%s%q:[", separator, collection)
	return err
}

// end writes the highest ids and the end of the file.
func (f *recordsFile) end() error {
	list := []byte("[")
	for collection, id := range f.lastIDs {
		if id == 0 {
			continue
		}
		if !f.written[collection] { // Load ignores the id of a collection without an array
			if err := f.begin(collection); err != nil {
				return err
			}
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = fmt.Appendf(list, `{"collection":%q,"id":%d}`, collection, id)
	}
	if f.current == "" {
		_, err := io.WriteString(f.w, "{}")
		return err
	}
	_, err := fmt.Fprintf(f.w, `],"$lastIds":%s]}`, list)
	return err
}
