package oneroster

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// file is one of a bundle's: its columns, in the standard's order, and the query of those that have values. The rest is empty, and
// so are status and dateLastModified of all: the standard wants that of whole files.
type file struct {
	name    string
	columns string
	filled  string // as the query gives them, after sourcedId
	sql     string // $1 is the school, $2 the day; seated takes both
}

// read returns the rows of a file, its head first.
func (f file) read(c api.Ctx) ([][]string, error) {
	columns := strings.Fields("sourcedId status dateLastModified " + f.columns)
	at := map[string]int{}
	for i, name := range columns {
		at[name] = i
	}
	filled := strings.Fields("sourcedId " + f.filled)
	rows := [][]string{columns}
	if f.sql == "" {
		return append(rows, []string{c.School.ID.String(), "", "", c.School.Name, "school", c.School.Code, ""}), nil
	}
	var args []any
	for i, arg := range []any{c.School.ID, c.Today()} {
		if strings.Contains(f.sql, fmt.Sprintf("$%d", i+1)) {
			args = append(args, arg)
		}
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: f.sql, Args: args, Scan: func(found pgx.Rows) error {
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
// active. Electives are learned in groups, so that a division as such has no class in such a subject.
const (
	year   = `(select y.id from academic_year y where y.active)`
	seated = `seat as (select e.* from enrolment e join student s on s.id = e.student_id and s.status = 'ACTIVE' and s.deleted_at is null
		where e.academic_year_id = ` + year + ` and (e.end_date is null or e.end_date >= $2::date))`
	lessons = `lesson as (select md5(d.id::text || cs.id::text)::uuid as id, d.id as division_id, cs.id as course_id, cs.subject_id,
			c.name || ' ' || d.name || ' ' || s.name as title, s.code, d.room, s.name as subject
		from division d join class c on c.id = d.class_id join class_subject cs on cs.class_id = c.id join subject s on s.id = cs.subject_id
		where not exists (select from student_group g join student_group_division gd on gd.group_id = g.id
			where g.kind = 'ELECTIVE' and g.subject_id = cs.subject_id and gd.division_id = d.id))`
	staff   = `e.status = 'ACTIVE' and e.employee_type in ('TEACHER', 'ADMIN')`
	parents = `guardian g where exists (select from student_guardian sg join seat on seat.student_id = sg.student_id
		where sg.guardian_id = g.id and sg.can_view_data)`
	terms = `coalesce((select string_agg(t.id::text, ',' order by t.start_date, t.id) from term t where t.academic_year_id = ` + year + `),
		` + year + `::text)`
)

// files are those of a bundle.
var files = []file{
	{"orgs", "name type identifier parentSourcedId", "", ""}, // the school alone

	{"academicSessions", "title type startDate endDate parentSourcedId schoolYear",
		"title type startDate endDate parentSourcedId schoolYear",
		`select id::text, name, 'schoolYear', start_date::text, end_date::text, null, to_char(end_date, 'YYYY') from academic_year
		union all select t.id::text, t.name, 'term', t.start_date::text, t.end_date::text, y.id::text, to_char(y.end_date, 'YYYY')
		from term t join academic_year y on y.id = t.academic_year_id order by 4, 5 desc, 1`},

	// A class of the school is a course of its divisions' homerooms, and of each of its subjects; what groups learn, a course by itself.
	{"courses", "schoolYearSourcedId title courseCode grades orgSourcedId subjects subjectCodes",
		"schoolYearSourcedId title courseCode orgSourcedId subjects subjectCodes",
		`select c.id::text, ` + year + `::text, c.name, c.code, $1::uuid::text, null, null from class c
		union all select cs.id::text, ` + year + `::text, c.name || ' ' || s.name, s.code, $1::uuid::text, replace(s.name, ',', ' '), null
			from class_subject cs join class c on c.id = cs.class_id join subject s on s.id = cs.subject_id
		union all select s.id::text, ` + year + `::text, s.name, s.code, $1::uuid::text, replace(s.name, ',', ' '), null from subject s
			where exists (select from student_group g where g.subject_id = s.id) order by 3, 1`},

	{"classes", "title grades courseSourcedId classCode classType location schoolSourcedId termSourcedIds subjects subjectCodes periods",
		"title courseSourcedId classCode classType location schoolSourcedId termSourcedIds subjects",
		`with ` + lessons + `
		select d.id::text, c.name || ' ' || d.name, c.id::text, null, 'homeroom', d.room, $1::uuid::text, ` + terms + `, null
			from division d join class c on c.id = d.class_id
		union all select id::text, title, course_id::text, code, 'scheduled', room, $1::uuid::text, ` + terms + `, replace(subject, ',', ' ')
			from lesson
		union all select g.id::text, g.name, g.subject_id::text, s.code, 'scheduled', null, $1::uuid::text, ` + terms + `,
			replace(s.name, ',', ' ') from student_group g join subject s on s.id = g.subject_id order by 2, 1`},

	{"users", "enabledUser username userIds givenName familyName middleName identifier email sms phone agentSourcedIds grades password " +
		"userMasterIdentifier preferredGivenName preferredMiddleName preferredFamilyName primaryOrgSourcedId pronouns",
		"enabledUser username givenName familyName identifier email agentSourcedIds primaryOrgSourcedId",
		`with ` + seated + `
		select s.id::text, 'true', s.admission_number, s.first_name, coalesce(nullif(s.last_name, ''), s.first_name), s.admission_number,
			s.email, (select string_agg(sg.guardian_id::text, ',' order by sg.is_primary desc, sg.guardian_id) from student_guardian sg
				where sg.student_id = s.id and sg.can_view_data), $1::uuid::text
			from student s where exists (select from seat where seat.student_id = s.id)
		union all select e.id::text, 'true', coalesce(nullif(e.email, ''), e.employee_code), e.first_name,
			coalesce(nullif(e.last_name, ''), e.first_name), e.employee_code, e.email, null, $1::uuid::text from employee e where ` + staff + `
		union all select g.id::text, 'true', coalesce(nullif(g.email, ''), g.id::text), g.first_name,
			coalesce(nullif(g.last_name, ''), g.first_name), null, g.email, (select string_agg(distinct sg.student_id::text, ',')
				from student_guardian sg join seat on seat.student_id = sg.student_id where sg.guardian_id = g.id and sg.can_view_data),
			$1::uuid::text from ` + parents + ` order by 5, 4, 1`},

	{"roles", "userSourcedId roleType role beginDate endDate orgSourcedId userProfileSourcedId",
		"userSourcedId roleType role orgSourcedId",
		`with ` + seated + `
		select md5('role of ' || u.id::text)::uuid::text, u.id::text, 'primary', u.role, $1::uuid::text from (
			select distinct student_id as id, 'student' as role from seat
			union all select e.id, case e.employee_type when 'TEACHER' then 'teacher' else 'siteAdministrator' end from employee e
				where ` + staff + `
			union all select g.id, case when exists (select from student_guardian sg where sg.guardian_id = g.id
				and sg.relation in ('FATHER', 'MOTHER')) then 'parent' else 'guardian' end from ` + parents + `) u order by 2`},

	// A teacher who is assigned to a whole class teaches in all of its divisions.
	{"enrollments", "classSourcedId schoolSourcedId userSourcedId role primary beginDate endDate",
		"classSourcedId schoolSourcedId userSourcedId role primary beginDate endDate",
		`with ` + seated + `, ` + lessons + `,
		taught as (select distinct on (d.id, t.subject_id, e.id) d.id as division_id, t.subject_id, e.id as employee_id, t.is_class_teacher
			from teacher_assignment t join employee e on e.user_id = t.user_id and ` + staff + `
			join division d on d.class_id = t.class_id and (t.division_id is null or t.division_id = d.id)
			where t.academic_year_id is null or t.academic_year_id = ` + year + ` order by d.id, t.subject_id, e.id, t.is_class_teacher desc),
		teaching as (select division_id as class_id, employee_id, bool_or(is_class_teacher) as leads from taught
				where subject_id is null or is_class_teacher group by 1, 2
			union all select l.id, t.employee_id, false from taught t join lesson l on l.division_id = t.division_id and l.subject_id = t.subject_id
			union all select distinct g.id, t.employee_id, false from taught t join student_group_division gd on gd.division_id = t.division_id
				join student_group g on g.id = gd.group_id and g.subject_id = t.subject_id)
		select id::text, division_id::text, $1::uuid::text, student_id::text, 'student', 'false', start_date::text, end_date::text from seat
		union all select md5(seat.id::text || l.id::text)::uuid::text, l.id::text, $1::uuid::text, seat.student_id::text, 'student', 'false',
			seat.start_date::text, seat.end_date::text from seat join lesson l on l.division_id = seat.division_id
		union all select m.id::text, m.group_id::text, $1::uuid::text, m.student_id::text, 'student', 'false', m.from_date::text, m.to_date::text
			from student_group_member m where (m.to_date is null or m.to_date >= $2::date)
				and exists (select from seat where seat.student_id = m.student_id)
		union all select md5(class_id::text || employee_id::text)::uuid::text, class_id::text, $1::uuid::text, employee_id::text, 'teacher',
			leads::text, null, null from teaching order by 2, 5 desc, 4, 1`},

	{"demographics", "birthDate sex americanIndianOrAlaskaNative asian blackOrAfricanAmerican nativeHawaiianOrOtherPacificIslander white " +
		"demographicRaceTwoOrMoreRaces hispanicOrLatinoEthnicity countryOfBirthCode stateOfBirthAbbreviation cityOfBirth " +
		"publicSchoolResidenceStatus", "birthDate sex",
		`with ` + seated + `, school as (select $1::uuid as id)
		select s.id::text, s.date_of_birth::text, case s.gender when 'FEMALE' then 'female' when 'MALE' then 'male'
			when 'OTHER' then 'other' else 'unspecified' end from student s where exists (select from seat where seat.student_id = s.id)
			order by 1`},
}
