package main

import (
	"fmt"
	"math"
	"strconv"
)

// queries is a number of operations that a flag gives; 0 is none given.
type queries float64

// UnmarshalText takes a number that costs can be divided by.
func (q *queries) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(n) || n < 1 || n > 1e18 {
		return fmt.Errorf("%q is no number of queries: give how many were done in the profile's window, 1 or more", text)
	}
	*q = queries(n)
	return nil
}
