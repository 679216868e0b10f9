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

// get requests url and returns the body of the response. It retries while the
// service is busy.
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
			return nil, fmt.Errorf("%w: status %d after %d requests, next retry in %v", ErrUnavailable, busy.status, try+1, delay)
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// busy is a response of 429 or 503.
type busy struct {
	status int
	after  string // Retry-After
}

// delay returns how long to wait after the given number of retries.
func (b *busy) delay(try int) time.Duration {
	if seconds, err := strconv.ParseUint(b.after, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(b.after); err == nil {
		return max(time.Until(date), 0)
	}
	return time.Second << min(try, 30)
}

// ask sends one request.
func (c *Client) ask(ctx context.Context, url string) (body []byte, _ *busy, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return nil, &busy{response.StatusCode, response.Header.Get("Retry-After")}, nil
	case http.StatusOK:
		body, err = c.read(response)
		return body, nil, err
	}
	return nil, nil, fmt.Errorf("%w: status %d", ErrInvalidPage, response.StatusCode)
}

// read returns the body of a response. It checks the content type and the size.
func (c *Client) read(response *http.Response) ([]byte, error) {
	if err := checkType(response.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, c.opts.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidPage, err)
	}
	if int64(len(body)) > c.opts.MaxBody {
		return nil, fmt.Errorf("%w: body larger than %d bytes", ErrInvalidPage, c.opts.MaxBody)
	}
	return body, nil
}

func checkType(header string) error {
	if kind, _, err := mime.ParseMediaType(header); err != nil || kind != "application/json" {
		return fmt.Errorf("%w: content type %.200q", ErrInvalidPage, header)
	}
	return nil
}
