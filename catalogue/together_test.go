package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestErrorsComeTogether checks that the errors of one body come together, whatever finds them: the kind of
// a field, its bounds, a method of its type, or its type, at any depth.
func TestErrorsComeTogether(t *testing.T) {
	type port struct {
		Addr netip.Addr `json:"addr"`
		Port int        `json:"port" backlist:"max=9"`
	}
	type host struct {
		ID     int                   `json:"id"`
		Name   string                `json:"name"`
		Addr   netip.Addr            `json:"addr"`
		Born   time.Time             `json:"born"`
		State  *status               `json:"state"`
		Grade  grade                 `json:"grade" backlist:"choices=a|z"`
		Port   port                  `json:"port"`
		Ports  []port                `json:"ports"`
		Addrs  []netip.Addr          `json:"addrs"`
		Names  map[string]netip.Addr `json:"names"`
		Pair   [2]int                `json:"pair"`
		Ranks  map[int8]status       `json:"ranks"`
		Bytes  []byte                `json:"bytes"`
		Small  float32               `json:"small,string"`
		Narrow int8                  `json:"narrow"`
		Share  float64               `json:"share,string"`
	}
	about := mustDescribe[host](t, "hosts")
	for i := range about.Fields {
		if about.Fields[i].Name == "narrow" { // wider than its type
			about.Fields[i].Min, about.Fields[i].Max = "", ""
		}
	}
	hosts := collectionOf(t, mustCatalogue(t, catalogue.DefineBare[host]("hosts", catalogue.Options{Description: &about})), "hosts")
	const valid = `{"name":"n","addr":"192.0.2.1","born":"2024-05-01T10:00:00Z","state":"open","grade":"a","port":{"addr":"192.0.2.1","port":9},"ports":[],` +
		`"addrs":["192.0.2.1"],"names":{},"pair":[1,2],"ranks":{"1":"open"},"bytes":"QQ==","small":"0.5","narrow":1,"share":"1.0"}`
	must(t, second(hosts.Create(t.Context(), []byte(valid), schema.Record{})))
	const noIP, bad = `["ParseAddr(\"z\"): unable to parse IP"]`, `["Enter a valid value."]`
	const port9 = `"port":["Ensure this value is less than or equal to 9."]`
	wrong := []struct{ member, value, want string }{
		{"name", `""`, `["This field may not be blank."]`},
		{"addr", `"z"`, noIP},
		{"born", `"x"`, `["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]`},
		{"state", `"ajar"`, `["unknown"]`},
		{"grade", `"z"`, `["z is no grade"]`},
		{"port", `{"addr":"z","port":10}`, `{"addr":` + noIP + `,` + port9 + `}`},
		{"ports", `[{"addr":"192.0.2.1","port":1},{"addr":"z","port":10}]`, `[{},{"addr":` + noIP + `,` + port9 + `}]`},
		{"addrs", `["z","192.0.2.1",5]`, `{"0":` + noIP + `,"2":["ParseAddr(\"5\"): unable to parse IP"]}`},
		{"names", `{"a":"z","b":null}`, `{"a":` + noIP + `,"b":["This field may not be null."]}`},
		{"pair", `[1]`, `["Ensure this field has at least 2 elements."]`},
		{"ranks", `{"1":"ajar"}`, `["1: unknown"]`},
		{"bytes", `"*"`, bad},
		{"small", `"1e39"`, `["Ensure this value is less than or equal to 3.4028234663852886e+38."]`},
		{"narrow", `128`, `["Ensure this value is less than or equal to 127."]`},
		{"share", `"x"`, `["A valid number is required."]`},
	}
	var body, want []string
	for _, w := range wrong {
		body, want = append(body, `"`+w.member+`":`+w.value), append(want, `"`+w.member+`":`+w.want)
	}
	post := func(body []byte) ([]byte, error) { return hosts.Create(t.Context(), body, schema.Record{}) }
	for reason, write := range map[string]func(body []byte) ([]byte, error){
		"POST": post,
		"PUT":  func(body []byte) ([]byte, error) { return hosts.Update(t.Context(), "1", catalogue.Edit{Body: body}) },
		"PATCH": func(body []byte) ([]byte, error) {
			return hosts.Update(t.Context(), "1", catalogue.Edit{Body: body, Partial: true})
		},
	} {
		_, err := write([]byte("{" + strings.Join(body, ",") + "}"))
		equal(t, reason, "{"+strings.Join(want, ",")+"}", errorsOf(err))
		for i, w := range wrong {
			_, err := write([]byte(valid[:len(valid)-1] + "," + body[i] + "}"))
			equal(t, fmt.Sprintf("%s of %s alone", reason, w.member), "{"+want[i]+"}", errorsOf(err))
		}
	}
}

// errorsOf returns the JSON of the errors of fields that an error wraps.
func errorsOf(err error) string {
	var errs schema.FieldErrors
	if !errors.As(err, &errs) {
		return "no errors of fields"
	}
	text, _ := json.Marshal(errs)
	return string(text)
}
