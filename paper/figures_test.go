package paper_test

import (
	"testing"
	"time"

	"homeroom/paper"
)

func TestMoney_IsWrittenAsTheSchoolWritesIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		locale, currency string
		minor            int64
		money, words     string
	}{
		{"en-IN", "INR", 12_345_650, "₹1,23,456.50", "One lakh twenty-three thousand four hundred fifty-six rupees and fifty paise only"},
		{"hi-IN", "INR", 100, "₹1.00", "One rupee only"},
		{"en-US", "USD", 12_345_601, "$123,456.01", "One hundred twenty-three thousand four hundred fifty-six dollars and one cent only"},
		{"en-IN", "INR", 1_00_00_00_000_00, "₹1,00,00,00,000.00", "One hundred crore rupees only"},
		{"en-US", "USD", 2_000_000_000_00, "$2,000,000,000.00", "Two billion dollars only"},
		{"de-DE", "EUR", 123_450, "1.234,50\u00a0€", "One thousand two hundred thirty-four euros and fifty cents only"},
		{"vi-VN", "VND", 1_234_567, "1.234.567\u00a0₫",
			"One million two hundred thirty-four thousand five hundred sixty-seven dong only"},
		{"en-KW", "KWD", 1_005, "KWD\u00a01.005", "One dinar and five fils only"},
		{"en-GB", "CHF", 1_005, "CHF\u00a010.05", "Ten CHF and 05/100 only"},
		{"no such place", "INR", -150, "-₹1.50", "Minus one rupee and fifty paise only"},
		{"en-IN", "INR", 0, "₹0.00", "Zero rupees only"},
	} {
		places := 2
		if special, ok := map[string]int{"VND": 0, "KWD": 3}[c.currency]; ok {
			places = special
		}
		f := paper.FiguresOf(c.locale, c.currency, places)
		if got := f.Money(c.minor); got != c.money {
			t.Errorf("%s: %q, want %q", c.locale, got, c.money)
		}
		if got := f.InWords(c.minor); got != c.words {
			t.Errorf("%s: %q, want %q", c.locale, got, c.words)
		}
	}
}

func TestDates_FollowTheLocale(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{"en-IN": "5 Nov 2026, 15:04", "en-US": "Nov 5, 2026, 3:04 PM"} {
		if got := paper.FiguresOf(locale, "INR", 2).Moment(time.Date(2026, 11, 5, 15, 4, 0, 0, time.UTC)); got != want {
			t.Errorf("%s: %q, want %q", locale, got, want)
		}
	}
}
