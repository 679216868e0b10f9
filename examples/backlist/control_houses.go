package main

import (
	"errors"
	"net/http"

	"github.com/gobacklist/backlist/pagination"
)

// A houseJSON is the JSON of a house.
type houseJSON struct {
	Name   string `json:"name"`
	URL    string `json:"url"`    // before /api/
	Faults int    `json:"faults"` // their number
}

func (c control) describe(h *house) houseJSON {
	return houseJSON{h.name, c.houses.urlOf(h), len(h.listFaults())}
}

func (c control) listHouses(w http.ResponseWriter, r *http.Request) {
	var all []houseJSON
	for _, h := range c.houses.list() {
		all = append(all, c.describe(h))
	}
	writeList(w, r, all)
}

// writeList writes a list in the form of the service. All lists are bounded, so without a
// limit they are complete.
func writeList[T any](w http.ResponseWriter, r *http.Request, all []T) {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	writeJSON(w, http.StatusOK, pagination.Page(all, &u, pagination.Limits{Default: -1, Max: -1}))
}

// fork creates a house with the records of the main one.
func (c control) fork(w http.ResponseWriter, r *http.Request) {
	var body struct{ Name string }
	if !readJSON(w, r, &body) {
		return
	}
	h, err := c.houses.fork(body.Name)
	switch {
	case errors.Is(err, errHouseCount):
		writeDetail(w, http.StatusConflict, err.Error())
	case err != nil:
		writeFieldError(w, "name", err)
	default:
		w.Header().Set("Location", housesPath+h.name+"/")
		writeJSON(w, http.StatusCreated, c.describe(h))
	}
}

func (c control) show(w http.ResponseWriter, _ *http.Request, h *house) {
	writeJSON(w, http.StatusOK, c.describe(h))
}

func (c control) remove(w http.ResponseWriter, _ *http.Request, h *house) {
	if h == c.houses.main {
		writeDetail(w, http.StatusConflict, "The main house cannot be removed; it can be reset.")
		return
	}
	c.houses.remove(h)
	w.WriteHeader(http.StatusNoContent)
}

func (c control) reset(w http.ResponseWriter, _ *http.Request, h *house) {
	if err := h.reset(); err != nil {
		writeDetail(w, http.StatusInternalServerError, err.Error())
		return
	}
	writeJSON(w, http.StatusOK, c.describe(h))
}
