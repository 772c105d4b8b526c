package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Paper is what one class sits in one subject.
type Paper struct {
	ID              uuid.UUID    `json:"id"`
	ExamID          uuid.UUID    `json:"examId"`
	ExamName        string       `json:"examName"`
	ClassID         uuid.UUID    `json:"classId"`
	ClassName       string       `json:"className"`
	SubjectID       uuid.UUID    `json:"subjectId"`
	SubjectName     string       `json:"subjectName"`
	SubjectCode     string       `json:"subjectCode"`
	SubjectType     string       `json:"subjectType" enum:"CORE,ELECTIVE,CO_SCHOLASTIC" doc:"CO_SCHOLASTIC is graded and not counted in totals"`
	ExamDate        api.Date     `json:"examDate"`
	StartTime       roster.Clock `json:"startTime"`
	EndTime         roster.Clock `json:"endTime"`
	Room            string       `json:"room"`
	InvigilatorID   *uuid.UUID   `json:"invigilatorId"`
	InvigilatorName string       `json:"invigilatorName"`
	MaxMarks        Marks        `json:"maxMarks"`
	PassMarks       Marks        `json:"passMarks"`
}

// String names the paper so that an administrator finds it.
func (p Paper) String() string {
	return fmt.Sprintf("%s %s %s, %s %s–%s", p.ExamName, p.ClassName, p.SubjectName, p.ExamDate, p.StartTime, p.EndTime)
}

// Schedule is an exam and its papers.
type Schedule struct {
	Exam   Exam    `json:"exam"`
	Papers []Paper `json:"papers"`
}

const paperColumns = `p.id, p.exam_id, x.name as exam_name, p.class_id, k.name as class_name, p.subject_id, u.name as subject_name,
	u.code as subject_code, u.type as subject_type,
		p.exam_date, p.start_time, p.end_time, p.room, p.invigilator_id,
		coalesce(trim(i.first_name || ' ' || i.last_name), '') as invigilator_name, p.max_marks, p.pass_marks`

const paperTables = `exam_paper p join exam x on x.id = p.exam_id join class k on k.id = p.class_id join subject u on u.id = p.subject_id
	left join employee i on i.id = p.invigilator_id`

// papersWhere reads papers in the order they are sat.
func papersWhere(into *[]Paper, where string, args ...any) tenancy.Query {
	return tenancy.Query{SQL: `select ` + paperColumns + ` from ` + paperTables + ` where ` + where +
		` order by p.exam_date, p.start_time, k.level, k.name, u.name, p.id`,
		Args: args, Scan: tenancy.Collect(into)}
}

func papersOf(c api.Ctx, exam uuid.UUID) (list []Paper, err error) {
	if err := tenancy.Pipeline(c.DB, papersWhere(&list, "p.exam_id = $1", exam)); err != nil {
		return nil, fmt.Errorf("reading an exam's papers: %w", err)
	}
	return list, nil
}

func getSchedule(c api.Ctx, r byID) (Schedule, error) { return readSchedule(c, r.ID) }

func readSchedule(c api.Ctx, id uuid.UUID) (Schedule, error) {
	e, err := readExam(c, id)
	if err != nil {
		return Schedule{}, err
	}
	list, err := papersOf(c, id)
	return Schedule{e, list}, err
}
