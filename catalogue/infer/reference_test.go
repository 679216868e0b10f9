package infer_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestReferences serves members that refer to records, by guess or because the options say so.
func TestReferences(t *testing.T) {
	said := func(pairs ...string) infer.Options {
		opts := infer.Options{Refers: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			opts.Refers[pairs[i]] = pairs[i+1]
		}
		return opts
	}
	const orders = `{"users":[{"id":7,"name":"Ann"},{"id":8,"name":"Bob"}],"orders":[{"id":1,"customerId":8},{"id":2,"customerId":7},{"id":3,"customerId":null}]}`
	for _, row := range []struct {
		reason, text string
		opts         infer.Options
		found        string // in what is found
		path, ids    string // a list, and the ids in it
	}{
		{"a name and Id", `{"users":[{"id":7,"name":"Ann"}],"posts":[{"id":1,"userId":7},{"id":2}]}`, infer.Options{}, "userId of users or null", "posts/?userId__name=Ann", "1"},
		{"and backwards", `{"users":[{"id":7},{"id":8}],"posts":[{"id":1,"userId":7,"n":5}]}`, infer.Options{}, "userId of users", "users/?posts__n__gte=5", "7"},
		{"by an order", `{"users":[{"id":7,"name":"Z"},{"id":8,"name":"A"}],"posts":[{"id":1,"user_id":7},{"id":2,"user_id":8}]}`, infer.Options{}, "user_id of users", "posts/?ordering=user_id", "1 2"},
		{"people", `{"people":[{"id":7,"name":"Ann"}],"pets":[{"id":1,"personId":7}]}`, infer.Options{}, "personId of people", "pets/?personId__name=Ann", "1"},
		{"an irregular end", `{"sales_people":[{"id":7,"name":"Ann"}],"pets":[{"id":1,"salesPersonId":7}]}`, infer.Options{}, "salesPersonId of sales_people", "pets/?salesPersonId=7", "1"},
		{"categories and boxes", `{"categories":[{"id":7}],"boxes":[{"id":1,"categoryId":7}],"toys":[{"id":4,"boxId":1}]}`, infer.Options{}, "boxId of boxes", "toys/?boxId__categoryId=7", "4"},
		{"a parent", `{"nodes":[{"id":1,"parentId":null,"n":3},{"id":2,"parentId":1}]}`, infer.Options{}, "parentId of nodes or null", "nodes/?parentId__n=3", "2"},
		{"a parent of texts", `{"nodes":[{"id":"a"},{"id":"b","parent_id":"a"}]}`, infer.Options{}, "parent_id of nodes or null", "nodes/?parent_id=a", `"b"`},
		{"a parent that is no record", `{"nodes":[{"id":1,"parentId":9}]}`, infer.Options{}, "parentId integer", "nodes/?parentId=9", "1"},
		{"a list", `{"tags":[{"id":1},{"id":2}],"posts":[{"id":1,"tagIds":[1,2]},{"id":2,"tagIds":[]},{"id":3,"tagIds":[2]}]}`, infer.Options{}, "tagIds of tags", "posts/?tagIds=1", "1"},
		{"a list of other values", `{"tags":[{"id":1}],"posts":[{"id":1,"tagIds":[1,3]}]}`, infer.Options{}, "tagIds list", "posts/", "1"},
		{"numbers among names of digits", `{"users":{"7":{"name":"Ann"},"8":{"name":"Bob"}},"posts":[{"id":1,"userId":8}]}`, infer.Options{}, "userId of users", "posts/?userId__name=Bob", "1"},
		{"identifiers of MongoDB", `{"users":[{"_id":{"$oid":"5f"},"name":"Ann"}],"posts":[{"_id":{"$oid":"60"},"userId":{"$oid":"5f"}}]}`, infer.Options{}, "userId of users", "posts/?userId__name=Ann", `"60"`},
		{"another name", orders, infer.Options{}, "customerId integer or null.\nThe kinds of fields are guesses: writes may send others. Not references: customerId; -refers customerId=COLLECTION makes one.", "orders/?customerId=8", "1"},
		{"that is said", orders, said("customerId", "users"), "customerId of users or null", "orders/?customerId__name=Ann", "2"},
		{"that is said of its collection", orders, said("orders.customerId", "users"), "customerId of users or null", "orders/?customerId__name=Ann", "2"},
		{"that is said of one of two", `{"users":[{"id":7,"name":"Ann"}],"posts":[{"id":1,"by":7}],"pets":[{"id":1,"by":8}]}`, said("posts.by", "users"), "by of users.\n/pets/ has 1 record: id integer, by integer", "posts/?by__name=Ann", "1"},
		{"a name without Id", `{"users":[{"id":7,"name":"Ann"}],"posts":[{"id":1,"author":7}]}`, said("author", "users"), "author of users", "posts/?author__name=Ann", "1"},
		{"a name without Id that is not said", `{"boxes":[{"id":7}],"toys":[{"id":1,"box":7,"n":1}]}`, infer.Options{}, "n integer.\nThe kinds of fields are guesses: writes may send others. Not references: box; -refers box=COLLECTION makes one.", "toys/?box=7", "1"},
		{"a guess that is undone", `{"users":[{"id":7}],"posts":[{"id":1,"userId":7}]}`, said("userId", ""), "userId integer", "posts/?userId__gte=7", "1"},
	} {
		s, err := try(t, row.text, row.opts)
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if found := s.file.Found("/"); !strings.Contains(found, row.found) {
			t.Errorf("%s: found %s, want %s", row.reason, found, row.found)
		}
		if ids := s.ids(row.path); ids != row.ids {
			t.Errorf("%s: GET %s: ids %s, want %s", row.reason, row.path, ids, row.ids)
		}
		if s.written() != row.text+"\n" {
			t.Errorf("%s: written %s, want %s", row.reason, s.written(), row.text)
		}
	}
}

// TestOptions reads files with options that are not about them.
func TestOptions(t *testing.T) {
	const text = "{\"users\":[{\"id\":7}],\n\"posts\":[{\"id\":1,\"author\":8,\"key\":true}]}"
	for _, row := range []struct {
		reason string
		opts   infer.Options
		want   string
	}{
		{"no such collection", infer.Options{ID: map[string]string{"userz": "id"}}, `options: no collection "userz": did you mean users?`},
		{"a reference to none", infer.Options{Refers: map[string]string{"author": "user"}}, `options: no collection "user": did you mean users?`},
		{"a reference to no record", infer.Options{Refers: map[string]string{"author": "users"}}, "line 2, column 10: posts: author is 8, which is no id of users: it cannot be a reference"},
		{"an id that is none", infer.Options{ID: map[string]string{"posts": "key"}}, "line 2, column 10: posts: the id is true: want a number or a text, or no id, or another member as the id"},
		{"an id that no record has", infer.Options{ID: map[string]string{"posts": "authr"}}, `options: no record has the member "posts.authr": did you mean posts.author?`},
		{"an id that no record of any has", infer.Options{ID: map[string]string{"": "authr"}}, `options: no record has the member "authr": did you mean author?`},
		{"a reference that no record has", infer.Options{Refers: map[string]string{"auther": "users"}}, `options: no record has the member "auther": did you mean author?`},
		{"a reference of another collection", infer.Options{Refers: map[string]string{"users.author": "users"}}, `options: no record has the member "users.author": did you mean posts.author?`},
		{"a kind of no member", infer.Options{Kinds: map[string]schema.Kind{"posts.kye": schema.Text}}, `options: no record has the member "posts.kye": did you mean posts.key?`},
		{"a kind with parts", infer.Options{Kinds: map[string]schema.Kind{"author": schema.Array}}, "options: the kind of author is not that of a single value"},
	} {
		if _, err := try(t, text, row.opts); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v, want %s", row.reason, err, row.want)
		}
	}
	_, err := try(t, `{"a":[]}`, infer.Options{ID: map[string]string{"a": "slug"}, Refers: map[string]string{"b": "a"}}) // records can come
	must(t, err)
	s, err := try(t, `[{"n":"9"},{"n":"10"}]`, infer.Options{Kinds: map[string]schema.Kind{"records.n": schema.Decimal}})
	must(t, err)
	if ids := s.ids("records/?n__gte=9&ordering=-n"); ids != "2 1" {
		t.Errorf("ids %s by a kind that is said", ids)
	}
}

// TestNamesBackwards serves references whose collection has a name that another one, or a member, has, too.
func TestNamesBackwards(t *testing.T) {
	for _, text := range []string{
		`{"authors":[{"id":1}],"posts":[{"id":1,"authorId":1,"authorIds":[1]}]}`,
		`{"authors":[{"id":1,"posts":3}],"posts":[{"id":1,"authorId":1}]}`,
	} {
		found := serve(t, text).file.Found("/")
		if want := "authorId of authors without filters there, because posts is the name of another or of a member"; !strings.Contains(found, want) {
			t.Errorf("%s: found %s, want %s", text, found, want)
		}
	}
}
