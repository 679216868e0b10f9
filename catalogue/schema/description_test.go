package schema

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
)

func TestCheckAccepts(t *testing.T) {
	list := []Description{own()["films"], own()["directors"], own()["genres"]}
	for _, d := range list {
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", d.Key, err)
		}
	}
	every := Description{Key: "x", Segment: "x", Name: "x"}
	for kind := range kinds[1:] {
		kind := Integer + Kind(kind)
		f := Field{Name: string(rune('a' + kind)), Kind: kind}
		switch kind {
		case Integer, Choice:
			f.Choices = []string{"1"}
		case Array, Map:
			f.Item = &Field{Kind: Text}
		case Regex:
			f.Pattern = regexp.MustCompile("a")
		}
		every.Fields = append(every.Fields, f)
		if len(f.lookups()) == 0 {
			t.Errorf("%v, kind %d, has no lookups", kind, kind)
		}
		for _, lookup := range f.lookups() {
			name := f.Name + "__" + lookup
			if lookup == "exact" {
				name = f.Name
			}
			every.Filters = append(every.Filters, name)
		}
	}
	if err := every.Check(); err != nil {
		t.Errorf("all lookups of all kinds: %v", err)
	}
}

func TestCheck(t *testing.T) {
	field := func(f Field) func(*Description) {
		return func(d *Description) { d.Fields = append(d.Fields, f) }
	}
	filter := func(names ...string) func(*Description) {
		return func(d *Description) { d.Filters = append(d.Filters, names...) }
	}
	search := func(entry string) func(*Description) {
		return func(d *Description) { d.Search = append(d.Search, entry) }
	}
	sortable := func(name string) func(*Description) {
		return func(d *Description) { d.Sortable = append(d.Sortable, name) }
	}
	// The films and roles refer to films by the names, and roles are those of a film and of another role.
	related := func(names ...string) func(*Description) {
		return func(d *Description) {
			roles := &Description{Key: "roles", Fields: []Field{{Name: "name", Kind: Text}, {Name: "of", Kind: Reference, Refers: "roles", Related: "parts"}}}
			for i, name := range names {
				roles.Fields = append(roles.Fields, Field{Name: string(rune('a'+i)) + "Film", Kind: Reference, Refers: "films", Related: name})
			}
			d.Related = map[string]*Description{"films": d, "roles": roles}
		}
	}
	both := func(changes ...func(*Description)) func(*Description) {
		return func(d *Description) {
			for _, change := range changes {
				change(d)
			}
		}
	}
	parameter := func(name, path string, filters ...string) func(*Description) {
		return both(filter(filters...), func(d *Description) {
			if d.Parameters == nil {
				d.Parameters = map[string]string{}
			}
			d.Parameters[name] = path
		})
	}
	parts := strings.Repeat("parts__", 5)
	segment := func(s string) func(*Description) { return func(d *Description) { d.Segment = s } }
	const noOnDelete = "only a Reference to a collection has an OnDelete, which is Protect, Cascade or SetNull"
	const notInside = "a field inside another one cannot be unique, a key, created, hidden or computed, nor have By, OnDelete, Related, Write or Formerly"
	const twice = " of orderings or searches is another one, too"
	named := func(order, search string) func(*Description) {
		return func(d *Description) { d.OrderingParam, d.SearchParam, d.JSONNames = order, search, true }
	}
	const badSegment = " contains white space or one of / . ? # %"
	type row struct {
		change       func(*Description)
		want, reason string // "" if the description is accepted
	}
	var rows []row
	for _, name := range []string{"limit", "offset", "ordering", "search", "format"} { // of other parameters, but not of their lookups
		named := field(Field{Name: name, Kind: Integer})
		rows = append(rows, row{both(named, filter(name+"__gte")), "", name + "__gte"}, row{both(named, filter(name)), `filter "` + name + `" is another parameter`, name})
	}
	for _, row := range append(rows, []row{
		{func(d *Description) { d.Name = "" }, "the name is empty", "no name"},
		{segment(""), "the segment is empty", "no segment"},
		{segment("a/b"), `segment "a/b"` + badSegment, "slash"},
		{segment("a.b"), `segment "a.b"` + badSegment, "point"},
		{segment("a?"), `segment "a?"` + badSegment, "question mark"},
		{segment("#"), `segment "#"` + badSegment, "hash"},
		{segment("a%20"), `segment "a%20"` + badSegment, "percent"},
		{segment("a b"), `segment "a b"` + badSegment, "blank"},
		{segment("a\u00a0b"), `segment "a\u00a0b"` + badSegment, "no-break space"},
		{segment("a\x01"), `the segment contains control characters or invalid UTF-8`, "control character in a segment"},
		{segment("a\xff"), `the segment contains control characters or invalid UTF-8`, "invalid UTF-8 in a segment"},
		{func(d *Description) { d.Name = "a\n" }, `the name contains control characters or invalid UTF-8`, "control character in a name"},
		{func(d *Description) { d.Vary = "a\r\nb: c" }, `the Vary contains control characters or invalid UTF-8`, "another header in Vary"},
		{func(d *Description) { d.Query = `a"b` }, `query "a\"b" contains characters that a URL escapes`, "quote in a query"},
		{func(d *Description) { d.Query = "é" }, `query "é" contains characters that a URL escapes`, "letter of no URL in a query"},

		{field(Field{Kind: Text}), "field 14 has no name", "no name of a field"},
		{field(Field{Name: "title", Kind: Text}), `fields "title" and "title" are both "title" in snake_case`, "repeated field"},
		{field(Field{Name: "premiere_at", Kind: Text}), `fields "premiereAt" and "premiere_at" are both "premiere_at" in snake_case`, "repeated in snake_case"},
		{field(Field{Name: "x"}), `field "x": kind 0 is unknown`, "no kind"},
		{field(Field{Name: "x", Kind: Kind(len(kinds))}), fmt.Sprintf(`field "x": kind %d is unknown`, len(kinds)), "unknown kind"},
		{field(Field{Name: "x", Kind: Choice}), `field "x": there are no choices`, "no choices"},
		{field(Field{Name: "x", Kind: Decimal, Digits: 2, Places: 3}), `field "x": 3 places of 2 digits`, "more places than digits"},
		{field(Field{Name: "x", Kind: Decimal, Digits: 2, Places: -1}), `field "x": -1 places of 2 digits`, "negative places"},
		{field(Field{Name: "x", Kind: Integer, Min: "2", Max: "1"}), `field "x": the minimum 2 is greater than the maximum 1`, "empty bounds"},
		{field(Field{Name: "x", Kind: Text, Default: `x`}),
			`field "x": the default is not JSON: unexpected character 'x' at the start of a value`, "default without quotes"},
		{field(Field{Name: "x", Kind: Integer, OnDelete: Cascade}), `field "x": ` + noOnDelete, "a deletion of no record"},
		{field(Field{Name: "x", Kind: References, Refers: "films", OnDelete: Cascade}), `field "x": ` + noOnDelete, "a list loses the item"},
		{field(Field{Name: "x", Kind: Reference, OnDelete: Cascade}), `field "x": ` + noOnDelete, "a reference to no collection"},
		{field(Field{Name: "x", Kind: Reference, Refers: "films", OnDelete: 3}), `field "x": ` + noOnDelete, "an unknown OnDelete"},
		{field(Field{Name: "x", Kind: Reference, Refers: "films", OnDelete: SetNull}), `field "x": OnDelete is SetNull, but the field is not Nullable`, "never null"},
		{field(Field{Name: "x", Kind: Object, Fields: []Field{{Name: "y", Kind: Text, Unique: true}}}), `field "x": field "y": ` + notInside, "unique inside an object"},
		{field(Field{Name: "x", Kind: Object, Fields: []Field{{Name: "y", Kind: Text, Hidden: true}}}), `field "x": field "y": ` + notInside, "hidden inside an object"},
		{field(Field{Name: "x", Kind: Object, Fields: []Field{{Name: "y", Kind: Text, Computed: true}}}), `field "x": field "y": ` + notInside, "computed inside an object"},
		{field(Field{Name: "x", Kind: Object, Fields: []Field{{Name: "y", Kind: Timestamp, Created: true}}}), `field "x": field "y": ` + notInside, "created inside an object"},
		{field(Field{Name: "x", Kind: Array, Item: &Field{Kind: Reference, Refers: "films", OnDelete: Cascade}}), `field "x": item: ` + notInside, "a deletion inside a list"},
		{field(Field{Name: "x", Kind: Map, Item: &Field{Kind: Object, Fields: []Field{{Name: "y", Kind: Reference, Refers: "films", By: "slug"}}}}),
			`field "x": item: field "y": ` + notInside, "a reference by a text inside a map"},
		{field(Field{Name: "x", Kind: Integer, Choices: []string{"1", "01"}}), `field "x": the choice "01" is not an integer of 64 bits`, "an integer in another form"},
		{field(Field{Name: "x", Kind: Integer, Choices: []string{"9223372036854775808"}}), `field "x": the choice "9223372036854775808" is not an integer of 64 bits`, "an integer out of range"},
		{field(Field{Name: "x", Kind: Integer, Choices: []string{"1"}, Max: "2"}), `field "x": an integer with choices has no bounds`, "bounds of choices"},
		{field(Field{Name: "x", Kind: Object, Fields: []Field{{Name: "y", Kind: Text, Write: "z"}}}), `field "x": field "y": ` + notInside, "a name in bodies inside an object"},
		{func(d *Description) { d.Fields[1].Write = "heading" }, "", "a name in bodies"},
		{func(d *Description) { d.Loose, d.Fields[1].Write = true, "heading" },
			`field "title": it has the name "heading" in bodies, whose members a Loose collection stores as they are sent`, "a name in bodies whose members are stored"},
		{field(Field{Name: "x", Kind: Text, Write: "premiere_at"}), `field "x": the name in bodies "premiere_at" is a name of "premiereAt"`, "a name in bodies that is a member"},
		{field(Field{Name: "x", Kind: Text, Write: "x"}), `field "x": the name in bodies "x" is a name of "x"`, "the field's own name in bodies"},
		{both(field(Field{Name: "x", Kind: Text, Write: "z"}), field(Field{Name: "y", Kind: Text, Write: "z"})), `field "y": the name in bodies "z" is a name of "x"`, "one name of two fields in bodies"},
		{field(Field{Name: "x", Kind: Text, Write: "xOf"}), `field "x": the name "xOf" in bodies is not in snake_case, or the field is read-only`, "a name in bodies in camelCase"},
		{field(Field{Name: "x", Kind: Text, Write: "z", ReadOnly: true}), `field "x": the name "z" in bodies is not in snake_case, or the field is read-only`, "a name in bodies of a field that is in none"},
		{field(Field{Name: "x", Kind: Reference, Refers: "films", Related: "xOf"}), `field "x": the name "xOf" for what refers to another record is not in snake_case, or the field does not refer to a collection`, "a name backwards in camelCase"},
		{field(Field{Name: "x", Kind: Reference, Related: "y"}), `field "x": the name "y" for what refers to another record is not in snake_case, or the field does not refer to a collection`, "a name backwards from nothing"},

		{related("roles", "roles"), `related: "roles" is the name of both field "aFilm" of roles and field "bFilm" of roles`, "one name backwards of two references"},
		{both(related("sequels"), field(Field{Name: "sequelOf", Kind: Reference, Refers: "films", Related: "sequels"})),
			`related: "sequels" is the name of both field "sequelOf" of films and field "aFilm" of roles`, "one name backwards, of a reference to the same collection, too"},
		{related("premiere_at"), `related: "premiere_at" of field "aFilm" of roles is a name of field "premiereAt"`, "a name backwards that is a member"},
		{both(related("title"), field(Field{Name: "x__title", Kind: Text})), `related: "title" of field "aFilm" of roles is a name of field "title"`, "a member, but not the end of one"},
		{both(related("x"), field(Field{Name: "x__name", Kind: Text})), `related: "x" of field "aFilm" of roles is a name of field "x__name"`, "a name backwards whose path is a member"},
		{both(related("roles"), parameter("roles", "title__in", "roles")), `related: "roles" of field "aFilm" of roles is a name in Parameters`, "a name backwards that is a parameter"},
		{both(related("roles"), filter("rolls__name")), `filter "rolls__name": unknown field "rolls": did you mean roles?`, "a filter by an unknown name backwards"},
		{both(related("roles"), filter("roles__nmae__in")), `filter "roles__nmae__in": unknown field "nmae": did you mean name?`, "a filter by an unknown field of what refers"},
		{both(related("roles"), filter("roles__a_film__rolls__name")), `filter "roles__a_film__rolls__name": unknown field "rolls": did you mean roles?`, "an unknown name backwards after a reference"},
		{both(related("roles"), search("^rolls__name")), `search "^rolls__name": unknown field "rolls": did you mean roles?`, "a search by an unknown name backwards"},
		{both(related("roles"), search("roles__a_film__minutes")), `search "roles__a_film__minutes": field "minutes" is not text`, "a search in a number, there and back"},
		{both(related("roles"), search("roles")), `search "roles": unknown field "roles": did you mean roles?`, "a search in what refers, without a field"},
		{both(related("roles"), sortable("rolls__name")), `sortable "rolls__name": unknown field "rolls": did you mean roles?`, "an order by an unknown name backwards"},
		{both(related("roles"), filter("roles__"+parts+"name__in")), `filter "roles__` + parts + `name__in": the path leads through 6 relations, want at most 5`, "a filter of six steps"},
		{both(related("roles"), filter("roles__"+parts[:len(parts)-2])), `filter "roles__` + parts[:len(parts)-2] + `": the path leads through 6 relations, want at most 5`, "a filter by the ids after six steps"},
		{both(related("roles"), search("roles__a_film__"+parts[:28]+"name")), `search "roles__a_film__` + parts[:28] + `name": unknown field "parts": want one of id, title, slug, synopsis, released, premiere_at, minutes, rating, price, status, published, director, genres, created_at, roles`, "a name backwards of another collection"},
		{both(related("roles"), search("roles__of__"+parts[:28]+"name")), `search "roles__of__` + parts[:28] + `name": the path leads through 6 relations, want at most 5`, "a search of six steps, in both directions"},
		{both(related("roles"), sortable("roles__"+parts+"name")), `sortable "roles__` + parts + `name": the path leads through 6 relations, want at most 5`, "an order of six steps"},

		{parameter("min_prize", "price__gte", "min_price"), `parameter "min_prize" is not in Filters: did you mean min_price?`, "a parameter that is not in Filters"},
		{parameter("min_price", "prize__gte", "min_price"), `parameter "min_price": unknown field "prize": did you mean price?`, "a parameter of an unknown field"},
		{parameter("min_price", "price__gt_", "min_price"), `parameter "min_price": field "price" has no lookup "gt_": did you mean gt?`, "a parameter of an unknown lookup"},
		{both(parameter("a", "b", "a"), parameter("b", "a", "b")), `parameter "a": unknown field "b": want one of id, title, slug, synopsis, released, premiere_at, minutes, rating, price, status, published, director, genres, created_at`, "parameters of parameters"},
		{parameter("minutes__gte", "minutes__gt", "minutes__gte"), `parameter "minutes__gte" is another filter or a field`, "a parameter named as another filter"},
		{both(parameter("premiereAt", "premiere_at__gt", "premiereAt"), func(d *Description) { d.JSONNames = true }), `parameter "premiereAt" is another filter or a field`, "a parameter named as a field in JSON"},
		{parameter("minutes", "minutes__gt", "minutes"), `parameter "minutes" is another filter or a field`, "a parameter named as a field"},
		{both(parameter("tags", "minutes__gt", "tags"), field(Field{Name: "tags", Kind: Array, Item: &Field{Kind: Text}})), `parameter "tags" is another filter or a field`, "a parameter named as a field without a filter"},
		{both(parameter("a", "roles__"+parts+"name", "a"), related("roles")), `filter "a": the path leads through 6 relations, want at most 5`, "a parameter of six steps"},
		{parameter("search", "title__in", "search"), `filter "search" is another parameter`, "a parameter named search"},
		{both(parameter("page_size", "title__in", "page_size"), func(d *Description) { d.Pages = pagination.Numbers{Size: "page_size"} }), `filter "page_size" is another parameter`, "a parameter named as the size of pages"},
		{both(filter("page"), field(Field{Name: "page", Kind: Integer}), func(d *Description) { d.Pages = pagination.Numbers{} }), `filter "page" is another parameter`, "a field named as the number of a page"},
		{func(d *Description) { d.Label = "titel" }, `label: unknown field "titel": did you mean title?`, "unknown label"},

		{filter("minuts"), `filter "minuts": unknown field "minuts": did you mean minutes?`, "unknown field"},
		{filter("minuts__gte"), `filter "minuts__gte": unknown field "minuts": did you mean minutes?`, "unknown field with a lookup"},
		{filter("premiereAt__gte"), `filter "premiereAt__gte": unknown field "premiereAt": did you mean premiere_at?`, "camelCase"},
		{filter("director__name"), `filter "director__name": field "director" has no lookup "name": want one of exact, in, range, isnull`, "field of another record"},
		{filter("title__startwith"), `filter "title__startwith": field "title" has no lookup "startwith": did you mean startswith?`, "unknown lookup"},
		{filter("premiere_at__contains"), `filter "premiere_at__contains": field "premiere_at" has no lookup "contains": want one of exact, in, gt, gte, lt, lte, range, isnull, year, iso_year, quarter, month, week, day, week_day, iso_week_day, hour, minute, second, date, …`, "text in a date-time"},
		{filter("released__hour"), `filter "released__hour": field "released" has no lookup "hour": want one of exact, in, gt, gte, lt, lte, range, isnull, year, iso_year, quarter, month, week, day, week_day, iso_week_day`, "a part that a date has not"},
		{filter("released__yaer"), `filter "released__yaer": field "released" has no lookup "yaer": did you mean year?`, "an unknown part"},
		{filter("released__year__contain"), `filter "released__year__contain": field "released__year" has no lookup "contain": did you mean contains?`, "an unknown lookup of a part"},
		{filter("genres__gte"), `filter "genres__gte": field "genres" has no lookup "gte": want one of exact, in, isnull`, "comparison of ids"},
		{filter("published__gte"), `filter "published__gte": field "published" has no lookup "gte": want one of exact, in, range, isnull`, "comparison of booleans"},
		{filter("status__exact"), `filter "status__exact": the lookup exact is written "status"`, "exact"},
		{filter("title__"), `filter "title__": field "title" has no lookup "": want one of exact, iexact, contains, icontains, startswith, istartswith, endswith, iendswith, regex, iregex, in, gt, gte, lt, lte, range, isnull`, "no lookup"},
		{filter(""), `filter "": unknown field "": want one of id, title, slug, synopsis, released, premiere_at, minutes, rating, price, status, published, director, genres, created_at`, "empty"},
		{filter("slug", "slug"), `filter "slug" is repeated`, "repeated"},
		{func(d *Description) {
			d.Fields = append(d.Fields, Field{Name: "tags", Kind: Array, Item: &Field{Kind: Text}})
			d.Filters = append(d.Filters, "tags")
		}, `filter "tags": field "tags" has no lookup "exact": want one of isnull`, "kind without lookups"},
		{func(d *Description) { d.Fields = nil }, `filter "status": unknown field "status": there are none`, "no fields"},

		{search("synopsys"), `search "synopsys": unknown field "synopsys": did you mean synopsis?`, "unknown field"},
		{search("^titel"), `search "^titel": unknown field "titel": did you mean title?`, "sign before an unknown field"},
		{search("@title"), `search "@title": unknown field "@title": did you mean title?`, "unknown sign"},
		{search("minutes"), `search "minutes": field "minutes" is not text`, "number"},
		{search("title__name"), `search "title__name": field "title" does not refer to a collection`, "path through text"},
		{search("directer__name"), `search "directer__name": unknown field "directer": did you mean director?`, "path through an unknown field"},
		{search("director__"), `search "director__": want a field of directors after director__`, "path without an end"},
		{sortable("minuts"), `sortable "minuts": unknown field "minuts": did you mean minutes?`, "order by an unknown field"},
		{sortable("premiereAt"), `sortable "premiereAt": unknown field "premiereAt": did you mean premiere_at?`, "order by a name in camelCase"},
		{sortable("title__size"), `sortable "title__size": field "title" does not refer to a collection`, "order by a part of a text"},
		{func(d *Description) {
			d.Fields = append(d.Fields, Field{Name: "code", Kind: Text, Required: true, Unique: true, Key: true})
			d.Lookup, d.Sortable = "code", []string{"code", "id"}
			d.Fields = slices.DeleteFunc(d.Fields, func(f Field) bool { return f.Name == "id" })
		}, `sortable "id": unknown field "id": want one of title, slug, synopsis, released, premiere_at, minutes, rating, price, status, published, director, genres, created_at, code`, "order by the id of records that have none"},

		{named("sort", "q"), "", "other names"},
		{named("search", "ordering"), "", "each the other's"},
		{named("ordering", "search"), "", "the usual ones"},
		{named("sortBy", "full-text.q"), "", "capitals, a hyphen and a point"},
		{named("synopsis", ""), "", "a field that is no filter"},
		{named("q", "q"), `parameter "q"` + twice, "the same"},
		{named("search", ""), `parameter "search"` + twice, "the usual one of searches"},
		{named("", "ordering"), `parameter "ordering"` + twice, "the usual one of orderings"},
		{named("limit", ""), `parameter "limit"` + twice, "a parameter of pages"},
		{named("", "format"), `parameter "format"` + twice, "the format"},
		{named("", "premiereAt"), `parameter "premiereAt"` + twice, "a name that means a field"},
		{named("", "status"), `filter "status" is another parameter`, "a filter"},
		{named("sort by", ""), `parameter "sort by" of orderings or searches contains characters that a URL escapes`, "a space"},
		{named("", "é"), `parameter "é" of orderings or searches contains characters that a URL escapes`, "a letter of no URL"},
		{func(d *Description) {
			d.OrderingParam, d.SearchParam = "sort", "q"
			d.Fields = append(d.Fields, Field{Name: "search", Kind: Text}, Field{Name: "ordering", Kind: Text})
			d.Filters = append(d.Filters, "search", "ordering")
		}, "", "filters with the usual names"},

		{sortable("id"), "", "order by the id, which all records have"},
		{both(field(Field{Name: "extra", Kind: JSON}), sortable("extra__size")), "", "order by a member of any JSON"},
		{both(field(Field{Name: "size", Kind: Object, Fields: []Field{{Name: "inWidth", Kind: Integer}}}), sortable("size__in_width")), "", "order by a member of an object"},
		{func(d *Description) {
			*d = Description{Key: "films", Segment: "x", Name: "x", Sortable: []string{"whatever"}}
		}, "", "order of records without fields"},
		{both(field(Field{Name: "owner", Kind: Reference}), field(Field{Name: "users", Kind: References}), filter("owner", "users")), "", "filters by references to nothing"},
		{both(field(Field{Name: "owner", Kind: Reference}), search("owner__name")), `search "owner__name": field "owner" does not refer to a collection`, "search in what nothing refers to"},
	}...) {
		d := own()["films"]
		row.change(&d)
		err, want := d.Check(), "<nil>"
		if row.want != "" {
			want = `schema: invalid description of "films": ` + row.want
		}
		if fmt.Sprint(err) != want || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Check returns\n%v, want\n%s", row.reason, err, want)
		}
	}
	d := own()["films"]
	d.Key = ""
	if err := d.Check(); err == nil || err.Error() != `schema: invalid description of "": the key is empty` {
		t.Errorf("no key: %v", err)
	}
}

// Filter reads the parameter of a search that the description names, and errors have its name, in
// camelCase unless the description is in snake_case.
func TestSearchParam(t *testing.T) {
	d := own()["films"]
	d.Search, d.SearchParam = []string{"$title"}, "full_text"
	read := func(query url.Values) (Filter, error) {
		return d.Filter(t.Context(), func(name string) []string { return query[name] }, Checks{})
	}
	for name, want := range map[string]int{"full_text": 1, "search": 0, "fullText": 0} {
		f, err := read(url.Values{name: {"x"}})
		if len(f.Search) != want || err != nil {
			t.Errorf("%s: %d words, %v; want %d", name, len(f.Search), err, want)
		}
	}
	long := "a{300} b{300}" // written out
	many := ""
	for i := range 101 {
		many += fmt.Sprintf("w%d ", i)
	}
	for _, wrong := range []string{"(", long, many} {
		_, err := read(url.Values{"full_text": {wrong}})
		var errs FieldErrors
		if !errors.As(err, &errs) || len(errs) != 1 || errs[0].Field != "fullText" {
			t.Errorf("%.20s: %v, want one error of fullText", wrong, err)
		}
	}
	f, err := read(url.Values{"full_text": {"z{240}"}})
	for text := strings.Repeat("a", 1<<20); err == nil; { // until its work is too much
		_, err = f.Search[0][0].Match(text)
	}
	if errs := (FieldErrors{}); !errors.As(err, &errs) || errs[0].Field != "fullText" {
		t.Errorf("too much work: %v, want an error of fullText", err)
	}
	d.Fields = append(d.Fields, Field{Name: "in_snake_case", Kind: Text})
	var errs FieldErrors
	if _, err := read(url.Values{"full_text": {"("}}); !errors.As(err, &errs) || errs[0].Field != "full_text" {
		t.Errorf("in snake_case: %v, want an error of full_text", err)
	}
}

// TestSnakeCase checks which names decide the case of all others.
func TestSnakeCase(t *testing.T) {
	for _, test := range []struct {
		stored, shown string
		want          bool
	}{
		{"unitPrice", "", false},
		{"unit_price", "", true},
		{"_id", "", false},
		{"title", "comment_count", true},
		{"title", "_links", false},
	} {
		d := Description{Fields: []Field{{Name: test.stored}}}
		if test.shown != "" {
			d.Shown = []Field{{Name: test.stored}, {Name: test.shown}}
		}
		if got := d.SnakeCase(); got != test.want {
			t.Errorf("%s, shown with %q: %t, want %t", test.stored, test.shown, got, test.want)
		}
	}
}
