package pgstore

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A place is the position of a record in an order: the texts of the values of its expressions, as
// PostgreSQL writes them, or nil for NULL. The last is that of the identity.
type place struct {
	Order  string // of the list
	Values []*string
	Short  []bool `json:",omitempty"` // whether a value is the beginning of a text
}

// maxText is the length in bytes of the longest text in a token. Of longer ones a token has the
// beginning.
const maxText = 512

// shortened returns the place with the beginnings of long texts.
func (p place) shortened() place {
	p.Values, p.Short = slices.Clone(p.Values), make([]bool, len(p.Values))
	for i, v := range p.Values[:len(p.Values)-1] {
		if v != nil && len(*v) > maxText {
			short := strings.ToValidUTF8((*v)[:maxText], "")
			p.Values[i], p.Short[i] = &short, true
		}
	}
	if !slices.Contains(p.Short, true) {
		p.Short = nil
	}
	return p
}

// token returns the token of the place.
func (p place) token() string {
	text, _ := json.Marshal(p.shortened()) // it is texts
	return base64.RawURLEncoding.EncodeToString(text)
}

// parsePlace returns the place of a token. If its record has not changed, the place has all of its
// values. The statement has the parameters of the order.
func (q statement) parsePlace(t *table, terms []ordering.Term, order orderBy, token string) (p place, err error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.Order != ordering.Format(t.terms(terms)) || len(p.Values) != len(order) || p.Short != nil && len(p.Short) != len(order) || p.Values[len(order)-1] == nil {
		return p, fmt.Errorf("%w: it is damaged, or of another order", catalogue.ErrInvalidToken)
	}
	id := t.identity
	now := place{Order: p.Order, Values: make([]*string, len(order))}
	query := "SELECT " + texts(order) + " FROM " + t.name() + " t WHERE " + "t." + quote(id.name) + " = " + q.param(*p.Values[len(order)-1], "text::"+id.form.cast())
	err = q.tx.QueryRowContext(q.ctx, query, q.args...).Scan(now.targets()...)
	if err == nil && now.token() == token {
		return now, nil
	}
	if err == sql.ErrNoRows {
		err = nil
	}
	return p, err
}

// texts returns the list of the texts of expressions.
func texts(order orderBy) string {
	var list []string
	for _, e := range order {
		list = append(list, "("+e.text+")::text")
	}
	return strings.Join(list, ", ")
}

// targets returns the destinations of a row of texts.
func (p place) targets() []any {
	list := make([]any, len(p.Values))
	for i := range p.Values {
		list[i] = &p.Values[i]
	}
	return list
}

// after returns the condition that a record is after a place in an order.
func (q *statement) after(order orderBy, p place) string {
	var some []string
	same := ""
	for i, e := range order {
		v := p.Values[i]
		if v == nil {
			if e.desc {
				some = append(some, "("+same+e.text+" IS NOT NULL)")
			}
			same += e.text + " IS NULL AND "
			continue
		}
		isShort, text := p.Short != nil && p.Short[i], *v
		if isShort && e.desc { // all that begin so follow
			text = lastOf(text, e.cast)
		}
		value := q.param(text, "text::"+e.cast)
		some = append(some, "("+same+q.beyond(e, value)+")")
		if isShort {
			break
		}
		same += e.text + " = " + value + " AND "
	}
	return joined(some, " OR ", "FALSE")
}

// lastOf returns a text after all that begin with a text.
func lastOf(text, cast string) string {
	if cast == "bytea" {
		return text[:len(text)-len(text)%2] + "ff"
	}
	return text + "\U0010FFFF\U0010FFFF"
}

// beyond returns the condition that the value of an expression is after another one that is not
// NULL, which is the largest value.
func (q *statement) beyond(e expr, value string) string {
	if e.desc {
		return e.text + " < " + value
	}
	return "(" + e.text + " > " + value + " OR " + e.text + " IS NULL)"
}

// listAt returns the page of a query that begins at a place.
func (sql *statement) listAt(t *table, q catalogue.Query, terms []ordering.Term, order orderBy) (list catalogue.Listing, err error) {
	at := *q.Place
	order = order.whole()
	list = catalogue.Listing{Count: -1}
	if at.Reverse {
		order = order.reverse()
	}
	var start place
	if at.Token != "" {
		if start, err = sql.parsePlace(t, terms, order, at.Token); err != nil {
			return list, err
		}
	}
	where, err := sql.where(t, "t", q.Filter)
	if err != nil {
		return list, err
	}
	first := t.terms(terms)[0].Field
	c, _ := t.column(first)
	switch {
	case at.Token != "":
		where += " AND " + sql.after(order, start)
	case at.Positioned && c.name == "":
		return list, fmt.Errorf("%w: %q", ordering.ErrUnknownField, first)
	case at.Positioned:
		where += " AND " + sql.beyond(order[0], sql.value(c, at.Position))
	}
	query := fmt.Sprintf("SELECT t.record, t.%s, %s FROM %s t WHERE %s ORDER BY %v LIMIT %s OFFSET %s", quote(t.shown()), texts(order),
		t.name(), where, order, sql.param(at.Limit, "bigint"), sql.param(at.Offset, "bigint"))
	var places []place
	p := place{Order: ordering.Format(t.terms(terms)), Values: make([]*string, len(order))}
	var stored, served []byte
	err = each(sql.ctx, sql.tx, query, sql.args, func() error {
		r, err := schema.ParseKeyed(stored)
		key := sortkey.Null()
		if c.name != "" {
			key = c.key(c.in(r))
		}
		list.Keys, list.Records = append(list.Keys, key), append(list.Records, served)
		places = append(places, place{p.Order, slices.Clone(p.Values), nil})
		return err
	}, append([]any{&stored, &served}, p.targets()...)...)
	list.Token = func(i int) string { return places[i].token() }
	return list, err
}
