package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

var (
	// ErrInvalidOptions is returned by Open if its arguments are invalid.
	ErrInvalidOptions = errors.New("etcdstore: invalid options")

	// ErrInvalidData means that keys in etcd are not those that a Store with these
	// definitions writes. No error wraps both it and an error that is sent to clients, such
	// as [schema.FieldErrors]: the request is not the cause.
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

// refused returns the error of a transaction that failed. Unless etcd says that it stored
// nothing, the error wraps errUnknownOutcome.
func refused(err error) error {
	switch codeOf(err) {
	case codes.ResourceExhausted, codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated:
		return notStored(err)
	}
	return unavailable(fmt.Errorf("%w: %w", errUnknownOutcome, err))
}

// notStored returns the error of transactions that had no effect.
func notStored(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace) || errors.Is(err, rpctypes.ErrTooManyRequests):
		return unavailable(err)
	case errors.Is(err, rpctypes.ErrRequestTooLarge) || errors.Is(err, rpctypes.ErrTooManyOps) || codeOf(err) == codes.ResourceExhausted:
		return fmt.Errorf("%w: %w: %w", ErrTooLarge, err, errTooLargeForClients)
	}
	return unavailable(err)
}

func codeOf(err error) codes.Code {
	if e := (rpctypes.EtcdError{}); errors.As(err, &e) {
		return e.Code()
	}
	return status.Code(err)
}

// errTooLargeForClients is the part of an [ErrTooLarge] that is sent to clients.
var errTooLargeForClients = schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{"The record is too large to be stored."}}}
