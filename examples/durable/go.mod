module github.com/gobacklist/backlist/examples/durable

go 1.26.0

replace github.com/gobacklist/backlist => ../..

require (
	github.com/gobacklist/backlist v0.0.0
	go.etcd.io/bbolt v1.5.0
)

require (
	github.com/tidwall/btree v1.8.2 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
