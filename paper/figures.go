package paper

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Figures are dates and money as a school writes them.
type Figures struct {
	currency string
	places   int  // decimals of the currency
	american bool // Nov 30, 2026
	lakhs    bool // 1,23,456
	behind   bool // the currency's sign stands behind the amount
	comma    string
	print    *message.Printer
}

// FiguresOf are those of a locale and a currency with so many decimals: en-IN and INR write
// ₹1,23,456.00.
func FiguresOf(locale, currency string, places int) Figures {
	tag, err := language.Parse(locale)
	if err != nil {
		tag = language.English
	}
	base, _ := tag.Base()
	region, _ := tag.Region()
	f := Figures{currency: currency, places: places, american: region.String() == "US", behind: signBehind[base.String()],
		print: message.NewPrinter(tag)}
	f.lakhs = !unicode.IsDigit([]rune(f.print.Sprint(number.Decimal(100_000)))[1]) // 1,00,000
	f.comma = strings.Trim(f.print.Sprint(number.Decimal(0.5, number.Scale(1))), "05")
	return f
}

// signBehind are languages that write 5 €.
var signBehind = map[string]bool{"bg": true, "ca": true, "cs": true, "da": true, "de": true, "el": true, "es": true, "et": true,
	"fi": true,
	"fr": true, "hr": true, "hu": true, "it": true, "lt": true, "lv": true, "nb": true, "pl": true, "ro": true, "ru": true, "sk": true,
	"sl": true, "sr": true, "sv": true, "uk": true, "vi": true}

// Plain is money without the currency: minor units in, 1,23,456.00 out.
func (f Figures) Plain(minor int64) string {
	whole, rest, places := f.split(minor)
	text := f.print.Sprint(number.Decimal(whole))
	if places > 0 {
		text += f.comma + fmt.Sprintf("%0*d", places, rest)
	}
	if minor < 0 {
		text = "-" + text
	}
	return text
}

// Money is an amount with its currency.
func (f Figures) Money(minor int64) string {
	const blank = "\u00a0"
	sign, known := signs[f.currency]
	switch {
	case f.behind && known:
		return f.Plain(minor) + blank + sign
	case f.behind:
		return f.Plain(minor) + blank + f.currency
	case !known:
		return f.currency + blank + f.Plain(minor)
	case minor < 0:
		return "-" + sign + f.Plain(-minor)
	}
	return sign + f.Plain(minor)
}

// Sign is the currency's sign or code, for the head of a column.
func (f Figures) Sign() string {
	if sign, known := signs[f.currency]; known {
		return sign
	}
	return f.currency
}

var signs = map[string]string{"INR": "₹", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "NGN": "₦", "VND": "₫", "AUD": "$", "CAD": "$",
	"NZD": "$",
	"SGD": "$", "PHP": "₱", "ILS": "₪", "KRW": "₩", "UAH": "₴", "KZT": "₸", "TRY": "₺", "GHS": "₵", "KHR": "៛", "BDT": "৳", "THB": "฿",
	"KES": "KSh\u00a0", "ZAR": "R\u00a0", "PKR": "Rs\u00a0", "NPR": "Rs\u00a0", "LKR": "Rs\u00a0"}

func (f Figures) split(minor int64) (whole, rest int64, places int) {
	places = f.places
	unit := int64(1)
	for range places {
		unit *= 10
	}
	if minor < 0 {
		minor = -minor
	}
	return minor / unit, minor % unit, places
}

// Day is a date: 30 Nov 2026.
func (f Figures) Day(year int, month time.Month, day int) string {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(f.layout())
}

// Moment is a date and a time of day, in the time's own location.
func (f Figures) Moment(t time.Time) string {
	if f.american {
		return t.Format(f.layout() + ", 3:04 PM")
	}
	return t.Format(f.layout() + ", 15:04")
}

func (f Figures) layout() string {
	if f.american {
		return "Jan 2, 2006"
	}
	return "2 Jan 2006"
}
