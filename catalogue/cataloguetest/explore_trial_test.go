package cataloguetest_test

import (
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

func TestTrial(t *testing.T) {
	for name, fetch := range map[string]cataloguetest.Fetch{"followNext": followNext, "ignoreErrors": ignoreErrors, "countPages": countPages, "compareCount": compareCount, "trustLimit": trustLimit, "endOnError": endOnError, "readOnce": readOnce("/api/events/")} {
		t.Run(name, func(t *testing.T) { cataloguetest.Explore(t, fetch, cataloguetest.Exploration{Stories: 20000}) })
	}
}
