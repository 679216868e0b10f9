package client

// The document is that of examples/backlist, and the client is generated from it. A test
// checks that both are up to date. To update them, run go generate ./client.

//go:generate go run github.com/gobacklist/backlist/examples/backlist -openapi openapi.json
//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client.gen.go openapi.json
