package tenancy_test

import (
	"testing"

	"homeroom/tenancy"
)

func TestCurrencyDigits_AreThoseOfISO4217(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0, "UYI": 0, "VND": 0,
		"VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
		"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4,
		"INR": 2, "USD": 2, "EUR": 2, "MGA": 2, "MRU": 2, "LAK": 2, "IDR": 2, "HUF": 2, "XCG": 2, "QQQ": 2,
	} {
		if got := tenancy.CurrencyDigits(code); got != want {
			t.Errorf("%s has %d decimals, want %d", code, got, want)
		}
	}
}
