package exam

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// Term is a part of an academic year. A report card weighs the exams of each term
// among themselves, then the terms.
type Term struct {
	api.Record
	TermFields
}

// TermFields are what an administrator says of a term.
type TermFields struct {
	AcademicYearID uuid.UUID `json:"academicYearId" validate:"required"`
	Name           string    `json:"name" validate:"name,max=60" example:"Term 1"`
	StartDate      api.Date  `json:"startDate" validate:"required"`
	EndDate        api.Date  `json:"endDate" validate:"required"`
	Weight         *float64  `json:"weight" validate:"omitempty,min=0,max=1000" doc:"Against the year's other terms; 1 unless given"`
}

type termChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[TermFields]
}

var termListing = api.Listing{
	Sorts:   map[string]string{"startDate": "start_date", "name": "name", "createdAt": "created_at"},
	Default: "startDate",
	Filters: map[string]api.Filter{"academicYearId": api.ByID("academic_year_id"), "search": api.Search("name")},
}

func createTerm(c api.Ctx, r TermFields) (Term, error) {
	t := Term{TermFields: r}
	if err := t.normalize(c); err != nil {
		return t, err
	}
	return t, api.Insert(c, "term", &t)
}

func listTerms(c api.Ctx, l api.ListRequest) (api.Page[Term], error) {
	return api.Fetch[Term](c.DB.Model(&Term{}), l)
}

func getTerm(c api.Ctx, r byID) (Term, error) { return api.Find[Term](c, "term", c.DB, r.ID) }

func updateTerm(c api.Ctx, r termChange) (Term, error) {
	return api.Update(c, "term", r.ID, func(t *Term) error {
		if err := r.Apply(&t.TermFields); err != nil {
			return err
		}
		return t.normalize(c)
	})
}

func deleteTerm(c api.Ctx, r byID) error { return api.Erase[Term](c, "term", r.ID) }

// normalize fills in the weight and refuses days outside the term's year.
func (t *Term) normalize(c api.Ctx) error {
	t.Weight = weightOr(t.Weight)
	year, err := yearNamed(c, t.AcademicYearID)
	switch {
	case err != nil:
		return err
	case t.EndDate.Before(t.StartDate):
		return api.InvalidField("endDate", "endDate must not be before startDate")
	case t.StartDate.Before(year.StartDate) || year.EndDate.Before(t.EndDate):
		return api.InvalidField("startDate", "the term must lie in %s, from %s to %s", year.Name, year.StartDate, year.EndDate)
	}
	return nil
}

// yearNamed is the year a body names.
func yearNamed(c api.Ctx, id uuid.UUID) (roster.AcademicYear, error) {
	var years []roster.AcademicYear
	if err := c.DB.Where("id = ?", id).Find(&years).Error; err != nil {
		return roster.AcademicYear{}, err
	}
	if len(years) == 0 {
		return roster.AcademicYear{}, api.InvalidField("academicYearId", "academicYearId does not exist")
	}
	return years[0], nil
}

func weightOr(given *float64) *float64 {
	if given != nil {
		return given
	}
	one := 1.0
	return &one
}
