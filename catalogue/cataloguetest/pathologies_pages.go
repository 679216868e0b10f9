package cataloguetest

// otherHost is a host that no client should send a request to.
const otherHost = "elsewhere.example"

// wrongLinks are services whose next links lead to the wrong place.
func wrongLinks() []pathology {
	const (
		loop   = "return an error if next leads to a page that has been read, if a record occurs twice, or if there are more records than count"
		origin = "compare the scheme and host of next with those of the first page, and return an error if they differ"
	)
	redirect := "https://" + otherHost + "/"
	return []pathology{
		{name: "next-is-self", records: fewRecords, breaks: []scopedFault{fromSecond(NextIsSelf())}, want: completesOrFails, remedy: loop},
		{name: "next-cycle", records: fewRecords, breaks: []scopedFault{fromSecond(NextCycle())}, want: completesOrFails, remedy: loop},
		{name: "empty-pages-with-next", records: fewRecords, breaks: []scopedFault{fromSecond(EmptyPageWithNext())}, want: completesOrFails, remedy: "return an error if a page has no records and fewer than count have been received, even if it has a next link"},
		{name: "next-on-other-host", records: fewRecords, breaks: []scopedFault{always(NextHost(otherHost))}, want: completesOrFails, remedy: origin},
		{name: "next-without-tls", records: fewRecords, breaks: []scopedFault{always(NextScheme("http"))}, want: completesOrFails, remedy: origin},
		{name: "redirect-to-other-host", records: fewRecords, breaks: []scopedFault{fromSecond(Status(302, "")), fromSecond(Header("Location", redirect))}, want: completesOrFails, remedy: "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"},
	}
}

// wrongPages are services whose records do not agree with their count.
func wrongPages() []pathology {
	const (
		count    = "compare the number of records received with count, and return an error if they differ"
		repeated = "keep the ids received, drop records that are repeated, and compare the number of those left with count"
	)
	return []pathology{
		{name: "row-missing", records: fewRecords, breaks: []scopedFault{fromSecond(MissingRow())}, want: completesOrFails, remedy: count},
		{name: "row-repeated", records: fewRecords, breaks: []scopedFault{fromSecond(RepeatedRow())}, want: completesOrFails, remedy: repeated},
		{name: "row-repeated-for-another", records: fewRecords, breaks: []scopedFault{fromSecond(RepeatedRow()), fromSecond(MissingRow())}, want: completesOrFails, remedy: repeated},
		{name: "count-shrinks", records: fewRecords, breaks: []scopedFault{fromSecond(CountShrinks(5))}, want: completesOrFails, remedy: "do not stop at count while next is not null, and return an error if the count changes"},
		{name: "record-deleted", records: fewRecords, deletes: true, want: completesOrFails, remedy: "if the count changes, a record may have moved from one page to another; start again or return an error"},
	}
}
