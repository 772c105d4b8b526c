package api

import "slices"

// Days of the week are numbered in one way everywhere: 1 is Monday, 6 is Saturday. Sunday is 7 where lessons and trips are,
// and 0 where a school's calendar is; lists of days take either.

// ISOWeekday is a day of the week as it was sent, Sunday as 7.
func ISOWeekday(n int) int {
	if n == 0 {
		return 7
	}
	return n
}

// Weekend are days of the week as they were sent, each once and in order, Sunday as 0. Nil stays nil.
func Weekend(days []int16) []int16 {
	if days == nil {
		return nil
	}
	out := make([]int16, len(days))
	for i, d := range days {
		out[i] = d % 7
	}
	slices.Sort(out)
	return slices.Compact(out)
}
