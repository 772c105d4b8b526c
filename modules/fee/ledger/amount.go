package ledger

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// Amount is money as it is sent: a whole number of minor units. Another thing in its
// place is a field that is wrong (422), of any JSON type: a text is a likely slip.
type Amount int64

// UnmarshalJSON reads a whole number.
func (a *Amount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return errors.New("must be a whole number in range")
	}
	*a = Amount(n)
	return nil
}

// Value is a concession's: an amount or a percentage.
type Value float64

// UnmarshalJSON reads a number.
func (v *Value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return errors.New("must be a number")
	}
	*v = Value(n)
	return nil
}

// Part is amount × numerator ÷ denominator, rounded half up. The product may be longer
// than 64 bits.
func Part(amount, numerator, denominator int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(numerator))
	low, carry := bits.Add64(low, uint64(denominator)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(denominator))
	return int64(quotient)
}
