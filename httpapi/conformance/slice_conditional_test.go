package conformance_test

import (
	"context"
	"net/url"
)

// UpdateIf is correct as long as there are no concurrent calls.
func (s *filmSlice) UpdateIf(ctx context.Context, id int, params url.Values, body []byte, partial bool, check func(record []byte) error) ([]byte, error) {
	if s.fault != "UpdateIf ignores the condition" {
		if err := s.compare(ctx, id, params, check); err != nil && s.fault != "UpdateIf ignores the result" {
			return nil, err
		}
	}
	return s.Update(ctx, id, params, body, partial)
}

func (s *filmSlice) DeleteIf(ctx context.Context, id int, params url.Values, check func(record []byte) error) error {
	if s.fault != "DeleteIf ignores the condition" {
		if err := s.compare(ctx, id, params, check); err != nil {
			return err
		}
	}
	return s.Delete(ctx, id, params)
}

// compare calls check with a record.
func (s *filmSlice) compare(ctx context.Context, id int, params url.Values, check func(record []byte) error) error {
	if s.fault == "conditions see another record" {
		return check([]byte(`{"id":1}`))
	}
	record, err := s.Get(ctx, id, params)
	if err != nil {
		return err
	}
	return check(record)
}
