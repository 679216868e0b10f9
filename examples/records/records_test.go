// Package records stores records of public packages, which know nothing of this library.
package records

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v75/github"
	"github.com/stripe/stripe-go/v82"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"gorm.io/gorm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// noon is a time.
var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// Records of programs that use the packages.
type (
	account struct {
		gorm.Model
		Email     string
		CompanyID *uint
		Company   *company
		Cards     []card
	}
	company struct {
		gorm.Model
		Name string
	}
	card struct {
		gorm.Model
		Number string
	}
	job struct {
		JobID   string                 `json:"job_id"`
		Created *timestamppb.Timestamp `json:"created,omitempty"`
		Took    *durationpb.Duration   `json:"took,omitempty"`
	}
	document struct {
		ID   string
		Data *structpb.Struct
	}
)

// TestRecords stores records of each type, reads them, serves them, sends them back, saves and loads them.
func TestRecords(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"github.Issue": keeps(catalogue.Options{}, "1", &github.Issue{
			ID: github.Ptr(int64(1)), Number: github.Ptr(7), Title: github.Ptr("a"), CreatedAt: &github.Timestamp{Time: noon},
			User: &github.User{Login: github.Ptr("u"), ID: github.Ptr(int64(2))}, Labels: []*github.Label{{Name: github.Ptr("bug")}},
		}),
		"github.Repository": keeps(catalogue.Options{}, "9", &github.Repository{
			ID: github.Ptr(int64(9)), Name: github.Ptr("r"), Owner: &github.User{Login: github.Ptr("u")}, Topics: []string{"go"},
			Parent: &github.Repository{ID: github.Ptr(int64(8))}, Permissions: map[string]bool{"admin": true}, PushedAt: &github.Timestamp{Time: noon},
		}),
		"github.Label": keeps(catalogue.Options{}, "3", &github.Label{ID: github.Ptr(int64(3)), Name: github.Ptr("bug"), Color: github.Ptr("f00")}),
		"github.CheckRun": keeps(catalogue.Options{}, "4", &github.CheckRun{ID: github.Ptr(int64(4)), Status: github.Ptr("queued"),
			PullRequests: []*github.PullRequest{{Number: github.Ptr(1)}}}),
		"metav1.ObjectMeta": keeps(catalogue.Options{}, "f5a1", &metav1.ObjectMeta{
			Name: "web", Namespace: "default", UID: "f5a1", CreationTimestamp: metav1.NewTime(noon), Labels: map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "n1"}}, DeletionGracePeriodSeconds: new(int64(5)),
		}),
		"gorm.Model, embedded": keeps(catalogue.Options{}, "5", &account{
			Model: gorm.Model{ID: 5, CreatedAt: noon, UpdatedAt: noon}, Email: "a@x.example", CompanyID: new(uint(1)),
			Company: &company{gorm.Model{ID: 1}, "c"}, Cards: []card{{gorm.Model{ID: 2, DeletedAt: gorm.DeletedAt{Time: noon, Valid: true}}, "1"}},
		}),
		"timestamppb.Timestamp": keeps(catalogue.Options{}, "j1", &job{JobID: "j1", Created: timestamppb.New(noon), Took: durationpb.New(time.Second)}),
		"apipb.Api":             keeps(catalogue.Options{ID: "name"}, "x.Y", &apipb.Api{Name: "x.Y", Methods: []*apipb.Method{{Name: "Get"}}, Version: "v1"}),
		"stripe.Coupon": keeps(catalogue.Options{}, "SUMMER", &stripe.Coupon{
			ID: "SUMMER", Object: "coupon", Name: "n", Currency: stripe.CurrencyEUR, Duration: stripe.CouponDurationOnce, PercentOff: 12.5, Created: noon.Unix(),
			AppliesTo: &stripe.CouponAppliesTo{Products: []string{"p1"}}, Metadata: map[string]string{"a": "b"}, CurrencyOptions: map[string]*stripe.CouponCurrencyOptions{"usd": {AmountOff: 5}},
		}),
	} {
		t.Run(name, check)
	}
	for name, row := range map[string]struct {
		err  error
		want string // part of the error
	}{
		"metav1.PartialObjectMetadata, whose identity is inside": {defined[metav1.PartialObjectMetadata](), "Options{ID: NAME}"},
		"stripe.Customer, whose sources can contain customers":   {defined[stripe.Customer](), "can contain itself"},
		"structpb.Struct, which only its methods can read":       {defined[document](), "method Clone"},
	} {
		if row.err == nil || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("%s: %v, want an error with %s", name, row.err, row.want)
		}
	}
}

func defined[T any]() error {
	_, err := catalogue.New(catalogue.Define[T]("things", catalogue.Options{}))
	return err
}

// keeps returns a test of a record with an identity.
func keeps[T any](opts catalogue.Options, id string, record *T) func(*testing.T) {
	return func(t *testing.T) {
		things := catalogue.Define[T]("things", opts)
		cat, err := catalogue.New(things)
		if err != nil {
			t.Fatal(err)
		}
		c, err := things.In(cat)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(*record); err != nil {
			t.Fatal(err)
		}
		want := text(t, record)
		stored := func(when string) {
			t.Helper()
			n := 0
			for r := range c.All() {
				n++
				if diff := cmp.Diff(want, text(t, &r)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			if n != 1 {
				t.Errorf("%s: %d records, want one", when, n)
			}
		}
		stored("inserted")
		h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/things/" + url.PathEscape(id) + "/"
		body := send(t, h, "GET", path, nil)
		if diff := cmp.Diff(want, compact(t, body)); diff != "" {
			t.Errorf("GET (-want +got):\n%s", diff)
		}
		for _, method := range []string{"PUT", "PATCH"} {
			if diff := cmp.Diff(string(body), string(send(t, h, method, path, body))); diff != "" {
				t.Errorf("%s of what GET returned (-want +got):\n%s", method, diff)
			}
			stored(method)
		}
		var file bytes.Buffer
		if err := cat.Save(&file); err != nil {
			t.Fatal(err)
		}
		if err := cat.Load(&file, catalogue.LoadOptions{Validate: true}); err != nil {
			t.Fatal(err)
		}
		stored("loaded")
		if err := cat.Check(); err != nil {
			t.Error(err)
		}
	}
}

func send(t *testing.T, h http.Handler, method, path string, body []byte) []byte {
	t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// text returns the JSON of a record, with the members of objects in order.
func text(t *testing.T, record any) string {
	t.Helper()
	b, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return compact(t, b)
}

func compact(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, _ = json.MarshalIndent(v, "", " ")
	return string(b)
}
