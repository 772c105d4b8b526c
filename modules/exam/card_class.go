package exam

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/paper"
	"homeroom/tenancy"
)

// maxCards is how many cards one file has at the most, and cardsAtOnce how many are read together: a division,
// in the memory of one.
const (
	maxCards    = 500
	cardsAtOnce = 100
)

type classCards struct {
	DivisionID         uuid.UUID `json:"divisionId" validate:"required"`
	AcademicYearID     uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	IncludeUnpublished bool      `json:"includeUnpublished" doc:"To look at the cards before their results are published"`
}

// divisionCards are the cards of all who sit, or sat last, in a division that year, by roll number, in one
// file.
func (m *Module) divisionCards(c api.Ctx, r classCards) (api.Stream, error) {
	year, err := cardYear(c, r.AcademicYearID)
	if err != nil {
		return api.Stream{}, err
	}
	if year.ID == uuid.Nil {
		return api.Stream{}, errNoYear
	}
	p, err := m.printer(c)
	if err != nil {
		return api.Stream{}, err
	}
	var students []uuid.UUID
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.id from student s join lateral (select n.division_id, n.roll_number from enrolment n
			where n.student_id = s.id and n.academic_year_id = $2 order by n.start_date desc limit 1) n on n.division_id = $1
		where s.deleted_at is null order by n.roll_number nulls last, s.first_name, s.last_name, s.id limit $3`,
			Args: []any{r.DivisionID, year.ID, maxCards + 1}, Scan: tenancy.Values(&students)})
	if err != nil {
		return api.Stream{}, fmt.Errorf("reading who gets a card: %w", err)
	}
	switch n := len(students); {
	case n == 0:
		return api.Stream{}, api.NotFound("student of this division")
	case n > maxCards:
		return api.Stream{}, api.InvalidField("divisionId", "More than %d students sit in this division: print their cards one by one", maxCards)
	}
	return api.Stream{Name: "report-cards-" + year.Name + ".pdf", ContentType: "application/pdf", Write: func(w io.Writer) error {
		doc := paper.Start(w, p.head, "Report cards "+year.Name)
		for some := range slices.Chunk(students, cardsAtOnce) {
			cards, err := m.cardsOf(c, some, year, r.IncludeUnpublished)
			if err != nil {
				return err
			}
			for _, card := range cards {
				doc.Sheet(cardTitle(card))
				p.draw(doc, card)
			}
		}
		return doc.Close()
	}}, nil
}

// Cards are the paper of the report cards of some of the calling parent's children, of the year of some exams, with what is
// published; nil: there are none.
func (m *Module) Cards(c api.Ctx, exams, students []uuid.UUID) (*api.File, error) {
	var years []roster.AcademicYear
	var mine []uuid.UUID
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id from student where id = any($1) and id in (` + roster.LinkedIDs("$2") + `) order by first_name, id`,
			Args: []any{students, c.User.ID}, Scan: tenancy.Values(&mine)})
	if err != nil {
		return nil, fmt.Errorf("looking for report cards: %w", err)
	}
	err = c.DB.Where("id in (select academic_year_id from exam where id in ? and status = 'PUBLISHED')", exams).
		Order("start_date desc").Limit(1).Find(&years).Error
	if err != nil {
		return nil, fmt.Errorf("reading the year of report cards: %w", err)
	}
	if len(years) == 0 || len(mine) == 0 {
		return nil, nil
	}
	year := years[0]
	p, err := m.printer(c)
	if err != nil {
		return nil, err
	}
	cards, err := m.cardsOf(c, mine, year, false)
	if err != nil || len(cards) == 0 {
		return nil, err
	}
	if len(cards) == 1 {
		return p.file(cards[0])
	}
	var out bytes.Buffer
	doc := paper.Start(&out, p.head, "Report cards "+year.Name)
	for _, card := range cards {
		doc.Sheet(cardTitle(card))
		p.draw(doc, card)
	}
	if err := doc.Close(); err != nil {
		return nil, err
	}
	return &api.File{Name: "report-cards.pdf", ContentType: "application/pdf", Body: out.Bytes()}, nil
}

type cardSample struct {
	Template string `json:"template" validate:"omitempty,oneof=SIMPLE CBSE BRITISH" doc:"The school's own unless given"`
}

// sampleCard is an invented student's card under the school's head, to choose a template by.
func (m *Module) sampleCard(c api.Ctx, r cardSample) (api.File, error) {
	p, err := m.printer(c)
	if err != nil {
		return api.File{}, err
	}
	if r.Template != "" {
		p.template = r.Template
	}
	file, err := p.file(inventedCard())
	if err != nil {
		return api.File{}, err
	}
	file.Name = "report-card-sample.pdf"
	return *file, nil
}

// inventedCard is weighed as any other.
func inventedCard() ReportCard {
	var d cardData
	born := api.Date{Year: 2015, Month: 6, Day: 15}
	class, roll := api.NewID(), 12
	d.student = CardStudent{ID: api.NewID(), AdmissionNumber: "2026-0012", FirstName: "Asha", LastName: "Rao", DateOfBirth: &born,
		ClassName: "Class 5", DivisionName: "A", RollNumber: &roll, Guardians: []string{"Meera Rao", "Anil Rao"}}
	d.bands = Bands{{Grade: "A1", MinPercent: 91}, {Grade: "A2", MinPercent: 81}, {Grade: "B1", MinPercent: 71},
		{Grade: "B2", MinPercent: 61},
		{Grade: "C", MinPercent: 41}, {Grade: "E"}}
	d.rule = passRule{PassRule: "SUBJECTS", PassPercent: 33, GraceSubjects: 1, RankTies: "SKIP"}
	subjects := []struct {
		id         uuid.UUID
		name, kind string
		marks      [4]int64
	}{{api.NewID(), "English", "MAIN", [4]int64{17, 71, 18, 76}}, {api.NewID(), "Hindi", "MAIN", [4]int64{15, 66, 16, 70}},
		{api.NewID(), "Mathematics", "MAIN", [4]int64{19, 78, 20, 77}}, {api.NewID(), "Science", "MAIN", [4]int64{16, 62, 14, 69}},
		{api.NewID(), "Art", "CO_SCHOLASTIC", [4]int64{18, 72, 18, 75}}}
	for term, name := range []string{"Term 1", "Term 2"} {
		id, weight := api.NewID(), 50.0
		for n, exam := range []struct {
			name   string
			most   Marks
			weight float64
		}{{"Periodic test", 20, 20}, {"Term exam", 80, 80}} {
			e := cardExam{ID: api.NewID(), Name: exam.name, TermID: &id, Weight: exam.weight, TermName: &name, TermWeight: &weight}
			d.exams = append(d.exams, e)
			sum := tally{StudentID: d.student.ID, ExamID: e.ID, ClassID: class}
			for _, s := range subjects {
				marks, most := Marks(s.marks[2*term+n]*100), exam.most*100
				line := resultLine{ExamID: e.ID, ClassID: class, StudentID: d.student.ID, PaperResult: PaperResult{SubjectID: s.id,
					SubjectName: s.name, SubjectType: s.kind, MaxMarks: most, PassMarks: most / 3, IsPass: true}}
				line.MarksObtained = &marks
				line.Grade = d.bands.grade(percentOf(marks, most)).Grade
				d.lines = append(d.lines, line)
				if s.kind == "MAIN" {
					sum.Obtained, sum.MaxMarks, sum.PassMarks = sum.Obtained+marks, sum.MaxMarks+most, sum.PassMarks+most/3
				}
			}
			d.tallies = append(d.tallies, sum)
		}
	}
	card := d.weigh()
	share := 94.5
	card.AcademicYearName = "2026-27"
	card.Attendance = &CardAttendance{Present: 189, Marked: 200, SchoolDays: 200, Total: 200, Percent: &share}
	card.Remark = &CardRemark{Remark: "Works with care and helps others. This is an invented student."}
	card.PrincipalRemark = &CardRemark{Remark: "A good year. Keep reading."}
	return card
}
