module github.com/gobacklist/backlist

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/tidwall/btree v1.8.2
)
