package catalogue

import (
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Options configures a [Collection]. With the zero value a collection has no name and no history,
// its id is the field id, and its default order is by id.
type Options struct {
	// Name is the prefix of the collection's errors. If empty, it is "collection".
	Name string

	// ID is the JSON name of the field that identifies records: an integer, or a pointer to one, is
	// their id, a text their key, such as a string, a UUID, or any type with MarshalText. A record
	// whose id is 0 or whose key is empty is new. If ID is empty, the field with the tag key
	// identifies records or, without one, the field that is named id, in any case and with or
	// without an underscore before it, such as _id and ID. If there is none, it is the field with
	// the first of these Go names: ID, Id, UUID, Key, that of the type and ID, such as UserID of a
	// User, and any other that ends in ID, unless two fields have one. Open records have no other
	// name than "id".
	ID string

	// Ordering is the default order. If empty, records are in the order of their ids. Open records
	// are sorted by id until one has a member named in Ordering.
	Ordering []ordering.Term

	// History is the number of changes that are kept for [Collection.Since] and
	// [Collection.Changes], the latest ones. If zero or negative, none are kept. Each change keeps
	// the record before and after it in memory. Consecutive changes of a record share the one in
	// between.
	History int

	// Unique are sets of fields of which no two records can have the same values: {{"slug"},
	// {"parent", "name"}} permits each slug once, and each name once for each parent. A null equals
	// nothing, but two empty strings are equal. A write that would break this returns
	// [ErrDuplicate]. Each set always has an index. Open records have these fields even if no
	// record has such a member.
	Unique [][]string

	// Indexes are orders that always have an index, so that the first query is as fast as the
	// others. Write the fields with conditions first and then the order: for Equal("status", …) in
	// the order of created, declare status,created, which serves -created too. An index takes
	// memory, and the time to update it at each write. Open records have these fields even if no
	// record has such a member. An index without terms, by id or declared twice is an error. So is
	// one in two directions, as status,-created, unless it ends with id.
	Indexes [][]ordering.Term

	// Members are members of open records of which only the order is known: their Name, and their
	// Kind, such as [schema.Decimal] for prices such as "12.00", or Fold. Fields of the Description
	// take precedence. Structs have the tag backlist instead.
	Members []schema.Field

	// NewKey returns the key of a record that is written without one. Writers call it before the
	// record is visible; it must not write to the collection, and must be safe for concurrent use
	// if there are clones. If the key is empty or the field cannot hold it, the error of the write
	// wraps [ErrInvalidID] and names NewKey. If another record has it, NewKey is called again, at most 100 times;
	// then the error wraps [ErrExists]. If NewKey is nil, the key is a random UUID, version 4. If keys are
	// numbers, it is the integer after the largest of the collection, at least 1; ReplaceAll and loads
	// need the keys. NewKey has no effect if records have an id or a key that only clients choose; see the
	// tag key of [schema.DescriptionOf].
	NewKey func() string

	// Description describes the collection of a catalogue for servers and for posts. A standalone
	// collection ignores it. [schema.DescriptionOf] supplies the members that are zero, or all if
	// it is nil.
	Description *schema.Description

	// Validate makes all writes of the program and loads validate records as requests are: the
	// kinds, lengths, bounds, patterns and rules of the description, which for a standalone
	// collection is that of [schema.DescriptionOf]. As for requests, text is trimmed, absent
	// members have their defaults, and rules may change the record: the result is stored, and the
	// key in it is that of the record. A load only checks. The error wraps [ErrInvalid] and
	// [schema.FieldErrors]; that of a load is a [*RecordError]. Read-only members keep their
	// values. References are not checked, because the record can be part of the same batch or load.
	// Unique values are compared last. The context of rules is [context.Background]. Other writers
	// wait for rules, except during loads. Rules must not write to the collection.
	Validate bool

	// Now returns the time for fields that are [schema.Field].Created. If nil, it is [time.Now].
	Now func() time.Time
}
