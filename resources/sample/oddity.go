package sample

// Version is the version of the generator. A version generates the same bytes for the
// same [Options] on every machine and with every Go version. Any change to these bytes
// is a new version.
const Version = 1

// An Oddity is a property of the service's records that programs may not expect, or a
// set of such properties. Oddities are bits that can be combined with |. A house with
// at least 31 events, 5 social links and one label has all oddities, except those
// disabled by [Options].Without.
type Oddity uint32

const (
	// SharedSlugs is the oddity of events with the same slug. If disabled, every
	// slug ends in the id of the event.
	SharedSlugs Oddity = 1 << iota

	// SharedLinks is the oddity of social links with the same url and author. If
	// disabled, the path of every url ends in the id of the link.
	SharedLinks

	// RepeatedCatchLines is the oddity of labels that have a catch line twice. If
	// disabled, only the first one remains.
	RepeatedCatchLines

	// NullLogos is the oddity of social links without a logo and labels without a
	// footer logo. If disabled, all of them have one. The pages and messages of
	// labels may still be null.
	NullLogos

	// LaterEnds is the oddity of events that end on a later day, in local time,
	// than they begin. If disabled, they end on the same day, at 23:45 or earlier.
	LaterEnds

	// Midnights is the oddity of date-times at 00:00:00 local time. If disabled,
	// such beginnings are ten hours later, and such ends fifteen minutes earlier.
	// Fields without a time, such as publishedOn, are not affected.
	Midnights

	// ClockChanges is the oddity of date-times within one hour of the instant at
	// which local clocks change, including both occurrences of the hour that is
	// repeated in autumn. If disabled, they are two hours later.
	ClockChanges

	// AllOddities is the set of all oddities.
	AllOddities Oddity = 1<<iota - 1
)

// without reports whether an oddity is disabled.
func (m *maker) without(o Oddity) bool { return m.opts.Without&o != 0 }
