package schema

// Actions is a set of operations on a collection.
type Actions uint8

// The actions, which are named as in Django REST framework. The first two are requests to
// the path of the collection, the others to that of a record.
const (
	List          Actions = 1 << iota // GET of a page
	Create                            // POST
	Retrieve                          // GET of a record
	Update                            // PUT
	PartialUpdate                     // PATCH
	Destroy                           // DELETE

	ReadActions = List | Retrieve
	AllActions  = ReadActions | Create | Update | PartialUpdate | Destroy
)

// Has reports whether the set contains all of the others. O(1).
func (a Actions) Has(others Actions) bool { return a&others == others }
