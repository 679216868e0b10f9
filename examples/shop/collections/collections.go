// Package collections defines the collections of the shop.
package collections

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Currency is a way to pay. Currencies are read only, and are addressed by their code.
type Currency struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Name   string `json:"name"`
	Digits int    `json:"digits"`
}

// A Category has a name that is unique in its parent.
type Category struct {
	ID       int    `json:"id"`
	Code     string `json:"code" backlist:"slug,unique,maxlength=12"`
	Name     string `json:"name" backlist:"maxlength=30"`
	Parent   *int   `json:"parent" backlist:"refers=categories,ondelete=cascade"`
	Position int    `json:"position" backlist:"min=-100,max=100,default=0"`
}

// A Customer has a password that is stored and never served.
type Customer struct {
	ID          int             `json:"id"`
	UUID        string          `json:"uuid" backlist:"uuid,unique"`
	Email       string          `json:"email" backlist:"email,unique,maxlength=60"`
	Name        string          `json:"name" backlist:"minlength=2,maxlength=40"`
	Nickname    string          `json:"nickname" backlist:"untrimmed,blank,maxlength=12"`
	Phone       string          `json:"phone" backlist:"blank,maxlength=16"`
	Password    Password        `json:"password" backlist:"hidden,minlength=8,maxlength=30"`
	Born        *string         `json:"born" backlist:"date"`
	Address     *Address        `json:"address"`
	Preferences json.RawMessage `json:"preferences" backlist:"default={}"`
	CreatedAt   schema.DateTime `json:"createdAt" backlist:"created"`
}

// A Password must not be all digits.
type Password string

// Validate checks the password alone.
func (p Password) Validate(context.Context) error {
	if strings.Trim(string(p), "0123456789") == "" {
		return schema.Invalid("A password must not be all digits.")
	}
	return nil
}

// Validate checks the password against the e-mail address.
func (c Customer) Validate(context.Context) error {
	if string(c.Password) == c.Email {
		return schema.Invalid("The password must not be the email address.")
	}
	return nil
}

// Computed returns the members that are served and not stored.
func (c Customer) Computed() struct {
	Greeting string `json:"greeting"`
} {
	name := c.Nickname
	if name == "" {
		name = c.Name
	}
	return struct {
		Greeting string `json:"greeting"`
	}{"Dear " + name}
}

// An Address is part of a customer.
type Address struct {
	Street     string `json:"street" backlist:"maxlength=40"`
	City       string `json:"city" backlist:"minlength=2,maxlength=20"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country" backlist:"choices=AT|DE|IT,default=IT"`
	Geo        *Geo   `json:"geo"`
}

// A Geo is a place in degrees.
type Geo struct {
	Lat float64 `json:"lat" backlist:"min=-90,max=90"`
	Lng float64 `json:"lng" backlist:"min=-180,max=180"`
}

// Validate checks what depends on the country.
func (a Address) Validate(context.Context) error {
	if a.Country == "IT" && len(a.PostalCode) != 5 {
		return schema.Invalid("An Italian postal code has five digits.")
	}
	return nil
}

// A Product is addressed by its slug.
type Product struct {
	ID             int               `json:"id"`
	Slug           string            `json:"slug" backlist:"unicodeslug,unique,maxlength=30"`
	Name           ProductName       `json:"name" backlist:"maxlength=40"`
	SKU            string            `json:"sku" backlist:"maxlength=8"`
	Price          string            `json:"price" backlist:"decimal=8.2,min=0.01,max=9999.99"`
	SalePrice      *string           `json:"salePrice" backlist:"decimal=8.2,min=0"`
	Weight         *float64          `json:"weight" backlist:"min=0.001,max=5000"`
	Stock          int               `json:"stock" backlist:"min=0,max=100000,default=0"`
	Active         bool              `json:"active" backlist:"default=true,reset"`
	AvailableFrom  *string           `json:"availableFrom" backlist:"date"`
	AvailableUntil *string           `json:"availableUntil" backlist:"date"`
	Tags           []string          `json:"tags" backlist:"maxlength=4,item.minlength=2,item.maxlength=10"`
	Sizes          []int             `json:"sizes" backlist:"minlength=1,maxlength=5,item.min=1,item.max=60"`
	Attributes     map[string]string `json:"attributes" backlist:"item.blank,item.maxlength=10"`
	Dimensions     *Dimensions       `json:"dimensions"`
	Details        json.RawMessage   `json:"details"`
	Category       string            `json:"category" backlist:"refers=categories.code"`
	Currencies     []string          `json:"currencies" backlist:"refers=currencies.code"`
	CreatedAt      schema.DateTime   `json:"createdAt" backlist:"created"`
}

// A ProductName has single blanks.
type ProductName string

// Validate replaces white space by single blanks.
func (n *ProductName) Validate(context.Context) error {
	if strings.Contains(strings.ToLower(string(*n)), "banned") {
		return schema.Invalid("This name is not allowed.")
	}
	*n = ProductName(strings.Join(strings.Fields(string(*n)), " "))
	return nil
}

// Dimensions are a part of a product.
type Dimensions struct {
	Width  string `json:"width" backlist:"decimal=6.1,min=0.1"`
	Height string `json:"height" backlist:"decimal=6.1,min=0.1"`
	Unit   string `json:"unit" backlist:"choices=mm|cm,default=cm"`
}

// Validate checks fields against each other.
func (p Product) Validate(context.Context) error {
	if p.AvailableFrom != nil && p.AvailableUntil != nil && *p.AvailableUntil < *p.AvailableFrom {
		return schema.FieldErrors{{Field: "availableUntil", Messages: []string{"Must not be before available_from."}}}
	}
	if p.SalePrice != nil && rational(*p.SalePrice).Cmp(rational(p.Price)) >= 0 {
		return schema.Invalid("The sale price must be below the price.")
	}
	return nil
}

// rational returns the value of a decimal that has been validated.
func rational(decimal string) *big.Rat {
	n, ok := new(big.Rat).SetString(decimal)
	if !ok {
		return new(big.Rat)
	}
	return n
}

// An Order is that of a customer, and has lines.
type Order struct {
	ID          int             `json:"id"`
	OrderNumber string          `json:"orderNumber" backlist:"minlength=3,maxlength=12"`
	Customer    string          `json:"customer" backlist:"refers=customers.email,ondelete=cascade"`
	Product     *string         `json:"product" backlist:"refers=products.slug,ondelete=setnull"`
	Watchers    []string        `json:"watchers" backlist:"refers=customers.uuid"`
	Status      string          `json:"status" backlist:"choices=new|paid|shipped|cancelled,default=new"`
	PlacedAt    schema.DateTime `json:"placedAt" backlist:"default=now"`
	Lines       Lines           `json:"lines" backlist:"minlength=1"`
	Priority    int             `json:"priority" backlist:"min=1,max=5,default=3"`
	Tracking    *string         `json:"tracking" backlist:"uuid"`
	Note        string          `json:"note" backlist:"hidden,blank,maxlength=200"`
	Channel     string          `json:"channel" backlist:"hidden,readonly,default=api,reset"`
}

// A Line is a part of an order.
type Line struct {
	SKU       string  `json:"sku"`
	Quantity  int     `json:"quantity" backlist:"min=1,max=99"`
	UnitPrice string  `json:"unitPrice" backlist:"decimal=6.2,min=0"`
	Gift      bool    `json:"gift"`
	Text      *string `json:"text,omitempty" backlist:"optional,blank,maxlength=20"`
}

// Validate checks fields against each other.
func (l Line) Validate(context.Context) error {
	if l.Gift && l.Quantity > 10 {
		return schema.Invalid("At most ten pieces of a gift.")
	}
	return nil
}

// Lines are the lines of an order.
type Lines []Line

// Validate checks the lines against each other.
func (l Lines) Validate(context.Context) error {
	seen := map[string]bool{}
	for _, line := range l {
		if seen[line.SKU] {
			return schema.Invalid("No SKU may stand in two lines.")
		}
		seen[line.SKU] = true
	}
	return nil
}

// Validate checks fields against each other.
func (o Order) Validate(context.Context) error {
	if o.Status == "shipped" && o.Tracking == nil {
		return schema.Invalid("A shipped order needs a tracking number.")
	}
	return nil
}

// Computed returns the members that are served and not stored.
func (o Order) Computed() struct {
	Total string `json:"total"`
} {
	sum := new(big.Rat)
	for _, line := range o.Lines {
		sum.Add(sum, new(big.Rat).Mul(rational(line.UnitPrice), big.NewRat(int64(line.Quantity), 1)))
	}
	return struct {
		Total string `json:"total"`
	}{sum.FloatString(2)}
}

// A Coupon is that of a customer. Coupons have no paths of their own.
type Coupon struct {
	ID       int     `json:"id"`
	Code     string  `json:"code" backlist:"maxlength=10"`
	Customer string  `json:"customer" backlist:"refers=customers.email,ondelete=cascade"`
	Percent  int     `json:"percent" backlist:"min=5,max=90"`
	Minimum  *string `json:"minimum" backlist:"decimal=6.2,min=0.5,max=500"`
	Starts   *string `json:"starts" backlist:"date"`
	Ends     *string `json:"ends" backlist:"date"`
}

// Validate checks fields against each other.
func (c Coupon) Validate(context.Context) error {
	var messages []string
	if c.Starts != nil && c.Ends != nil && *c.Ends < *c.Starts {
		messages = append(messages, "A coupon must not end before it starts.")
	}
	if c.Percent > 50 && c.Minimum == nil {
		messages = append(messages, "More than 50 percent need a minimum.")
	}
	return schema.Invalid(messages...)
}

// multipleOf5 checks a percentage.
func multipleOf5(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n%5 != 0 {
		return schema.Invalid("Must be a multiple of 5.")
	}
	return nil
}

// New returns the empty collections of the shop, in the order of the root listing.
func New(now func() time.Time) (*catalogue.Catalogue, error) {
	about := map[string]*schema.Description{}
	for key, describe := range map[string]func(string) (schema.Description, error){
		"currencies": schema.DescriptionOf[Currency],
		"categories": schema.DescriptionOf[Category],
		"customers":  schema.DescriptionOf[Customer],
		"products":   schema.DescriptionOf[Product],
		"orders":     schema.DescriptionOf[Order],
		"coupons":    schema.DescriptionOf[Coupon],
	} {
		d, err := describe(key)
		if err != nil {
			return nil, err
		}
		about[key] = &d
	}
	describeCategories(about["categories"])
	describeCustomers(about["customers"])
	describeProducts(about["products"])
	describeOrders(about["orders"])
	describeCoupons(about["coupons"])
	about["currencies"].Actions, about["currencies"].Lookup = schema.List|schema.Retrieve, "code"
	options := func(key string) catalogue.Options { return catalogue.Options{Description: about[key], Now: now} }
	return catalogue.New(
		catalogue.Define[Currency]("currencies", options("currencies")),
		catalogue.Define[Category]("categories", options("categories")),
		catalogue.Define[Customer]("customers", options("customers")),
		catalogue.Define[Product]("products", options("products")),
		catalogue.Define[Order]("orders", options("orders")),
		catalogue.Define[Coupon]("coupons", options("coupons")),
	)
}

// field returns the field of a description with a name in JSON.
func field(fields []schema.Field, name string) *schema.Field {
	i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("no field %q", name))
	}
	return &fields[i]
}

// describeSKU makes a field the SKU of a product.
func describeSKU(f *schema.Field) {
	f.Kind, f.Pattern = schema.Regex, regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)
	f.Message = "A SKU is three capitals, a hyphen and four digits."
}

func describeCategories(d *schema.Description) {
	d.Unique = [][]string{{"parent", "name"}}
	d.Filters = []string{"parent", "parent__isnull", "parent__code", "name", "name__icontains"}
	d.Sortable = []string{"code", "name", "position", "parent__name"}
}

func describeCustomers(d *schema.Description) {
	d.Lookup = "uuid"
	phone := field(d.Fields, "phone")
	phone.Pattern, phone.Message = regexp.MustCompile(`^\+?[0-9 ]*$`), "Only digits and spaces, at most one + in front."
	code := field(field(d.Fields, "address").Fields, "postalCode")
	code.Kind, code.Pattern, code.Message = schema.Regex, regexp.MustCompile(`^[0-9]{4,5}$`), "A postal code has four or five digits."
	field(d.Fields, "preferences").Nullable = false
	last := len(d.Fields) - 1
	d.Fields[last-1], d.Fields[last] = d.Fields[last], d.Fields[last-1] // the greeting is before createdAt
	d.Filters = []string{"uuid", "email", "email__iexact", "name__icontains", "born__gte", "born__isnull"}
	d.Search = []string{"name", "^email"}
	d.Sortable = []string{"uuid", "email", "name", "born", "created_at"}
}

func describeProducts(d *schema.Description) {
	d.Lookup = "slug"
	describeSKU(field(d.Fields, "sku"))
	unit := field(field(d.Fields, "dimensions").Fields, "unit")
	unit.Labels = unit.Choices
	d.Filters = []string{
		"slug", "slug__in", "sku", "sku__startswith", "name__icontains", "price", "price__gte", "price__lte",
		"weight__gte", "weight__lt", "stock", "stock__gt", "active", "available_from__gte", "available_from__isnull",
		"category__name", "category__name__icontains", "category__parent", "category__parent__isnull",
		"category__position__gte", "category__position__lte", "category", "currencies",
	}
	d.Search = []string{"name", "^sku", "category__name"}
	d.Sortable = []string{
		"slug", "name", "sku", "price", "sale_price", "weight", "stock", "active", "available_from", "created_at",
		"category__name", "category__position", "category__parent__name",
	}
}

func describeOrders(d *schema.Description) {
	d.Unique = [][]string{{"customer", "order_number"}}
	describeSKU(field(field(d.Fields, "lines").Item.Fields, "sku"))
	d.Filters = []string{
		"status", "status__in", "placed_at__gte", "placed_at__lte", "priority", "priority__gte", "tracking", "tracking__isnull",
		"channel", "customer__name", "customer__name__icontains", "customer__name__istartswith", "customer__uuid",
		"customer__born__gte", "customer__born__lte", "customer__born__isnull", "product__price__gte", "product__price__lte",
		"product__price__range", "product__active", "product__category__name__icontains", "product__category__code",
		"product__category__code__in", "customer", "product", "watchers",
	}
	d.Search = []string{"=order_number", "note", "customer__name", "product__name"}
	d.Sortable = []string{
		"order_number", "status", "placed_at", "priority", "customer__name", "customer__born", "product__price",
		"product__name", "product__category__name",
	}
}

func describeCoupons(d *schema.Description) {
	d.Actions = schema.List | schema.Create
	d.Unique = [][]string{{"code", "customer"}}
	field(d.Fields, "code").Pattern = regexp.MustCompile(`^[A-Z0-9]+$`)
	field(d.Fields, "percent").Check = multipleOf5
	d.Filters = []string{"code", "percent__gte", "percent__lte", "customer__name__icontains", "customer"}
	d.Sortable = []string{"code", "percent", "minimum", "ends", "customer__name"}
}
