package resources

// DescriptionOf returns the description of a collection whose records are structs of type
// T. TODO
func DescriptionOf[T any](key string) (Description, error) { return Description{Key: key}, nil }
