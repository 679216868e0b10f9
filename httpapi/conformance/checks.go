package conformance

// allChecks returns all checks, starting with the simplest.
func allChecks() []check {
	return []check{
		{"fields", checkFields},
		{"records", checkRecords},
		{"empty", checkEmpty},
		{"count", checkCount},
		{"limits", checkLimits},
		{"offsets", checkOffsets},
		{"offset-at-the-count", checkOffsetAtCount},
		{"offset-beyond-the-count", checkOffsetBeyond},
		{"largest-window", checkLargest},
		{"unknown-field", checkUnknownField},

		{"text-by-bytes", checkText},
		{"big-integers", checkBigIntegers},
		{"numbers-by-value", checkNumbers},
		{"times-by-instant", checkTimes},
		{"booleans", checkBooleans},
		{"lists", checkLists},
		{"mixed-kinds", checkMixedKinds},
		{"nulls-ascending", checkNullsAscending},
		{"nulls-descending", checkNullsDescending},
		{"ties-ascending", checkTiesAscending},
		{"ties-descending", checkTiesDescending},
		{"mixed-directions", checkMixedDirections},

		{"cancellation", checkCancellation},
		{"terms-are-read", checkTermsUnmodified},
		{"kept-pages", checkKeptPages},
		{"one-instant", checkOneInstant},
		{"revision", checkRevision},

		{"create", checkCreate},
		{"create-invalid", checkCreateInvalid},
		{"create-unknown-members", checkCreateUnknown},
		{"create-cancelled", checkCreateCancelled},
	}
}
