module github.com/gobacklist/backlist/examples/openapi

go 1.25.0

replace github.com/gobacklist/backlist => ../..

require github.com/gobacklist/backlist v0.0.0
