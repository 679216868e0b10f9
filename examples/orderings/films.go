package main

import "time"

// films returns some invented films.
func films() []Film {
	rated := func(stars float64) *float64 { return &stars }
	on := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 20, 0, 0, 0, time.UTC)
	}
	return []Film{
		{1, "Sale", 1961, on(1961, time.May, 10), rated(8.5)},
		{2, "L'ultima estate", 1974, on(1974, time.July, 1), nil},
		{3, "The River House", 1961, on(1961, time.March, 2), rated(7)},
		{4, "Ohne Namen", 1988, on(1988, time.November, 30), rated(10)},
		{5, "影", 1974, on(1975, time.January, 4), rated(7.5)},
		{6, "A Winter & a Half", 2003, on(2003, time.December, 24), rated(7)},
		{7, "Cartas", 1988, on(1988, time.February, 29), nil},
	}
}
