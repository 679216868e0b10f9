package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

var (
	// ErrInvalidOptions is returned by Open if its arguments are invalid.
	ErrInvalidOptions = errors.New("etcdstore: invalid options")

	// ErrInvalidData means that keys in etcd are not those that a Store with these
	// definitions writes.
	ErrInvalidData = errors.New("etcdstore: invalid data in etcd")

	// ErrTooLarge means that a write is larger than etcd permits, by default 1.5 MB.
	ErrTooLarge = errors.New("etcdstore: larger than a request to etcd may be")

	// ErrClosed is returned by methods of a closed Store.
	ErrClosed = errors.New("etcdstore: closed")
)

// errReread means that a replica cannot follow and must be read again.
var errReread = errors.New("etcdstore: the records must be read again")

// retryAfter is the Retry-After of responses while etcd is unavailable.
const retryAfter = time.Second

// unavailable returns an error of etcd as an [httpapi.ErrUnavailable].
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return httpapi.Unavailable(retryAfter, fmt.Errorf("etcdstore: %w", err))
}

// withContext adds the error of ctx, if it is done, to an error.
func withContext(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("etcdstore: %w: %w", ctx.Err(), err)
}

// refused returns the error of a transaction that failed.
func refused(err error) error {
	code := status.Code(err)
	if e := (rpctypes.EtcdError{}); errors.As(err, &e) {
		code = e.Code()
	}
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace) || errors.Is(err, rpctypes.ErrTooManyRequests):
		return unavailable(err)
	case errors.Is(err, rpctypes.ErrRequestTooLarge) || errors.Is(err, rpctypes.ErrTooManyOps) || code == codes.ResourceExhausted:
		return fmt.Errorf("%w: %w: %w", ErrTooLarge, err, errTooLargeForClients)
	case code == codes.InvalidArgument || code == codes.PermissionDenied || code == codes.Unauthenticated:
		return unavailable(err) // and not stored
	}
	return unavailable(fmt.Errorf("%w: %w", errUnknownOutcome, err))
}

// errTooLargeForClients is the part of an [ErrTooLarge] that is sent to clients.
var errTooLargeForClients = resources.FieldErrors{{Field: "nonFieldErrors", Messages: []string{"The record is too large to be stored."}}}
