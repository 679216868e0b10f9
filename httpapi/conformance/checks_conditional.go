package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// errRefused is the error of a condition.
var errRefused = errors.New("the condition is false")

// checkUpdateIf checks that the condition sees the stored record, and that nothing is
// stored if it is false, even if the body is invalid.
func checkUpdateIf(s *subject) error {
	if s.impl.Description.Fields == nil {
		return skip("the fields are not known")
	}
	m := s.impl.plain(3)
	c, u, err := openAs[httpapi.ConditionalUpdater](s, schema.PartialUpdate, m)
	if err != nil {
		return err
	}
	all := m.stored()
	for _, body := range []string{string(encode(s.change())), "[]", "{"} {
		condition := condition{want: all[updated], err: errRefused}
		if _, err := u.UpdateIf(s.ctx, updated, nil, []byte(body), true, condition.check); !errors.Is(err, errRefused) {
			return fmt.Errorf("UpdateIf with %s and a false condition: error %v, want one wrapping that of check", body, err)
		}
		if err := condition.fault("UpdateIf"); err != nil {
			return err
		}
	}
	if err := s.checkStored(c, all, "UpdateIf with a false condition"); err != nil {
		return err
	}
	condition := condition{want: all[updated]}
	got, err := u.UpdateIf(s.ctx, updated, nil, encode(s.change()), true, condition.check)
	if err != nil {
		return fmt.Errorf("UpdateIf: %w", err)
	}
	all[updated] = bytes.Clone(got)
	return errors.Join(condition.fault("UpdateIf"), s.checkStored(c, all, "UpdateIf"))
}

func checkDeleteIf(s *subject) error {
	m := s.impl.plain(3)
	c, d, err := openAs[httpapi.ConditionalDeleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	all := m.stored()
	refused := condition{want: all[updated], err: errRefused}
	if err := d.DeleteIf(s.ctx, updated, nil, refused.check); !errors.Is(err, errRefused) {
		return fmt.Errorf("DeleteIf with a false condition: error %v, want one wrapping that of check", err)
	}
	if err := errors.Join(refused.fault("DeleteIf"), s.checkStored(c, all, "DeleteIf with a false condition")); err != nil {
		return err
	}
	permitted := condition{want: all[updated]}
	if err := d.DeleteIf(s.ctx, updated, nil, permitted.check); err != nil {
		return fmt.Errorf("DeleteIf: %w", err)
	}
	delete(all, updated)
	return errors.Join(permitted.fault("DeleteIf"), s.checkStored(c, all, "DeleteIf"))
}

// condition is a condition of a write.
type condition struct {
	want  []byte // the stored record
	err   error  // the result of check
	calls int
	wrong []byte // another record with which check was called
}

func (c *condition) check(record []byte) error {
	c.calls++
	if !bytes.Equal(record, c.want) {
		c.wrong = bytes.Clone(record)
	}
	return c.err
}

// fault returns an error unless method called check with the stored record only.
func (c *condition) fault(method string) error {
	switch {
	case c.calls == 0:
		return fmt.Errorf("%s does not call check", method)
	case c.wrong != nil:
		return fmt.Errorf("%s calls check with %s, want %s", method, c.wrong, c.want)
	}
	return nil
}
