package pgstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The records of a library refer to each other in every way: by ids, by a key, by other unique texts,
// some without regard to case, in lists, one to one, and to their own collection. Each reference has a
// name backwards, and some have another name in bodies.
type (
	writer struct {
		ID      int     `json:"id"`
		Name    string  `json:"name" backlist:"maxlength=40"`
		Born    *string `json:"born" backlist:"date"`
		Country string  `json:"country" backlist:"blank"`
	}
	series struct {
		Code   string `json:"code" backlist:"key"`
		Name   string `json:"name" backlist:"blank"`
		Patron *int   `json:"patron" backlist:"refers=writers,ondelete=setnull,related=patronages,write=patron_id"`
	}
	topic struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Slug string `json:"slug" backlist:"slug,unique"`
	}
	mark struct {
		ID   int    `json:"id"`
		Text string `json:"text" backlist:"unique,fold"`
	}
	volume struct {
		ID        int      `json:"id"`
		Title     string   `json:"title" backlist:"blank"`
		Writer    int      `json:"writer" backlist:"refers=writers,ondelete=cascade,related=volumes,write=writer_id"`
		Helpers   []int    `json:"helpers" backlist:"refers=writers,related=helped,optional,write=helper_ids"`
		Series    *string  `json:"series" backlist:"refers=series,ondelete=setnull,related=volumes,write=in"`
		Also      []string `json:"also" backlist:"refers=series,related=mentions,optional"`
		Topics    []string `json:"topics" backlist:"refers=topics.slug,related=volumes,optional,write=topic_slugs"`
		Mark      *string  `json:"mark" backlist:"refers=marks.text,ondelete=setnull,related=volumes"`
		Marks     []string `json:"marks" backlist:"refers=marks.text,related=marked,optional"`
		Published string   `json:"published" backlist:"date"`
		Price     *string  `json:"price" backlist:"decimal=6.2"`
		SequelOf  *int     `json:"sequelOf" backlist:"refers=volumes,ondelete=setnull,related=sequels"`
	}
	critique struct {
		ID     int    `json:"id"`
		Volume int    `json:"volume" backlist:"refers=volumes,ondelete=cascade,related=critiques"`
		Stars  *int   `json:"stars"`
		Text   string `json:"text" backlist:"blank,write=words"`
	}
	profile struct {
		ID     int    `json:"id"`
		Writer int    `json:"writer" backlist:"refers=writers,ondelete=cascade,related=profile,unique"`
		Motto  string `json:"motto" backlist:"blank"`
	}
)

func newLibrary(func() time.Time) (*catalogue.Catalogue, error) {
	of := func(filters, sortable, search string) catalogue.Options {
		return catalogue.Options{Description: &schema.Description{
			Filters: strings.Fields(filters), Sortable: strings.Fields(sortable), Search: strings.Fields(search),
		}}
	}
	volumes := of(`writer helpers series also topics topics__name__icontains mark mark__text__startswith marks sequel_of__title sequels
		sequels__isnull sequels__title critiques critiques__isnull critiques__stars__in critiques__text__regex series__mentions__title
		mark__marked__writer__name q from_price to_price ids rated written`,
		`id title price writer__name critiques__stars critiques__text sequels__critiques__stars mark__marked__title series__volumes__price`,
		`title writer__name topics__name critiques__text sequels__title`)
	volumes.Description.Parameters = map[string]string{
		"q": "title__icontains", "from_price": "price__gte", "to_price": "price__lte", "ids": "id__in", "rated": "critiques__stars__gte",
		"written": "writer__profile__motto__iexact",
	}
	volumes.Description.Ordering = []ordering.Term{ordering.Desc("published")}
	topics := of(`slug__in volumes volumes__isnull volumes__writer volumes__writer__name__startswith volumes__title__regex volumes__mark`,
		`id name volumes__title volumes__writer__name volumes__published`, `name volumes__title`)
	topics.Description.Pages = pagination.Whole{}
	marks := of(`has volumes volumes__title__icontains marked marked__isnull marked__writer__born__year`, `text volumes__title marked__price`, `marked__title`)
	marks.Description.Pages = pagination.Whole{Max: 4}
	marks.Description.Parameters = map[string]string{"has": "text__icontains"} // which nothing else compares so
	return catalogue.New(
		catalogue.Define[writer]("writers", of(`country volumes volumes__isnull volumes__title volumes__title__icontains volumes__title__istartswith
			volumes__price__gte volumes__price__isnull volumes__published__year volumes__critiques__stars__gte volumes__critiques__isnull
			volumes__topics volumes__topics__name__contains volumes__series volumes__series__name volumes__sequels__isnull
			volumes__sequels__critiques__text__icontains profile profile__isnull profile__motto__icontains helped helped__isnull
			helped__title__startswith patronages patronages__isnull patronages__volumes__writer__volumes__critiques__stars`,
			`id name volumes__title volumes__price volumes__critiques__stars profile__motto helped__title patronages__mentions__title volumes__writer__name`,
			`name volumes__title volumes__topics__name profile__motto helped__critiques__text`)),
		catalogue.Define[series]("series", of(`name volumes volumes__isnull volumes__title__icontains mentions mentions__isnull mentions__title__iendswith
			mentions__writer__name mentions__writer__volumes__topics__volumes__title volumes__writer__profile__motto__contains`,
			`code name volumes__title mentions__writer__name mentions__critiques__stars`, `^name =volumes__title volumes__writer__name mentions__critiques__text`)),
		catalogue.Define[topic]("topics", topics),
		catalogue.Define[mark]("marks", marks),
		catalogue.Define[volume]("volumes", volumes),
		catalogue.Define[critique]("critiques", of(`volume volume__sequels__isnull volume__writer__volumes__title__contains volume__topics`,
			`id stars volume__sequels__title`, `text volume__sequels__title`)),
		catalogue.Define[profile]("profiles", of(`writer writer__volumes writer__volumes__title__icontains writer__helped__isnull`, `motto writer__volumes__price`, ``)),
	)
}

// libraryData returns the records of a library.
func libraryData(g generator) string {
	some := []string{"Night", "night two", "Sea", "Red sea", "ÉA", "éa", "Straße", "", "Anna", "100% a_b", "x1 long", strings.Repeat("Night ", 50), strings.Repeat("Night ", 50) + "b"}
	quote := func(s string) string { return fmt.Sprintf("%q", s) }
	maybe := func(s string) string { return pick(g, []string{s, s, s, "null"}) }
	list := func(most int, of func() string) string {
		seen, all := map[string]bool{}, []string{}
		for range g.IntN(most + 1) {
			if s := of(); !seen[s] {
				seen[s], all = true, append(all, s)
			}
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	id := func(n int) string { return fmt.Sprint(1 + g.IntN(n)) }
	code := func() string { return fmt.Sprintf(`"s-%d"`, 1+g.IntN(5)) }
	slug := func() string { return fmt.Sprintf(`"t%d"`, 1+g.IntN(6)) }
	label := func() string { return fmt.Sprintf(`"Mark É%d"`, 1+g.IntN(4)) }
	date := func() string { return fmt.Sprintf(`"19%02d-01-0%d"`, 60+g.IntN(4), 1+g.IntN(3)) }
	table := func(key string, n int, record func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = record(i + 1)
		}
		return quote(key) + ":[" + strings.Join(all, ",\n") + "]"
	}
	return "{" + strings.Join([]string{
		table("writers", 9, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"name":%s,"born":%s,"country":%s}`, i, quote(pick(g, some[:11])+fmt.Sprint(i%4)), maybe(date()), quote(pick(g, some[:4])))
		}),
		table("series", 5, func(i int) string {
			return fmt.Sprintf(`{"code":"s-%d","name":%s,"patron":%s}`, i, quote(pick(g, some)), maybe(id(9)))
		}),
		table("topics", 6, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"name":%s,"slug":"t%[1]d"}`, i, quote(pick(g, some[:4])))
		}),
		table("marks", 4, func(i int) string { return fmt.Sprintf(`{"id":%d,"text":"Mark É%[1]d"}`, i) }),
		table("volumes", 22, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"title":%s,"writer":%s,"helpers":%s,"series":%s,"also":%s,"topics":%s,"mark":%s,"marks":%s,"published":%s,"price":%s,"sequelOf":%s}`,
				i, quote(pick(g, some)), id(7), list(3, func() string { return id(9) }), maybe(code()), list(3, code), list(3, slug), maybe(label()), list(2, label),
				date(), maybe(fmt.Sprintf(`"%d.50"`, g.IntN(12))), maybe(id(22)))
		}),
		table("critiques", 30, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"volume":%s,"stars":%s,"text":%s}`, i, id(18), maybe(id(5)), quote(pick(g, some)))
		}),
		table("profiles", 5, func(i int) string { return fmt.Sprintf(`{"id":%d,"writer":%[1]d,"motto":%s}`, i, quote(pick(g, some))) }),
	}, ",\n") + "}"
}

// TestBackwardIndexes checks that the records that refer to one are found by the index of the reference.
// BACKLIST_POSTGRES_ROWS is the number of records that refer, at most a million.
func TestBackwardIndexes(t *testing.T) {
	rows := int(setting(t, "BACKLIST_POSTGRES_ROWS", 5_000))
	store := openUnchecked(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: made(t, newLibrary), Timeout: time.Minute})
	some := max(rows/20, 1)
	var b strings.Builder
	table := func(key string, n int, record string) {
		for i := range n {
			b.WriteString(map[bool]string{true: key, false: ","}[i == 0])
			fmt.Fprintf(&b, record, i+1, 1+scattered(i, rows)%some)
		}
		b.WriteString("]")
	}
	table(`{"writers":[`, some, `{"id":%d,"name":"Writer %d","born":null,"country":""}`)
	table(`,"series":[`, some, `{"code":"s-%d","name":"Series %d","patron":null}`)
	table(`,"topics":[`, some, `{"id":%d,"name":"Topic %d","slug":"t%[1]d"}`)
	table(`,"marks":[`, some, `{"id":%d,"text":"Mark %[1]d"}`)
	table(`,"volumes":[`, rows, `{"id":%d,"title":"Volume %[1]d","writer":%d,"helpers":[%[2]d],"series":"s-%[2]d","also":["s-%[2]d"],"topics":["t%[2]d"],`+
		`"mark":"Mark %[2]d","marks":["Mark %[2]d"],"published":"2000-01-01","price":null,"sequelOf":%[2]d}`)
	b.WriteString("}")
	load(t, store, b.String())
	for _, row := range []struct {
		at           int
		query, index string
	}{
		{0, "id=7&volumes__title__contains=e", "volumes_by_writer"},
		{0, "id=7&volumes__isnull=true", "volumes_by_writer"},
		{0, "id=7&helped__title__contains=e", "volumes_list_"},
		{0, "id=7&helped__isnull=true", "volumes_list_"},
		{0, "id=7&volumes__sequels__title__contains=e", "volumes_by_sequel_of"},
		{1, "code=s-7&volumes__title__contains=e", "volumes_by_series"},
		{1, "code=s-7&mentions__title__contains=e", "volumes_list_"},
		{2, "id=7&volumes__title__contains=e", "volumes_list_"},
		{3, "id=7&volumes__title__contains=e", "volumes_by_mark"},
		{3, "id=7&marked__title__contains=e", "volumes_list_"},
		{4, "id=7&sequels__title__contains=e", "volumes_by_sequel_of"},
		{0, "volumes__title=Volume+7", "volumes_by_title"}, // and then the writer of each
		{0, "helped__title=Volume+7", "volumes_by_title"},
	} {
		about := store.Collections()[row.at].Description()
		plan, err := store.Explain(t.Context(), about.Key, filterOf(t, about, row.query))
		if err != nil || !strings.Contains(plan, row.index) || strings.Contains(plan, "Seq Scan on volumes") {
			t.Errorf("%s: %s: want %s; %v\n%s", about.Key, row.query, row.index, err, plan)
		}
	}
	writers := store.Collections()[0].Description() // all of them read the lists once, not once each
	plan, err := store.Explain(t.Context(), "writers", filterOf(t, writers, "helped__isnull=true"))
	if err != nil || !strings.Contains(plan, "Hash") || strings.Count(plan, "Scan on volumes") != 1 {
		t.Errorf("helped__isnull: want one join by a hash; %v\n%s", err, plan)
	}
}

// TestRelatedIndex checks that a reference with a name backwards has an index, also if nothing else needs one.
func TestRelatedIndex(t *testing.T) {
	type house struct {
		ID int `json:"id"`
	}
	type door struct {
		ID    int   `json:"id"`
		House int   `json:"house" backlist:"refers=houses,related=doors"`
		Past  []int `json:"past" backlist:"refers=houses,related=former"`
		Other *int  `json:"other" backlist:"refers=houses"`
	}
	dsn := shared.DSN(newDatabase(t, "template1"))
	open(t, pgstore.Options{DSN: dsn, Definitions: []catalogue.AnyDefinition{
		catalogue.Define[house]("houses", catalogue.Options{Description: &schema.Description{Actions: schema.List}}),
		catalogue.Define[door]("doors", catalogue.Options{Description: &schema.Description{Actions: schema.List}}),
	}})
	var got string
	const query = `SELECT string_agg(substring(indexdef FROM 'USING.*'), '; ' ORDER BY indexname) FROM pg_indexes WHERE tablename = 'doors'`
	if err := connect(t, dsn).QueryRowContext(t.Context(), query).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if want := "USING btree (house, id); USING gin (past) WITH (fastupdate=off); USING btree (id)"; got != want {
		t.Errorf("indexes %s, want %s", got, want)
	}
}
