package etcdstore_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/httpapi"
)

// TestConcurrentCreates creates genres with each of many names through all nodes at once.
// One of the records with the same name is created, and ids are consecutive.
func TestConcurrentCreates(t *testing.T) {
	const names = 120
	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
	var mu sync.Mutex
	created := map[int]string{} // records by id
	perName := map[int]int{}
	var group sync.WaitGroup
	for worker := range 24 {
		group.Go(func() {
			for i := worker / 3; i < names; i += 8 { // each name once through each node
				w := send(n.handlers[worker%3], "POST", "/api/genres/", fmt.Sprintf(`{"name":"genre %d"}`, i))
				mu.Lock()
				switch id := idIn(t, w.Body.Bytes()); {
				case w.Code == http.StatusCreated && created[id] != "":
					t.Errorf("id %d: %s and %s", id, created[id], w.Body)
				case w.Code == http.StatusCreated:
					created[id] = w.Body.String()
					perName[i]++
				case w.Code != http.StatusBadRequest:
					t.Errorf("name %d: %d %s, want 201 or 400", i, w.Code, w.Body)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for i := range names {
		if perName[i] != 1 {
			t.Errorf("name %d was created %d times, want once", i, perName[i])
		}
	}
	for id := 1; id <= names; id++ {
		for i, h := range n.handlers {
			w := send(h, "GET", fmt.Sprintf("/api/genres/%d/", id), "")
			if diff := cmp.Diff(created[id], w.Body.String()); diff != "" {
				t.Errorf("record %d (-response to POST +node %d):\n%s", id, i+1, diff)
			}
		}
	}
	n.compare(t)
}

// TestConcurrentDeletes deletes a director and a genre through some nodes while films that
// refer to them are created or changed through others. Either the director is deleted or
// films refer to it, and no list has the genre.
func TestConcurrentDeletes(t *testing.T) {
	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
	n.load(t, 0, threeFilms)
	answers := map[string]int{}
	for round := range 30 {
		name := fmt.Sprintf("round%d", round)
		director := expect(t, n.handlers[round%3], http.StatusCreated, "POST", "/api/directors/", fmt.Sprintf(`{"name":%q,"slug":%q}`, name, name))
		genre := expect(t, n.handlers[round%3], http.StatusCreated, "POST", "/api/genres/", fmt.Sprintf(`{"name":%q}`, name))
		film := func(slug string, director, genre int) string {
			return fmt.Sprintf(`{"title":"T","slug":"%s-%s","minutes":1,"price":"1.00","director":%d,"genres":[1,%d]}`, name, slug, director, genre)
		}
		requests := []testRequest{
			{method: "DELETE", target: fmt.Sprintf("/api/directors/%d/", director)},
			{method: "POST", target: "/api/films/", body: film("a", director, 1)},
			{method: "PATCH", target: "/api/films/1/", body: fmt.Sprintf(`{"director":%d}`, director)},
			{method: "DELETE", target: fmt.Sprintf("/api/genres/%d/", genre)},
			{method: "POST", target: "/api/films/", body: film("b", 1, genre)},
			{method: "PATCH", target: "/api/films/2/", body: fmt.Sprintf(`{"genres":[%d,1]}`, genre)},
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		for i, a := range requests {
			group.Go(func() {
				w := send(n.handlers[(round+i)%3], a.method, a.target, a.body)
				mu.Lock()
				defer mu.Unlock()
				answers[fmt.Sprintf("%d. %s %d", i+1, a.method, w.Code)]++
				if w.Code >= 500 || w.Code == http.StatusNotFound {
					t.Errorf("%s %s: %d %s", a.method, a.target, w.Code, w.Body)
				}
			})
		}
		group.Wait()
		checkReferences(t, save(t, n.stores[round%3]))
		// For the next round.
		expect(t, n.handlers[round%3], http.StatusOK, "PATCH", "/api/films/1/", `{"director":1}`)
		expect(t, n.handlers[round%3], http.StatusOK, "PATCH", "/api/films/2/", `{"genres":[]}`)
	}
	t.Log(answers)
	for _, answer := range []string{"1. DELETE 204", "2. POST 201", "3. PATCH 200"} {
		if answers[answer] == 0 {
			t.Logf("no answer %s in 30 rounds: the requests did not race", answer) // depends on the machine
		}
	}
	n.compare(t)
}

// checkReferences checks that films refer to existing records.
func checkReferences(t *testing.T, saved string) {
	t.Helper()
	var cat struct {
		Directors []recorded.Director
		Genres    []recorded.Genre
		Films     []recorded.Film
	}
	if err := json.Unmarshal([]byte(saved), &cat); err != nil {
		t.Fatal(err)
	}
	if len(cat.Films) < 3 {
		t.Errorf("%d films, want those of the file", len(cat.Films))
	}
	for _, f := range cat.Films {
		if !slices.ContainsFunc(cat.Directors, func(d recorded.Director) bool { return d.ID == f.Director }) {
			t.Errorf("film %d refers to the missing director %d", f.ID, f.Director)
		}
		for _, id := range f.Genres {
			if !slices.ContainsFunc(cat.Genres, func(g recorded.Genre) bool { return g.ID == id }) {
				t.Errorf("film %d refers to the missing genre %d", f.ID, id)
			}
		}
	}
}
