// Package resources holds what is known of the catalogue service's records
// apart from any store of them: the documented records [Event], [Label] and
// [SocialLink], the open [Record] for everything the service's document names
// but does not detail, the 39 collections with their paths and fields, and the
// validation of what is posted to them.
//
// The records marshal to the very bytes the service writes: members in the
// document's order, no white space, empty lists as [], date-times with their
// offset. Unmarshalling is strict: an unknown, repeated or wrongly spelt
// member, or a null where the document has none, is an error that names it.
//
// [Description.Validate] is a pure function from a posted JSON object to a
// [Record] or to errors. It answers as Django REST framework 3.14 does, text by
// text, but for what the README's table of differences lists: date-times keep
// the offset they came with and must have one, numbers given for text keep
// their digits, NaN and Infinity are no JSON.
//
// Nothing here keeps state: all functions and methods may be called
// concurrently, as long as nobody changes a value that another one reads.
package resources
