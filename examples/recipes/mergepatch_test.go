package recipes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

type host struct {
	ID     int               `json:"id"`
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Config json.RawMessage   `json:"config"`
	Place  struct {
		Rack string  `json:"rack"`
		Room *string `json:"room"`
	} `json:"place"`
}

// TestMergePatches sends merge patches in order.
func TestMergePatches(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[host]("hosts", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	const stored = `{"id":1,"name":"a","labels":{"env":"test","zone":"b"},"config":{"a":{"b":"c","d":[1]}},"place":{"rack":"r","room":"x"}}`
	if err := cat.Load(strings.NewReader(`{"hosts":[`+stored+`]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	hosts, err := cat.Collection("hosts")
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler([]httpapi.Collection{Merged{hosts}}, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, MergePatches(h), "")
	patch := func(body string) answer {
		return s.do("PATCH", "hosts/1/", body, "Content-Type", "application/merge-patch+json; charset=utf-8")
	}
	for _, row := range []struct{ reason, patch, want string }{
		{"nothing", `{}`, stored},
		{"a text", `{"name":"n"}`, `{"id":1,"name":"n","labels":{"env":"test","zone":"b"},"config":{"a":{"b":"c","d":[1]}},"place":{"rack":"r","room":"x"}}`},
		{"a member is added, and one removed", `{"labels":{"env":null,"team":"x"}}`,
			`{"id":1,"name":"n","labels":{"team":"x","zone":"b"},"config":{"a":{"b":"c","d":[1]}},"place":{"rack":"r","room":"x"}}`},
		{"at any depth, and a list is replaced", `{"config":{"a":{"b":null,"d":[2,null]},"e":{"f":null}}}`,
			`{"id":1,"name":"n","labels":{"team":"x","zone":"b"},"config":{"a":{"d":[2,null]},"e":{}},"place":{"rack":"r","room":"x"}}`},
		{"described members", `{"place":{"room":null}}`,
			`{"id":1,"name":"n","labels":{"team":"x","zone":"b"},"config":{"a":{"d":[2,null]},"e":{}},"place":{"rack":"r","room":null}}`},
		{"another value instead of an object", `{"config":7}`,
			`{"id":1,"name":"n","labels":{"team":"x","zone":"b"},"config":7,"place":{"rack":"r","room":null}}`},
		{"and back", `{"config":{"a":{"b":null}}}`,
			`{"id":1,"name":"n","labels":{"team":"x","zone":"b"},"config":{"a":{}},"place":{"rack":"r","room":null}}`},
	} {
		if got := patch(row.patch); got.StatusCode != http.StatusOK || got.body != row.want {
			t.Errorf("%s: %d %s, want %s", row.reason, got.StatusCode, got.body, row.want)
		}
	}
	for body, want := range map[string]string{
		`{"name":null}`: `{"name":["This field may not be null."]}`,
		`[1]`:           `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`,
	} {
		if got := patch(body); got.StatusCode != http.StatusBadRequest || got.body != want {
			t.Errorf("%s: %d %s, want %s", body, got.StatusCode, got.body, want)
		}
	}
	if got := s.do("PUT", "hosts/1/", "{}", "Content-Type", "application/merge-patch+json"); got.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("PUT: %d, want 415", got.StatusCode)
	}
	if got := s.do("OPTIONS", "hosts/1/", ""); got.Header.Get("Accept-Patch") != "application/json, application/merge-patch+json" {
		t.Errorf("OPTIONS: %v", got.Header)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { patch(fmt.Sprintf(`{"labels":{"l%d":"x"}}`, i)) })
	}
	all.Wait()
	if got := s.do("GET", "hosts/1/", ""); strings.Count(got.body, `"l`) != 21 {
		t.Errorf("after 20 patches at once: %s", got.body)
	}
}
