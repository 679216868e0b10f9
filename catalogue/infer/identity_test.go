package infer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/infer"
)

// TestIdentity serves records with ids of all forms.
func TestIdentity(t *testing.T) {
	for _, row := range []struct {
		reason, text string
		opts         infer.Options
		found        string // how the first sentence goes on after the number of records
		path, want   string // a record
		order        string // of the ids in a list
		written      string // "" if it is the text
	}{
		{"integers in the order of the file", `{"a":[{"id":2},{"id":1}]}`, infer.Options{}, "id integer", "a/1/", `{"id":1}`, "2 1", ""},
		{"0 and less", `{"a":[{"id":0,"n":1},{"id":-1}]}`, infer.Options{}, "id integer", "a/0/", `{"id":0,"n":1}`, "0 -1", ""},
		{"texts of digits compare as numbers", `{"a":[{"id":"10"},{"id":"9"}]}`, infer.Options{}, "id text", "a/9/", `{"id":"9"}`, `"10" "9"`, ""},
		{"texts of digits with a zero in front do not", `{"a":[{"id":"10"},{"id":"09"}]}`, infer.Options{}, "id text", "a/09/", `{"id":"09"}`, `"10" "09"`, ""},
		{"numbers and texts", `{"a":[{"id":1},{"id":"x"},{"id":1.50}]}`, infer.Options{}, "id text", "a/1.50/", `{"id":"1.50"}`, `"1" "x" "1.50"`, ""},
		{"none", `{"a":[{"n":1},{"n":2}]}`, infer.Options{}, "id integer, n integer", "a/2/", `{"id":2,"n":2}`, "1 2", `{"a":[{"id":1,"n":1},{"id":2,"n":2}]}`},
		{"some, and null", `{"a":[{"id":null},{"id":7},{}]}`, infer.Options{}, "id integer", "a/9/", `{"id":9}`, "8 7 9", `{"a":[{"id":8},{"id":7},{"id":9}]}`},
		{"some, among texts", `{"a":[{"id":"2"},{"id":"x"},{},{}]}`, infer.Options{}, "id text", "a/3/", `{"id":"3"}`, `"2" "x" "3" "4"`, `{"a":[{"id":"2"},{"id":"x"},{"id":"3"},{"id":"4"}]}`},
		{"_id", `{"a":[{"_id":5},{"_id":4}]}`, infer.Options{}, "_id integer", "a/4/", `{"_id":4}`, "5 4", ""},
		{"ID", `{"a":[{"ID":"x"}]}`, infer.Options{}, "ID text", "a/x/", `{"ID":"x"}`, `"x"`, ""},
		{"Id", `{"a":[{"Id":3}]}`, infer.Options{}, "Id integer", "a/3/", `{"Id":3}`, "3", ""},
		{"objectID", `{"a":[{"objectID":"x"}]}`, infer.Options{}, "objectID text", "a/x/", `{"objectID":"x"}`, `"x"`, ""},
		{"id before _id", `{"a":[{"_id":"x","id":1}]}`, infer.Options{}, "id integer, _id text without filters", "a/1/", `{"_id":"x","id":1}`, "1", ""},
		{"_id that is no id", `{"a":[{"_id":[1]}]}`, infer.Options{}, "id integer, _id list", "a/1/", `{"id":1,"_id":[1]}`, "1", `{"a":[{"id":1,"_id":[1]}]}`},
		{"_id twice", `{"a":[{"_id":1},{"_id":1}]}`, infer.Options{}, "id integer, _id integer", "a/2/", `{"id":2,"_id":1}`, "1 2", `{"a":[{"id":1,"_id":1},{"id":2,"_id":1}]}`},
		{"an export of MongoDB", `{"a":[{"_id":{"$oid":"5f1e"},"n":1}]}`, infer.Options{}, "_id text, n integer", "a/5f1e/", `{"_id":"5f1e","n":1}`, `"5f1e"`, ""},
		{"_id that is another object", `{"a":[{"_id":{"$key":"x"}}]}`, infer.Options{}, "id integer, _id object", "a/1/", `{"id":1,"_id":{"$key":"x"}}`, "1", `{"a":[{"id":1,"_id":{"$key":"x"}}]}`},
		{"texts of more digits than keys have", `{"a":[{"id":"1000000000000000000"},{"id":"9"}]}`, infer.Options{}, "id text", "a/9/", `{"id":"9"}`, `"1000000000000000000" "9"`, ""},
		{"numbers and texts of digits compare as texts", `{"a":[{"id":10},{"id":"9"}]}`, infer.Options{}, "id text", "a/?ordering=id", `{"count":2,"next":null,"previous":null,"results":[{"id":"10"},{"id":"9"}]}`, `"10" "9"`, ""},
		{"a name of the collection", `{"cities":[{"cityId":7},{"cityId":8},{"cityId":9}]}`, infer.Options{}, "cityId integer (a guess; -id cities=id undoes it)", "cities/8/", `{"cityId":8}`, "7 8 9", ""},
		{"a name of another one", `{"a":[{"cityId":7},{"cityId":8},{"cityId":9}]}`, infer.Options{}, "id integer, cityId integer", "a/2/", `{"id":2,"cityId":8}`, "1 2 3", `{"a":[{"id":1,"cityId":7},{"id":2,"cityId":8},{"id":3,"cityId":9}]}`},
		{"uuid", `{"a":[{"uuid":"x"},{"uuid":"y"},{"uuid":"z"}]}`, infer.Options{}, "uuid text (a guess; -id a=id undoes it)", "a/y/", `{"uuid":"y"}`, `"x" "y" "z"`, ""},
		{"key", `{"a":[{"key":"x"},{"key":"y"},{"key":"z"}]}`, infer.Options{}, "key text (a guess", "a/y/", `{"key":"y"}`, `"x" "y" "z"`, ""},
		{"key of two records", `{"a":[{"key":"x"},{"key":"y"}]}`, infer.Options{}, "id integer, key text", "a/2/", `{"id":2,"key":"y"}`, "1 2", `{"a":[{"id":1,"key":"x"},{"id":2,"key":"y"}]}`},
		{"key of some records", `{"a":[{"key":"x"},{"key":"y"},{"key":"z"},{}]}`, infer.Options{}, "id integer, key text or null", "a/4/", `{"id":4}`, "1 2 3 4", `{"a":[{"id":1,"key":"x"},{"id":2,"key":"y"},{"id":3,"key":"z"},{"id":4}]}`},
		{"key twice", `{"a":[{"key":"x"},{"key":"y"},{"key":"y"}]}`, infer.Options{}, "id integer, key text", "a/3/", `{"id":3,"key":"y"}`, "1 2 3", `{"a":[{"id":1,"key":"x"},{"id":2,"key":"y"},{"id":3,"key":"y"}]}`},
		{"the guess undone", `{"a":[{"key":"x"},{"key":"y"},{"key":"z"}]}`, infer.Options{ID: map[string]string{"a": "id"}}, "id integer, key text", "a/2/", `{"id":2,"key":"y"}`, "1 2 3", `{"a":[{"id":1,"key":"x"},{"id":2,"key":"y"},{"id":3,"key":"z"}]}`},
		{"a name that is said", `{"a":[{"id":1,"code":"x"},{"id":1,"code":"y"}]}`, infer.Options{ID: map[string]string{"": "code"}}, "code text, id integer without filters", "a/y/", `{"id":1,"code":"y"}`, `"x" "y"`, ""},
		{"a name that another collection has", `{"a":[{"id":7,"n":1}],"b":[{"slug":"x"}]}`, infer.Options{ID: map[string]string{"": "slug"}}, "id integer, n integer", "a/7/", `{"id":7,"n":1}`, "7", ""},
		{"an object of records whose names are said to be", `{"a":{"x":{"n":1},"y":{"n":2}}}`, infer.Options{ID: map[string]string{"a": "slug"}}, "slug text, n integer", "a/x/", `{"slug":"x","n":1}`, `"x" "y"`, ""},
		{"an object of records", `{"users":{"ann":{"age":1},"bob":{"age":2,"x":3}}}`, infer.Options{}, "id text, age integer, x integer or null", "users/bob/", `{"id":"bob","age":2,"x":3}`, `"ann" "bob"`, ""},
		{"an object of records with their ids", `{"users":{"1":{"id":1,"age":1},"2":{"id":2,"age":2}}}`, infer.Options{}, "id integer, age integer", "users/2/", `{"id":2,"age":2}`, "1 2", ""},
		{"an object of records with other ids", `{"users":{"a":{"id":1,"age":1},"b":{"id":1,"age":2}}}`, infer.Options{}, "key text, id integer without filters", "users/b/", `{"key":"b","id":1,"age":2}`, `"a" "b"`, ""},
		{"an object of records with other ids and keys", `{"users":{"a":{"id":1,"key":1},"b":{"id":1,"key":2}}}`, infer.Options{}, "nameInFile text, id integer without filters", "users/b/", `{"nameInFile":"b","id":1,"key":2}`, `"a" "b"`, ""},
		{"an object of records, some of whose ids are null", `{"users":{"0":{"id":null,"n":1},"1":{"n":1}}}`, infer.Options{}, "id text, n integer", "users/0/", `{"id":"0","n":1}`, `"0" "1"`, `{"users":{"0":{"id":null,"n":1},"1":{"id":"1","n":1}}}`},
		{"one record whose id is null", `{"a":{"b":{"n":1},"id":null,"c":{"n":1}},"d":[]}`, infer.Options{}, "id integer, b object", "a/1/", `{"b":{"n":1},"id":1,`, "1", `{"a":{"b":{"n":1},"id":1,"c":{"n":1}},"d":[]}`},
		{"an object of records named by digits", `{"users":{"10":{"age":1},"9":{"age":2}}}`, infer.Options{}, "id text, age integer", "users/9/", `{"id":"9","age":2}`, `"10" "9"`, ""},
		{"an object of one object", `{"settings":{"theme":{"color":1}},"b":[]}`, infer.Options{}, "id integer, theme object", "settings/1/", `{"id":1,"theme":{"color":1}}`, "1", ""},
		{"an object of different objects", `{"settings":{"theme":{"color":1,"x":1},"user":{"color":1,"a":1,"b":2}},"b":[]}`, infer.Options{}, "id integer, theme object", "settings/1/", `{"id":1,"theme":`, "1", ""},
		{"an object of objects and texts", `{"settings":{"a":{"c":1},"b":{"c":1},"version":"1"},"b":[]}`, infer.Options{}, "id integer, a object", "settings/1/", `{"id":1,"a":`, "1", ""},
		{"an id with a slash", `{"a":[{"id":"x/y"},{"id":"z"}]}`, infer.Options{}, "id text (records whose id has a slash are in the list only).", "a/z/", `{"id":"z"}`, `"x/y" "z"`, ""},
		{"an id with characters that a path escapes", `{"a":[{"id":"x y?é"}]}`, infer.Options{}, "id text", "a/x%20y%3F%C3%A9/", `{"id":"x y?é"}`, `"x y?é"`, ""},
	} {
		s, err := try(t, row.text, row.opts)
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if _, found, _ := strings.Cut(s.file.Found("/"), "record"); !strings.HasPrefix(strings.TrimPrefix(found, "s"), ": "+row.found) {
			t.Errorf("%s: found %s, want %s", row.reason, found, row.found)
		}
		if code, body := s.ask("GET", row.path, ""); code != 200 || !strings.HasPrefix(body, row.want) {
			t.Errorf("%s: GET %s: %d %s, want %s", row.reason, row.path, code, body, row.want)
		}
		segment, _, _ := strings.Cut(row.path, "/")
		if order := s.ids(segment + "/"); order != row.order {
			t.Errorf("%s: the ids are %s, want %s", row.reason, order, row.order)
		}
		want := row.written
		if want == "" {
			want = row.text
		}
		if diff := cmp.Diff(want+"\n", s.written()); diff != "" {
			t.Errorf("%s: written (-want +got):\n%s", row.reason, diff)
		}
	}
}
