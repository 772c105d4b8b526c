package message

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Contact is somebody the caller may write to, and about which student.
type Contact struct {
	UserID      uuid.UUID  `json:"userId"`
	Name        string     `json:"name"`
	Role        string     `json:"role" enum:"SCHOOL_ADMIN,TEACHER,PARENT,DRIVER" example:"TEACHER"`
	StudentID   *uuid.UUID `json:"studentId" doc:"The student you have in common; null where there need be none"`
	StudentName string     `json:"studentName" doc:"Their name; for the office, those of a guardian's children"`
}

// Contacts are all of them.
type Contacts struct {
	Contacts []Contact `json:"contacts"`
	Office   bool      `json:"office" doc:"Whether the school's office can be written to as a whole, by toOffice"`
}

type contactsRequest struct {
	StudentID *uuid.UUID `json:"studentId" doc:"Only those of this student"`
}

// name is what people call a user: as employee, as guardian, or by the account.
const name = `trim(coalesce(em.first_name || ' ' || em.last_name, gu.first_name || ' ' || gu.last_name,
	u.first_name || ' ' || u.last_name))`

const named = ` left join employee em on em.user_id = u.id left join guardian gu on gu.user_id = u.id`

// pairs are the guardians and teachers who have a student in common on a day: $2. An
// assignment to a class counts for all its divisions, as it does for rights.
const pairs = `select g.user_id as guardian, a.user_id as teacher, s.id as student_id,
	trim(s.first_name || ' ' || s.last_name) as student_name
	from student s join student_guardian sg on sg.student_id = s.id and sg.can_view_data join guardian g on g.id = sg.guardian_id
	join enrolment e on e.student_id = s.id and e.start_date <= $2 and (e.end_date is null or e.end_date >= $2)
	join teacher_assignment a on a.class_id = e.class_id and (a.division_id is null or a.division_id = e.division_id)
	left join academic_year y on y.id = a.academic_year_id
	where s.deleted_at is null and (a.academic_year_id is null or y.active)`

// partners is, by the caller's role, whom $1 may write to on the day $2.
var partners = map[api.RoleType]string{
	api.Parent: `select distinct u.id as user_id, ` + name + ` as name, 'TEACHER' as role, p.student_id, p.student_name
		from (` + pairs + `) p join app_user u on u.id = p.teacher and u.status = 'ACTIVE'` + named + ` where p.guardian = $1`,
	api.Teacher: `select distinct u.id as user_id, ` + name + ` as name, 'PARENT' as role, p.student_id, p.student_name
		from (` + pairs + `) p join app_user u on u.id = p.guardian and u.status = 'ACTIVE'` + named + ` where p.teacher = $1
		union all select u.id,
		` + name + `, 'SCHOOL_ADMIN', null, '' from app_user u join role r on r.id = u.role_id and r.type = 'SCHOOL_ADMIN'` + named +
		` where u.status = 'ACTIVE' and $2::date is not null`,
	api.SchoolAdmin: `select u.id as user_id, ` + name + ` as name, r.type as role, null::uuid as student_id,
			coalesce((select string_agg(trim(s.first_name || ' ' || s.last_name), ', ' order by s.first_name, s.id) from student_guardian sg
			join student s on s.id = sg.student_id and s.deleted_at is null
				where sg.guardian_id = gu.id), '') as student_name
		from app_user u join role r on r.id = u.role_id
		and r.type in ('PARENT', 'TEACHER', 'SCHOOL_ADMIN')` + named + ` where u.status = 'ACTIVE' and u.id <> $1 and $2::date is not null`,
}

const contactsMost = 1000

func contacts(c api.Ctx, r contactsRequest) (Contacts, error) {
	out := Contacts{Contacts: []Contact{}, Office: c.User.Role == api.Parent}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select user_id, name, role, student_id, student_name from (` + partners[c.User.Role] +
		`) p
		where $3::uuid is null or student_id = $3 order by name, user_id, student_name limit $4`,
		Args: []any{c.User.ID, c.Today(), r.StudentID, contactsMost}, Scan: tenancy.Collect(&out.Contacts)})
	if err != nil {
		return out, fmt.Errorf("looking for contacts: %w", err)
	}
	return out, nil
}

// reachable counts which of these people the caller may write to, about the student
// if one is named.
func reachable(c api.Ctx, users []uuid.UUID, student *uuid.UUID) (int, error) {
	n := 0
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select count(distinct user_id) from (` + partners[c.User.Role] + `) p
		where user_id = any($3::uuid[]) and ($4::uuid is null or student_id = $4 or student_id is null)`,
		Args: []any{c.User.ID, c.Today(), users, student}, Scan: tenancy.One(&n)})
	if err != nil {
		return 0, fmt.Errorf("asking who may talk to whom: %w", err)
	}
	return n, nil
}
