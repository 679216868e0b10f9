package schema

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"testing"
)

// A shop has the fields of several collections of a shop that Django REST framework serves.
type shop struct {
	Name        string            `json:"name" backlist:"minlength=2,maxlength=40"`
	Nickname    string            `json:"nickname" backlist:"untrimmed,blank,maxlength=12"`
	Phone       string            `json:"phone" backlist:"blank,maxlength=16"`
	SKU         string            `json:"sku" backlist:"maxlength=8"`
	Code        string            `json:"code" backlist:"maxlength=10"`
	Slug        string            `json:"slug" backlist:"unicodeslug,maxlength=30"`
	Email       string            `json:"email" backlist:"email,maxlength=60"`
	Price       string            `json:"price" backlist:"decimal=8.2,min=0.01,max=9999.99"`
	Weight      *float64          `json:"weight" backlist:"min=0.001,max=5000"`
	Stock       int               `json:"stock" backlist:"min=0,max=100000,default=0"`
	Percent     int               `json:"percent" backlist:"min=5,max=90"`
	Minimum     *string           `json:"minimum" backlist:"decimal=6.2,min=0.5,max=500"`
	Tracking    *string           `json:"tracking" backlist:"uuid"`
	UUID        string            `json:"uuid" backlist:"uuid"`
	Tags        []string          `json:"tags" backlist:"maxlength=4,item.minlength=2,item.maxlength=10"`
	Sizes       []int             `json:"sizes" backlist:"minlength=1,maxlength=5,item.min=1,item.max=60"`
	Attributes  map[string]string `json:"attributes" backlist:"item.blank,item.maxlength=10"`
	Details     any               `json:"details"`
	Preferences map[string]any    `json:"preferences"`
	Address     *shopAddress      `json:"address"`
	Lines       shopLines         `json:"lines" backlist:"minlength=1"`
}

type shopAddress struct {
	Street     string `json:"street" backlist:"maxlength=40"`
	City       string `json:"city" backlist:"minlength=2,maxlength=20"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country" backlist:"choices=AT|DE|IT,default=IT"`
	Geo        *struct {
		Lat float64 `json:"lat" backlist:"min=-90,max=90"`
		Lng float64 `json:"lng" backlist:"min=-180,max=180"`
	} `json:"geo"`
}

func (a shopAddress) Validate(context.Context) error {
	if a.Country == "IT" && len(a.PostalCode) != 5 {
		return Invalid("An Italian postal code has five digits.")
	}
	return nil
}

type shopLine struct {
	SKU       string  `json:"sku" backlist:"maxlength=8"`
	Quantity  int     `json:"quantity" backlist:"min=1,max=99"`
	UnitPrice string  `json:"unitPrice" backlist:"decimal=6.2,min=0"`
	Gift      bool    `json:"gift"`
	Text      *string `json:"text,omitempty" backlist:"optional,blank,maxlength=20"`
}

func (l shopLine) Validate(context.Context) error {
	if l.Gift && l.Quantity > 10 {
		return Invalid("At most ten pieces of a gift.")
	}
	return nil
}

type shopLines []shopLine

func (l shopLines) Validate(context.Context) error {
	seen := map[string]bool{}
	for _, line := range l {
		if seen[line.SKU] {
			return Invalid("No SKU may stand in two lines.")
		}
		seen[line.SKU] = true
	}
	return nil
}

// shopFields returns the fields of shop, completed with what no tag expresses.
func shopFields(t *testing.T) map[string]Field {
	t.Helper()
	d, err := DescriptionOf[shop]("shop")
	must(t, err)
	fields := map[string]Field{}
	for _, f := range d.Fields {
		switch f.Name {
		case "phone":
			f.Pattern, f.Message = regexp.MustCompile(`^\+?[0-9 ]*$`), "Only digits and spaces, at most one + in front."
		case "sku":
			f = skuOf(f)
		case "code":
			f.Pattern = regexp.MustCompile(`^[A-Z0-9]+$`)
		case "percent":
			f.Check = func(value string) error {
				var n int
				if err := json.Unmarshal([]byte(value), &n); err != nil || n%5 != 0 {
					return Invalid("Must be a multiple of 5.")
				}
				return nil
			}
		case "address":
			code := &f.Fields[2]
			code.Kind, code.Pattern, code.Message = Regex, regexp.MustCompile(`^[0-9]{4,5}$`), "A postal code has four or five digits."
		case "lines":
			f.Item.Fields[0] = skuOf(f.Item.Fields[0])
		}
		fields[f.Name] = f
	}
	return fields
}

func skuOf(f Field) Field {
	f.Kind, f.Pattern, f.Message = Regex, regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`), "A SKU is three capitals, a hyphen and four digits."
	return f
}

// TestShopValues checks the values in testdata/shop.txtar.
func TestShopValues(t *testing.T) {
	fields := shopFields(t)
	for _, s := range readRows(t, "shop.txtar") {
		t.Run(s.name, func(t *testing.T) {
			d := Description{Key: "shop", Segment: "shop", Name: "shop", Fields: []Field{fields[s.name]}}
			must(t, d.Check())
			for _, row := range s.rows {
				record, err := d.Validate(t.Context(), []byte(`{"`+s.name+`":`+row.value+`}`), Checks{})
				got, _ := record.Get(s.name)
				var errs FieldErrors
				if errors.As(err, &errs) && len(errs) == 1 {
					got = "error: " + string(errs[0].appendJSON(nil))
				}
				if got != row.want {
					t.Errorf("%s: %s, want %s", row.value, got, row.want)
				}
			}
		})
	}
}
