package sheet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"homeroom/api"
)

// Order says which of two numbers of a date is its day.
type Order string

// The orders people write dates in. A date that begins with its year needs none.
const (
	DayFirst   Order = "DMY"
	MonthFirst Order = "MDY"
)

var monthFirst = map[string]bool{"US": true, "PH": true, "FM": true, "MH": true, "PW": true, "GU": true, "AS": true, "MP": true,
	"PR": true, "VI": true}

// OrderOf is how the people of a region write dates.
func OrderOf(region string) Order {
	if monthFirst[region] {
		return MonthFirst
	}
	return DayFirst
}

var errDate = errors.New("must be a date like 2026-11-30")

var months = map[string]time.Month{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10,
	"nov": 11, "dec": 12,
	"mei": 5, "ago": 8, "okt": 10, "des": 12, "जनवरी": 1, "फरवरी": 2, "मार्च": 3, "अप्रैल": 4, "मई": 5, "जून": 6, "जुलाई": 7, "अगस्त": 8,
	"सितंबर":  9,
	"अक्टूबर": 10, "नवंबर": 11, "दिसंबर": 12, "يناير": 1, "فبراير": 2, "مارس": 3, "أبريل": 4, "ابريل": 4, "مايو": 5, "يونيو": 6, "يوليو": 7,
	"أغسطس": 8,
	"اغسطس": 8, "سبتمبر": 9, "أكتوبر": 10, "اكتوبر": 10, "نوفمبر": 11, "ديسمبر": 12}

func month(word string) time.Month {
	word = strings.ToLower(word)
	if m := months[word]; m != 0 {
		return m
	}
	if len(word) >= 3 {
		return months[word[:3]]
	}
	return 0
}

// date is one as it was written: two numbers that may be day and month, or a day that is clear.
type date struct {
	a, b, year int
	either     bool // a and b are in the writer's order
}

// in is the day, if it exists.
func (d date) in(o Order) (api.Date, error) {
	day, month := d.a, d.b
	if d.either && (d.b > 12 || d.a <= 12 && o == MonthFirst) {
		day, month = d.b, d.a
	}
	t := time.Date(d.year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if d.year < 1900 || d.year > 2200 || t.Day() != day || int(t.Month()) != month {
		return api.Date{}, errDate
	}
	return api.DateOf(t), nil
}

// readDate reads a date as people and spreadsheets write it: 12/04/2016, 12-Apr-16, April 12, 2016, 2016-04-12, 20160412, with or
// without a time, or the days since 1900 that a spreadsheet counts; days are added to those.
func readDate(cell string, days int) (date, error) {
	cell = asciiDigits(cell)
	if n, err := strconv.ParseFloat(cell, 64); err == nil && n >= 367 && n < 110_000 { // 1901 to 2200
		t := time.Date(1899, 12, 30+int(n)+days, 0, 0, 0, 0, time.UTC)
		return date{a: t.Day(), b: int(t.Month()), year: t.Year()}, nil
	}
	parts := strings.FieldsFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) })
	if len(parts) == 1 && len(cell) == 8 && allDigits(cell) {
		parts = []string{cell[:4], cell[4:6], cell[6:]}
	}
	if len(parts) > 3 && clock(cell) {
		parts = parts[:3]
	}
	if len(parts) == 3 && len(parts[2]) > 4 && strings.ContainsAny(parts[2][:3], "tT") && clock(cell) { // 2016-04-12T00:00
		parts[2] = parts[2][:2]
	}
	if len(parts) != 3 {
		return date{}, errDate
	}
	var n [3]int
	named := -1
	for i, p := range parts {
		digits := strings.TrimRightFunc(p, unicode.IsLetter) // 12th
		if digits == "" {
			if n[i] = int(month(p)); n[i] == 0 || named >= 0 {
				return date{}, errDate
			}
			named = i
			continue
		}
		if len(digits) > 4 || !allDigits(digits) || len(p)-len(digits) > 2 {
			return date{}, errDate
		}
		n[i], _ = strconv.Atoi(digits)
	}
	switch {
	case len(parts[0]) == 4 && named != 0:
		return date{a: n[2], b: n[1], year: n[0]}, nil
	case named == 0:
		return date{a: n[1], b: n[0], year: century(parts[2], n[2])}, nil
	case named == 1:
		return date{a: n[0], b: n[1], year: century(parts[2], n[2])}, nil
	case named == 2:
		return date{}, errDate
	}
	return date{a: n[0], b: n[1], year: century(parts[2], n[2]), either: true}, nil
}

// century completes a year of two digits: of the last 85 years and the next 15.
func century(written string, year int) int {
	if len(written) != 2 {
		return year
	}
	if year > time.Now().Year()%100+15 {
		return 1900 + year
	}
	return 2000 + year
}

// clock reports whether a time follows a date.
func clock(cell string) bool { return strings.ContainsRune(cell, ':') }

func allDigits(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// asciiDigits is text with the digits of other scripts as 0 to 9.
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.IsDigit(r) {
			return r
		}
		zero := r
		for n := 0; n < 9 && unicode.IsDigit(zero-1); n++ {
			zero--
		}
		return '0' + (r-zero)%10
	}, text)
}

// Clock reads a time of day as people and spreadsheets write it (7:05, 7.05 pm, 19:05:00, or the part of a day) as HH:MM.
func Clock(cell string) (string, error) {
	text := strings.ToLower(strings.ReplaceAll(asciiDigits(cell), " ", ""))
	if part, err := strconv.ParseFloat(text, 64); err == nil && part >= 0 && part < 1 {
		minutes := int(part*24*60 + 0.5)
		return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60), nil
	}
	bare := strings.TrimRight(text, "apm.")
	fields := strings.FieldsFunc(bare, func(r rune) bool { return r == ':' || r == '.' || r == 'h' })
	if len(fields) < 2 || len(fields) > 3 || !allDigits(strings.Join(fields, "")) || len(fields[0]) > 2 || len(fields[1]) != 2 {
		return "", errors.New("must be a time such as 07:05 or 7:05 am")
	}
	hour, _ := strconv.Atoi(fields[0])
	minute, _ := strconv.Atoi(fields[1])
	switch suffix := text[len(bare):]; {
	case strings.HasPrefix(suffix, "p") && hour < 12:
		hour += 12
	case strings.HasPrefix(suffix, "a") && hour == 12:
		hour = 0
	}
	if hour > 23 || minute > 59 {
		return "", errors.New("must be a time such as 07:05 or 7:05 am")
	}
	return fmt.Sprintf("%02d:%02d", hour, minute), nil
}

// Weekday reads a day of the week, by its name or its number (1 is Monday), as its number.
func Weekday(cell string) (string, error) {
	text := strings.TrimPrefix(api.Fold(asciiDigits(cell)), "day ")
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 7 {
		return strconv.Itoa(n), nil
	}
	for n, names := range weekdays {
		for _, name := range names {
			if text == api.Fold(name) || utf8.RuneCountInString(text) >= 2 && name[0] < 0x80 && strings.HasPrefix(name, text) {
				return strconv.Itoa(n + 1), nil
			}
		}
	}
	return "", errors.New("must be a day of the week, such as Monday")
}

// weekdays are the names of Monday to Sunday in the languages of schools.
var weekdays = [][]string{
	{"monday", "सोमवार", "الاثنين", "jumatatu"}, {"tuesday", "मंगलवार", "الثلاثاء", "jumanne"},
	{"wednesday", "बुधवार", "الأربعاء", "jumatano"},
	{"thursday", "गुरुवार", "الخميس", "alhamisi"}, {"friday", "शुक्रवार", "الجمعة", "ijumaa"}, {"saturday", "शनिवार", "السبت", "jumamosi"},
	{"sunday", "रविवार", "الأحد", "jumapili"},
}
