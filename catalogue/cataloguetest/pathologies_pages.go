package cataloguetest

// otherHost is a host that no client should send a request to.
const otherHost = "elsewhere.example"

// wrongLinks are services whose next links lead to the wrong place.
func wrongLinks() []pathology {
	redirect := "https://" + otherHost + "/"
	return []pathology{
		{name: "next-is-self", records: fewRecords, breaks: []scopedFault{fromSecond(NextIsSelf())}, want: completesOrFails, remedy: remedyLoop},
		{name: "next-cycle", records: fewRecords, breaks: []scopedFault{fromSecond(NextCycle())}, want: completesOrFails, remedy: remedyLoop},
		{name: "empty-pages-with-next", records: fewRecords, breaks: []scopedFault{fromSecond(EmptyPageWithNext())}, want: completesOrFails, remedy: remedyEmptyPage},
		{name: "next-on-other-host", records: fewRecords, breaks: []scopedFault{always(NextHost(otherHost))}, want: completesOrFails, remedy: remedyOrigin},
		{name: "next-without-tls", records: fewRecords, breaks: []scopedFault{always(NextScheme("http"))}, want: completesOrFails, remedy: remedyOrigin},
		{name: "redirect-to-other-host", records: fewRecords, breaks: []scopedFault{fromSecond(Status(302, "")), fromSecond(Header("Location", redirect))}, want: completesOrFails, remedy: remedyRedirect},
	}
}

// wrongPages are services whose records do not agree with their count.
func wrongPages() []pathology {
	return []pathology{
		{name: "row-missing", records: fewRecords, breaks: []scopedFault{fromSecond(MissingRow())}, want: completesOrFails, remedy: remedyCount},
		{name: "row-repeated", records: fewRecords, breaks: []scopedFault{fromSecond(RepeatedRow())}, want: completesOrFails, remedy: remedyRepeated},
		{name: "row-repeated-for-another", records: fewRecords, breaks: []scopedFault{fromSecond(RepeatedRow()), fromSecond(MissingRow())}, want: completesOrFails, remedy: remedyRepeated},
		{name: "count-shrinks", records: fewRecords, breaks: []scopedFault{fromSecond(CountShrinks(5))}, want: completesOrFails, remedy: remedyShrinks},
		{name: "record-deleted", records: fewRecords, deletes: true, want: completesOrFails, remedy: remedyDeletion},
	}
}
