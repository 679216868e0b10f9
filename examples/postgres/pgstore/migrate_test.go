package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The collections as an earlier program defined them, and its records.
type (
	oldMaker struct {
		Code string `json:"code" backlist:"key"`
		Name string `json:"name"`
	}
	oldPart struct {
		ID    int     `json:"id"`
		Title string  `json:"title" backlist:"unique"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock int     `json:"stock"`
		Size  oldSize `json:"size"`
	}
	oldSize struct {
		Wide int `json:"wide"`
	}
)

const oldRecords = `{"makers":[{"code":"b","name":"Bo"},{"code":"k","name":"Ka"}],"parts":[
	{"id":1,"title":"bolt","maker":"k","stock":7,"size":{"wide":3}},{"id":4,"title":"nut","maker":"b","stock":0,"size":{"wide":2}}]}`

// defineParts defines both collections. Filters of parts are also orders.
func defineParts[M, P any](filters ...string) []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[M]("makers", catalogue.Options{}),
		catalogue.Define[P]("parts", catalogue.Options{Description: &schema.Description{Actions: schema.AllActions, Filters: filters}}),
	}
}

// openParts defines makers, and open records for parts.
func openParts() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[oldMaker]("makers", catalogue.Options{}), catalogue.Define[schema.Record]("parts", catalogue.Options{}),
	}
}

// newOldStore returns the database and the store of the earlier program, with records.
func newOldStore(t *testing.T) (dsn string, store *pgstore.Store) {
	t.Helper()
	dsn = shared.DSN(newDatabase(t, "template1"))
	store = openUnchecked(t, pgstore.Options{DSN: dsn, Definitions: defineParts[oldMaker, oldPart]("title__icontains", "stock")})
	load(t, store, oldRecords)
	return dsn, store
}

// TestMigrate changes a definition in each way. The records afterwards must be those that package
// catalogue reads from the earlier file.
func TestMigrate(t *testing.T) {
	type newMember struct {
		oldPart
		Note string `json:"note"`
	}
	type withDefault struct {
		oldPart
		Grade int `json:"grade" backlist:"default=5"`
	}
	type nullable struct {
		oldPart
		Until *string `json:"until"`
	}
	type hidden struct {
		oldPart
		Cost int `json:"cost" backlist:"hidden,default=2"`
	}
	type deeper struct {
		ID    int    `json:"id"`
		Title string `json:"title" backlist:"unique"`
		Maker string `json:"maker" backlist:"refers=makers"`
		Stock int    `json:"stock"`
		Size  struct {
			Wide int `json:"wide"`
			High int `json:"high"`
		} `json:"size"`
	}
	type renamed struct {
		ID    int     `json:"id"`
		Name  string  `json:"name" backlist:"unique,formerly=title"`
		From  string  `json:"from" backlist:"refers=makers,formerly=maker"`
		Stock int     `json:"stock"`
		Box   oldSize `json:"box" backlist:"formerly=size"`
	}
	type renamedKind struct {
		ID    int     `json:"id"`
		Code  int     `json:"code" backlist:"formerly=title"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock int     `json:"stock"`
		Size  oldSize `json:"size"`
	}
	type renamedKey struct {
		Short string `json:"short" backlist:"key,formerly=code"`
		Name  string `json:"name"`
	}
	type otherOrder struct {
		ID    int     `json:"id"`
		Size  oldSize `json:"size"`
		Title string  `json:"title"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock int     `json:"stock"`
	}
	type removed struct {
		ID    int     `json:"id"`
		Title string  `json:"title"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Size  oldSize `json:"size"`
	}
	type textStock struct {
		ID    int     `json:"id"`
		Title string  `json:"title"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock string  `json:"stock"`
		Size  oldSize `json:"size"`
	}
	type idMaker struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	type idPart struct {
		ID    int `json:"id"`
		Maker int `json:"maker" backlist:"refers=makers"`
	}
	const drop = `ALTER TABLE "parts" DROP COLUMN "stock"`
	convert := strings.TrimSpace(readmeBlocks(t, "pgsql")[1]) // ends with drop
	for _, row := range []struct {
		reason      string
		definitions []catalogue.AnyDefinition
		say, run    string // in the error, and the statements to run then
		index, gone string // an index that is there afterwards, and one that is not
	}{
		{"no change", defineParts[oldMaker, oldPart]("title__icontains", "stock"), "", "", "parts_by_stock", ""},
		{"other filters", defineParts[oldMaker, oldPart]("maker__name"), "", "", "makers_by_name", "parts_by_stock"},
		{"new member", defineParts[oldMaker, newMember]("note"), "", "", "parts_by_note", "parts_by_stock"},
		{"new member with a default", defineParts[oldMaker, withDefault]("grade"), "", "", "parts_by_grade", ""},
		{"new nullable member", defineParts[oldMaker, nullable](), "", "", "", ""},
		{"new hidden member", defineParts[oldMaker, hidden](), "", "", "", ""},
		{"new member of an object", defineParts[oldMaker, deeper]("size__high"), "", "", "parts_by_size__high", ""},
		{"renamed members, a reference and an object", defineParts[oldMaker, renamed]("name"), "", "", "parts_unique_name", "parts_unique_title"},
		{"renamed key", defineParts[renamedKey, oldPart](), "", "", "", ""},
		{"renamed member of another kind", defineParts[oldMaker, renamedKind](), `ALTER TABLE "parts" DROP COLUMN "title"`, "", "", ""},
		{"another order of members", defineParts[oldMaker, otherOrder](), "", "", "", "parts_unique_title"},
		{"removed member", defineParts[oldMaker, removed](), drop, drop, "", "parts_by_stock"},
		{"another kind", defineParts[oldMaker, textStock]("stock"), drop, convert, "parts_by_stock", ""},
		{"open records", openParts(), `DROP TABLE "parts"`, "", "", ""},
		{"another identity", defineParts[idMaker, idPart](), `DROP TABLE "makers"`, "", "", ""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			dsn, old := newOldStore(t)
			db, before := connect(t, dsn), all(t, old)
			if row.say != "" {
				store, err := pgstore.Open(pgstore.Options{DSN: dsn, Definitions: row.definitions})
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				if err := store.Migrate(t.Context()); !errors.Is(err, pgstore.ErrTable) || !strings.Contains(err.Error(), row.say) {
					t.Errorf("Migrate = %v, want %v with %s", err, pgstore.ErrTable, row.say)
				}
				if diff := cmp.Diff(before, all(t, old)); diff != "" {
					t.Errorf("after the error: -want +got\n%s", diff)
				}
				if row.run == "" {
					return
				}
				if _, err := db.ExecContext(t.Context(), row.run); err != nil {
					t.Fatal(err)
				}
			}
			memory, err := catalogue.New(row.definitions...)
			if err != nil {
				t.Fatal(err)
			}
			file := strings.NewReplacer(`"stock":7`, `"stock":"7"`, `"stock":0`, `"stock":"0"`)
			if row.run != convert {
				file = strings.NewReplacer()
			}
			if err := memory.Load(strings.NewReader(file.Replace(before)), catalogue.LoadOptions{SkipUnknown: true}); err != nil {
				t.Fatal(err)
			}
			store := open(t, pgstore.Options{DSN: dsn, Definitions: row.definitions})
			if diff := cmp.Diff(saved(t, memory.Save), all(t, store)); diff != "" {
				t.Errorf("-memory +migrated\n%s", diff)
			}
			for _, index := range []struct {
				name string
				want bool
			}{{row.index, true}, {row.gone, false}} {
				if n := countOf(t, db, "pg_class WHERE relname = '"+index.name+"'"); index.name != "" && n == 1 != index.want {
					t.Errorf("there are %d indexes %s, want it: %t", n, index.name, index.want)
				}
			}
		})
	}
}

// TestMigrateOpen describes records that were open.
func TestMigrateOpen(t *testing.T) {
	dsn := shared.DSN(newDatabase(t, "template1"))
	load(t, openUnchecked(t, pgstore.Options{DSN: dsn, Definitions: openParts()}), oldRecords)
	exec(t, connect(t, dsn), "ALTER TABLE parts DROP COLUMN keys")
	got := all(t, open(t, pgstore.Options{DSN: dsn, Definitions: defineParts[oldMaker, oldPart]()}))
	_, described := newOldStore(t)
	if diff := cmp.Diff(all(t, described), got); diff != "" {
		t.Errorf("-loaded +migrated\n%s", diff)
	}
}

// TestMigrateStatements compares the statements that Migrate runs with the README, but for those
// that are shortened there.
func TestMigrateStatements(t *testing.T) {
	type part struct {
		ID    int     `json:"id"`
		Name  string  `json:"name" backlist:"unique,formerly=title"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock int     `json:"stock"`
		Size  oldSize `json:"size"`
		Grade int     `json:"grade"`
	}
	dsn := shared.DSN(newDatabase(t, "template1"))
	load(t, openUnchecked(t, pgstore.Options{DSN: dsn, Definitions: defineParts[oldMaker, oldPart]()}), oldRecords)
	recorder := newRecorder(t, dsn)
	open(t, pgstore.Options{DSN: recorder.dsn, Definitions: defineParts[oldMaker, part]("grade")})
	var texts []string
	for _, s := range recorder.take() {
		texts = append(texts, s.text)
	}
	rest := strings.Join(texts, "\n")
	for line := range strings.Lines(readmeBlocks(t, "pgsql")[0]) {
		_, after, found := strings.Cut(rest, strings.TrimSpace(line))
		if found {
			rest = after
		} else if !strings.Contains(line, "…") {
			t.Errorf("Migrate does not run %sthen, but\n%s", line, rest)
		}
	}
}

// TestMigrateInvalid checks the errors of records that do not meet the new definition.
func TestMigrateInvalid(t *testing.T) {
	type flagged struct {
		oldPart
		Stock bool `json:"stock"`
	}
	type single struct {
		ID    int     `json:"id"`
		Title string  `json:"title" backlist:"unique"`
		Maker string  `json:"maker" backlist:"refers=makers"`
		Stock int     `json:"stock" backlist:"unique"`
		Size  oldSize `json:"size"`
	}
	const same = `{"parts":[{"id":2,"title":"a","maker":"k"},{"id":5,"title":"b","maker":"k"}]}`
	const find = `SELECT array_agg("id") FROM "parts" GROUP BY ("stock") HAVING count(*) > 1`
	for _, row := range []struct {
		reason, file, run string
		definitions       []catalogue.AnyDefinition
		say               string
	}{
		{"a value of another type", oldRecords, "ALTER TABLE parts DROP COLUMN stock", defineParts[oldMaker, flagged](), "record 1: stock: "},
		{"equal values", same, "SELECT 1", defineParts[oldMaker, single]("title__icontains", "stock"), find},
	} {
		dsn, old := newOldStore(t)
		load(t, old, row.file)
		before, db := all(t, old), connect(t, dsn)
		exec(t, db, row.run)
		store, err := pgstore.Open(pgstore.Options{DSN: dsn, Definitions: row.definitions})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if err := store.Migrate(t.Context()); !errors.Is(err, pgstore.ErrTable) || !strings.Contains(err.Error(), row.say) {
			t.Errorf("%s: Migrate = %v, want %v with %s", row.reason, err, pgstore.ErrTable, row.say)
		}
		if diff := cmp.Diff(before, all(t, old)); diff != "" {
			t.Errorf("%s: after the error: -want +got\n%s", row.reason, diff)
		}
	}
	dsn, old := newOldStore(t)
	load(t, old, same)
	var ids string
	if err := connect(t, dsn).QueryRowContext(t.Context(), find).Scan(&ids); err != nil || ids != "{2,5}" {
		t.Errorf("%s: %s, %v", find, ids, err)
	}
}

// graded is a part of the next program.
type graded struct {
	oldPart
	Grade int `json:"grade" backlist:"default=5"`
}

// TestMigrateTogether starts several servers of the next program at once, with more records than
// a batch, while one of the earlier program reads. What it reads belongs to one instant.
// Afterwards it cannot write.
func TestMigrateTogether(t *testing.T) {
	dsn, old := newOldStore(t)
	var records bytes.Buffer
	records.WriteString(`{"parts":[{"id":1,"title":"0","maker":"k"}`)
	for i := range 2_500 {
		records.WriteString(`,{"title":"t` + strings.Repeat("i", i) + `","maker":"k"}`)
	}
	records.WriteString("]}")
	load(t, old, records.String())
	done, read := make(chan struct{}), make(chan error, 1)
	parts := old.Collections()[1]
	forms := []string{} // those seen, in their order
	go func() {
		read <- func() error {
			for last := false; !last; {
				select {
				case <-done:
					last = true // reads once more
				default:
				}
				_, list, err := pageOf(context.Background(), parts, pagination.Window{Limit: 5_000}, ordering.Desc("stock"))
				if err != nil && !errors.Is(err, httpapi.ErrUnavailable) {
					return err
				}
				for _, record := range list {
					form := "old"
					if bytes.Contains(record, []byte(`"grade":5`)) {
						form = "new"
					}
					if len(forms) == 0 || forms[len(forms)-1] != form {
						forms = append(forms, form)
					}
				}
			}
			return nil
		}()
	}()
	var servers sync.WaitGroup
	for range 3 {
		store, err := pgstore.Open(pgstore.Options{DSN: dsn, Definitions: defineParts[oldMaker, graded]("grade"), Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		servers.Go(func() {
			if err := store.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	close(done)
	if err := <-read; err != nil {
		t.Error(err)
	}
	if !slices.Equal(forms, []string{"old", "new"}) && !slices.Equal(forms, []string{"new"}) {
		t.Errorf("the earlier program read %v", forms)
	}
	err := old.Insert(t.Context(), "parts", []byte(`{"title":"z","maker":"k"}`))
	if !errors.Is(err, pgstore.ErrTable) {
		t.Errorf("Insert of the earlier program = %v, want %v", err, pgstore.ErrTable)
	}
	if err := old.Migrate(t.Context()); !errors.Is(err, pgstore.ErrTable) {
		t.Errorf("Migrate of the earlier program = %v, want %v", err, pgstore.ErrTable)
	}
	store := open(t, pgstore.Options{DSN: dsn, Definitions: defineParts[oldMaker, graded]("grade")})
	revision, err := store.Collections()[1].(httpapi.Revisioner).Revision(t.Context())
	if err != nil || revision != 3 { // two loads, and a migration by one of three servers
		t.Errorf("Revision = %d, %v, want 3", revision, err)
	}
}
