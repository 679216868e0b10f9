package main

import (
	"fmt"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
)

// prismRequests returns requests that are valid according to the document, in an order in
// which the records exist that they need.
func prismRequests(s *served) (list []request) {
	add := func(method, target, body string, header http.Header) {
		list = append(list, request{method, target, body, header})
	}
	known := http.Header{"If-None-Match": {"*"}}
	for _, c := range append([]httpapi.ServedCollection{{Path: s.api.Root()}}, s.api.Served().Collections...) {
		add("GET", c.Path, "", nil)
		add("GET", c.Path+"?format=api", "", nil)
		add("GET", c.Path, "", known)
	}
	for _, c := range s.api.Served().Collections {
		for _, query := range []string{"?limit=2&offset=3&ordering=-id", "?limit=5&offset=10", "?limit=1000", "?offset=1000"} {
			add("GET", c.Path+query, "", nil)
		}
	}
	for offset := 0; offset < 300; offset += 10 {
		add("GET", fmt.Sprintf("/api/events/?limit=10&offset=%d&ordering=-start_date,name", offset), "", nil)
	}
	for _, collection := range []string{"directors", "genres", "films"} {
		for id := range 28 { // the last three do not exist
			path := fmt.Sprintf("/api/%s/%d/", collection, id+1)
			add("GET", path, "", nil)
			if id < 5 {
				add("GET", path, "", known)
			}
		}
	}
	filtered(add)
	created(add)
	changed(add)
	return list
}

// filtered adds requests with filters and searches, of pages and of a record.
func filtered(add func(method, target, body string, header http.Header)) {
	for _, query := range []string{
		"status=released", "status__in=released,announced", "status__in=unknown", "published=true", "published=false", "director=1", "director=999",
		"director__in=1,2,3", "director__in=999", "genres=1&genres=3", "genres=999", "minutes=7", "minutes=7.0", "minutes=-.5e1", "minutes__gte=20",
		"minutes__range=2,7", "price=9.50", "price__in=1.5,2.50", "rating__lt=1e3", "released=1952-02-01", "released__gte=1960-01-01",
		"released__isnull=true", "released__isnull=false", "title__icontains=film", "title__icontains=%25", "premiere_at__gte=2021-10-27T19:15:00Z",
		"search=film,director", "search=nothing", "status=released&published=true&minutes__gte=3&search=1&ordering=-minutes,title&limit=3",
	} {
		add("GET", "/api/films/?"+query, "", nil)
	}
	for _, query := range []string{"status=released", "status=withdrawn", "director=999", "search=nothing", "minutes__gte=1", "published=false"} {
		add("GET", "/api/films/1/?"+query, "", nil) // 200, 404 or 400
	}
}

// created adds posts, valid and invalid.
func created(add func(method, target, body string, header http.Header)) {
	for n := range 30 {
		event := fmt.Sprintf(`{"name":"E %d","slug":"e","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00Z","published":true,"labels":[%d]}`,
			n, 1+n*900) // most labels do not exist
		add("POST", "/api/events/", event, nil)
		link := fmt.Sprintf(`{"title":"T","url":"https://x.example/%d","type":"t","logo":null,"author":%d}`, n, 1+n*900)
		add("POST", "/api/social-links/", link, nil)
		film := fmt.Sprintf(`{"title":"F","slug":"film-%d","minutes":%[1]d,"price":"-%[1]d.5","director":%d,"genres":[2],"awards":[],"rating":1.5}`,
			n+15, n+1) // slugs up to film-25 are taken
		add("POST", "/api/films/", film, nil)
	}
	for n := range 10 {
		add("POST", "/api/genres/", fmt.Sprintf(`{"name":"genre %d"}`, n+20), nil)
		add("POST", "/api/directors/", fmt.Sprintf(`{"name":"D","slug":"d-%d","born":"1960-01-01","website":"https://x.example/"}`, n), nil)
	}
	for _, token := range []string{wrongToken, readersToken} {
		for range 5 {
			add("POST", "/api/genres/", `{"name":"refused"}`, http.Header{"Authorization": {"Bearer " + token}})
			add("DELETE", "/api/genres/1/", "", http.Header{"Authorization": {"Bearer " + token}})
		}
	}
}

// changed adds changes and deletions of records, which may be refused.
func changed(add func(method, target, body string, header http.Header)) {
	for id := 1; id <= 25; id++ {
		film := fmt.Sprintf("/api/films/%d/", id)
		put := fmt.Sprintf(`{"title":"F","slug":"film-%d","minutes":1,"price":"1","director":1}`, max(id, 5)) // four are taken
		add("PUT", film, put, nil)
		add("PATCH", film, fmt.Sprintf(`{"status":"announced","released":null,"director":%d}`, id+10), nil) // some do not exist
		add("GET", film, "", nil)
	}
	for id := 1; id <= 30; id += 2 {
		add("DELETE", fmt.Sprintf("/api/films/%d/", id), "", nil)
		add("DELETE", fmt.Sprintf("/api/films/%d/", id), "", nil) // 404
		add("DELETE", fmt.Sprintf("/api/genres/%d/", id), "", nil)
		add("DELETE", fmt.Sprintf("/api/directors/%d/", id), "", nil) // 409 if there is a film
		add("GET", "/api/films/", "", nil)
	}
}
