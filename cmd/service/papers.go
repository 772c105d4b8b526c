package service

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/exam"
	"homeroom/modules/fee"
	"homeroom/notice"
	"homeroom/tenancy"
)

// papers makes the paper that goes with a message: what its recipient would print in the app.
func (s *Service) papers(fees *fee.Module, exams *exam.Module) func(context.Context, delivery.Message) (*delivery.Paper, error) {
	return func(ctx context.Context, m delivery.Message) (out *delivery.Paper, err error) {
		defer func() { // as of a request: one paper does not end the program
			if fault := recover(); fault != nil {
				err = fmt.Errorf("making a paper: %v", fault)
			}
		}()
		school, db, err := s.schools.Open(ctx, m.SchoolID, tenancy.ReadOnly)
		if err != nil {
			return nil, fmt.Errorf("making a paper: %w", err)
		}
		var lines []struct{ RecordID, StudentID uuid.UUID }
		err = tenancy.Pipeline(db, tenancy.Query{SQL: `select record_id, student_id from notification where user_id = $1
			and dedupe_key = any($2) and type = $3 and record_id is not null and student_id is not null`,
			Args: []any{*m.UserID, m.Keys, m.Type}, Scan: tenancy.Collect(&lines)})
		if err != nil {
			return nil, fmt.Errorf("reading what a paper is about: %w", err)
		}
		var records, students []uuid.UUID
		for _, l := range lines {
			records, students = append(records, l.RecordID), append(students, l.StudentID)
		}
		c := api.Ctx{Context: ctx, School: school, DB: db, Now: s.now(),
			User: api.User{ID: *m.UserID, SchoolID: school.ID, Role: api.Parent}}
		var file *api.File
		switch notice.Type(m.Type) {
		case notice.Fee:
			file, err = fees.Receipts(c, records)
		case notice.Result:
			file, err = exams.Cards(c, records, students)
		}
		if err != nil || file == nil {
			return nil, err
		}
		return &delivery.Paper{Name: file.Name, Body: file.Body}, nil
	}
}
