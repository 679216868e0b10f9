package main

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
)

// A faultJSON is the JSON of a fault.
type faultJSON struct {
	ID      int    `json:"id"`
	Fault   string `json:"fault"`
	Changed int    `json:"changed"` // responses
}

func describeFault(f activeFault) faultJSON { return faultJSON{f.number, f.text, f.Count()} }

func (c control) listFaults(w http.ResponseWriter, r *http.Request, h *house) {
	var all []faultJSON
	for _, f := range h.listFaults() {
		all = append(all, describeFault(f))
	}
	writeList(w, r, all)
}

// breakWith applies a fault.
func (c control) breakWith(w http.ResponseWriter, r *http.Request, h *house) {
	var body struct{ Fault string }
	if !readJSON(w, r, &body) {
		return
	}
	f, err := parseFault(body.Fault)
	var number int
	if err == nil {
		number, err = h.breakWith(f)
	}
	switch {
	case errors.Is(err, errFaultCount):
		writeDetail(w, http.StatusConflict, err.Error())
	case err != nil:
		writeFieldError(w, "fault", err)
	default:
		w.Header().Set("Location", housesPath+h.name+"/faults/"+strconv.Itoa(number)+"/")
		writeJSON(w, http.StatusCreated, faultJSON{ID: number, Fault: f.text})
	}
}

func (c control) mendAll(w http.ResponseWriter, _ *http.Request, h *house) {
	h.mend(func(int) bool { return true })
	w.WriteHeader(http.StatusNoContent)
}

// ofFault returns a handler that calls f with the house and the fault in the path.
func (c control) ofFault(f func(w http.ResponseWriter, h *house, af activeFault)) http.HandlerFunc {
	return c.of(func(w http.ResponseWriter, r *http.Request, h *house) {
		all := h.listFaults()
		i := slices.IndexFunc(all, func(af activeFault) bool { return strconv.Itoa(af.number) == r.PathValue("fault") })
		if i < 0 {
			writeDetail(w, http.StatusNotFound, "There is no such fault.")
			return
		}
		f(w, h, all[i])
	})
}

func (c control) showFault(w http.ResponseWriter, _ *house, f activeFault) {
	writeJSON(w, http.StatusOK, describeFault(f))
}

func (c control) mend(w http.ResponseWriter, h *house, f activeFault) {
	h.mend(func(number int) bool { return number == f.number })
	w.WriteHeader(http.StatusNoContent)
}
