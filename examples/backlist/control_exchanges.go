package main

import (
	"net/http"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// An exchangeJSON is the JSON of an exchange.
type exchangeJSON struct {
	Method           string            `json:"method"`
	URL              string            `json:"url"` // path and query, without the prefix of the house
	Headers          map[string]string `json:"headers"`
	Body             string            `json:"body"`
	Status           *int              `json:"status"` // null: no response
	AnswerHeaders    map[string]string `json:"answerHeaders"`
	Answer           string            `json:"answer"`
	Cut              bool              `json:"cut"`     // the URL, a header or a body is not complete here
	Aborted          bool              `json:"aborted"` // the response ended early
	TookMilliseconds float64           `json:"tookMilliseconds"`
}

func describeExchange(e cataloguetest.Exchange) exchangeJSON {
	j := exchangeJSON{
		Method: e.Method, URL: e.URL.RequestURI(), Headers: joined(e.Header), Body: string(e.Body),
		AnswerHeaders: joined(e.ResponseHeader), Answer: string(e.ResponseBody),
		Cut: e.Cut, Aborted: e.Aborted, TookMilliseconds: float64(e.Duration) / float64(time.Millisecond),
	}
	if e.Status != 0 {
		j.Status = &e.Status
	}
	return j
}

// joined returns the headers with one value each.
func joined(header http.Header) map[string]string {
	all := map[string]string{}
	for name, values := range header {
		if len(values) > 0 {
			all[name] = strings.Join(values, ", ")
		}
	}
	return all
}

// listExchanges lists the last exchanges in the order of their requests.
func (c control) listExchanges(w http.ResponseWriter, r *http.Request, h *house) {
	var all []exchangeJSON
	for _, e := range h.current.Load().fake.Exchanges() {
		all = append(all, describeExchange(e))
	}
	writeList(w, r, all)
}

// forget empties the log.
func (c control) forget(w http.ResponseWriter, _ *http.Request, h *house) {
	h.current.Load().fake.ClearLog()
	w.WriteHeader(http.StatusNoContent)
}
