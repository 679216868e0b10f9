package recipes

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// TestPasswords writes an account by requests and checks after each step which password it has. No
// response contains one.
func TestPasswords(t *testing.T) {
	define := catalogue.Define[Account]("accounts", catalogue.Options{})
	cat, err := catalogue.New(define)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := cat.Collection("accounts")
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler([]httpapi.Collection{Accounts{stored}}, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string, status int) string {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status || strings.Contains(w.Body.String(), "$") || strings.Contains(w.Body.String(), "horse") {
			t.Fatalf("%s %s: %d %s, want %d", method, body, w.Code, w.Body, status)
		}
		return w.Body.String()
	}
	has := func(when, password string, in *catalogue.Catalogue) Account {
		t.Helper()
		accounts, err := define.In(in)
		if err != nil {
			t.Fatal(err)
		}
		a, err := accounts.Get(1)
		if err != nil || !a.Has(password) || a.Has("wrong password") {
			t.Errorf("%s: the account does not have its password alone: %v", when, err)
		}
		return a
	}
	send("POST", "/api/accounts/", `{"name":"Ada","password":"correct horse"}`, http.StatusCreated)
	first := has("after POST", "correct horse", cat)
	send("PATCH", "/api/accounts/1/", `{"name":"Ada L."}`, http.StatusOK)
	has("after a PATCH of the name", "correct horse", cat)

	var saved bytes.Buffer
	if err := cat.Save(&saved); err != nil {
		t.Fatal(err)
	}
	loaded, err := catalogue.New(define)
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Load(&saved, catalogue.LoadOptions{Validate: true}); err != nil {
		t.Fatal(err)
	}
	has("after Save and Load", "correct horse", loaded)

	send("PATCH", "/api/accounts/1/", `{"password":"battery staple"}`, http.StatusOK)
	has("after a PATCH of the password", "battery staple", cat)
	send("PUT", "/api/accounts/1/", `{"name":"Ada","password":"`+strings.ReplaceAll(first.Password, "$", `\u0024`)+`"}`, http.StatusOK)
	has("a hash is a password as any other", first.Password, cat)
	for body, want := range map[string]string{
		`{"password":"short"}`: `{"password":["Ensure this field has at least 8 characters."]}`,
		`{"password":null}`:    `{"password":["This field may not be null."]}`,
		`{"password":[]}`:      `{"password":["Not a valid string."]}`,
		`[]`:                   `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`,
	} {
		if got := send("PATCH", "/api/accounts/1/", body, http.StatusBadRequest); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	has("after what was refused", first.Password, cat)
}
