package roster

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
)

// ClassSubject says that a class takes a subject, and how often a week.
type ClassSubject struct {
	ID            uuid.UUID
	ClassID       uuid.UUID
	SubjectID     uuid.UUID
	WeeklyPeriods int
}

type classSubjectsChange struct {
	ClassID  uuid.UUID           `json:"classId" validate:"required"`
	Subjects []classSubjectInput `json:"subjects" validate:"required,max=100,dive"`
}

type classSubjectInput struct {
	SubjectID     uuid.UUID `json:"subjectId" validate:"required"`
	WeeklyPeriods int       `json:"weeklyPeriods" validate:"min=0,max=100"`
}

type ofClass struct {
	ClassID uuid.UUID `json:"classId" validate:"required"`
}

// ClassSubjects are the subjects a class takes.
type ClassSubjects struct {
	ClassID  uuid.UUID          `json:"classId"`
	Subjects []ClassSubjectView `json:"subjects"`
}

// ClassSubjectView is one of them with its name.
type ClassSubjectView struct {
	SubjectID     uuid.UUID `json:"subjectId"`
	Name          string    `json:"name"`
	Code          string    `json:"code"`
	Type          string    `json:"type" enum:"CORE,ELECTIVE,CO_SCHOLASTIC"`
	WeeklyPeriods int       `json:"weeklyPeriods"`
}

func getClassSubjects(c api.Ctx, r ofClass) (ClassSubjects, error) {
	if _, err := api.Find[Class](c, "class", c.DB, r.ClassID); err != nil {
		return ClassSubjects{}, err
	}
	return classSubjects(c, r.ClassID)
}

// putClassSubjects replaces what a class takes. The class is locked, so that two
// lists sent at once do not mix.
func putClassSubjects(c api.Ctx, r classSubjectsChange) (ClassSubjects, error) {
	if _, err := api.Lock[Class](c, "class", r.ClassID); err != nil {
		return ClassSubjects{}, err
	}
	var ids []uuid.UUID
	for _, s := range r.Subjects {
		ids = append(ids, s.SubjectID)
	}
	there, err := Present(c, "subject", ids)
	if err != nil {
		return ClassSubjects{}, err
	}
	var bad []api.Detail
	var rows []ClassSubject
	seen := map[uuid.UUID]bool{}
	for i, s := range r.Subjects {
		field := fmt.Sprintf("subjects[%d].subjectId", i)
		switch {
		case !there[s.SubjectID]:
			bad = append(bad, api.Detail{Field: field, Message: "subjectId does not exist"})
		case seen[s.SubjectID]:
			bad = append(bad, api.Detail{Field: field, Message: "subjectId is named twice"})
		}
		seen[s.SubjectID] = true
		rows = append(rows, ClassSubject{ID: api.NewID(), ClassID: r.ClassID, SubjectID: s.SubjectID, WeeklyPeriods: s.WeeklyPeriods})
	}
	if bad != nil {
		return ClassSubjects{}, api.Invalid(bad...)
	}
	before, err := classSubjects(c, r.ClassID)
	if err != nil {
		return ClassSubjects{}, err
	}
	taken := map[classSubjectInput]bool{}
	for _, s := range before.Subjects {
		taken[classSubjectInput{s.SubjectID, s.WeeklyPeriods}] = true
	}
	if len(taken) == len(r.Subjects) && !slices.ContainsFunc(r.Subjects, func(s classSubjectInput) bool { return !taken[s] }) {
		c.Unchanged()
		return before, nil
	}
	if err := c.DB.Where("class_id = ?", r.ClassID).Delete(&ClassSubject{}).Error; err != nil {
		return ClassSubjects{}, fmt.Errorf("replacing a class's subjects: %w", err)
	}
	if len(rows) > 0 {
		if err := c.DB.Create(&rows).Error; err != nil {
			return ClassSubjects{}, fmt.Errorf("adding a class's subjects: %w", err)
		}
	}
	after, err := classSubjects(c, r.ClassID)
	if err != nil {
		return ClassSubjects{}, err
	}
	c.Changed("update", "class subjects", r.ClassID, before, after)
	return after, nil
}

func classSubjects(c api.Ctx, class uuid.UUID) (ClassSubjects, error) {
	out := ClassSubjects{ClassID: class, Subjects: []ClassSubjectView{}}
	err := c.DB.Raw(`select s.id as subject_id, s.name, s.code, s.type, cs.weekly_periods
		from class_subject cs join subject s on s.id = cs.subject_id where cs.class_id = ?
		order by s.name, s.id`, class).Scan(&out.Subjects).Error
	if err != nil {
		return out, fmt.Errorf("reading a class's subjects: %w", err)
	}
	return out, nil
}
