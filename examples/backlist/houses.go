package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

const (
	mainHouse   = "main"             // serves the requests that select no house
	houseHeader = "X-Backlist-House" // selects a house
	housesPath  = "/houses/"         // followed by the name of a house, selects it
	maxHouses   = 100                // besides the main one
)

// Errors of changes to the set of houses.
var (
	errHouseExists = errors.New("a house of this name exists")
	errHouseName   = errors.New("want 1 to 64 ASCII letters, digits, dots, hyphens and underscores, beginning with a letter or digit")
	errHouseCount  = fmt.Errorf("there are %d houses besides the main one already; remove some", maxHouses)
)

// houses is the set of houses. It serves each request by the house that the request
// selects, which is the main one without -control. It is safe for concurrent use.
type houses struct {
	service *service
	main    *house
	url     string // of the main house

	mu     sync.RWMutex
	byName map[string]*house
	forks  int // so far, for names
}

// newHouses returns the set with the main house, which has the records of start.
func newHouses(s *service, start *catalogue.Catalogue) (*houses, error) {
	first, err := newHouse(s, mainHouse, start)
	return &houses{service: s, main: first, byName: map[string]*house{mainHouse: first}}, err
}

// setAddress sets the address of the service. It must be called before the first request.
func (hs *houses) setAddress(a net.Addr) {
	if hs.url = strings.TrimRight(hs.service.baseURL, "/"); hs.url != "" {
		return
	}
	host := a.String()
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	hs.url = "http://" + host
}

// urlOf returns the address of a house, without a slash at its end.
func (hs *houses) urlOf(h *house) string {
	if h == hs.main {
		return hs.url
	}
	return hs.url + prefixOf(h.name)
}

// ServeHTTP serves a request of the service.
func (hs *houses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hs.service.control == "" {
		hs.main.ServeHTTP(w, r)
		return
	}
	selected := slices.Compact(slices.Sorted(slices.Values(r.Header.Values(houseHeader))))
	prefix := ""
	if rest, ok := strings.CutPrefix(r.URL.Path, housesPath); ok {
		name, _, _ := strings.Cut(rest, "/")
		prefix = prefixOf(name)
		if !slices.Contains(selected, name) {
			selected = append(selected, name)
		}
	}
	if len(selected) > 1 {
		writeDetail(w, http.StatusBadRequest, fmt.Sprintf("The request selects several houses: %q.", selected))
		return
	}
	h := hs.main
	if len(selected) == 1 {
		var ok bool
		if h, ok = hs.lookup(selected[0]); !ok {
			hs.refuseUnknown(w, selected[0])
			return
		}
	}
	switch {
	case prefix == "":
		h.ServeHTTP(w, r)
	case r.URL.RawPath != "" && !strings.HasPrefix(r.URL.RawPath, prefix): // an escaped name, which needs no escapes
		writeDetail(w, http.StatusNotFound, "Not found.")
	case r.URL.Path == prefix:
		w.Header().Set("Location", h.name+"/api/")
		w.WriteHeader(http.StatusFound)
	default:
		below(prefix, h).ServeHTTP(w, r)
	}
}

// lookup returns the named house.
func (hs *houses) lookup(name string) (h *house, ok bool) {
	hs.mu.RLock()
	defer hs.mu.RUnlock()
	h, ok = hs.byName[name]
	return h, ok
}

// refuseUnknown responds to a request for a house that does not exist.
func (hs *houses) refuseUnknown(w http.ResponseWriter, name string) {
	var known []string
	for _, h := range hs.list() {
		known = append(known, h.name)
	}
	writeDetail(w, http.StatusNotFound, fmt.Sprintf("There is no house %q: %s", name, ordering.Suggest(name, known)))
}

// list returns all houses, the main one first and the others by name.
func (hs *houses) list() []*house {
	hs.mu.RLock()
	defer hs.mu.RUnlock()
	forks := maps.Clone(hs.byName)
	delete(forks, mainHouse)
	all := []*house{hs.main}
	for _, name := range slices.Sorted(maps.Keys(forks)) {
		all = append(all, forks[name])
	}
	return all
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// fork adds a house with the records that the main house has at this instant. If name is
// empty, one is made up.
func (hs *houses) fork(name string) (*house, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if len(hs.byName) > maxHouses {
		return nil, errHouseCount
	}
	for taken := name == ""; taken; _, taken = hs.byName[name] {
		hs.forks++
		name = fmt.Sprintf("house-%d", hs.forks)
	}
	if !validName.MatchString(name) {
		return nil, errHouseName
	}
	if _, ok := hs.byName[name]; ok {
		return nil, errHouseExists
	}
	h, err := newHouse(hs.service, name, hs.main.current.Load().records.Clone())
	if err != nil {
		return nil, err
	}
	hs.byName[name] = h
	return h, nil
}

// remove removes a house, which must not be the main one. Requests that have arrived are
// served to their end.
func (hs *houses) remove(h *house) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.byName[h.name] == h {
		delete(hs.byName, h.name)
	}
}
