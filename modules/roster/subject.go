package roster

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Subject is what is taught: Mathematics.
type Subject struct {
	api.Record
	SubjectFields
}

// SubjectFields are what an administrator says of a subject.
type SubjectFields struct {
	Name      string `json:"name" validate:"name,max=100" example:"Mathematics"`
	Code      string `json:"code" validate:"notblank,max=20" example:"MATH"`
	Type      string `json:"type" validate:"omitempty,oneof=CORE ELECTIVE CO_SCHOLASTIC" doc:"CORE unless given"`
	MaxMarks  *int   `json:"maxMarks" validate:"omitempty,min=1,max=10000"`
	PassMarks *int   `json:"passMarks" validate:"omitempty,min=0,max=10000"`
}

type subjectChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[SubjectFields]
}

var subjectListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "code": "code", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name", "code"), "type": api.ByEnum("type", "CORE", "ELECTIVE", "CO_SCHOLASTIC")},
}

func createSubject(c api.Ctx, r SubjectFields) (Subject, error) {
	s := Subject{SubjectFields: r}
	if err := s.normalize(); err != nil {
		return s, err
	}
	return s, api.Insert(c, "subject", &s)
}

func listSubjects(c api.Ctx, l api.ListRequest) (api.Page[Subject], error) {
	return api.Fetch[Subject](c.DB.Model(&Subject{}), l)
}

func getSubject(c api.Ctx, r byID) (Subject, error) {
	return api.Find[Subject](c, "subject", c.DB, r.ID)
}

func updateSubject(c api.Ctx, r subjectChange) (Subject, error) {
	return api.Update(c, "subject", r.ID, func(s *Subject) error {
		if err := r.Apply(&s.SubjectFields); err != nil {
			return err
		}
		return s.normalize()
	})
}

func deleteSubject(c api.Ctx, r byID) error { return api.Erase[Subject](c, "subject", r.ID) }

func (s *Subject) normalize() error {
	if s.Type == "" {
		s.Type = "CORE"
	}
	if s.MaxMarks != nil && s.PassMarks != nil && *s.PassMarks > *s.MaxMarks {
		return api.InvalidField("passMarks", "passMarks must not be above maxMarks")
	}
	return nil
}

// mySubjects are those the calling teacher is assigned to this year; who answers for
// a whole division has all subjects of its class.
func mySubjects(c api.Ctx, l api.ListRequest) (api.Page[Subject], error) {
	return api.Fetch[Subject](c.DB.Model(&Subject{}).Where(`id in (
		select coalesce(a.subject_id, cs.subject_id) from teacher_assignment a
		left join academic_year y on y.id = a.academic_year_id
		left join class_subject cs on cs.class_id = a.class_id and a.subject_id is null
		where a.user_id = ? and (a.academic_year_id is null or y.active))`, c.User.ID), l)
}
