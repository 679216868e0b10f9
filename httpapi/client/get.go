package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// get is the body of the answer to one request, which is sent again while the
// service says that it is busy, as often as it may be.
func (c *Client) get(ctx context.Context, url string) ([]byte, error) {
	for try := 0; ; try++ {
		if err := c.pace.wait(ctx); err != nil {
			return nil, err
		}
		body, busy, err := c.ask(ctx, url)
		if busy == nil {
			return body, err
		}
		delay := busy.delay(try)
		if try == c.retries || delay > c.opts.MaxWait {
			return nil, fmt.Errorf("%w: %d after %d requests, to be asked again in %v", ErrUnavailable, busy.status, try+1, delay)
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// busy is an answer that says: not now.
type busy struct {
	status int
	after  string // Retry-After
}

// delay is how long to wait before a request that was tried that often before.
func (b *busy) delay(try int) time.Duration {
	if seconds, err := strconv.ParseUint(b.after, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(b.after); err == nil {
		return max(time.Until(date), 0)
	}
	return time.Second << min(try, 30)
}

// ask sends a request once.
func (c *Client) ask(ctx context.Context, url string) (body []byte, _ *busy, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Accept", "application/json")
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return nil, &busy{answer.StatusCode, answer.Header.Get("Retry-After")}, nil
	case http.StatusOK:
		body, err = c.read(answer)
		return body, nil, err
	}
	return nil, nil, fmt.Errorf("%w: status %d", ErrAnswer, answer.StatusCode)
}

// read takes the body of an answer, if it is JSON of a size that may be.
func (c *Client) read(answer *http.Response) ([]byte, error) {
	if err := checkType(answer.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.opts.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if int64(len(body)) > c.opts.MaxBody {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrAnswer, c.opts.MaxBody)
	}
	return body, nil
}

func checkType(header string) error {
	if kind, _, err := mime.ParseMediaType(header); err != nil || kind != "application/json" {
		return fmt.Errorf("%w: content type %.200q", ErrAnswer, header)
	}
	return nil
}
