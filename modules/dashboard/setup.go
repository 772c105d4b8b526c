package dashboard

import (
	"fmt"

	"homeroom/api"
	"homeroom/tenancy"
)

// Setup is how far a school has come from its first year to its first payment.
type Setup struct {
	Done  int               `json:"done"`
	Total int               `json:"total"`
	Steps []SchoolSetupStep `json:"steps" doc:"In the order in which they are done; those of modules that the caller may read"`
}

// SchoolSetupStep is one of them.
type SchoolSetupStep struct {
	Step    string `json:"setupStep" enum:"YEAR,TERMS,CLASSES,SUBJECTS,TEACHERS,CLASS_TEACHERS,STUDENTS,GUARDIANS,TIMETABLE,FEES,CHARGES,PAYMENT"`
	Done    bool   `json:"done"`
	Count   int    `json:"count" doc:"What there is of it"`
	Missing int    `json:"missing" doc:"Of how many it is missing: divisions without a class teacher, students without a guardian"`
}

// setupStep is a step, the module it is of, and the queries of what there is and what it is missing of.
type setupStep struct{ step, module, count, missing string }

const sitting = `exists (select from enrolment e join academic_year y on y.id = e.academic_year_id and y.active
	where e.end_date is null and `

var setupSteps = []setupStep{
	{"YEAR", "academic-year", `select count(*) from academic_year where active`, ``},
	{"TERMS", "exam", `select count(*) from term t join academic_year y on y.id = t.academic_year_id and y.active`, ``},
	{"CLASSES", "class", `select count(*) from class`,
		`select count(*) from class k where not exists (select from division d where d.class_id = k.id)`},
	{"SUBJECTS", "subject", `select count(*) from subject`, ``},
	{"TEACHERS", "employee", `select count(*) from employee where employee_type = 'TEACHER' and status = 'ACTIVE'`, ``},
	{"CLASS_TEACHERS", "employee",
		`select count(distinct a.division_id) from teacher_assignment a left join academic_year y on y.id = a.academic_year_id
		where a.is_class_teacher and (a.academic_year_id is null or y.active)`,
		`select count(*) from division d where not exists (select from teacher_assignment a
			left join academic_year y on y.id = a.academic_year_id
			where a.division_id = d.id and a.is_class_teacher and (a.academic_year_id is null or y.active))`},
	{"STUDENTS", "student", `select count(*) from student where deleted_at is null and status = 'ACTIVE'`,
		`select count(*) from student s where s.deleted_at is null and s.status = 'ACTIVE' and not ` + sitting + `e.student_id = s.id)`},
	{"GUARDIANS", "student", `select count(*) from guardian`,
		`select count(*) from student s where s.deleted_at is null and s.status = 'ACTIVE'
		and not exists (select from student_guardian g where g.student_id = s.id)`},
	{"TIMETABLE", "timetable", `select count(*) from timetable_slot`,
		`select count(*) from division d where ` + sitting +
			`e.division_id = d.id) and not exists (select from timetable_slot s where s.division_id = d.id)`},
	{"FEES", "fee", `select count(*) from fee_structure s join academic_year y on y.id = s.academic_year_id and y.active`,
		`select count(*) from class k where ` + sitting + `e.class_id = k.id) and not exists (select from fee_structure s
			join academic_year y on y.id = s.academic_year_id and y.active where s.class_id = k.id)`},
	{"CHARGES", "fee", `select count(*) from (select from fee_invoice limit 1) i`, ``},
	{"PAYMENT", "fee", `select count(*) from (select from fee_receipt limit 1) r`, ``},
}

// setup counts what a school has, in one round trip.
func setup(c api.Ctx, _ api.Nothing) (Setup, error) {
	out := Setup{Steps: []SchoolSetupStep{}}
	var asked []setupStep
	var queries []tenancy.Query
	for _, s := range setupSteps {
		may, err := c.MayRead(s.module)
		if err != nil {
			return out, err
		}
		if may {
			asked = append(asked, s)
		}
	}
	found := make([]struct{ Count, Missing int }, len(asked))
	for i, s := range asked {
		missing := s.missing
		if missing == "" {
			missing = `select 0`
		}
		queries = append(queries, tenancy.Query{SQL: `select (` + s.count + `)::int as count, (` + missing + `)::int as missing`,
			Scan: tenancy.Row(&found[i])})
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("counting what is set up: %w", err)
	}
	var paid int
	for i, s := range asked {
		if s.step == "PAYMENT" {
			paid = found[i].Count
		}
	}
	for i, s := range asked {
		step := SchoolSetupStep{Step: s.step, Count: found[i].Count, Missing: found[i].Missing}
		step.Done = step.Count > 0 && (step.Missing == 0 || paid > 0) // a school at work has new gaps every day
		out.Steps = append(out.Steps, step)
		if step.Done {
			out.Done++
		}
	}
	out.Total = len(out.Steps)
	return out, nil
}
