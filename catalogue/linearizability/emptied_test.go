package linearizability_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// TestNoLostCondition counts open records that satisfy a condition, which none ever does,
// while another goroutine empties and fills the collection. While it is empty, no field is
// unknown and conditions restrict nothing, which must not last until the next state. The
// tests that use porcupine count far less often.
func TestNoLostCondition(t *testing.T) {
	c, err := catalogue.NewCollection[schema.Record](catalogue.Options{Unique: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	var two []schema.Record
	for _, text := range []string{`{"id":1,"a":1}`, `{"id":2,"a":2}`} {
		record, err := schema.ParseRecord([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		two = append(two, record)
	}
	end := time.Now().Add(share(t))
	var group sync.WaitGroup
	group.Go(func() {
		for records := two; time.Now().Before(end) && !t.Failed(); records = two[len(records):] {
			if err := c.ReplaceAll(slices.Values(records)); err != nil {
				t.Error(err)
			}
		}
	})
	none := c.Where(ordering.Equal("a", 99))
	for time.Now().Before(end) && !t.Failed() {
		if n, err := none.Count(); n != 0 || err != nil {
			t.Errorf("%d records without the condition, %v", n, err)
		}
	}
	group.Wait()
}
