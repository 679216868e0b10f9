package etcdstore

// SetPageSize sets the number of keys in a request of s while it reads all records again.
func SetPageSize(s *Store, n int64) { s.pageSize = n }
