package client

// The document is that of examples/serve, the client is made from it, and a test
// holds both to that. To make them anew: go generate ./client

//go:generate go run github.com/gobacklist/backlist/examples/serve -openapi openapi.json
//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client.gen.go openapi.json
