package roster

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// TaughtSQL is the divisions of the classes a user teaches, with the subject taught
// there; no subject is every one. Its argument is the user. Assignments count as they do
// for rights: those of the active year, and those of no year.
const TaughtSQL = `select d.id as division_id, d.class_id, a.subject_id
	from teacher_assignment a
	left join academic_year y on y.id = a.academic_year_id
	join division d on d.id = a.division_id or (a.division_id is null and d.class_id = a.class_id)
	where a.user_id = ? and (a.academic_year_id is null or y.active)`

// TaughtDivision is a division a teacher answers for this year.
type TaughtDivision struct {
	ID             uuid.UUID   `json:"divisionId"`
	Name           string      `json:"divisionName"`
	ClassID        uuid.UUID   `json:"classId"`
	ClassName      string      `json:"className"`
	Room           string      `json:"room"`
	IsClassTeacher bool        `json:"isClassTeacher"`
	SubjectIDs     []uuid.UUID `json:"subjectIds" gorm:"column:subject_ids;serializer:json" doc:"What they teach there; none means every subject"`
	StudentCount   int         `json:"studentCount" doc:"Who sits there today"`
}

var taughtListing = api.Listing{
	Sorts:   map[string]string{"class": "level, class_name, name", "studentCount": "student_count"},
	Default: "class",
	Filters: map[string]api.Filter{"classId": api.ByID("class_id"), "isClassTeacher": api.ByBool("is_class_teacher")},
}

// taughtClasses lists the caller's own divisions. Assignments count as they do for
// rights: those of the active year, and those of no year.
func taughtClasses(c api.Ctx, l api.ListRequest) (api.Page[TaughtDivision], error) {
	mine := c.DB.Raw(`
		select d.id, d.name, d.class_id, k.name as class_name, k.level, d.room, bool_or(a.is_class_teacher) as is_class_teacher,
			coalesce(array_agg(distinct a.subject_id) filter (where a.subject_id is not null), '{}') as subject_ids,
			(select count(*) from enrolment e join student s on s.id = e.student_id
				where e.division_id = d.id and e.start_date <= @today and (e.end_date is null or e.end_date >= @today)
				and s.deleted_at is null) as student_count
		from teacher_assignment a
		left join academic_year y on y.id = a.academic_year_id
		join division d on d.id = a.division_id or (a.division_id is null and d.class_id = a.class_id)
		join class k on k.id = d.class_id
		where a.user_id = @user and (a.academic_year_id is null or y.active)
		group by d.id, k.id`, map[string]any{"user": c.User.ID, "today": c.Today()})
	return api.Fetch[TaughtDivision](c.DB.Table("(?) as mine", mine).
		Select("id, name, class_id, class_name, room, is_class_teacher, subject_ids, student_count"), l)
}
