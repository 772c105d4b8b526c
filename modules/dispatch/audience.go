package dispatch

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Audience is whom a dispatch is for: everyone who is named in any of these ways, once.
type Audience struct {
	AllParents  bool        `json:"allParents" doc:"The guardians of every student, those without a class too"`
	ClassIDs    []uuid.UUID `json:"classIds" validate:"max=200,unique" doc:"The guardians of their students"`
	DivisionIDs []uuid.UUID `json:"divisionIds" validate:"max=500,unique" doc:"The guardians of their students"`
	GuardianIDs []uuid.UUID `json:"guardianIds" validate:"max=2000,unique"`
	EmployeeIDs []uuid.UUID `json:"employeeIds" validate:"max=2000,unique"`
	Staff       []string    `json:"staff" validate:"max=4,unique,dive,oneof=TEACHER DRIVER ADMIN SUPPORT" doc:"All employees of these types"`
}

// recipient is somebody who is reached, or would be if they had an address.
type recipient struct {
	UserID  *uuid.UUID
	Name    string
	Student string
	Phone   string
	Email   string
}

func (r recipient) address(channel string) string {
	if channel == "SMS" {
		return r.Phone
	}
	return r.Email
}

const peopleSQL = `with child as (
		select sg.guardian_id, string_agg(distinct s.first_name, ', ' order by s.first_name) as names
		from student s join student_guardian sg on sg.student_id = s.id and sg.can_view_data
		where s.deleted_at is null and s.status = 'ACTIVE' and ($7 or s.id in (select e.student_id from enrolment e
			where (e.class_id = any($1::uuid[]) or e.division_id = any($2::uuid[])) and e.start_date <= $6
			and (e.end_date is null or e.end_date >= $6)))
		group by sg.guardian_id)
	select g.user_id, trim(g.first_name || ' ' || g.last_name) as name, coalesce(c.names, '') as student, g.phone,
	coalesce(nullif(g.email, ''), u.email, '') as email
	from guardian g join app_user u on u.id = g.user_id and u.status = 'ACTIVE' left join child c on c.guardian_id = g.id
	where c.guardian_id is not null or g.id = any($3::uuid[])
	union all
	select e.user_id, trim(e.first_name || ' ' || e.last_name), '', e.phone, e.email
	from employee e where e.status = 'ACTIVE' and (e.id = any($4::uuid[]) or e.employee_type = any($5::text[]))
	order by name, phone`

// peopleQuery finds everyone an audience names on a day.
func peopleQuery(a Audience, day api.Date, found *[]recipient) tenancy.Query {
	return tenancy.Query{SQL: peopleSQL, Args: []any{some(a.ClassIDs), some(a.DivisionIDs), some(a.GuardianIDs), some(a.EmployeeIDs),
		append([]string{}, a.Staff...), day, a.AllParents}, Scan: tenancy.Collect(found)}
}

// people are everyone an audience names. An id that names nobody is refused, so that
// a dispatch never reaches fewer than the office believes.
func people(c api.Ctx, a Audience) ([]recipient, error) {
	if !a.AllParents && len(a.ClassIDs)+len(a.DivisionIDs)+len(a.GuardianIDs)+len(a.EmployeeIDs)+len(a.Staff) == 0 {
		return nil, api.InvalidField("audience", "audience is empty")
	}
	var found []recipient
	var missing []string
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select field from (
				select 'classIds' as field, unnest($1::uuid[]) as id except select 'classIds', id from class union all
				(select 'divisionIds', unnest($2::uuid[]) except select 'divisionIds', id from division) union all
				(select 'guardianIds', unnest($3::uuid[]) except select 'guardianIds', id from guardian) union all
				(select 'employeeIds', unnest($4::uuid[]) except select 'employeeIds', id from employee)) m group by field order by field`,
			Args: []any{some(a.ClassIDs), some(a.DivisionIDs), some(a.GuardianIDs), some(a.EmployeeIDs)}, Scan: tenancy.Values(&missing)},
		peopleQuery(a, c.Today(), &found))
	if err != nil {
		return nil, fmt.Errorf("looking for recipients: %w", err)
	}
	if len(missing) > 0 {
		bad := make([]api.Detail, len(missing))
		for i, field := range missing {
			bad[i] = api.Detail{Field: "audience." + field, Message: field + " names somebody who does not exist"}
		}
		return nil, api.Invalid(bad...)
	}
	return found, nil
}

func some(ids []uuid.UUID) []uuid.UUID { return append([]uuid.UUID{}, ids...) }
