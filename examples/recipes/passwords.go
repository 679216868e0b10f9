package recipes

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// An Account has a password, of which a salt and a hash are stored and nothing is served.
type Account struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"maxlength=50"`
	Password string `json:"password" backlist:"hidden"`
}

// Has reports whether the account has the password.
func (a Account) Has(password string) bool {
	salt, _, _ := strings.Cut(a.Password, "$")
	return subtle.ConstantTimeCompare([]byte(a.Password), []byte(hashed(password, salt))) == 1
}

// hashed returns what is stored of a password.
func hashed(password, salt string) string {
	const iterations, length = 600_000, 32
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), iterations, length)
	if err != nil { // of other lengths only
		return ""
	}
	return salt + "$" + base64.RawStdEncoding.EncodeToString(key)
}

// Accounts is the collection of accounts as it is served: a password in a body is replaced by its
// hash before the body is validated, as the method create of a serializer does. A rule of the field
// could not do this, because it must keep its own result.
type Accounts struct{ catalogue.AnyCollection }

// Create stores an account with the hash of its password.
func (c Accounts) Create(ctx context.Context, body []byte, assigned schema.Record) ([]byte, error) {
	body, err := withHash(body)
	if err != nil {
		return nil, err
	}
	return c.AnyCollection.Create(ctx, body, assigned)
}

// Update changes an account. Its password remains if the body of a PATCH has none.
func (c Accounts) Update(ctx context.Context, segment string, u catalogue.Edit) ([]byte, error) {
	var err error
	if u.Body, err = withHash(u.Body); err != nil {
		return nil, err
	}
	return c.AnyCollection.Update(ctx, segment, u)
}

// withHash returns the body with the hash of the password, if it has one. The collection finds what
// else is wrong with it.
func withHash(body []byte) ([]byte, error) {
	account, err := schema.ParseKeyed(body)
	text, _ := account.Get("password")
	var password string
	if err != nil || !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &password) != nil {
		return body, nil
	}
	if len(password) < 8 {
		message := "Ensure this field has at least 8 characters."
		return nil, schema.FieldErrors{{Field: "password", Messages: []string{message}}}
	}
	if account, err = account.With("password", hashed(password, rand.Text())); err != nil {
		return nil, err
	}
	return account.MarshalJSON()
}
