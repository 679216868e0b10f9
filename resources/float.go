package resources

// A Float64 is a number whose JSON is that of the service: with a point or an exponent, such
// as 7.0 and 1e+16, as Python writes it. encoding/json writes a float64 as 7.
type Float64 float64
