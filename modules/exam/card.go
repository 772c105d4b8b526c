package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// ReportCard is a student's year: every exam with its papers, terms and exams weighed
// against each other, and attendance.
type ReportCard struct {
	SchoolName       string          `json:"schoolName"`
	Student          CardStudent     `json:"student"`
	AcademicYearID   uuid.UUID       `json:"academicYearId"`
	AcademicYearName string          `json:"academicYearName"`
	Exams            []CardExam      `json:"exams"`
	Terms            []CardTerm      `json:"terms"`
	Subjects         []CardSubject   `json:"subjects" doc:"The same marks by subject, with the year's percentage of each by the weights of exams and terms"`
	Overall          Overall         `json:"overall"`
	Attendance       *CardAttendance `json:"attendance" doc:"None where attendance is not kept"`
	Remark           *CardRemark     `json:"remark" doc:"The class teacher's"`
	AsOf             api.Date        `json:"asOf"`

	scale Bands // the grades of the class, for a template that explains them
}

// CardStudent is whose card it is, and where they sit that year.
type CardStudent struct {
	ID              uuid.UUID  `json:"id"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	DateOfBirth     *api.Date  `json:"dateOfBirth"`
	ClassID         *uuid.UUID `json:"classId"`
	ClassName       string     `json:"className"`
	DivisionName    string     `json:"divisionName"`
	RollNumber      *int       `json:"rollNumber"`
	Guardians       []string   `json:"guardians"`
}

// CardExam is one exam on the card.
type CardExam struct {
	ExamID uuid.UUID  `json:"examId"`
	Name   string     `json:"name"`
	TermID *uuid.UUID `json:"termId"`
	Weight float64    `json:"weight"`
	Standing
	Results []PaperResult `json:"results"`
}

// CardTerm is the exams of a term weighed together.
type CardTerm struct {
	TermID  *uuid.UUID `json:"termId" doc:"None for exams that belong to no term"`
	Name    string     `json:"name"`
	Weight  float64    `json:"weight"`
	Percent *float64   `json:"percent"`
	Grade   string     `json:"grade"`
}

// Overall is the year so far.
type Overall struct {
	Percent    *float64 `json:"percent" doc:"Of the terms by their weights; none while a result is missing"`
	Grade      string   `json:"grade"`
	GradePoint *float64 `json:"gradePoint"`
	Places
	Outcome        string   `json:"outcome" enum:"PASSED,PASSED_WITH_GRACE,COMPARTMENT,FAILED,INCOMPLETE" doc:"By the school's rule of who passes"`
	FailedSubjects []string `json:"failedSubjects" doc:"After grace; none where the school goes by the total"`
	IsPass         bool     `json:"isPass" doc:"The outcome is PASSED or PASSED_WITH_GRACE"`
}

// CardAttendance is how often the student was there.
type CardAttendance struct {
	Present float64  `json:"present" doc:"Days there; half a day of leave is half a day"`
	Total   int      `json:"total" doc:"School days up to today that were marked"`
	Percent *float64 `json:"percent"`
}

type cardRequest struct {
	StudentID          uuid.UUID `path:"studentId"`
	AcademicYearID     uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	Format             string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf gives the printable card"`
	IncludeUnpublished bool      `json:"includeUnpublished" doc:"To look at a card before its results are published"`
}

var errNoYear = api.Conflict("No academic year is active: say which year's card it shall be")

// reportCard is a student's card for the office.
func (m *Module) reportCard(c api.Ctx, r cardRequest) (api.MaybeFile[ReportCard], error) {
	return m.card(c, r.StudentID, r.AcademicYearID, r.IncludeUnpublished, r.Format)
}

func (m *Module) card(c api.Ctx, student, yearID uuid.UUID, unpublished bool, format string) (out api.MaybeFile[ReportCard], err error) {
	year, err := cardYear(c, yearID)
	if err != nil {
		return out, err
	}
	if out.Data, err = m.cardOf(c, student, year, unpublished); err != nil {
		return out, err
	}
	if format == "pdf" {
		out.File, err = m.print(c, out.Data)
	}
	return out, err
}

// cardOf is a student's card of a year.
func (m *Module) cardOf(c api.Ctx, student uuid.UUID, year roster.AcademicYear, unpublished bool) (ReportCard, error) {
	d, err := readCard(c, student, year.ID, unpublished)
	if err != nil {
		return ReportCard{}, err
	}
	if year.ID == uuid.Nil {
		return ReportCard{}, errNoYear
	}
	card := d.weigh()
	card.SchoolName, card.AcademicYearID, card.AcademicYearName, card.AsOf = c.School.Name, year.ID, year.Name, c.Today()
	card.Attendance, err = m.attended(c, student, year)
	return card, err
}

// cardYear is the year asked for, or the active one, if one is.
func cardYear(c api.Ctx, id uuid.UUID) (roster.AcademicYear, error) {
	if id != uuid.Nil {
		return api.Find[roster.AcademicYear](c, "academic year", c.DB, id)
	}
	var active []roster.AcademicYear
	if err := c.DB.Where("active").Find(&active).Error; err != nil {
		return roster.AcademicYear{}, fmt.Errorf("reading the active year: %w", err)
	}
	return append(active, roster.AcademicYear{})[0], nil
}

func (m *Module) attended(c api.Ctx, student uuid.UUID, year roster.AcademicYear) (*CardAttendance, error) {
	if m.Attendance == nil {
		return nil, nil
	}
	until := year.EndDate
	if c.Today().Before(until) {
		until = c.Today()
	}
	present, total, err := m.Attendance.Totals(c, student, year.StartDate, until)
	if err != nil {
		return nil, fmt.Errorf("counting attendance: %w", err)
	}
	return &CardAttendance{Present: present, Total: total, Percent: percentOf(Marks(present*100), Marks(total*100))}, nil
}

// cardData is what the database knows for a card.
type cardData struct {
	student CardStudent
	exams   []cardExam
	tallies []tally // of the student's whole class
	lines   []resultLine
	bands   Bands
	rule    passRule
	remarks []CardRemark // one at the most
	missing []missingPaper
}

type cardExam struct {
	ID         uuid.UUID
	Name       string
	TermID     *uuid.UUID
	Weight     float64
	TermName   *string
	TermWeight *float64
}

// cardSeat is the class the student $1 sits in, or sat in last, in the year $2.
const cardSeat = `(select n.class_id from enrolment n where n.student_id = $1 and n.academic_year_id = $2 order by n.start_date desc
	limit 1)`

// cardExams holds for the exams x that count: of that class, or sat in the class the
// student was in before. $3 says whether those count whose results are not published.
const cardExams = `x.academic_year_id = $2 and (x.status = 'PUBLISHED' or ($3 and x.status = 'SCHEDULED'))
	and (exists (select from exam_class z where z.exam_id = x.id and z.class_id = ` + cardSeat + `)
		or exists (select from exam_paper q join exam_result o on o.paper_id = q.id where q.exam_id = x.id and o.student_id = $1))`

func readCard(c api.Ctx, student, year uuid.UUID, unpublished bool) (*cardData, error) {
	d := &cardData{}
	var students []CardStudent
	var scales []classScale
	var rules []passRule
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.id, s.admission_number, s.first_name, s.last_name, s.date_of_birth, n.class_id,
			coalesce(k.name, '') as class_name, coalesce(d.name, '') as division_name, n.roll_number,
				array(select trim(g.first_name || ' ' || g.last_name) from student_guardian sg join guardian g on g.id = sg.guardian_id
				where sg.student_id = s.id order by sg.is_primary desc, g.id) as guardians
			from student s left join lateral (select n.class_id, n.division_id, n.roll_number from enrolment n where n.student_id = s.id
			and n.academic_year_id = $2 order by n.start_date desc limit 1) n on true
			left join class k on k.id = n.class_id left join division d on d.id = n.division_id
			where s.id = $1 and s.deleted_at is null`, Args: []any{student, year}, Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: `select x.id, x.name, x.term_id, x.weight, t.name as term_name, t.weight as term_weight from exam x left
			join term t on t.id = x.term_id where ` + cardExams + `
			order by t.start_date nulls last, x.start_date nulls last, x.created_at,
			x.id`, Args: []any{student, year, unpublished}, Scan: tenancy.Collect(&d.exams)},
		tenancy.Query{SQL: tallies(`(p.class_id = ` + cardSeat + ` or r.student_id = $1) and p.exam_id in (select x.id from exam x where ` +
			cardExams + `)`),
			Args: []any{student, year, unpublished}, Scan: tenancy.Collect(&d.tallies)},
		tenancy.Query{SQL: `select k.id as class_id, g.bands from class k join grade_scale g on g.id =
			coalesce(k.grade_scale_id, (select id from grade_scale where is_default)) where k.id = ` + cardSeat,
			Args: []any{student, year}, Scan: tenancy.Collect(&scales)},
		tenancy.Query{SQL: resultLines + `r.student_id = $1 and p.exam_id in (select x.id from exam x where ` + cardExams +
			`) order by p.exam_date, p.start_time, u.name, p.id`,
			Args: []any{student, year, unpublished}, Scan: tenancy.Collect(&d.lines)},
		tenancy.Query{SQL: missingPapers, Args: []any{student, year, unpublished}, Scan: tenancy.Collect(&d.missing)},
		tenancy.Query{SQL: passRuleSQL, Scan: tenancy.Collect(&rules)},
		tenancy.Query{SQL: cardRemark, Args: []any{student, year}, Scan: tenancy.Collect(&d.remarks)},
	)
	if err != nil {
		return nil, fmt.Errorf("reading a report card: %w", err)
	}
	if len(students) == 0 {
		return nil, roster.ErrNoStudent
	}
	d.student, d.rule = students[0], rules[0]
	if len(scales) > 0 {
		d.bands = scales[0].Bands
	}
	return d, nil
}
