package exam

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// termsOfYear are how many terms a school year has, by country. Where schools of a country differ, it is what most of them
// have; an office changes the terms as it likes.
var termsOfYear = map[string]int{
	"AE": 3, "AU": 4, "BW": 3, "GB": 3, "GH": 3, "IE": 3, "JP": 3, "KE": 3, "KW": 2, "LK": 3, "LS": 4, "MW": 3, "MY": 2, "NA": 3, "NG": 3,
	"NZ": 4, "PG": 4, "PH": 4, "QA": 2, "RW": 3, "SA": 3, "SG": 4, "SZ": 3, "TT": 3, "UG": 3, "ZA": 4, "ZM": 3, "ZW": 3,
}

// usualTerms is the number in most countries.
const usualTerms = 2

// FirstTerms are the terms that are usual in a school's country: parts of its year, of whole months.
func FirstTerms(s *tenancy.School, y roster.AcademicYear) []Term {
	n := termsOfYear[api.PhoneRegion(s)]
	if n == 0 {
		n = usualTerms
	}
	months := (y.EndDate.Year-y.StartDate.Year)*12 + int(y.EndDate.Month) - int(y.StartDate.Month) + 1
	first := func(i int) api.Date {
		if i == 0 {
			return y.StartDate
		}
		return api.DateOf(time.Date(y.StartDate.Year, y.StartDate.Month+time.Month(i*months/n), 1, 0, 0, 0, 0, time.UTC))
	}
	var terms []Term
	for i := range n {
		end := y.EndDate
		if i < n-1 {
			end = first(i + 1).AddDays(-1)
		}
		if start := first(i); !end.Before(start) {
			terms = append(terms, Term{Record: api.Record{ID: uuid.NewSHA1(y.ID, fmt.Appendf(nil, "term %d", i+1)), Version: 1},
				TermFields: TermFields{AcademicYearID: y.ID, Name: fmt.Sprintf("Term %d", i+1), StartDate: start, EndDate: end,
					Weight: weightOr(nil)}})
		}
	}
	return terms
}

// AddFirstTerms gives a school's first year its terms. Again it adds nothing, nor where the year has terms.
func AddFirstTerms(db *gorm.DB, s *tenancy.School, y roster.AcademicYear) error {
	var n int64
	if err := db.Model(&Term{}).Where("academic_year_id = ?", y.ID).Count(&n).Error; err != nil {
		return fmt.Errorf("reading terms: %w", err)
	}
	terms := FirstTerms(s, y)
	if n > 0 || len(terms) == 0 {
		return nil
	}
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&terms).Error; err != nil {
		return fmt.Errorf("adding the first terms: %w", err)
	}
	return nil
}

// DropFirstTerms removes the terms a year began with, as long as nobody has changed them.
func DropFirstTerms(c api.Ctx, year uuid.UUID) error {
	err := c.DB.Exec(`delete from term t where t.academic_year_id = ? and t.version = 1 and t.created_by is null
		and not exists (select from exam e where e.term_id = t.id)`, year).Error
	if err != nil {
		return fmt.Errorf("removing the first terms: %w", err)
	}
	return nil
}
