// Package collections has the collections of the rota.
package collections

import (
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Team has workers.
type Team struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"maxlength=40"`
}

// A Tag is a word about shifts.
type Tag struct {
	ID   int    `json:"id"`
	Slug string `json:"slug" backlist:"slug,unique,maxlength=30"`
	Name string `json:"name" backlist:"maxlength=40"`
}

// A Worker works in shifts.
type Worker struct {
	ID      int      `json:"id"`
	Name    string   `json:"name" backlist:"maxlength=40"`
	Email   string   `json:"email" backlist:"email,blank,maxlength=254"`
	Level   int      `json:"level" backlist:"choices=-1|1|2|5,labels=On leave|Junior|Senior|Team lead"`
	Team    *int     `json:"team" backlist:"refers=teams,ondelete=setnull"`
	Address *Address `json:"address"`
}

// An Address is part of a worker.
type Address struct {
	Street  string  `json:"street" backlist:"maxlength=20"`
	ZIPCode *string `json:"zipCode,omitempty" backlist:"blank,optional"`
	Floor   *int    `json:"floor"`
	Open    *bool   `json:"open,omitempty" backlist:"optional"`
}

// A Shift is the work of some workers on a day.
type Shift struct {
	ID        int              `json:"id"`
	Title     string           `json:"title" backlist:"maxlength=40"`
	Note      string           `json:"note" backlist:"blank"`
	Remark    *string          `json:"remark" backlist:"blank,maxlength=40"`
	Kind      string           `json:"kind" backlist:"choices=desk|kitchen|yard|gate|other,labels=Desk|Kitchen|Yard|Gate 1|Other,default=desk"`
	Mood      *string          `json:"mood" backlist:"blank,choices=good|bad"`
	Priority  int              `json:"priority" backlist:"choices=0|1|10,labels=Low|Normal|High!,default=1"`
	Urgency   *int16           `json:"urgency" backlist:"choices=1|2,labels=One|Two"`
	Day       string           `json:"day" backlist:"date"`
	Starts    schema.Time      `json:"starts"`
	Ends      *schema.Time     `json:"ends"`
	OpensAt   *schema.DateTime `json:"opensAt"`
	Length    schema.Duration  `json:"length"`
	Pause     *schema.Duration `json:"pause"`
	Seats     int16            `json:"seats" backlist:"min=0,default=1"`
	Done      bool             `json:"done"`
	Confirmed *bool            `json:"confirmed"`
	Tools     []string         `json:"tools" backlist:"maxlength=4,item.maxlength=10"`
	Workers   []int            `json:"workers" backlist:"refers=workers,minlength=1"`
	Tags      []int            `json:"tags" backlist:"refers=tags"`
}

// New returns the empty collections of the rota, in the order of the root listing.
func New(now func() time.Time) (*catalogue.Catalogue, error) {
	about := map[string]*schema.Description{}
	for key, describe := range map[string]func(string) (schema.Description, error){
		"teams":   schema.DescriptionOf[Team],
		"tags":    schema.DescriptionOf[Tag],
		"workers": schema.DescriptionOf[Worker],
		"shifts":  schema.DescriptionOf[Shift],
	} {
		d, err := describe(key)
		if err != nil {
			return nil, err
		}
		about[key] = &d
	}
	describeTags(about["tags"])
	describeWorkers(about["workers"])
	describeShifts(about["shifts"])
	options := func(key string) catalogue.Options { return catalogue.Options{Description: about[key], Now: now} }
	return catalogue.New(
		catalogue.Define[Team]("teams", options("teams")),
		catalogue.Define[Tag]("tags", options("tags")),
		catalogue.Define[Worker]("workers", options("workers")),
		catalogue.Define[Shift]("shifts", options("shifts")),
	)
}

func describeTags(d *schema.Description) {
	d.Filters = filters("slug: in endswith gt. name: - iexact iregex")
	d.Search = []string{"^slug", "=name"}
}

func describeWorkers(d *schema.Description) {
	d.Filters = filters(`name: iexact icontains endswith regex. level: in gte lt range. team: in isnull.
		team__name: in iendswith isnull`)
	d.Search = []string{"$name", "=email", "team__name"}
}

func describeShifts(d *schema.Description) {
	d.Ordering = []ordering.Term{ordering.Desc("day"), ordering.Asc("starts")}
	d.Filters = filters(`id: in range. title: iexact contains icontains startswith istartswith endswith iendswith regex
		iregex in range gt gte lt lte. note: isnull regex. remark: in isnull iendswith iregex.
		kind: iexact in contains startswith endswith regex isnull gte. mood: in isnull.
		priority: in range gt gte lt lte isnull. urgency: in isnull gte. day: in range gt gte lt lte isnull
		year year__gte year__in month month__in day week week_day iso_week_day quarter iso_year.
		starts: in range gt gte lt lte hour hour__gte minute second. ends: isnull lte in. opens_at: in range gt gte
		lt lte isnull date date__gte date__in time time__gte year month day week_day hour hour__range minute second.
		length: in range gt gte lt lte. pause: isnull gt in. seats: in range gt gte lt lte contains startswith regex.
		done: in. confirmed: isnull. workers: isnull. workers__id: in. workers__name: in icontains startswith iregex isnull.
		workers__level: in gte lt. workers__team: in isnull. workers__team__name: - icontains. tags: isnull.
		tags__slug: in endswith. tags__name: - icontains isnull. workers: - in. tags: - in`)
	d.Search = []string{"^title", "=kind", "note", "workers__name", "tags__name"}
	d.Sortable = strings.Fields(`title note remark kind mood priority urgency day starts ends opens_at length pause
		seats done confirmed tools workers tags workers__name workers__level workers__team__name tags__name tags__slug`)
}

// filters returns the parameters of a text such as "day: in gt. name: - iexact", which names fields
// with their lookups. With a hyphen the field has no lookup exact.
func filters(text string) (names []string) {
	for field := range strings.SplitSeq(text, ".") {
		name, lookups, _ := strings.Cut(strings.TrimSpace(field), ":")
		rest, without := strings.CutPrefix(lookups, " -")
		if !without {
			names = append(names, name)
		}
		for lookup := range strings.FieldsSeq(rest) {
			names = append(names, name+"__"+lookup)
		}
	}
	return names
}
