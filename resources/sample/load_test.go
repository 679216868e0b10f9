package sample_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// A uuid writes its bytes as text, as uuid.UUID does.
type uuid [16]byte

func (u uuid) MarshalText() ([]byte, error) {
	h := hex.EncodeToString(u[:])
	return []byte(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]), nil
}

func (u *uuid) UnmarshalText(text []byte) error {
	digits := strings.ReplaceAll(string(text), "-", "")
	if len(digits) != 2*len(u) {
		return fmt.Errorf("%s is not a UUID", text)
	}
	_, err := hex.Decode(u[:], []byte(digits))
	return err
}

// Records with ids and keys of all kinds, and with references to them.
type (
	untagged struct {
		ID   int
		Name string
	}
	underscored struct {
		ID   *int64 `json:"_id,omitempty"`
		Name string `json:"name"`
	}
	inText struct {
		ID   uint32 `json:"id,string"`
		Name string `json:"name"`
	}
	numbered struct {
		Name   string `json:"name"`
		Number int    `json:"number"`
		Next   *int   `json:"next" backlist:"refers=numbered"`
	}
	keyed struct {
		Node  string `json:"node" backlist:"key"`
		Title string `json:"title,omitempty"`
	}
	keyNamedID struct {
		ID   string `json:"id" backlist:"key,fold,maxlength=6"`
		Node string `json:"node" backlist:"refers=keyed"`
	}
	keyedByUUID struct {
		ID    uuid     `json:"id"`
		Nodes []string `json:"nodes" backlist:"refers=keyed"`
	}
	usual struct {
		ID   string  `json:"id" backlist:"key,uuid,optional"`
		Slug *string `json:"slug" backlist:"slug,unique"`
	}
	referring struct {
		ID       int      `json:"id"`
		Untagged int      `json:"untagged" backlist:"refers=untagged"`
		Number   int      `json:"number" backlist:"refers=numbered"`
		Slug     *string  `json:"slug" backlist:"refers=usual.slug"`
		Short    string   `json:"short" backlist:"refers=ids"`
		Before   *string  `json:"before" backlist:"refers=referring.code"`
		Code     string   `json:"code" backlist:"unique"`
		Usual    []string `json:"usual" backlist:"refers=usual,minlength=1"`
	}
)

// TestRecordsCanBeLoaded loads samples of records with ids and keys of all kinds, and checks that they are
// valid and that all references resolve.
func TestRecordsCanBeLoaded(t *testing.T) {
	definitions := []catalogue.AnyDefinition{
		catalogue.Define[untagged]("untagged", catalogue.Options{}),
		catalogue.Define[underscored]("underscored", catalogue.Options{}),
		catalogue.Define[inText]("inText", catalogue.Options{}),
		catalogue.Define[numbered]("numbered", catalogue.Options{ID: "number"}),
		catalogue.Define[keyed]("keyed", catalogue.Options{}),
		catalogue.Define[keyNamedID]("ids", catalogue.Options{}),
		catalogue.Define[keyedByUUID]("uuids", catalogue.Options{ID: "id"}),
		catalogue.Define[usual]("usual", catalogue.Options{}),
		catalogue.Define[referring]("referring", catalogue.Options{}),
		catalogue.Define[schema.Record]("open", catalogue.Options{Description: &schema.Description{Lookup: "code", Fields: []schema.Field{
			{Name: "code", Kind: schema.Text, Key: true, Unique: true, Required: true},
			{Name: "node", Kind: schema.Reference, Refers: "keyed", Required: true},
		}}}),
	}
	for seed := range uint64(20) {
		c, err := catalogue.New(definitions...)
		if err != nil {
			t.Fatal(err)
		}
		var all []schema.Description
		for _, of := range c.All() {
			all = append(all, of.Description())
		}
		load(t, c, sample.Options{Seed: seed, Sizes: map[string]int{"usual": 40, "uuids": 3}}, all...)
		for key, of := range c.All() {
			if n := of.Count(); n != map[string]int{"usual": 40, "uuids": 3}[key] && n != 12 {
				t.Errorf("%d %s, want 12", n, key)
			}
		}
	}
}

// TestRecordsPassChecks checks that values pass the Check of their field, and that it is an error if none does.
func TestRecordsPassChecks(t *testing.T) {
	field := schema.Field{Name: "n", Kind: schema.Integer, Required: true, Min: "1", Max: "99", Check: func(value string) error {
		if !strings.HasSuffix(value, "7") {
			return fmt.Errorf("%s does not end with 7", value)
		}
		return nil
	}}
	about := schema.Description{Key: "sevens", Segment: "sevens", Name: "seven", Fields: []schema.Field{field}}
	all, err := sample.Records(sample.Options{}, about)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all["sevens"] {
		if text, _ := r.Get("n"); field.Check(text) != nil {
			t.Errorf("%s is made up", r)
		}
	}
	about.Fields[0].Check = func(string) error { return fmt.Errorf("no") }
	if _, err := sample.Records(sample.Options{}, about); err == nil || !strings.Contains(err.Error(), "sevens: n: no value is left") {
		t.Errorf("error %v, want one that names the field", err)
	}
}

func load(t *testing.T, c *catalogue.Catalogue, opts sample.Options, descriptions ...schema.Description) {
	t.Helper()
	all, err := sample.Records(opts, descriptions...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(strings.NewReader(string(text)), catalogue.LoadOptions{Validate: true, References: true}); err != nil {
		t.Fatalf("seed %d: %v\n%s", opts.Seed, err, text)
	}
	if err := c.Check(); err != nil {
		t.Errorf("seed %d: %v", opts.Seed, err)
	}
}
