package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The records of the service "desk": page numbers and cursors over records with keys, filters and
// orderings across references, lists of objects.
type (
	deskTeam struct {
		Code   string  `json:"code" backlist:"key,maxlength=6"`
		Name   string  `json:"name" backlist:"unique,maxlength=20"`
		Parent *string `json:"parent" backlist:"refers=teams,ondelete=setnull"`
		Budget *string `json:"budget" backlist:"decimal=9.3,min=0"`
	}
	deskPerson struct {
		ID      string     `json:"id" backlist:"key,uuid,readonly"`
		Email   *string    `json:"email" backlist:"email,unique,maxlength=40"`
		Name    string     `json:"name" backlist:"maxlength=30"`
		Team    *string    `json:"team" backlist:"refers=teams,ondelete=setnull"`
		Manager *string    `json:"manager" backlist:"refers=people,ondelete=setnull"`
		Role    *string    `json:"role" backlist:"choices=dev|ops|lead"`
		Level   int32      `json:"level" backlist:"min=1,max=9,default=1"`
		Rating  *float64   `json:"rating" backlist:"min=0,max=5"`
		Joined  *string    `json:"joined" backlist:"date"`
		Active  *bool      `json:"active"`
		Seen    *time.Time `json:"seen"`
	}
	deskLabel struct {
		ID     int    `json:"id"`
		Name   string `json:"name" backlist:"unique,maxlength=12"`
		Colour string `json:"colour" backlist:"blank,maxlength=7"`
	}
	deskPart struct {
		Name  string   `json:"name" backlist:"maxlength=10"`
		Hours string   `json:"hours" backlist:"decimal=4.1,min=0"`
		Done  bool     `json:"done"`
		Steps []string `json:"steps" backlist:"maxlength=3,item.maxlength=6,item.blank"`
		Who   *string  `json:"who" backlist:"email"`
	}
	deskTicket struct {
		ID        int        `json:"id"`
		Reference string     `json:"reference" backlist:"slug,unique,maxlength=20"`
		Title     string     `json:"title" backlist:"maxlength=40"`
		Team      string     `json:"team" backlist:"refers=teams"`
		Reporter  string     `json:"reporter" backlist:"refers=people,ondelete=cascade"`
		Assignee  *string    `json:"assignee" backlist:"refers=people,ondelete=setnull"`
		Watchers  []string   `json:"watchers" backlist:"refers=people"`
		Labels    []string   `json:"labels" backlist:"refers=labels.name"`
		State     string     `json:"state" backlist:"choices=open|doing|done,default=open"`
		Priority  int32      `json:"priority" backlist:"min=0,max=9,default=3"`
		Estimate  *string    `json:"estimate" backlist:"decimal=5.1,min=0.5"`
		Due       *time.Time `json:"due"`
		Closed    *bool      `json:"closed"`
		Parts     []deskPart `json:"parts"`
		CreatedBy string     `json:"createdBy" backlist:"blank,readonly"`
		Created   time.Time  `json:"created" backlist:"created"`
	}
	deskHours struct {
		Hours string `json:"hours"`
	}
)

func (deskTicket) Computed() deskHours { return deskHours{"0.0"} }

// A thing of the service "opts" has the options of the fields of a Django model.
type thing struct {
	ID             int        `json:"id"`
	CPlain         string     `json:"cPlain" backlist:"maxlength=8"`
	CDefault       string     `json:"cDefault" backlist:"maxlength=8,default=dflt"`
	CBlankDefault  string     `json:"cBlankDefault" backlist:"maxlength=8,blank,default=dflt"`
	CNull          *string    `json:"cNull" backlist:"maxlength=8"`
	CNullBlank     *string    `json:"cNullBlank" backlist:"maxlength=8,blank"`
	CNullDefault   *string    `json:"cNullDefault" backlist:"maxlength=8,default=dflt"`
	CMin           string     `json:"cMin" backlist:"minlength=3,maxlength=8,blank"`
	CUniqueNull    *string    `json:"cUniqueNull" backlist:"maxlength=8,blank,unique"`
	INullDefault   *int32     `json:"iNullDefault" backlist:"default=5"`
	ISmall         int16      `json:"iSmall" backlist:"default=0"`
	IBig           int64      `json:"iBig" backlist:"min=-9223372036854775808,max=9223372036854775807,default=0"`
	IUnique        *int32     `json:"iUnique" backlist:"unique"`
	BNullDefault   *bool      `json:"bNullDefault" backlist:"default=true"`
	BTrue          bool       `json:"bTrue" backlist:"default=true"`
	FDefault       float64    `json:"fDefault" backlist:"default=1.5"`
	DNullDefault   *string    `json:"dNullDefault" backlist:"decimal=5.2,default=1.5"`
	DWhole         string     `json:"dWhole" backlist:"decimal=5.0,min=-10,default=0"`
	DUnique        *string    `json:"dUnique" backlist:"decimal=5.2,unique"`
	DayNullDefault *string    `json:"dayNullDefault" backlist:"date,default=2024-02-29"`
	AtNull         *time.Time `json:"atNull"`
	ChPlain        string     `json:"chPlain" backlist:"choices=red|green"`
	ChBlank        string     `json:"chBlank" backlist:"choices=red|green,blank"`
	ChNull         *string    `json:"chNull" backlist:"choices=red|green"`
	ChNullBlank    *string    `json:"chNullBlank" backlist:"choices=red|green,blank,default=red"`
	SlugNull       *string    `json:"slugNull" backlist:"slug,blank,maxlength=8"`
	URLNull        *string    `json:"urlNull" backlist:"url,blank,maxlength=30"`
	URLBlank       string     `json:"urlBlank" backlist:"url,blank,maxlength=30"`
	MailBlank      string     `json:"mailBlank" backlist:"email,blank,maxlength=30"`
	UUIDNull       *string    `json:"uuidNull" backlist:"uuid"`
	UUIDUnique     *string    `json:"uuidUnique" backlist:"uuid,unique"`
	JNull          any        `json:"jNull"`
	JDict          any        `json:"jDict" backlist:"default={}"`
	FKNull         *int       `json:"fkNull" backlist:"refers=others,ondelete=setnull"`
	FKDefault      int        `json:"fkDefault" backlist:"refers=others,ondelete=cascade,default=1"`
	Many           []int      `json:"many" backlist:"refers=others,minlength=1"`
	ManyBlank      []int      `json:"manyBlank" backlist:"refers=others"`
	RODefault      string     `json:"roDefault" backlist:"readonly,default=fixed"`
	UA             int32      `json:"uA" backlist:"default=1"`
	UB             *string    `json:"uB" backlist:"maxlength=8"`
	UC             string     `json:"uC" backlist:"maxlength=8,blank"`
}

type other struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"maxlength=10"`
}

// newSeams returns a catalogue of a service as it was recorded.
func newSeams(t testing.TB, file string, definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t, definitions...)
	loadFile(t, c, file)
	return c
}

func newDesk(t testing.TB) *catalogue.Catalogue {
	teams := mustDescribe[deskTeam](t, "teams")
	teams.Fields[0].Pattern, teams.Fields[0].Message = regexp.MustCompile("^[A-Za-z0-9-]+$"), "Letters, digits and hyphens only."
	teams.Name = "team"
	teams.Filters = []string{"parent__isnull"}
	teams.Sortable = []string{"code", "name", "budget", "parent", "parent__name", "parent__budget"}
	teams.Pages = pagination.Numbers{Limits: pagination.Limits{Default: 5, Max: 20}, Size: "page_size"}
	return newSeams(t, "testdata/seams/desk.json",
		catalogue.Define[deskTeam]("teams", catalogue.Options{Description: &teams}),
		catalogue.Define[deskPerson]("people", catalogue.Options{Description: &schema.Description{
			Name: "person", Ordering: []ordering.Term{ordering.Asc("name")},
			Pages: pagination.Cursors{Limits: pagination.Limits{Default: 6, Max: 20}, Size: "page_size"},
		}}),
		catalogue.Define[deskLabel]("labels", catalogue.Options{Description: &schema.Description{Name: "label"}}),
		catalogue.Define[deskTicket]("tickets", catalogue.Options{Description: &schema.Description{Name: "ticket", Lookup: "reference", Filters: []string{"watchers__level__gte"}}}),
	)
}

func newOpts(t testing.TB) *catalogue.Catalogue {
	return newSeams(t, "testdata/seams/opts.json",
		catalogue.Define[other]("others", catalogue.Options{}),
		catalogue.Define[thing]("things", catalogue.Options{Description: &schema.Description{
			Filters: []string{"uuid_null"},
			Unique:  [][]string{{"u_a", "u_b"}, {"c_plain", "u_c"}},
		}}),
	)
}

// TestSeams replays requests in which two features meet, each to a service of its own.
func TestSeams(t *testing.T) {
	services := map[string]func(testing.TB) *catalogue.Catalogue{
		"desk":  newDesk,
		"opts":  newOpts,
		"own":   newRecordedFilms,
		"keys":  newRecordedKeys,
		"pages": newRecordedPages,
	}
	data, err := os.ReadFile("testdata/seams/vectors.jsonl")
	must(t, err)
	for line := range strings.Lines(string(data)) {
		var v struct {
			vector
			Service, Framework string
			Setup              []struct{ Method, Target, Body string } // requests before it
		}
		must(t, json.Unmarshal([]byte(line), &v))
		t.Run(v.Tag, func(t *testing.T) {
			as := schema.Framework{}
			if v.Framework == "3.18" {
				as = schema.DRF318(time.UTC)
			}
			h := mustHandler(t, services[v.Service](t), Options{Authorizer: AllowAll, Framework: as})
			for _, before := range v.Setup {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(before.Method, before.Target, strings.NewReader(before.Body)))
			}
			equal(t, fmt.Sprintf("%s %s %s", v.Request.Method, v.Request.Target, v.Request.Body.bytes()), v.Want, v.send(h))
		})
	}
}
