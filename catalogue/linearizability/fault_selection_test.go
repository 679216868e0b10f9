package linearizability_test

import (
	"runtime"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
)

type lateSelections struct{ collection }

func (c lateSelections) where(conditions []condition) selection {
	return lateSelection{c.collection.where(conditions)}
}

type lateSelection struct{ selection }

func (s lateSelection) page(in input) reading {
	r := s.selection.page(in)
	if r.deferred == nil && r.err == nil {
		runtime.Gosched()
		r.count, r.err = s.selection.count()
	}
	return r
}

// checkedField is the field that earlyChecks checks.
const checkedField = 2

// withoutUniqueField returns a workload whose model has a unique field, but whose
// collection has none.
func withoutUniqueField(m mix) workload {
	t := collectionModel{defaultOrder: sorted}
	w := standalone("", m, plainCodec(), 0, t)
	w.collections[0].unique = []int{checkedField}
	return w
}

// earlyChecks returns ErrDuplicate if the value is taken, but another writer can take it
// between the check and the write.
type earlyChecks struct{ collection }

func (c earlyChecks) insert(r row) (int, error) {
	if err := c.checkRow(r); err != nil && c.get(r.ID).err != nil {
		return 0, err
	}
	return c.collection.insert(r)
}

func (c earlyChecks) upsert(r row) (int, error) {
	if err := c.checkRow(r); err != nil {
		return 0, err
	}
	return c.collection.upsert(r)
}

func (c earlyChecks) update(id int, f func(*row)) error {
	if before := c.get(id); before.err == nil {
		rows, err := before.rows()
		if err != nil {
			return err
		}
		f(&rows[0])
		if err := c.checkRow(rows[0]); err != nil {
			return err
		}
	}
	return c.collection.update(id, f)
}

// checkRow returns ErrDuplicate if another record has the value of r.
func (c earlyChecks) checkRow(r row) error {
	where := []condition{{field: checkedField, relation: equal, values: []int{r.F[checkedField]}}}
	found := c.where(where).page(input{limit: everyRow})
	if found.err != nil {
		return found.err
	}
	rows, err := found.rows()
	if slices.ContainsFunc(rows, func(other row) bool { return other.ID != r.ID }) {
		return catalogue.ErrDuplicate
	}
	return err
}
