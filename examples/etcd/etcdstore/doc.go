// Package etcdstore stores the records of collections in etcd and serves them from
// memory. Any number of processes can write and read the same records.
//
//	store, err := etcdstore.Open(ctx, etcdstore.Options{Client: client, Prefix: "house/"})
//	...
//	defer store.Close()
//	handler, err := store.NewHandler(httpapi.Options{ETags: true, Authorizer: httpapi.Bearer(secret)})
//	...
//	http.ListenAndServe(addr, store.ReadOnce(handler))
//
// Each [Store] has all records in a [catalogue.Catalogue], its replica, and follows the
// writes of all stores with the same prefix.
//
// A write is applied to a clone of the replica, which checks it exactly as the catalogue does.
// The records that change are then stored in one transaction of etcd, on the condition that the
// collection, and those that it refers to, have not changed since. If they have, the write starts
// again, until [Options.Timeout]. It returns when the replica has it. A deletion fails with
// [httpapi.ErrConflict] if more than 80 records would be deleted because they refer to the
// deleted one. So does a change of a text to which more records refer than a transaction can
// write.
//
// A read asks a quorum of the cluster for the revision of the last write, waits until the
// replica has that revision, and reads from memory. Reads are therefore linearizable, unless
// [Options.Serializable] is set. The revision of a collection is that of etcd at its last
// write, so all stores have the same entity tag for the same page. If its records are shown by a
// function, as of [catalogue.Show], it is the sum of the revisions of all collections.
//
// Without a quorum, reads and writes fail with [httpapi.ErrUnavailable] after the timeout.
// Such a write may or may not be stored; its error says which. A Store that was disconnected
// catches up, or reads all records again. Until then, linearizable reads wait or fail.
package etcdstore
