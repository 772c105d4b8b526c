package roster

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// TeacherAssignment says that a teacher answers for a class, one of its divisions, or
// a subject there. What a teacher may touch is decided by it.
type TeacherAssignment struct {
	api.Record
	UserID         uuid.UUID
	AcademicYearID *uuid.UUID
	ClassID        uuid.UUID
	DivisionID     *uuid.UUID
	SubjectID      *uuid.UUID
	IsClassTeacher bool
}

// Assignment is one as people read it.
type Assignment struct {
	ID             uuid.UUID  `json:"id"`
	AcademicYearID *uuid.UUID `json:"academicYearId"`
	ClassID        uuid.UUID  `json:"classId"`
	ClassName      string     `json:"className"`
	DivisionID     *uuid.UUID `json:"divisionId"`
	DivisionName   string     `json:"divisionName"`
	SubjectID      *uuid.UUID `json:"subjectId"`
	SubjectName    string     `json:"subjectName"`
	IsClassTeacher bool       `json:"isClassTeacher"`
}

type assignmentsChange struct {
	ID             uuid.UUID         `path:"id"`
	AcademicYearID *uuid.UUID        `json:"academicYearId" doc:"The active year unless given"`
	Assignments    []assignmentInput `json:"assignments" validate:"required,max=200,dive"`
}

type assignmentInput struct {
	ClassID        uuid.UUID  `json:"classId" validate:"required"`
	DivisionID     *uuid.UUID `json:"divisionId" doc:"The whole class unless given"`
	SubjectID      *uuid.UUID `json:"subjectId" doc:"Every subject unless given"`
	IsClassTeacher bool       `json:"isClassTeacher"`
}

type assignmentsRequest struct {
	ID             uuid.UUID  `path:"id"`
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
}

// AssignmentList is a teacher's assignments of one year.
type AssignmentList struct {
	Assignments []Assignment `json:"assignments"`
}

func getAssignments(c api.Ctx, r assignmentsRequest) (AssignmentList, error) {
	e, err := api.Find[Employee](c, "employee", c.DB, r.ID)
	if err != nil || e.UserID == nil {
		return AssignmentList{Assignments: []Assignment{}}, err
	}
	year, err := yearOr(c, r.AcademicYearID)
	if err != nil {
		return AssignmentList{}, err
	}
	list, err := assignmentsOf(c, *e.UserID, year)
	return AssignmentList{Assignments: list}, err
}

// putAssignments replaces a teacher's assignments of one year. Those of other years
// are history and stay; one without a year counts as the active year's.
func putAssignments(c api.Ctx, r assignmentsChange) (AssignmentList, error) {
	e, err := api.Lock[Employee](c, "employee", r.ID)
	if err != nil {
		return AssignmentList{}, err
	}
	if e.EmployeeType != "TEACHER" || e.Status != "ACTIVE" || e.UserID == nil {
		return AssignmentList{}, api.Conflict("%s is not an active teacher", e.Name())
	}
	year, err := yearOr(c, r.AcademicYearID)
	if err != nil {
		return AssignmentList{}, err
	}
	if err := checkAssignments(c, r.Assignments); err != nil {
		return AssignmentList{}, err
	}
	before, err := assignmentsOf(c, *e.UserID, year)
	if err != nil {
		return AssignmentList{}, err
	}
	if areThese(before, r.Assignments) {
		c.Unchanged()
		return AssignmentList{Assignments: before}, nil
	}
	if err := claimDivisions(c, *e.UserID, year, r.Assignments); err != nil {
		return AssignmentList{}, err
	}
	if err := ofYear(c.DB.Where("user_id = ?", *e.UserID), year).Delete(&TeacherAssignment{}).Error; err != nil {
		return AssignmentList{}, fmt.Errorf("replacing assignments: %w", err)
	}
	var rows []TeacherAssignment
	for _, a := range r.Assignments {
		rows = append(rows, TeacherAssignment{
			Record: newRecord(c),
			UserID: *e.UserID, AcademicYearID: year, ClassID: a.ClassID, DivisionID: a.DivisionID, SubjectID: a.SubjectID,
			IsClassTeacher: a.IsClassTeacher,
		})
	}
	if len(rows) > 0 {
		if err := c.DB.Create(&rows).Error; err != nil {
			return AssignmentList{}, fmt.Errorf("adding assignments: %w", err)
		}
	}
	after, err := assignmentsOf(c, *e.UserID, year)
	if err != nil {
		return AssignmentList{}, err
	}
	c.Changed("update", "assignment", e.ID, before, after)
	c.RightsChanged()
	return AssignmentList{Assignments: after}, nil
}

// areThese tells whether a teacher's assignments are those of a list, which names none twice.
func areThese(before []Assignment, list []assignmentInput) bool {
	there := map[string]bool{}
	for _, a := range before {
		there[assignmentInput{a.ClassID, a.DivisionID, a.SubjectID, a.IsClassTeacher}.key(a.IsClassTeacher)] = true
	}
	return len(before) == len(list) && !slices.ContainsFunc(list, func(a assignmentInput) bool { return !there[a.key(a.IsClassTeacher)] })
}

func yearOr(c api.Ctx, given *uuid.UUID) (*uuid.UUID, error) {
	if given == nil {
		return activeYearID(c)
	}
	var n int64
	if err := c.DB.Model(&AcademicYear{}).Where("id = ?", *given).Count(&n).Error; err != nil {
		return nil, fmt.Errorf("looking for a year: %w", err)
	}
	if n == 0 {
		return nil, api.InvalidField("academicYearId", "academicYearId does not exist")
	}
	return given, nil
}

// ofYear narrows to a year's assignments; those made before there was a year count
// in the active one.
func ofYear(db *gorm.DB, year *uuid.UUID) *gorm.DB {
	if year == nil {
		return db.Where("academic_year_id is null")
	}
	return db.Where("(academic_year_id = ? or academic_year_id is null and (select active from academic_year where id = ?))", *year, *year)
}

func assignmentsOf(c api.Ctx, user uuid.UUID, year *uuid.UUID) ([]Assignment, error) {
	list := []Assignment{}
	err := ofYear(c.DB.Table("teacher_assignment a").Where("a.user_id = ?", user), year).
		Joins("join class k on k.id = a.class_id").Joins("left join division d on d.id = a.division_id").
		Joins("left join subject s on s.id = a.subject_id").
		Select(`a.id, a.academic_year_id, a.class_id, k.name as class_name, a.division_id, coalesce(d.name, '') as division_name,
			a.subject_id, coalesce(s.name, '') as subject_name, a.is_class_teacher`).
		Order("k.level, k.name, d.name, s.name, a.id").Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading assignments: %w", err)
	}
	return list, nil
}
