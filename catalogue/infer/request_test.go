package infer_test

import (
	"strings"
	"testing"
)

// TestRequests reads, filters and writes the collections of a file.
func TestRequests(t *testing.T) {
	const file = `{"posts":[{"id":1,"title":"a","authorId":2,"editor_id":null,"views":3,"price":"9.50","at":"2024-05-10T18:00:00+02:00","address":{"city":"Bonn"},"zip":"01234"},
{"id":2,"title":"b","authorId":2,"editor_id":5,"views":20,"price":"12.00","at":"2024-05-10T17:00:00Z","address":{"city":"Aachen"},"zip":"5"}],
"authors":[{"id":2,"name":"Ann"},{"id":5,"name":"Bob"}],"editors":[{"id":5}],
"cards":[{"id":0,"n":1},{"id":-1},{"id":1.0}],"moves":[{"cardId":-1}],"profile":{"name":"me"},"tags":[{"id":"x y"}]}`
	s := serve(t, file)
	for _, row := range []struct {
		reason, request, body string
		code                  int
		want                  string // a part of the body
	}{
		{"root", "GET ", "", 200, `"posts":"http://example.com/api/posts/"`},
		{"a list", "GET posts/?limit=1", "", 200, `{"count":2,"next":"http://example.com/api/posts/?limit=1&offset=1","previous":null,"results":[{"id":1,`},
		{"a record", "GET posts/2/", "", 200, `"title":"b"`},
		{"one object", "GET profile/1/", "", 200, `{"id":1,"name":"me"}`},
		{"the id 0", "GET cards/0/", "", 200, `{"id":"0","n":1}`},
		{"an id with a point", "GET cards/1.0/", "", 200, `{"id":"1.0"}`},
		{"a key with a blank", "GET tags/x%20y/", "", 200, `{"id":"x y"}`},
		{"a negative id", "GET cards/-1/", "", 200, `{"id":"-1"}`},
		{"a reference to ids that are texts", "GET moves/", "", 200, `"cardId":"-1"`},
		{"no record", "GET posts/3/", "", 404, ""},
		{"filter by a number", "GET posts/?views__gte=4", "", 200, `{"count":1,`},
		{"by a decimal", "GET posts/?price__lt=10", "", 200, `{"count":1,`},
		{"by a time", "GET posts/?at=2024-05-10T16:00:00Z", "", 200, `{"count":1,`},
		{"by a text of digits", "GET posts/?zip=01234", "", 200, `{"count":1,`},
		{"by the name in JSON", "GET posts/?authorId=2", "", 200, `{"count":2,`},
		{"by null", "GET posts/?editor_id__isnull=true", "", 200, `{"count":1,`},
		{"by a member of an object", "GET posts/?address__city=Bonn", "", 200, `{"count":1,`},
		{"order by one", "GET posts/?ordering=address__city", "", 200, `"results":[{"id":2`},
		{"order by a number, not as text", "GET posts/?ordering=-views", "", 200, `"results":[{"id":2`},
		{"search", "GET posts/?search=bonn", "", 200, `{"count":1,`},
		{"a post", "POST posts/", `{"title":5,"views":"many","price":"cheap","at":"soon","new":{"a_b":[1]}}`, 201,
			`{"title":5,"views":"many","price":"cheap","at":"soon","new":{"a_b":[1]},"id":3}`},
		{"an empty one", "POST posts/", "", 201, `{"id":4}`},
		{"its own id", "POST posts/", `{"title":"c","id":9}`, 201, `{"title":"c","id":9}`},
		{"an id that is taken", "POST posts/", `{"id":9}`, 400, `{"id":["post with this id already exists."]}`},
		{"an id of another kind", "POST posts/", `{"id":"a"}`, 400, `{"id":["A valid integer is required."]}`},
		{"a text with blanks", "POST posts/", `{"title":" c ","id":12}`, 201, `{"title":" c ","id":12}`},
		{"a filter finds it", "GET posts/?title=%20c%20", "", 200, `{"count":1,`},
		{"and so does a list", "GET posts/?title__in=x,%20c%20", "", 200, `{"count":1,`},
		{"its deletion", "DELETE posts/12/", "", 204, ""},
		{"a reference", "POST posts/", `{"authorId":5}`, 201, `{"authorId":5,"id":10}`},
		{"a reference to no record", "POST posts/", `{"authorId":6}`, 400, `{"authorId":["Invalid pk \"6\" - object does not exist."]}`},
		{"a reference in a text", "POST posts/", `{"authorId":"2"}`, 201, `{"authorId":2,"id":11}`},
		{"a reference of another kind", "POST posts/", `{"authorId":"x"}`, 400, `Invalid pk \"x\"`},
		{"a key", "POST cards/", `{"id":7}`, 201, `{"id":"7"}`},
		{"the next key", "POST cards/", `{}`, 201, `{"id":"`},
		{"a key that is taken", "POST cards/", `{"id":"0"}`, 400, "already exists"},
		{"a key with a slash", "POST tags/", `{"id":"a/b"}`, 400, "does not contain /"},
		{"a reference to a key", "POST moves/", `{"cardId":"7"}`, 201, `{"cardId":"7","id":2}`},
		{"a reference to no key", "POST moves/", `{"cardId":"8"}`, 400, "does not exist"},
		{"a list", "POST posts/", `[1]`, 400, "Expected a dictionary, but got list."},
		{"no JSON", "POST posts/", `{"a":`, 400, "JSON parse error"},
		{"a repeated member", "POST posts/", `{"a":1,"a":2}`, 400, `{"a":["is repeated"]}`},
		{"a PATCH", "PATCH posts/9/", `{"views":[1],"id":9}`, 200, `{"title":"c","id":9,"views":[1]}`},
		{"a PATCH of the id", "PATCH posts/9/", `{"id":77}`, 400, "cannot be changed"},
		{"a PATCH of a reference", "PATCH posts/9/", `{"authorId":1}`, 400, "does not exist"},
		{"a PUT replaces", "PUT posts/9/", `{"a":1}`, 200, `{"a":1,"id":9}`},
		{"a PUT of a key", "PUT cards/0/", `{"m":1}`, 200, `{"id":"0","m":1}`},
		{"a PUT of no record", "PUT cards/12/", `{"m":1}`, 404, ""},
		{"an author of posts", "DELETE authors/2/", "", 409, `record \"1\" of posts refers to it in the field authorId`},
		{"a card of moves", "DELETE cards/-1/", "", 409, "of moves refers to it"},
		{"a post", "DELETE posts/9/", "", 204, ""},
		{"the next id is after the largest", "POST posts/", `{}`, 201, `{"id":12}`},
	} {
		method, path, _ := strings.Cut(row.request, " ")
		if code, body := s.ask(method, path, row.body); code != row.code || !strings.Contains(body, row.want) {
			t.Errorf("%s: %s %s: %d %s, want %d %s", row.reason, row.request, row.body, code, body, row.code, row.want)
		}
	}
}
