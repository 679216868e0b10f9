package etcdstore

import (
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// A Definition is a collection of a [Store]. [Of] returns a Definition.
type Definition struct {
	definition catalogue.AnyDefinition
	apply      func(*catalogue.Catalogue, []change) error
}

// A change is a new state of a record.
type change struct {
	id     int
	record []byte // nil if the record was deleted
}

// Of returns the Definition of a collection of package catalogue. encoding/json must be
// able to decode a T from its own JSON.
func Of[T any](d catalogue.Definition[T]) Definition {
	return Definition{d, func(house *catalogue.Catalogue, changes []change) error {
		c, err := d.In(house)
		if err != nil {
			return err
		}
		return c.Batch(func(tx *catalogue.Tx[T]) error {
			for _, ch := range changes {
				if err := applyTo(tx, ch); err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

func applyTo[T any](tx *catalogue.Tx[T], ch change) error {
	if ch.record == nil {
		return tx.Delete(ch.id)
	}
	var record T
	if err := json.Unmarshal(ch.record, &record); err != nil {
		return err
	}
	id, err := tx.Upsert(record)
	if err == nil && id != ch.id {
		err = fmt.Errorf("the record with the key of id %d has id %d", ch.id, id)
	}
	return err
}

// documented returns the definitions of the 39 documented collections.
func documented() (list []Definition, err error) {
	c, err := resources.New()
	if err != nil {
		return nil, err
	}
	for key := range c.All() {
		switch key {
		case "events":
			list = append(list, Of(resources.Events))
		case "labels":
			list = append(list, Of(resources.Labels))
		case "social-links":
			list = append(list, Of(resources.SocialLinks))
		default:
			list = append(list, Of(resources.Records(key)))
		}
	}
	return list, nil
}

// newHouse returns an empty catalogue with the definitions, and the definitions by their
// keys.
func newHouse(list []Definition) (*catalogue.Catalogue, map[string]Definition, error) {
	all := make([]catalogue.AnyDefinition, len(list))
	for i, d := range list {
		all[i] = d.definition
	}
	house, err := catalogue.New(all...)
	if err != nil {
		return nil, nil, err
	}
	byKey, i := map[string]Definition{}, 0
	for key := range house.All() { // in the order of the definitions
		byKey[key] = list[i]
		i++
	}
	return house, byKey, nil
}
