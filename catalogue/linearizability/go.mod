module github.com/gobacklist/backlist/catalogue/linearizability

go 1.26

replace github.com/gobacklist/backlist => ../..

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/gobacklist/backlist v0.0.0-00010101000000-000000000000
)

require github.com/tidwall/btree v1.8.2 // indirect
