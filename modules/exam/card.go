package exam

import (
	"fmt"
	"slices"

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
	PrincipalRemark  *CardRemark     `json:"principalRemark" doc:"The principal's"`
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
	Present    float64  `json:"present" doc:"Days there; half a day of leave is half a day"`
	Marked     int      `json:"marked" doc:"School days up to today that were marked"`
	SchoolDays int      `json:"schoolDays" doc:"School days of the enrolment up to today, marked or not"`
	Total      int      `json:"total" doc:"The same as marked"`
	Percent    *float64 `json:"percent" doc:"Days there, of those marked"`
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
	cards, err := m.cardsOf(c, []uuid.UUID{student}, year, unpublished)
	switch {
	case err != nil:
		return ReportCard{}, err
	case len(cards) == 0:
		return ReportCard{}, roster.ErrNoStudent
	case year.ID == uuid.Nil:
		return ReportCard{}, errNoYear
	}
	return cards[0], nil
}

// cardsOf are the cards of students, in their order, without those who do not exist. They take as many
// statements as one card.
func (m *Module) cardsOf(c api.Ctx, students []uuid.UUID, year roster.AcademicYear, unpublished bool) ([]ReportCard, error) {
	read, err := readCards(c, students, year.ID, unpublished)
	if err != nil {
		return nil, err
	}
	attended, err := m.attended(c, students, year)
	if err != nil {
		return nil, err
	}
	cards := make([]ReportCard, len(read))
	for i, d := range read {
		card := d.weigh()
		card.SchoolName, card.AcademicYearID, card.AcademicYearName, card.AsOf = c.School.Name, year.ID, year.Name, c.Today()
		card.Attendance = attended[d.student.ID]
		cards[i] = card
	}
	return cards, nil
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

// attended is how often each of the students was there; nobody is in it where attendance is not kept.
func (m *Module) attended(c api.Ctx, students []uuid.UUID, year roster.AcademicYear) (map[uuid.UUID]*CardAttendance, error) {
	out := map[uuid.UUID]*CardAttendance{}
	if m.Attendance == nil {
		return out, nil
	}
	until := year.EndDate
	if c.Today().Before(until) {
		until = c.Today()
	}
	present, marked, schoolDays, err := m.Attendance.Totals(c, students, year.StartDate, until)
	if err != nil {
		return nil, fmt.Errorf("counting attendance: %w", err)
	}
	for _, s := range students {
		out[s] = &CardAttendance{Present: present[s], Marked: marked[s], SchoolDays: schoolDays[s], Total: marked[s],
			Percent: percentOf(Marks(present[s]*100), Marks(marked[s]*100))}
	}
	return out, nil
}

// cardData is what the database knows for a card.
type cardData struct {
	student CardStudent
	exams   []cardExam
	tallies []tally // of the student's whole class
	lines   []resultLine
	bands   Bands
	rule    passRule
	remarks []studentRemark // one at the most for a student
	heads   []studentRemark // the principal's, likewise
	missing []missingPaper
}

type cardExam struct {
	ID         uuid.UUID
	Name       string
	TermID     *uuid.UUID
	Weight     float64
	TermName   *string
	TermWeight *float64
	ClassIDs   []uuid.UUID
}

// cardSeats are the classes the students $1 sit in, or sat in last, in the year $2.
const cardSeats = `(select distinct on (n.student_id) n.class_id from enrolment n where n.student_id = any($1) and n.academic_year_id = $2
	order by n.student_id, n.start_date desc)`

// cardExams holds for the exams x that count for some of them: of such a class, or sat in the class a student
// was in before. $3 says whether those count whose results are not published.
const cardExams = `x.academic_year_id = $2 and (x.status = 'PUBLISHED' or ($3 and x.status = 'SCHEDULED'))
	and (exists (select from exam_class z where z.exam_id = x.id and z.class_id in ` + cardSeats + `)
		or exists (select from exam_paper q join exam_result o on o.paper_id = q.id where q.exam_id = x.id and o.student_id = any($1)))`

// readCards reads what the cards of students need, in one round trip.
func readCards(c api.Ctx, students []uuid.UUID, year uuid.UUID, unpublished bool) ([]*cardData, error) {
	all := cardData{}
	var found []CardStudent
	var scales []classScale
	var rules []passRule
	args := []any{students, year, unpublished}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.id, s.admission_number, s.first_name, s.last_name, s.date_of_birth, n.class_id,
			coalesce(k.name, '') as class_name, coalesce(d.name, '') as division_name, n.roll_number,
				array(select trim(g.first_name || ' ' || g.last_name) from student_guardian sg join guardian g on g.id = sg.guardian_id
				where sg.student_id = s.id order by sg.is_primary desc, g.id) as guardians
			from student s left join lateral (select n.class_id, n.division_id, n.roll_number from enrolment n where n.student_id = s.id
			and n.academic_year_id = $2 order by n.start_date desc limit 1) n on true
			left join class k on k.id = n.class_id left join division d on d.id = n.division_id
			where s.id = any($1) and s.deleted_at is null order by array_position($1, s.id)`, Args: args[:2], Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: `select x.id, x.name, x.term_id, x.weight, t.name as term_name, t.weight as term_weight,
				array(select z.class_id from exam_class z where z.exam_id = x.id) as class_ids
			from exam x left join term t on t.id = x.term_id where ` + cardExams + `
			order by t.start_date nulls last, x.start_date nulls last, x.created_at, x.id`, Args: args, Scan: tenancy.Collect(&all.exams)},
		tenancy.Query{SQL: tallies(`(p.class_id in ` + cardSeats + ` or r.student_id = any($1))
			and p.exam_id in (select x.id from exam x where ` + cardExams + `)`), Args: args, Scan: tenancy.Collect(&all.tallies)},
		tenancy.Query{SQL: `select k.id as class_id, g.bands from class k join grade_scale g on g.id =
			coalesce(k.grade_scale_id, (select id from grade_scale where is_default)) where k.id in ` + cardSeats,
			Args: args[:2], Scan: tenancy.Collect(&scales)},
		tenancy.Query{SQL: resultLines + `r.student_id = any($1) and p.exam_id in (select x.id from exam x where ` + cardExams +
			`) order by p.exam_date, p.start_time, u.name, p.id`, Args: args, Scan: tenancy.Collect(&all.lines)},
		tenancy.Query{SQL: missingPapers, Args: args, Scan: tenancy.Collect(&all.missing)},
		tenancy.Query{SQL: passRuleSQL, Scan: tenancy.Collect(&rules)},
		tenancy.Query{SQL: remarksIn("report_card_remark"), Args: args[:2], Scan: tenancy.Collect(&all.remarks)},
		tenancy.Query{SQL: remarksIn("principal_remark"), Args: args[:2], Scan: tenancy.Collect(&all.heads)},
	)
	if err != nil {
		return nil, fmt.Errorf("reading report cards: %w", err)
	}
	all.rule = rules[0]
	out := make([]*cardData, len(found))
	for i, s := range found {
		out[i] = all.of(s, scalesByClass(scales))
	}
	return out, nil
}

// of is what there is for one student's card: exams of the class they sit in, or that they have results in,
// and in these exams the tallies of their class.
func (d *cardData) of(s CardStudent, scales map[uuid.UUID]Bands) *cardData {
	own := &cardData{student: s, rule: d.rule}
	if s.ClassID != nil {
		own.bands = scales[*s.ClassID]
	}
	counts := map[uuid.UUID]bool{}
	for _, l := range d.lines {
		if l.StudentID == s.ID {
			counts[l.ExamID] = true
			own.lines = append(own.lines, l)
		}
	}
	for _, e := range d.exams {
		if counts[e.ID] = counts[e.ID] || s.ClassID != nil && slices.Contains(e.ClassIDs, *s.ClassID); counts[e.ID] {
			own.exams = append(own.exams, e)
		}
	}
	for _, t := range d.tallies {
		if counts[t.ExamID] && (t.StudentID == s.ID || s.ClassID != nil && t.ClassID == *s.ClassID) {
			own.tallies = append(own.tallies, t)
		}
	}
	for _, m := range d.missing {
		if m.StudentID == s.ID && counts[m.ExamID] {
			own.missing = append(own.missing, m)
		}
	}
	others := func(r studentRemark) bool { return r.StudentID != s.ID }
	own.remarks = slices.DeleteFunc(slices.Clone(d.remarks), others)
	own.heads = slices.DeleteFunc(slices.Clone(d.heads), others)
	return own
}
