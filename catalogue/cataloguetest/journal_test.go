package cataloguetest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// kept is how many bytes of bodies a journal has, by its own count and by ours.
func kept(j *journal) (counted, found int) {
	for _, e := range j.exchanges() {
		found += len(e.Body) + len(e.Answer)
	}
	return j.bodies, found
}

// TestJournalForgetsWhatIsUnderWay: what is still written of a forgotten answer takes
// no room from others.
func TestJournalForgetsWhatIsUnderWay(t *testing.T) {
	var j journal
	handler := j.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1000)) // a recorder takes all
		j.forget()
		_, _ = w.Write(make([]byte, 1000))
	}))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if counted, found := kept(&j); counted != 0 || found != 0 {
		t.Errorf("%d bytes are counted, %d are there", counted, found)
	}
}

// TestJournalIsBoundedFromTheFirst: an answer whose front was dropped, as much was
// answered meanwhile, goes on without being kept.
func TestJournalIsBoundedFromTheFirst(t *testing.T) {
	var j journal
	long := make([]byte, maxBody)
	others := j.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(long) }))
	r := httptest.NewRequest("GET", "/", nil)
	first := j.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(long[:10])
		for range maxBodies/maxBody + 1 {
			others.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = w.Write(long)
	}))
	first.ServeHTTP(httptest.NewRecorder(), r)
	if counted, found := kept(&j); counted != maxBodies || found != maxBodies {
		t.Errorf("%d bytes are counted, %d are there, want %d", counted, found, maxBodies)
	}
	if e := j.exchanges()[0]; !e.Cut || len(e.Answer) != 0 {
		t.Errorf("of the first answer are kept %d bytes, cut %t", len(e.Answer), e.Cut)
	}
}
