// Package schema describes collections of records independently of how they are stored:
// the fields of a [Description], the open [Record], and the validation of requests to write
// records. [DescriptionOf] describes a collection of structs.
//
//	type Film struct {
//		ID   int    `json:"id"`
//		Name string `json:"name" backlist:"maxlength=80"`
//		Year int    `json:"year" backlist:"min=1888"`
//	}
//
//	films, err := schema.DescriptionOf[Film]("films")
//	record, err := films.Validate(ctx, body, schema.Checks{}) // or FieldErrors
//
// [Description.Validate] converts a posted JSON object to a [Record] or returns the errors of its
// fields, with the messages of Django REST framework 3.14, or 3.18 if [WithFramework] says so.
// [Description.ValidateUpdate] does the same for a PUT or PATCH of a record. They differ from the
// framework in a few points, which package httpapi lists. Among them: date-times keep their
// offset and must have one unless [DRF318] has a time zone, numbers sent for text fields keep
// their digits, numbers have ASCII digits and no underscores, a [Decimal] zero has no sign, a
// [TextList] reports only its first invalid element, errors of a [Choice] show lists and objects
// as they were sent, and NaN and Infinity are invalid wherever they come from.
//
// The package has no state. All functions and methods are safe for concurrent use,
// provided that no goroutine modifies a value that another one uses.
package schema
