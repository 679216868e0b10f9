package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestNoLostPatch checks that concurrent PATCHes of different fields, and PUTs, are all in
// effect at the end, and that readers see whole records meanwhile.
func TestNoLostPatch(t *testing.T) {
	const rounds = 200
	h := recordedFilms(t)
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, target := range []string{"/api/films/2/", "/api/films/?limit=1&minutes__gte=0"} {
					if status, body := send(h, "GET", target, ""); status != 200 || !strings.Contains(body, `"createdAt":`) {
						t.Errorf("%s: %d %s", target, status, body)
					}
				}
			}
		})
	}
	patch := func(method, format string) {
		writers.Go(func() {
			for i := range rounds {
				body := fmt.Sprintf(format, i)
				if status, text := send(h, method, "/api/films/2/", body); status != 200 {
					t.Errorf("%s %s: %d %s", method, body, status, text)
				}
			}
		})
	}
	patch("PATCH", `{"synopsis":"s%d"}`)
	patch("PATCH", `{"rating":%d}`)
	patch("PUT", `{"title":"t%d","slug":"slug-1","minutes":1,"price":"1","director":41}`)
	writers.Wait()
	close(stop)
	readers.Wait()
	_, body := send(h, "GET", "/api/films/2/", "")
	for _, want := range []string{`"synopsis":"s199"`, `"rating":199.0`, `"title":"t199"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

// TestNoDanglingReference checks that a film is never stored with a director who was
// deleted at the same time.
func TestNoDanglingReference(t *testing.T) {
	h := serveFilms(t, newFilmHouse(t))
	for i := range 150 {
		if status, body := send(h, "POST", "/api/directors/", fmt.Sprintf(`{"name":"d","slug":"d%d"}`, i)); status != http.StatusCreated {
			t.Fatal(status, body)
		}
		id := i + 1
		var group sync.WaitGroup
		var posted, deleted int
		group.Go(func() {
			posted, _ = send(h, "POST", "/api/films/", fmt.Sprintf(`{"title":"t","slug":"f%d","minutes":1,"price":1,"director":%d}`, i, id))
		})
		group.Go(func() { deleted, _ = send(h, "DELETE", fmt.Sprintf("/api/directors/%d/", id), "") })
		group.Wait()
		switch {
		case posted == 201 && deleted == 409, posted == 400 && deleted == 204:
		default:
			t.Errorf("POST of a film: %d, DELETE of its director: %d", posted, deleted)
		}
	}
}
