package client

import "errors"

// The errors of walks and of imports wrap one of the errors below. Errors of contexts, of the
// network and of readers are wrapped unchanged.
var (
	// Errors of one response.

	// ErrInvalidPage is returned when the status, content type, size or content of a response
	// is neither a page's nor the root listing's, which includes links: when next or previous
	// does not lead to the adjacent page, when there is no such page, or when previous is
	// missing, and when the root listing has a URL that is not below the root. A missing next
	// is an [ErrInconsistent].
	ErrInvalidPage = errors.New("not a page")
	// ErrUnavailable is returned when the service responds with 429 or 503 and no
	// retries are left or the delay would exceed a minute.
	ErrUnavailable = errors.New("service is unavailable")

	// Errors of a walk.

	// ErrInconsistent is returned when the pages do not belong to one list: a record is
	// missing or appears twice, records are not ordered by id, or the count changed between
	// pages. The text of the error names the case.
	ErrInconsistent = errors.New("inconsistent pages")
)
