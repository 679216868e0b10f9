package cataloguetest

// Remedies say what to do if a client fails a pathology or a story.
const (
	remedyStatus      = "check the status before the body, and return an error or retry if it is not 200"
	remedyShape       = "a body without count and results is neither a page nor the end of the list, even with status 200"
	remedyDecode      = "return the error of decoding the page"
	remedyContentType = "either return an error or accept the page"
	remedyRedirect    = "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"
	remedyFormat      = "set the parameter format of the links of the root listing, which is api, to json, or build the URL without it"

	remedyContext = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	remedySlow    = "a body may arrive in pieces; read all of it before decoding it"
	remedyCut     = "return the error of the request, or retry"
	remedyWhole   = "return the error of reading or decoding the body, or retry; a partial body is not a page"

	remedyLast      = "stop after the page whose next is null, and return the records received"
	remedyLinks     = "pages may have fewer records than requested; follow next, or advance the offset by the number of records received, until next is null"
	remedyEmpty     = "a collection without records is not an error; its count is 0 and its results are []"
	remedyLoop      = "return an error if next leads to a page that has been read, if a record occurs twice, or if there are more records than count"
	remedyOrigin    = "compare the scheme and host of next with those of the first page, and return an error if they differ"
	remedyEmptyPage = "return an error if a page has no records and fewer than count have been received, even if it has a next link"
	remedyCount     = "compare the number of records received with count, and return an error if they differ"
	remedyRepeated  = "keep the ids received, drop records that are repeated, and compare the number of those left with count"
	remedyShrinks   = "do not stop at count while next is not null, and return an error if the count changes"
	remedyDeletion  = "if the count changes, a record may have moved from one page to another; start again or return an error"

	remedyWrites  = "records move to other pages when others are inserted or deleted, even if the count stays the same; order by id, begin each page with the last record of the page before it, and start again or return an error if that record is no longer there or the count changes"
	remedySwap    = "an update can move a record to another page; order by id, which never changes"
	remedyPanic   = "check each part of a response before using it"
	remedyLimit   = "limit the number of attempts for each request, and return the last error"
	remedyClose   = "call resp.Body.Close for each response, whatever its status, for example in a defer statement"
	remedyBlock   = "end all goroutines of the call before it returns, and wait for nothing that may not happen without the context"
	remedyCreated = "a POST that creates a record is answered with status 201 and the record; return the id of that, or an error"
	remedyPost    = "after a POST whose response is lost, cut off or invalid, the record may exist: find out with a GET before another POST, or return an error"
)
