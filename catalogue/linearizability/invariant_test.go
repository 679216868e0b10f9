package linearizability_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// The tests in this file check one promise many times more often than the tests that use
// porcupine, which would detect a broken one, too.

// repeat calls f in a goroutine until the time of the test has passed.
func repeat(t *testing.T, group *sync.WaitGroup, f func()) {
	end := time.Now().Add(share(t))
	group.Go(func() {
		for time.Now().Before(end) && !t.Failed() {
			f()
		}
	})
}

// TestNoBrokenReference inserts studios and then listings that refer to them, and deletes
// them in reverse order, while the catalogue is saved and copied. No copy may have a
// listing without its studio.
func TestNoBrokenReference(t *testing.T) {
	listings, studios := playhttp.Models()
	p, err := play.NewCatalogue(play.Of[playhttp.Listing](listings, nil), play.Of[playhttp.Studio](studios, nil))
	if err != nil {
		t.Fatal(err)
	}
	insert := func(key, format string, args ...any) (id int) {
		result := p.Do(model.Op{In: key, Verb: "insert", Records: []string{fmt.Sprintf(format, args...)}})
		if _, err := fmt.Sscanf(result, "id %d", &id); err != nil {
			t.Error(result)
		}
		return id
	}
	var group sync.WaitGroup
	for range 3 {
		var pairs []struct{ studio, listing int }
		repeat(t, &group, func() {
			studio := insert("studios", `{"name":"Ufa"}`)
			listing := insert("listings", `{"studio":%d}`, studio)
			if pairs = append(pairs, struct{ studio, listing int }{studio, listing}); len(pairs) > 4 {
				p.Do(model.Op{In: "listings", Verb: "delete", ID: pairs[0].listing})
				p.Do(model.Op{In: "studios", Verb: "delete", ID: pairs[0].studio})
				pairs = pairs[1:]
			}
		})
	}
	studio := regexp.MustCompile(`"studio":([0-9]+)`)
	for _, verb := range []string{"save", "snapshot", "clone"} {
		repeat(t, &group, func() {
			lines := strings.Split(p.Do(model.Op{Verb: verb, Name: "copy", Ops: []model.Op{
				{In: "listings", Verb: "page"}, {In: "studios", Verb: "page"}}}), "\n")
			for _, id := range studio.FindAllStringSubmatch(lines[1], -1) {
				if !strings.Contains(lines[2], `{"id":`+id[1]+`,`) {
					t.Errorf("%s: a listing without its studio %s", verb, id[1])
				}
			}
		})
	}
	group.Wait()
}

// TestNoLostCondition counts open records that satisfy a condition, which none ever does,
// while another goroutine empties and fills the collection. While it is empty, no field is
// unknown and conditions restrict nothing, which must not last until the next state.
func TestNoLostCondition(t *testing.T) {
	p, err := play.New[schema.Record](&model.Config{Open: true, Unique: [][]string{{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	writes := []model.Op{{Verb: "replace", Records: []string{`{"id":1,"a":1}`, `{"id":2,"a":2}`}}, {Verb: "replace"}}
	var group sync.WaitGroup
	repeat(t, &group, func() {
		slices.Reverse(writes)
		if result := p.Do(writes[0]); result != "ok" {
			t.Error(result)
		}
	})
	none := model.Op{Verb: "count", Where: []model.Condition{{Field: "a", Operator: "=", Value: "99"}}}
	repeat(t, &group, func() {
		if n := p.Do(none); n != "0" {
			t.Errorf("%s records without the condition", n)
		}
	})
	group.Wait()
}
