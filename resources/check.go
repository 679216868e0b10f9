package resources

// Check TODO
func (d Description) Check() error { return nil }
