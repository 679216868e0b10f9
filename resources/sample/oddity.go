package sample

// Version names what New makes: the same [Options] give the same bytes for as
// long as it stays what it is, on every machine and with every Go version. A
// change of as much as one byte is another version.
const Version = 1

// An Oddity is something that the service's document shows and a program that
// reads it may not expect, or several of them, joined by |; 0 is none. Each is in
// every house of 31 events, 5 social links and a label or more, unless it is
// switched off: see Options.Without.
type Oddity uint32

const (
	// SharedSlugs: events with one slug. Without it each event's ends in its id.
	SharedSlugs Oddity = 1 << iota

	// SharedLinks: social links with the same url and author. Without it the last
	// word in each link's url is its id.
	SharedLinks

	// RepeatedCatchLines: labels that have a catch line twice. Without it they
	// have it once, where it comes first.
	RepeatedCatchLines

	// NullLogos: social links without a logo and labels without a footer logo.
	// Without it they have one; the pages and messages of labels may still be null.
	NullLogos

	// LaterEnds: events that end on a later day than they begin, as the clocks
	// of their place show it. Without it they end on the day they begin, by 23:45.
	LaterEnds

	// Midnights: date-times at 00:00:00, as the clocks of their place show it.
	// Without it what begins then begins ten hours later and what ends then ends
	// a quarter of an hour before. Days, as in publishedOn, have no time.
	Midnights

	// ClockChanges: date-times in the hour before and in the hour after the
	// instant at which the clocks of their place change, among them both of the
	// hours that autumn has twice. Without it they are two hours later.
	ClockChanges

	// AllOddities are all of the above.
	AllOddities Oddity = 1<<iota - 1
)

// without reports whether an oddity is switched off.
func (m *maker) without(o Oddity) bool { return m.opts.Without&o != 0 }
