package paper

import (
	"fmt"
	"strings"
)

// InWords is an amount as it is written out in English, in lakhs and crores where the school
// groups its figures so: One lakh twenty-three thousand rupees and fifty paise only.
func (f Figures) InWords(minor int64) string {
	whole, rest, places := f.split(minor)
	names, known := units[f.currency]
	if !known {
		names = [4]string{f.currency, f.currency}
	}
	text := f.spell(whole) + " " + names[plural(whole)]
	switch {
	case rest > 0 && known && names[2] != "":
		text += " and " + f.spell(rest) + " " + names[2+plural(rest)]
	case rest > 0:
		text += fmt.Sprintf(" and %0*d/1%s", places, rest, strings.Repeat("0", places))
	}
	if minor < 0 {
		text = "minus " + text
	}
	return strings.ToUpper(text[:1]) + text[1:] + " only"
}

func plural(n int64) int {
	if n == 1 {
		return 0
	}
	return 1
}

// units are the names of currencies: one and many of the larger, one and many of the smaller.
var units = map[string][4]string{
	"INR": {"rupee", "rupees", "paisa", "paise"}, "PKR": {"rupee", "rupees", "paisa", "paise"}, "NPR": {"rupee", "rupees", "paisa", "paise"},
	"LKR": {"rupee", "rupees", "cent", "cents"}, "BDT": {"taka", "taka", "poisha", "poisha"}, "USD": {"dollar", "dollars", "cent", "cents"},
	"AUD": {"dollar", "dollars", "cent", "cents"}, "CAD": {"dollar", "dollars", "cent", "cents"},
	"NZD": {"dollar", "dollars", "cent", "cents"},
	"SGD": {"dollar", "dollars", "cent", "cents"}, "EUR": {"euro", "euros", "cent", "cents"}, "GBP": {"pound", "pounds", "penny", "pence"},
	"KES": {"shilling", "shillings", "cent", "cents"}, "UGX": {"shilling", "shillings"}, "TZS": {"shilling", "shillings", "cent", "cents"},
	"NGN": {"naira", "naira", "kobo", "kobo"}, "GHS": {"cedi", "cedis", "pesewa", "pesewas"}, "ZAR": {"rand", "rand", "cent", "cents"},
	"AED": {"dirham", "dirhams", "fils", "fils"}, "SAR": {"riyal", "riyals", "halala", "halalas"},
	"QAR": {"riyal", "riyals", "dirham", "dirhams"},
	"KWD": {"dinar", "dinars", "fils", "fils"}, "BHD": {"dinar", "dinars", "fils", "fils"}, "OMR": {"rial", "rials", "baisa", "baisa"},
	"VND": {"dong", "dong"}, "JPY": {"yen", "yen"}, "PHP": {"peso", "pesos", "centavo", "centavos"},
	"MYR": {"ringgit", "ringgit", "sen", "sen"},
	"IDR": {"rupiah", "rupiah", "sen", "sen"}, "THB": {"baht", "baht", "satang", "satang"}, "EGP": {"pound", "pounds", "piastre", "piastres"},
	"ETB": {"birr", "birr", "santim", "santim"},
}

type scale struct {
	from int64
	name string
}

var (
	indian        = []scale{{10_000_000, "crore"}, {100_000, "lakh"}, {1_000, "thousand"}, {100, "hundred"}}
	international = []scale{{1_000_000_000_000, "trillion"}, {1_000_000_000, "billion"}, {1_000_000, "million"}, {1_000, "thousand"},
		{100, "hundred"}}
	small = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen`)
	tens = strings.Fields(`- - twenty thirty forty fifty sixty seventy eighty ninety`)
)

// spell is a number in English.
func (f Figures) spell(n int64) string {
	scales := international
	if f.lakhs {
		scales = indian
	}
	for _, s := range scales {
		if n >= s.from {
			text := f.spell(n/s.from) + " " + s.name
			if rest := n % s.from; rest > 0 {
				text += " " + f.spell(rest)
			}
			return text
		}
	}
	if n < int64(len(small)) {
		return small[n]
	}
	text := tens[n/10]
	if n%10 > 0 {
		text += "-" + small[n%10]
	}
	return text
}
