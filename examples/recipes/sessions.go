package recipes

import (
	"crypto/rand"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A Session is the login of a user. The user's cookie has its token.
type Session struct {
	Token   string    `json:"token" backlist:"key,readonly"`
	User    string    `json:"user"`
	Expires time.Time `json:"expires"`
}

// Sessions holds sessions by token. It is safe for concurrent use.
type Sessions struct {
	all     *catalogue.Collection[Session]
	byToken *catalogue.TextIndex[Session]
	now     func() time.Time
}

// NewSessions returns an empty Sessions. now returns the current time.
func NewSessions(now func() time.Time) (*Sessions, error) {
	all, err := catalogue.NewCollection[Session](catalogue.Options{
		NewKey:  rand.Text,
		Indexes: [][]ordering.Term{{ordering.Asc("expires")}},
	})
	if err != nil {
		return nil, err
	}
	return &Sessions{all, all.By("token"), now}, nil
}

// Start adds a session of a user, which expires after the given duration, and returns it.
func (s *Sessions) Start(user string, lasts time.Duration) (Session, error) {
	return s.byToken.Insert(Session{User: user, Expires: s.now().Add(lasts)})
}

// Get returns the session with the token, unless it has expired.
func (s *Sessions) Get(token string) (_ Session, ok bool) {
	session, err := s.byToken.Get(token)
	if err != nil || !s.now().Before(session.Expires) {
		return Session{}, false
	}
	return session, true
}

// Extend makes a session last until the given time from now. The error wraps
// [catalogue.ErrNotFound] if none exists.
func (s *Sessions) Extend(token string, lasts time.Duration) error {
	return s.byToken.Update(token, func(session *Session) error {
		session.Expires = s.now().Add(lasts)
		return nil
	})
}

// End deletes a session. The error wraps [catalogue.ErrNotFound] if none exists.
func (s *Sessions) End(token string) error { return s.byToken.Delete(token) }

// DeleteExpired deletes the expired sessions and returns their number. It reads no others.
func (s *Sessions) DeleteExpired() (int, error) {
	return s.all.Where(ordering.AtMost("expires", s.now())).Delete()
}
