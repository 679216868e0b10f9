package cataloguetest

// stranger is a host that no client has to do with.
const stranger = "elsewhere.example"

// lyingLinks are pages whose next leads astray.
func lyingLinks() []pathology {
	const (
		loop   = "a next that leads to a page which has been read is an error; so is a record that comes twice, or more of them than count"
		origin = "compare scheme and host of next with those of the first page, and return an error if they differ"
	)
	redirect := "https://" + stranger + "/api/"
	return []pathology{
		{name: "next-is-self", records: fewRecords, breaks: []placed{fromSecond(NextIsSelf())}, right: completesOrFails, advice: loop},
		{name: "next-cycle", records: fewRecords, breaks: []placed{fromSecond(NextCycle())}, right: completesOrFails, advice: loop},
		{name: "empty-pages-with-next", records: fewRecords, breaks: []placed{fromSecond(EmptyPageWithNext())}, right: completesOrFails, advice: "a page without records before as many have come as count says is an error, whatever next says"},
		{name: "next-on-other-host", records: fewRecords, breaks: []placed{always(NextHost(stranger))}, right: completesOrFails, advice: origin},
		{name: "next-without-tls", records: fewRecords, breaks: []placed{always(NextScheme("http"))}, right: completesOrFails, advice: origin},
		{name: "redirect-to-other-host", records: fewRecords, breaks: []placed{fromSecond(Status(302, "")), fromSecond(Header("Location", redirect))}, right: completesOrFails, advice: "set CheckRedirect in a copy of the http.Client; the service redirects within itself at most"},
	}
}

// lyingPages are pages whose records or count are not so.
func lyingPages() []pathology {
	const (
		count = "compare how many records came with count, and return an error if they differ"
		twice = "keep the ids that have come, leave out what comes twice, and compare how many are left with count"
	)
	return []pathology{
		{name: "row-missing", records: fewRecords, breaks: []placed{fromSecond(MissingRow())}, right: completesOrFails, advice: count},
		{name: "row-repeated", records: fewRecords, breaks: []placed{fromSecond(RepeatedRow())}, right: completesOrFails, advice: twice},
		{name: "row-repeated-for-another", records: fewRecords, breaks: []placed{fromSecond(RepeatedRow()), fromSecond(MissingRow())}, right: completesOrFails, advice: twice},
		{name: "count-shrinks", records: fewRecords, breaks: []placed{fromSecond(CountShrinks(5))}, right: completesOrFails, advice: "do not end by a count while next is not null; a count that changes on the way is an error"},
		{name: "record-deleted", records: fewRecords, deletes: true, right: completesOrFails, advice: "a count that changes on the way means that a record may have slipped from one page to another: begin anew, or return an error"},
	}
}
