package oneroster

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// file is one of a bundle's, and what is read of it by REST: its columns, in the standard's order, and the query of those that have
// values. In a bundle status and dateLastModified are empty, as the standard wants it of whole files.
type file struct {
	name    string
	columns string
	filled  string // as the query gives them, after sourcedId and before status and dateLastModified
	sql     string // $1 is the school, $2 the day, $3 its name, $4 its code
}

// table is the query as a table f whose columns have the standard's names.
func (f file) table() string {
	names := strings.Fields("sourcedId " + f.filled + " status dateLastModified")
	return `(` + f.sql + `) as f ("` + strings.Join(names, `", "`) + `")`
}

// arguments are those of every query. A statement names all of them, since Postgres wants to know their types.
func arguments(c api.Ctx) []any { return []any{c.School.ID, c.Today(), c.School.Name, c.School.Code} }

const typed = `$1::uuid is not null and $2::date is not null and $3::text is not null and $4::text is not null`

// read returns the rows of a file, its head first.
func (f file) read(c api.Ctx) ([][]string, error) {
	columns := strings.Fields("sourcedId status dateLastModified " + f.columns)
	at := map[string]int{}
	for i, name := range columns {
		at[name] = i
	}
	filled := strings.Fields("sourcedId " + strings.TrimPrefix(f.filled, "role "))
	rows := [][]string{columns}
	sql := `select "` + strings.Join(filled, `", "`) + `" from ` + f.table() + ` where status = 'active' and ` + typed
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: sql, Args: arguments(c), Scan: func(found pgx.Rows) error {
		for found.Next() {
			cells := make([]*string, len(filled))
			into := make([]any, len(filled))
			for i := range cells {
				into[i] = &cells[i]
			}
			if err := found.Scan(into...); err != nil {
				return err
			}
			row := make([]string, len(columns))
			for i, cell := range cells {
				if cell != nil {
					row[at[filled[i]]] = strings.TrimSpace(*cell)
				}
			}
			rows = append(rows, row)
		}
		return found.Err()
	}})
	if err != nil {
		return nil, fmt.Errorf("reading %s of a roster: %w", f.name, err)
	}
	return rows, nil
}

// What the queries have in common. A student is at the school with a seat in the active year that has not ended; a teacher, while
// active. Who was there this year and is not any more, is to be deleted. Electives are learned in groups, so that a division as such
// has no class in such a subject.
const (
	year    = `(select y.id from academic_year y where y.active)`
	yearSet = `(select y.updated_at from academic_year y where y.active)`
	seated  = `seat as (select e.*, case when s.status = 'ACTIVE' and s.deleted_at is null and (e.end_date is null or e.end_date >= $2::date)
			then 'active' else 'tobedeleted' end as state from enrolment e join student s on s.id = e.student_id and s.erased_at is null
		where e.academic_year_id = ` + year + `),
		pupil as (select student_id as id, min(state) as state, max(updated_at) as seated_at from seat group by student_id)`
	lessons = `lesson as (select md5(d.id::text || cs.id::text)::uuid as id, d.id as division_id, cs.id as course_id, cs.subject_id,
			c.name || ' ' || d.name || ' ' || s.name as title, s.code, d.room, s.name as subject,
			greatest(d.updated_at, c.updated_at, s.updated_at) as modified
		from division d join class c on c.id = d.class_id join class_subject cs on cs.class_id = c.id join subject s on s.id = cs.subject_id
		where not exists (select from student_group g join student_group_division gd on gd.group_id = g.id
			where g.kind = 'ELECTIVE' and g.subject_id = cs.subject_id and gd.division_id = d.id))`
	staff = `e.employee_type in ('TEACHER', 'ADMIN') and e.erased_at is null and (e.status = 'ACTIVE'
		or e.updated_at >= (select y.start_date from academic_year y where y.active))`
	staffState = `case e.status when 'ACTIVE' then 'active' else 'tobedeleted' end`
	staffRole  = `case e.employee_type when 'TEACHER' then 'teacher' else 'siteAdministrator' end`
	parents    = `guardian g where g.erased_at is null and exists (select from student_guardian sg join pupil on pupil.id = sg.student_id
		and pupil.state = 'active' where sg.guardian_id = g.id and sg.can_view_data)`
	parentRole = `case when exists (select from student_guardian sg where sg.guardian_id = g.id and sg.relation in ('FATHER', 'MOTHER'))
		then 'parent' else 'guardian' end`
	terms = `coalesce((select string_agg(t.id::text, ',' order by t.start_date, t.id) from term t where t.academic_year_id = ` + year + `),
		` + year + `::text)`
)

// when writes a moment as the standard does, to the millisecond, so that moments are in order as texts.
func when(moment string) string {
	return `to_char((` + moment + `) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

// active are status and dateLastModified of what there is.
func active(moment string) string { return `'active', ` + when(moment) }

// files are those of a bundle.
var files = []file{
	{"orgs", "name type identifier parentSourcedId", "name type identifier", // the school alone
		`select $1::uuid::text, $3::text, 'school', $4::text, ` + active(`(select s.updated_at from school_setting s)`)},

	{"academicSessions", "title type startDate endDate parentSourcedId schoolYear",
		"title type startDate endDate parentSourcedId schoolYear",
		`select id::text, name, 'schoolYear', start_date::text, end_date::text, null, to_char(end_date, 'YYYY'), ` + active(`updated_at`) + `
			from academic_year
		union all select t.id::text, t.name, 'term', t.start_date::text, t.end_date::text, y.id::text, to_char(y.end_date, 'YYYY'),
			` + active(`t.updated_at`) + ` from term t join academic_year y on y.id = t.academic_year_id order by 4, 5 desc, 1`},

	// A class of the school is a course of its divisions' homerooms, and of each of its subjects; what groups learn, a course by itself.
	{"courses", "schoolYearSourcedId title courseCode grades orgSourcedId subjects subjectCodes",
		"schoolYearSourcedId title courseCode orgSourcedId subjects subjectCodes",
		`select c.id::text, ` + year + `::text, c.name, c.code, $1::uuid::text, null, null, ` + active(`c.updated_at`) + ` from class c
		union all select cs.id::text, ` + year + `::text, c.name || ' ' || s.name, s.code, $1::uuid::text, replace(s.name, ',', ' '), null,
			` + active(`greatest(c.updated_at, s.updated_at)`) + `
			from class_subject cs join class c on c.id = cs.class_id join subject s on s.id = cs.subject_id
		union all select s.id::text, ` + year + `::text, s.name, s.code, $1::uuid::text, replace(s.name, ',', ' '), null,
			` + active(`s.updated_at`) + ` from subject s where exists (select from student_group g where g.subject_id = s.id) order by 3, 1`},

	{"classes", "title grades courseSourcedId classCode classType location schoolSourcedId termSourcedIds subjects subjectCodes periods",
		"title courseSourcedId classCode classType location schoolSourcedId termSourcedIds subjects",
		`with ` + lessons + `
		select d.id::text, c.name || ' ' || d.name, c.id::text, null, 'homeroom', d.room, $1::uuid::text, ` + terms + `, null,
			` + active(`greatest(d.updated_at, c.updated_at, `+yearSet+`)`) + ` from division d join class c on c.id = d.class_id
		union all select id::text, title, course_id::text, code, 'scheduled', room, $1::uuid::text, ` + terms + `, replace(subject, ',', ' '),
			` + active(`greatest(modified, `+yearSet+`)`) + ` from lesson
		union all select g.id::text, g.name, g.subject_id::text, s.code, 'scheduled', null, $1::uuid::text, ` + terms + `,
			replace(s.name, ',', ' '), ` + active(`greatest(g.updated_at, s.updated_at, `+yearSet+`)`) + `
			from student_group g join subject s on s.id = g.subject_id order by 2, 1`},

	{"users", "enabledUser username userIds givenName familyName middleName identifier email sms phone agentSourcedIds grades password " +
		"userMasterIdentifier preferredGivenName preferredMiddleName preferredFamilyName primaryOrgSourcedId pronouns",
		"role enabledUser username givenName familyName identifier email agentSourcedIds primaryOrgSourcedId",
		`with ` + seated + `
		select s.id::text, 'student', (pupil.state = 'active')::text, s.admission_number, s.first_name,
			coalesce(nullif(s.last_name, ''), s.first_name), s.admission_number, s.email,
			(select string_agg(sg.guardian_id::text, ',' order by sg.is_primary desc, sg.guardian_id) from student_guardian sg
				where sg.student_id = s.id and sg.can_view_data and pupil.state = 'active'), $1::uuid::text, pupil.state,
			` + when(`greatest(s.updated_at, pupil.seated_at,
				(select max(sg.updated_at) from student_guardian sg where sg.student_id = s.id))`) + `
			from pupil join student s on s.id = pupil.id
		union all select e.id::text, ` + staffRole + `, (e.status = 'ACTIVE')::text, coalesce(nullif(e.email, ''), e.employee_code),
			e.first_name,
			coalesce(nullif(e.last_name, ''), e.first_name), e.employee_code, e.email, null, $1::uuid::text, ` + staffState + `,
			` + when(`e.updated_at`) + ` from employee e where ` + staff + `
		union all select g.id::text, ` + parentRole + `, 'true', coalesce(nullif(g.email, ''), g.id::text), g.first_name,
			coalesce(nullif(g.last_name, ''), g.first_name), null, g.email, (select string_agg(distinct sg.student_id::text, ',')
				from student_guardian sg join pupil on pupil.id = sg.student_id and pupil.state = 'active'
				where sg.guardian_id = g.id and sg.can_view_data), $1::uuid::text, ` + active(`greatest(g.updated_at,
				(select max(sg.updated_at) from student_guardian sg where sg.guardian_id = g.id))`) + ` from ` + parents + ` order by 6, 5, 1`},

	{"roles", "userSourcedId roleType role beginDate endDate orgSourcedId userProfileSourcedId",
		"userSourcedId roleType role orgSourcedId",
		`with ` + seated + `
		select md5('role of ' || u.id::text)::uuid::text, u.id::text, 'primary', u.role, $1::uuid::text, ` + active(`now()`) + ` from (
			select id, 'student' as role from pupil where state = 'active'
			union all select e.id, ` + staffRole + ` from employee e where e.status = 'ACTIVE' and ` + staff + `
			union all select g.id, ` + parentRole + ` from ` + parents + `) u order by 2`},

	// A teacher who is assigned to a whole class teaches in all of its divisions.
	{"enrollments", "classSourcedId schoolSourcedId userSourcedId role primary beginDate endDate",
		"classSourcedId schoolSourcedId userSourcedId role primary beginDate endDate",
		`with ` + seated + `, ` + lessons + `,
		taught as (select distinct on (d.id, t.subject_id, e.id) d.id as division_id, t.subject_id, e.id as employee_id, t.is_class_teacher,
				greatest(t.updated_at, d.updated_at) as modified
			from teacher_assignment t join employee e on e.user_id = t.user_id and e.status = 'ACTIVE' and ` + staff + `
			join division d on d.class_id = t.class_id and (t.division_id is null or t.division_id = d.id)
			where t.academic_year_id is null or t.academic_year_id = ` + year + ` order by d.id, t.subject_id, e.id, t.is_class_teacher desc),
		teaching as (select division_id as class_id, employee_id, bool_or(is_class_teacher) as leads, max(modified) as modified from taught
				where subject_id is null or is_class_teacher group by 1, 2
			union all select l.id, t.employee_id, false, greatest(t.modified, l.modified)
				from taught t join lesson l on l.division_id = t.division_id and l.subject_id = t.subject_id
			union all select g.id, t.employee_id, false, max(greatest(t.modified, g.updated_at)) from taught t
				join student_group_division gd on gd.division_id = t.division_id
				join student_group g on g.id = gd.group_id and g.subject_id = t.subject_id group by 1, 2)
		select id::text, division_id::text, $1::uuid::text, student_id::text, 'student', 'false', start_date::text, end_date::text, state,
			` + when(`updated_at`) + ` from seat
		union all select md5(seat.id::text || l.id::text)::uuid::text, l.id::text, $1::uuid::text, seat.student_id::text, 'student', 'false',
			seat.start_date::text, seat.end_date::text, seat.state, ` + when(`greatest(seat.updated_at, l.modified)`) + `
			from seat join lesson l on l.division_id = seat.division_id
		union all select m.id::text, m.group_id::text, $1::uuid::text, m.student_id::text, 'student', 'false',
			m.from_date::text, m.to_date::text,
			case when pupil.state = 'active' and (m.to_date is null or m.to_date >= $2::date) then 'active' else 'tobedeleted' end,
			` + when(`greatest(m.created_at, pupil.seated_at)`) + ` from student_group_member m join pupil on pupil.id = m.student_id
			where m.to_date is null or m.to_date >= (select y.start_date from academic_year y where y.active)
		union all select md5(class_id::text || employee_id::text)::uuid::text, class_id::text, $1::uuid::text, employee_id::text, 'teacher',
			leads::text, null, null, ` + active(`modified`) + ` from teaching order by 2, 5 desc, 4, 1`},

	{"demographics", "birthDate sex americanIndianOrAlaskaNative asian blackOrAfricanAmerican nativeHawaiianOrOtherPacificIslander white " +
		"demographicRaceTwoOrMoreRaces hispanicOrLatinoEthnicity countryOfBirthCode stateOfBirthAbbreviation cityOfBirth " +
		"publicSchoolResidenceStatus", "birthDate sex",
		`with ` + seated + `
		select s.id::text, s.date_of_birth::text, case s.gender when 'FEMALE' then 'female' when 'MALE' then 'male'
			when 'OTHER' then 'other' else 'unspecified' end, ` + active(`s.updated_at`) + `
			from pupil join student s on s.id = pupil.id where pupil.state = 'active' order by 1`},
}
