// Package setting is how a school wants things done: one record, changed by its
// administrators, in force everywhere within a second.
package setting

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// Routes are the endpoints.
func Routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/setting", "setting", "Read the school's settings", get),
		api.Put("/school-admin/setting", "setting", "Change the school's settings", update, api.Versioned),
	)
}

// Setting is the record.
type Setting struct {
	Fields
	Version   int        `json:"version"`
	UpdatedBy *uuid.UUID `json:"updatedBy"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// TableName is the record's table.
func (Setting) TableName() string { return "school_setting" }

// Fields are what an administrator sets.
type Fields struct {
	EvaluationMode       bool   `json:"evaluationMode" doc:"While true, teachers can read only, exams and results excepted"`
	EvaluationModeReason string `json:"evaluationModeReason" validate:"max=500" doc:"Needed to turn evaluation mode on"`
	// AdmissionNumberPattern is read by the roster when it numbers a student.
	AdmissionNumberPattern string `json:"admissionNumberPattern" validate:"notblank,max=30" doc:"How students are numbered: {year} and {yy} are the year of admission, {0000} is the running number, as wide as it has zeros" example:"{year}-{0000}"`
	// AttendanceNoticeDelayMinutes is read by attendance when it tells parents.
	AttendanceNoticeDelayMinutes int `json:"attendanceNoticeDelayMinutes" validate:"min=0,max=1440" doc:"How long parents are not told of an absence, so that a correction can cancel it; 0 tells them at once"`
	// FeeReminderText is read by fees when they remind.
	FeeReminderText string `json:"feeReminderText" validate:"notblank,max=500" doc:"What guardians are told of fees that are due; {student}, {amount} and {dueDate} are filled in"`
	// What follows is read by the library.
	LibraryStudentBooks     int   `json:"libraryStudentBooks" validate:"min=0,max=1000" doc:"How many books a student may have at once"`
	LibraryStudentDays      int   `json:"libraryStudentDays" validate:"min=1,max=366" doc:"For how many days"`
	LibraryStudentRenewals  int   `json:"libraryStudentRenewals" validate:"min=0,max=100" doc:"How often they may renew one"`
	LibraryEmployeeBooks    int   `json:"libraryEmployeeBooks" validate:"min=0,max=1000"`
	LibraryEmployeeDays     int   `json:"libraryEmployeeDays" validate:"min=1,max=366"`
	LibraryEmployeeRenewals int   `json:"libraryEmployeeRenewals" validate:"min=0,max=100"`
	LibraryFinePerDay       int64 `json:"libraryFinePerDay" validate:"min=0,max=1000000000" doc:"What a student is fined for a day a book is late, in minor units; 0 is no fine"`
	LibraryFineGraceDays    int   `json:"libraryFineGraceDays" validate:"min=0,max=366" doc:"Days late that are not fined"`
	LibraryFineMaxAmount    int64 `json:"libraryFineMaxAmount" validate:"min=0,max=1000000000000" doc:"The most for one loan; 0 is no limit"`
}

type change struct{ api.Change[Fields] }

func get(c api.Ctx, _ api.Nothing) (Setting, error) { return read(c.DB) }

func read(db *gorm.DB) (Setting, error) {
	var s Setting
	if err := db.Take(&s).Error; err != nil {
		return s, fmt.Errorf("reading the settings: %w", err)
	}
	return s, nil
}

func update(c api.Ctx, r change) (Setting, error) {
	s, err := read(c.DB.Clauses(clause.Locking{Strength: "UPDATE"}))
	if err != nil {
		return s, err
	}
	if v := c.SentVersion(); v != nil && *v != s.Version {
		return s, api.Conflict("The settings were changed by someone else: they are at version %d, you have %d", s.Version, *v)
	}
	before := s
	if err := r.Apply(&s.Fields); err != nil {
		return s, err
	}
	if err := s.checkEvaluation(before.EvaluationMode, r.Names("evaluationModeReason")); err != nil {
		return s, err
	}
	s.Version, s.UpdatedBy, s.UpdatedAt = s.Version+1, &c.User.ID, c.Now
	if err := c.DB.Select("*").Where("id").Updates(&s).Error; err != nil {
		return s, fmt.Errorf("changing the settings: %w", err)
	}
	c.Changed("update", "setting", c.School.ID, before, s)
	if s.EvaluationMode != before.EvaluationMode {
		c.RightsChanged()
	}
	return s, nil
}

// checkEvaluation wants a reason said with every turning on, and forgets it with the turning off.
func (s *Setting) checkEvaluation(was, reasonGiven bool) error {
	switch {
	case s.EvaluationMode && !was && (!reasonGiven || s.EvaluationModeReason == ""):
		return api.InvalidField("evaluationModeReason", "evaluationModeReason is required to turn evaluation mode on")
	case !s.EvaluationMode && was && !reasonGiven:
		s.EvaluationModeReason = ""
	}
	return nil
}
