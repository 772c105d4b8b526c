package setting

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Setting is the record.
type Setting struct {
	Fields
	EvaluationModeActive bool        `json:"evaluationModeActive" gorm:"-" doc:"Whether it holds now: it is on, and its window is open"`
	AcademicYear         *ActiveYear `json:"academicYear" gorm:"-" doc:"The active one; it is changed under academic-year"`
	Version              int         `json:"version"`
	UpdatedBy            *uuid.UUID  `json:"updatedBy"`
	UpdatedAt            time.Time   `json:"updatedAt"`
}

// TableName is the record's table.
func (Setting) TableName() string { return "school_setting" }

// ActiveYear is the academic year that is on.
type ActiveYear struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	StartDate api.Date  `json:"startDate"`
	EndDate   api.Date  `json:"endDate"`
}

func (m *Module) get(c api.Ctx, _ api.Nothing) (Setting, error) { return m.read(c, c.DB) }

// read puts the page together: the record, and the few things that are kept as records
// of their own.
func (m *Module) read(c api.Ctx, db *gorm.DB) (Setting, error) {
	var s Setting
	if err := db.Take(&s).Error; err != nil {
		return s, fmt.Errorf("reading the settings: %w", err)
	}
	if !s.described() {
		s.describe(c.School)
	}
	var weekends []struct{ Days []int16 }
	var years []ActiveYear
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select days from weekend order by from_date desc limit 1`, Scan: tenancy.Collect(&weekends)},
		tenancy.Query{SQL: `select id, name, start_date, end_date from academic_year where active`, Scan: tenancy.Collect(&years)})
	if err != nil {
		return s, fmt.Errorf("reading the settings: %w", err)
	}
	s.WeekendDays = append([]int16{}, c.School.WeekendDays...)
	if len(weekends) > 0 {
		s.WeekendDays = weekends[0].Days
	}
	if len(years) > 0 {
		s.AcademicYear = &years[0]
	}
	if s.GradeScaleID, err = m.Grades.DefaultScale(c); err != nil {
		return s, err
	}
	s.lapse(c.Now)
	s.EvaluationModeActive = s.evaluates(c.Now)
	return s, nil
}
