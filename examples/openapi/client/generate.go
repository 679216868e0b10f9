package client

// The document is that of examples/serve, and the client is generated from it. A test
// checks that both are up to date. To update them, run go generate ./client.

//go:generate go run github.com/gobacklist/backlist/examples/serve -openapi openapi.json
//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client.gen.go openapi.json
