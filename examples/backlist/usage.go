package main

// usage is the output of -h.
const usage = `usage: backlist [flags]

Serves the catalogue of a publishing house at http://127.0.0.1:8080/api/.

The service
  -addr HOST:PORT    listen there; port 0 is a free one (default 127.0.0.1:8080)
  -base-url URL      begin links with URL, for use behind a proxy
  -cors ORIGIN,...   let pages of these origins send requests; * for all pages
  -open, -token T    permit all writes, or those with "Authorization: Bearer T"
  -browse=false      send JSON to browsers instead of HTML pages
  -max-limit N       largest page (default 1000; negative means no limit)
  -openapi FILE      write the document, in -openapi-version 3.0 (default 3.1)
The records
  -data FILE         serve the records of a JSON file instead of generated ones
  -save FILE         write the records to a file if they change, and at the end
  -save-every TIME   at most this often (default 10s; 0 means only at the end)
  -seed N            generate others
  -events 300, -labels 24, -authors 60, -social-links 80, -books 200, -others 12
                     generate so many records; others: of each other collection
The faults
  -delay TIME        delay all responses, for example by 200ms
  -fail FAULT        add a fault, for example 'GET /api/events/ 503 10%'
  -control HOST:PORT houses for tests; see examples/backlist/README.md

FAULT is [METHOD] [PATH] NAME [10%] [nth=N] [after=N] [offset=N] [seed=N], where
NAME is a status such as 503 or 503 "body", unavailable 5s, header Name value,
delay 2s, slow BYTES TIME, cut, cut-after BYTES, truncate BYTES, browsable-api,
or for pages next-is-self, next-cycle, next-host HOST, next-scheme SCHEME,
empty-page-with-next, missing-row, repeated-row or count-shrinks N.
`
