package exam

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/paper"
	"homeroom/tenancy"
)

type hallTickets struct {
	ID           uuid.UUID  `path:"id"`
	DivisionID   *uuid.UUID `json:"divisionId" doc:"All who sit there, by roll number"`
	StudentID    *uuid.UUID `json:"studentId" doc:"One student alone"`
	HoldBackDues bool       `json:"holdBackDues" doc:"No ticket for those who owe what is due by today; the last page names them"`
}

// candidateRow is who sits an exam.
type candidateRow struct {
	ID              uuid.UUID
	RollNumber      *int
	AdmissionNumber string
	FirstName       string
	LastName        string
	PhotoFileID     *uuid.UUID
	ClassID         uuid.UUID
	ClassName       string
	DivisionName    string
	NotTaken        []uuid.UUID // papers of the class in electives of others
}

// candidates are those who are at the school and sit, or sat last, somewhere in the year of the exam $1; a condition
// on that place n follows.
var candidates = `select s.id, n.roll_number, s.admission_number, s.first_name, s.last_name, s.photo_file_id, n.class_id,
		k.name as class_name, d.name as division_name,
		array(select p.id from exam_paper p where p.exam_id = x.id and p.class_id = n.class_id
			and not ` + roster.TakesSubject("p.subject_id", "p.class_id", "n.division_id", "n.student_id", "p.exam_date") + `) as not_taken
	from exam x join lateral (select distinct on (n.student_id) n.student_id, n.class_id, n.division_id, n.roll_number from enrolment n
			where n.academic_year_id = x.academic_year_id order by n.student_id, n.start_date desc) n on true
		join student s on s.id = n.student_id join class k on k.id = n.class_id join division d on d.id = n.division_id
	where x.id = $1 and s.deleted_at is null and s.status = 'ACTIVE' and `

// printHallTickets are the hall tickets of a division, or of one student, in one file: which papers they
// sit, when and where.
func (m *Module) printHallTickets(c api.Ctx, r hallTickets) (api.Stream, error) {
	e, err := api.Find[examRecord](c, "exam", c.DB, r.ID)
	if err != nil {
		return api.Stream{}, err
	}
	if (r.DivisionID == nil) == (r.StudentID == nil) {
		return api.Stream{}, api.InvalidField("divisionId", "Choose a division or a student")
	}
	where, id := `n.division_id = $2`, r.DivisionID
	if r.StudentID != nil {
		where, id = `n.student_id = $2`, r.StudentID
	}
	var all []candidateRow
	var papers []Paper
	err = tenancy.Pipeline(c.DB, papersWhere(&papers, "p.exam_id = $1", r.ID),
		tenancy.Query{SQL: candidates + where + ` order by n.roll_number nulls last, s.first_name, s.last_name, s.id limit $3`,
			Args: []any{r.ID, *id, maxCards + 1}, Scan: tenancy.Collect(&all)})
	if err != nil {
		return api.Stream{}, fmt.Errorf("reading who gets a hall ticket: %w", err)
	}
	switch n := len(all); {
	case n == 0 && r.StudentID != nil:
		return api.Stream{}, roster.ErrNoStudent
	case n == 0:
		return api.Stream{}, api.NotFound("student of this division")
	case n > maxCards:
		return api.Stream{}, api.InvalidField("divisionId", "More than %d students sit in this division: print their tickets one by one",
			maxCards)
	}
	papers = slices.DeleteFunc(papers, func(p Paper) bool { return p.ClassID != all[0].ClassID })
	if len(papers) == 0 {
		return api.Stream{}, api.Conflict("%s has no papers of %s", e.Name, all[0].ClassName)
	}
	if all = slices.DeleteFunc(all, func(s candidateRow) bool { return len(s.NotTaken) == len(papers) }); len(all) == 0 {
		return api.Stream{}, api.Conflict("%s has no papers that they take", e.Name)
	}
	t := ticketPrinter{Module: m, exam: e.Name, papers: papers, figures: paper.FiguresOf(c.School.Writes())}
	if r.HoldBackDues {
		if all, t.heldBack, err = m.withoutDues(c, all); err != nil {
			return api.Stream{}, err
		}
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return api.Stream{}, err
	}
	return api.Stream{Name: "hall-tickets.pdf", ContentType: "application/pdf", Write: func(w io.Writer) error {
		doc := paper.Start(w, head, "Hall tickets, "+e.Name)
		for _, s := range all {
			if err := t.draw(c, doc, head, s); err != nil {
				return err
			}
		}
		t.drawHeldBack(doc)
		return doc.Close()
	}}, nil
}

// withoutDues parts those who owe what is due from the others.
func (m *Module) withoutDues(c api.Ctx, all []candidateRow) (clear, owing []candidateRow, err error) {
	ids := make([]uuid.UUID, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	due, err := m.Due(c, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range all {
		if due[s.ID] > 0 {
			owing = append(owing, s)
		} else {
			clear = append(clear, s)
		}
	}
	return clear, owing, nil
}

// ticketPrinter draws hall tickets.
type ticketPrinter struct {
	*Module
	exam     string
	papers   []Paper
	heldBack []candidateRow
	figures  paper.Figures
}

func (t ticketPrinter) draw(c api.Ctx, doc *paper.Document, head paper.Letterhead, s candidateRow) (err error) {
	var photo []byte
	if s.PhotoFileID != nil && t.Photo != nil {
		if photo, err = t.Photo(c, *s.PhotoFileID); err != nil {
			return err
		}
	}
	doc.Sheet("Hall ticket")
	doc.Person(photo, [2]string{"Exam", t.exam}, [2]string{"Name", roster.FullName(s.FirstName, s.LastName)},
		[2]string{"Class", s.ClassName + " " + s.DivisionName}, [2]string{"Roll number", s.roll()},
		[2]string{"Admission no.", s.AdmissionNumber})
	var rows [][]string
	for _, p := range t.papers {
		if slices.Contains(s.NotTaken, p.ID) {
			continue
		}
		rows = append(rows, []string{t.figures.Day(p.ExamDate.Year, p.ExamDate.Month, p.ExamDate.Day),
			fmt.Sprintf("%s–%s", p.StartTime, p.EndTime), p.SubjectName, p.Room, ""})
	}
	doc.Table([]paper.Column{{Title: "Day", Width: 26}, {Title: "Time", Width: 26}, {Title: "Subject", Width: 60}, {Title: "Room", Width: 28},
		{Title: "Invigilator's signature", Width: 40}}, rows)
	doc.Signatures("Student", "Class teacher", head.Head())
	return nil
}

// drawHeldBack is the page for the office, which says who gets none.
func (t ticketPrinter) drawHeldBack(doc *paper.Document) {
	if len(t.heldBack) == 0 {
		return
	}
	doc.Sheet("Hall tickets held back")
	doc.Text(fmt.Sprintf("%s: these students owe fees that are due by today.", t.exam))
	var rows [][]string
	for _, s := range t.heldBack {
		rows = append(rows, []string{s.roll(), roster.FullName(s.FirstName, s.LastName), s.AdmissionNumber,
			strings.TrimSpace(s.ClassName + " " + s.DivisionName)})
	}
	doc.Table([]paper.Column{{Title: "Roll", Width: 14, Middle: true}, {Title: "Name", Width: 80}, {Title: "Admission no.", Width: 40},
		{Title: "Class", Width: 40}}, rows)
}

func (s candidateRow) roll() string {
	if s.RollNumber == nil {
		return ""
	}
	return strconv.Itoa(*s.RollNumber)
}
