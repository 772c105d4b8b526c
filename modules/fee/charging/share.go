package charging

import (
	"math"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
)

// whole is a hundred percent, in hundredths of a percent.
const whole = 100_00

// hundredths is a percentage in hundredths of a percent.
func hundredths(percent float64) int { return int(math.Round(percent * 100)) }

// span is which part of the year's fees an instalment is: from one share of the whole
// to another. What is due by its end less what was due before it, each rounded, is what
// it costs; so the instalments of a year come to the year's amount, to the last unit.
type span struct{ from, to int64 }

func (s Structure) span(number int) span {
	var out span
	for _, in := range s.Instalments[:number] {
		out.from, out.to = out.to, out.to+int64(hundredths(in.Percent))
	}
	return out
}

// of is the instalment's part of a year's amount.
func (s span) of(amount int64) int64 {
	return ledger.Part(amount, s.to, whole) - ledger.Part(amount, s.from, whole)
}

// stay is how much of the year a student is there, in months or days: one who joins late
// pays for what remains, the month or day they join included.
type stay struct{ left, year int64 }

// proRata is how the school counts a part of a year, and to which unit it rounds its price.
type proRata struct {
	ProRataBy  string // MONTHS or DAYS
	FeeRoundTo int64
}

const proRataSQL = `select pro_rata_by, fee_round_to from school_setting`

func (p proRata) stay(joined, start, end api.Date) stay {
	year := p.between(start, end) + 1
	if !start.Before(joined) {
		return stay{year, year}
	}
	if end.Before(joined) {
		return stay{0, year}
	}
	return stay{p.between(joined, end) + 1, year}
}

// between counts the months, or days, from one day to another.
func (p proRata) between(from, to api.Date) int64 {
	if p.ProRataBy == "MONTHS" {
		return monthsBetween(from, to)
	}
	return ledger.DaysBetween(from, to)
}

// share is what the stay costs of a year's amount, rounded half up to the school's unit.
func (p proRata) share(s stay, amount int64) int64 {
	if s.whole() {
		return amount
	}
	return min(amount, ledger.Part(amount, s.left, s.year*p.FeeRoundTo)*p.FeeRoundTo)
}

func (s stay) whole() bool { return s.left == s.year }

func monthsBetween(from, to api.Date) int64 {
	return int64((to.Year-from.Year)*12) + int64(to.Month) - int64(from.Month)
}
