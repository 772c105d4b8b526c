package exam

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of past results: each row is a student's result in a subject, or all of an exam with a column for each
// subject of the school.
const (
	colPastStudent = iota
	colPastExam
	colPastSubject
	colPastMarks
	colPastMax
	colPastPass
	colPastDate
	colPastTerm
	colPastRemark
)

var pastSheet = []sheet.Column{
	colPastStudent: lookup.AdmissionNumber,
	colPastExam: {Name: "exam", Check: sheet.Text(100), Also: []string{"examName", "examination", "test", "assessment", "परीक्षा", "الامتحان",
		"mtihani"}},
	colPastSubject: {Name: "subject", Check: sheet.Text(100), Also: []string{"subjectName", "subjectCode", "विषय", "المادة", "somo"}},
	colPastMarks: {Name: "marks", Check: marksCell, Also: []string{"marksObtained", "obtained", "score", "result", "अंक", "الدرجة",
		"alama"}},
	colPastMax:    {Name: "maxMarks", Check: marksOnly, Also: []string{"maximumMarks", "outOf", "fullMarks", "totalMarks"}},
	colPastPass:   {Name: "passMarks", Check: marksOnly, Also: []string{"passingMarks", "minimumMarks"}},
	colPastDate:   {Name: "date", Date: true, Also: []string{"examDate", "day", "तारीख", "التاريخ", "tarehe"}},
	colPastTerm:   {Name: "term", Check: sheet.Text(60), Also: []string{"termName", "semester"}},
	colPastRemark: {Name: "remark", Check: sheet.Text(500), Also: []string{"remarks", "comment"}},
}

func marksOnly(cell string) (string, error) {
	m, err := ParseMarks(cell)
	if err != nil {
		return "", err
	}
	return m.String(), nil
}

// pastImport is what comes with a file of past results.
type pastImport struct {
	lookup.SubjectImport
	Exam string `json:"exam" validate:"max=100" doc:"The exam of rows that name none"`
}

// pastResults are files of exams that were held before the school came here. What they bring is published, and nobody is told.
func pastResults() imports.Kind[pastImport] {
	return imports.Kind[pastImport]{
		Key: "EXAM_RESULT", Path: "/school-admin/exam/result/import", Permission: "result", Columns: pastSheet,
		Summary: "Import results of exams of past terms, which are published silently, from a CSV file or workbook",
		Tables:  append(slices.Clone(lookup.SubjectTables), "exam", "exam_class", "exam_paper", "exam_result"),
		Begin: func(c api.Ctx, r pastImport) (imports.Reading, error) {
			var subjects []roster.Subject
			if err := c.DB.Order("name").Find(&subjects).Error; err != nil {
				return imports.Reading{}, fmt.Errorf("reading subjects: %w", err)
			}
			columns := slices.Clone(pastSheet)
			for _, s := range subjects {
				columns = append(columns, sheet.Column{Name: "subjects." + s.Code, Label: s.Name, Also: []string{s.Name, s.Code}, Check: marksCell})
			}
			return imports.ByLine(columns, func(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
				return planPast(c, r, subjects, lines, d)
			}), nil
		},
	}
}

// pastExam is an exam that a file speaks of.
type pastExam struct {
	examRecord
	fresh   bool
	classes []uuid.UUID
	papers  map[paperKey]*pastPaper
	order   []*pastPaper
	written []Result
}

// paperKey is what a class sits in a subject.
type paperKey struct{ class, subject uuid.UUID }

type pastPaper struct {
	ID, ExamID, ClassID, SubjectID uuid.UUID
	ExamDate                       api.Date
	MaxMarks, PassMarks            Marks
	fresh                          bool
	row                            int
}

// past is what rows of past results are checked against.
type past struct {
	request  pastImport
	d        *imports.Draft
	subjects *lookup.NewSubjects
	marks    map[uuid.UUID]roster.Subject
	students map[string]lookup.Student
	years    []roster.AcademicYear
	terms    []Term
	seats    map[uuid.UUID][]studentSeat
	exams    map[string]*pastExam // by year and name, folded
	order    []*pastExam
	results  map[paperOf]Result
	rows     map[paperOf]int
	today    api.Date
}

func planPast(c api.Ctx, r pastImport, known []roster.Subject, lines []imports.Line, d *imports.Draft) error {
	p := &past{request: r, d: d, marks: map[uuid.UUID]roster.Subject{}, seats: map[uuid.UUID][]studentSeat{},
		exams: map[string]*pastExam{}, results: map[paperOf]Result{}, rows: map[paperOf]int{}, today: c.Today()}
	for _, s := range known {
		p.marks[s.ID] = s
	}
	if err := p.read(c, lines); err != nil {
		return err
	}
	for _, l := range lines {
		p.line(l, known)
	}
	d.Then(p.subjects.Write)
	d.Then(p.write)
	return nil
}

func (p *past) read(c api.Ctx, lines []imports.Line) error {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = l.Cells[colPastStudent]
	}
	var err error
	if p.subjects, err = lookup.FindSubjects(c, p.request.CreateSubjects); err != nil {
		return err
	}
	if p.students, err = lookup.Students(c, numbers, p.today); err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, s := range p.students {
		ids = append(ids, s.ID)
	}
	if err := c.DB.Order("start_date").Find(&p.years).Error; err != nil {
		return fmt.Errorf("reading the academic years: %w", err)
	}
	if err := c.DB.Order("start_date").Find(&p.terms).Error; err != nil {
		return fmt.Errorf("reading the terms: %w", err)
	}
	var exams []examRecord
	if err := c.DB.Find(&exams).Error; err != nil {
		return fmt.Errorf("reading the exams: %w", err)
	}
	var seats []studentSeat
	var papers []pastPaper
	var results []Result
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select student_id, class_id, division_id, start_date, end_date from enrolment where student_id = any($1)
			and class_id is not null order by start_date`, Args: []any{ids}, Scan: tenancy.Collect(&seats)},
		tenancy.Query{SQL: `select id, exam_id, class_id, subject_id, exam_date, max_marks, pass_marks from exam_paper`,
			Scan: tenancy.Collect(&papers)},
		tenancy.Query{SQL: `select ` + resultColumns + ` from exam_result r where r.student_id = any($1)`, Args: []any{ids},
			Scan: tenancy.Collect(&results)})
	if err != nil {
		return fmt.Errorf("reading exams: %w", err)
	}
	byID := map[uuid.UUID]*pastExam{}
	for _, e := range exams {
		x := &pastExam{examRecord: e, papers: map[paperKey]*pastPaper{}}
		byID[e.ID], p.exams[e.AcademicYearID.String()+api.Fold(e.Name)] = x, x
	}
	for i := range papers {
		byID[papers[i].ExamID].papers[paperKey{papers[i].ClassID, papers[i].SubjectID}] = &papers[i]
	}
	for _, r := range results {
		p.results[paperOf{r.PaperID, r.StudentID}] = r
	}
	for _, s := range seats {
		p.seats[s.StudentID] = append(p.seats[s.StudentID], s)
	}
	return nil
}

// held finds the year, term and day of a row's exam.
func (p *past) held(l imports.Line) (year roster.AcademicYear, term *Term, day api.Date) {
	cell := func(col int) string { return l.Cells[col] }
	if text := cell(colPastDate); text != "" {
		if err := day.UnmarshalText([]byte(text)); err != nil {
			p.d.Bad(l.Row, "date", "%v", err)
			return
		}
	}
	for i, t := range p.terms {
		if api.Fold(t.Name) == api.Fold(cell(colPastTerm)) && (day.IsZero() && !p.today.Before(t.StartDate) ||
			!day.IsZero() && !day.Before(t.StartDate) && !t.EndDate.Before(day)) {
			term = &p.terms[i] // of several of a name the last that has begun
		}
	}
	switch {
	case cell(colPastTerm) != "" && term == nil:
		p.d.Bad(l.Row, "term", "no term of this name has begun, or has this day")
		return
	case day.IsZero() && term == nil && !l.Bad[colPastDate]:
		p.d.Bad(l.Row, "date", "is required, or a term")
		return
	case day.IsZero() && term != nil:
		if day = term.EndDate; p.today.Before(day) {
			day = p.today
		}
	case p.today.Before(day):
		p.d.Bad(l.Row, "date", "must not be in the future")
	}
	for _, y := range p.years {
		if !day.Before(y.StartDate) && !y.EndDate.Before(day) {
			year = y
		}
	}
	if year.ID == uuid.Nil && !l.Bad[colPastDate] {
		p.d.Bad(l.Row, "date", "is in no academic year of the school")
	}
	return year, term, day
}

// class is that of a student on a day of a year, or the one they sat in afterwards.
func (p *past) class(student uuid.UUID, year roster.AcademicYear, day api.Date) uuid.UUID {
	for _, s := range p.seats[student] {
		if !year.EndDate.Before(s.StartDate) && !s.StartDate.Before(year.StartDate) && (s.EndDate == nil || !s.EndDate.Before(day)) {
			return *s.ClassID
		}
	}
	return uuid.Nil
}

// pastMark is a result of a row.
type pastMark struct {
	subject uuid.UUID
	column  string
	cell    string
}

func (p *past) line(l imports.Line, known []roster.Subject) {
	d := p.d
	cell := func(col int) string { return l.Cells[col] }
	student, there := p.students[strings.ToLower(cell(colPastStudent))]
	switch {
	case cell(colPastStudent) == "":
		d.Bad(l.Row, "admissionNumber", "is required")
	case !there:
		d.Bad(l.Row, "admissionNumber", "no student has this number")
	}
	name := cell(colPastExam)
	if name == "" {
		name = p.request.Exam
	}
	if name == "" && !l.Bad[colPastExam] {
		d.Bad(l.Row, "exam", "is required")
	}
	year, term, day := p.held(l)
	var marks []pastMark
	if cell(colPastSubject) != "" {
		marks = append(marks, pastMark{p.subjects.For(d, l.Row, "subject", cell(colPastSubject)), "marks", cell(colPastMarks)})
		if cell(colPastMarks) == "" && !l.Bad[colPastMarks] {
			d.Bad(l.Row, "marks", "is required")
		}
	}
	for i, s := range known {
		if text := cell(len(pastSheet) + i); text != "" {
			marks = append(marks, pastMark{s.ID, "subjects." + s.Code, text})
		}
	}
	if len(marks) == 0 && !l.Bad[colPastSubject] {
		d.Bad(l.Row, "subject", "is required, or a column for each subject")
	}
	class := uuid.Nil
	if there && year.ID != uuid.Nil {
		if class = p.class(student.ID, year, day); class == uuid.Nil {
			d.Bad(l.Row, "admissionNumber", "belongs to a student who is in no class of that year")
		}
	}
	if d.Found.IsBad(l.Row) {
		d.Skip(l.Row)
		return
	}
	e := p.exams[year.ID.String()+api.Fold(name)]
	switch {
	case e == nil:
		e = &pastExam{fresh: true, papers: map[paperKey]*pastPaper{}}
		e.ID, e.Name, e.AcademicYearID, e.StartDate, e.EndDate = api.NewID(), name, year.ID, &day, &day
		e.Weight = weightOr(nil)
		if term != nil {
			e.TermID = &term.ID
		}
	case e.Status != published && !e.fresh:
		d.Bad(l.Row, "exam", "is planned here: enter its results there")
	}
	p.enter(l, e, class, student.ID, day, marks)
}

// enter checks a row's results against those of its exam, and keeps the row if all of them are good.
func (p *past) enter(l imports.Line, e *pastExam, class, student uuid.UUID, day api.Date, marks []pastMark) {
	d := p.d
	var papers []*pastPaper
	var results []Result
	same := 0
	for _, m := range marks {
		paper := e.papers[paperKey{class, m.subject}]
		if paper == nil {
			paper = p.paper(l, m.subject, day)
			paper.ExamID, paper.ClassID = e.ID, class
		} else if most, _ := ParseMarks(l.Cells[colPastMax]); l.Cells[colPastMax] != "" && most != paper.MaxMarks {
			d.Bad(l.Row, "maxMarks", "is %s elsewhere in this exam, class and subject", paper.MaxMarks)
		}
		r := Result{PaperID: paper.ID, StudentID: student, ResultFields: ResultFields{IsAbsent: m.cell == absentCell,
			IsExempt: m.cell == exemptCell, Remark: l.Cells[colPastRemark]}}
		if got, err := ParseMarks(m.cell); err == nil {
			r.MarksObtained = &got
		}
		r.normalize(paper.MaxMarks, func(_, format string, args ...any) { d.Bad(l.Row, m.column, format, args...) })
		key := paperOf{paper.ID, student}
		was, there := p.results[key]
		first, twice := p.rows[key]
		switch {
		case twice:
			d.Bad(l.Row, m.column, "is the student's result of row %d, too", first)
		case there && was.same(r.ResultFields):
			same++
			continue
		case there:
			d.Bad(l.Row, m.column, "the student has %s already: change it in the exam", was.cell())
		case !e.fresh && e.Publication > 0:
			d.Bad(l.Row, "exam", "was published here: take its results back and enter this one")
		}
		papers, results = append(papers, paper), append(results, r)
	}
	switch {
	case d.Found.IsBad(l.Row):
		d.Skip(l.Row)
		return
	case same == len(marks):
		d.Same(l.Row, e.ID, student, same)
		return
	}
	var told []any
	for i, r := range results {
		paper := papers[i]
		if e.papers[paperKey{paper.ClassID, paper.SubjectID}] == nil {
			e.papers[paperKey{paper.ClassID, paper.SubjectID}] = paper
			e.order = append(e.order, paper)
		}
		p.subjects.Use(paper.SubjectID, class)
		p.rows[paperOf{paper.ID, student}] = l.Row
		r.Record = api.Record{ID: api.NewID(), Version: 1}
		e.written = append(e.written, r)
		told = append(told, p.subjects.Key(paper.SubjectID), r.cell())
	}
	if !slices.Contains(e.classes, class) {
		e.classes = append(e.classes, class)
	}
	if day.Before(*e.StartDate) {
		e.StartDate = &day
	}
	if e.EndDate.Before(day) {
		e.EndDate = &day
	}
	key := e.AcademicYearID.String() + api.Fold(e.Name)
	if e.fresh && p.exams[key] == nil {
		d.Sum("exams", 1)
	}
	if p.exams[key] = e; !slices.Contains(p.order, e) {
		p.order = append(p.order, e)
	}
	d.Create(l.Row, key, student, told)
	d.Sum("results", int64(len(results)))
}

// paper is a new one; what the row does not say is the subject's. Without pass marks nobody fails it.
func (p *past) paper(l imports.Line, subject uuid.UUID, day api.Date) *pastPaper {
	of := p.marks[subject]
	paper := &pastPaper{ID: api.NewID(), SubjectID: subject, ExamDate: day, MaxMarks: 100_00, fresh: true, row: l.Row}
	if of.MaxMarks != nil {
		paper.MaxMarks = Marks(*of.MaxMarks) * 100
	}
	if l.Cells[colPastMax] != "" {
		paper.MaxMarks, _ = ParseMarks(l.Cells[colPastMax])
	}
	if l.Cells[colPastPass] != "" {
		paper.PassMarks, _ = ParseMarks(l.Cells[colPastPass])
	} else if of.MaxMarks != nil && of.PassMarks != nil {
		paper.PassMarks = paper.MaxMarks * Marks(*of.PassMarks) / Marks(*of.MaxMarks)
	}
	switch {
	case paper.MaxMarks <= 0:
		p.d.Bad(l.Row, "maxMarks", "must be above 0")
	case paper.PassMarks > paper.MaxMarks:
		p.d.Bad(l.Row, "passMarks", "must not be above maxMarks")
	}
	return paper
}
