package exam

import (
	"github.com/google/uuid"
)

// CardSubject is one subject over the year: a line of the card's grid.
type CardSubject struct {
	SubjectID uuid.UUID   `json:"subjectId"`
	Name      string      `json:"name"`
	Type      string      `json:"type" enum:"CORE,ELECTIVE,CO_SCHOLASTIC" doc:"CO_SCHOLASTIC ones are graded only, and not added up"`
	Exams     []CardMark  `json:"exams" doc:"One for each of the card's exams, in their order"`
	Terms     []CardGrade `json:"terms" doc:"One for each of the card's terms, in their order"`
	CardGrade
}

// CardMark is what a subject came to in one exam.
type CardMark struct {
	ExamID   uuid.UUID `json:"examId"`
	State    string    `json:"state" enum:"MARKED,ABSENT,EXEMPT,MISSING,NONE" doc:"MISSING: a result is still to come; NONE: the exam has no paper of it"`
	Obtained Marks     `json:"obtained"`
	MaxMarks Marks     `json:"maxMarks"`
	Grade    string    `json:"grade"`
	Remark   string    `json:"remark"`
}

// CardGrade is a percentage by the weights, and its grade.
type CardGrade struct {
	Percent *float64 `json:"percent" doc:"None while a result is missing, and where nothing counts"`
	Grade   string   `json:"grade"`
}

// missingPaper is a paper the student was to sit and has no result in.
type missingPaper struct {
	StudentID   uuid.UUID
	ExamID      uuid.UUID
	SubjectID   uuid.UUID
	SubjectName string
	SubjectType string
}

// missingPapers are those of the students $1 in the exams of their cards.
var missingPapers = `select r.student_id, p.exam_id, p.subject_id, u.name as subject_name, u.type as subject_type
	from exam_paper p join ` + expected + ` join subject u on u.id = p.subject_id
	where r.student_id = any($1) and p.exam_id in (select x.id from exam x where ` + cardExams + `)
		and not exists (select from exam_result o where o.paper_id = p.id and o.student_id = r.student_id)
	order by p.exam_date, p.start_time, u.name, p.id`

// subjects are the lines of the grid: main subjects first, each in the order it was examined.
func (d *cardData) subjects(card ReportCard) []CardSubject {
	class := map[uuid.UUID]uuid.UUID{}
	for _, t := range d.own() {
		class[t.ExamID] = t.ClassID
	}
	grid := subjectGrid{card: card, at: map[uuid.UUID]int{}}
	for _, l := range d.lines {
		if l.ClassID == class[l.ExamID] {
			grid.add(l)
		}
	}
	for _, m := range d.missing {
		if mark := grid.mark(m.SubjectID, m.SubjectName, m.SubjectType, m.ExamID); mark != nil && mark.State == "NONE" {
			mark.State = "MISSING"
		}
	}
	main, other := []CardSubject{}, []CardSubject(nil)
	for _, s := range grid.list {
		d.weighSubject(&s, card)
		if s.Type == "CO_SCHOLASTIC" {
			other = append(other, s)
		} else {
			main = append(main, s)
		}
	}
	return append(main, other...)
}

// weighSubject weighs a subject's exams as the card weighs whole exams.
func (d *cardData) weighSubject(s *CardSubject, card ReportCard) {
	reached := map[uuid.UUID]weighedPart{}
	for _, m := range s.Exams {
		switch m.State {
		case "MARKED", "ABSENT":
			reached[m.ExamID] = weighedPart{percent: percentOf(m.Obtained, m.MaxMarks)}
		case "MISSING":
			reached[m.ExamID] = weighedPart{incomplete: true}
		}
	}
	terms, year := d.year(reached)
	s.CardGrade = CardGrade{year.percent, d.bands.grade(year.percent).Grade}
	s.Terms = []CardGrade{}
	for _, t := range card.Terms {
		var grade CardGrade
		for _, own := range terms {
			if sameID(own.TermID, t.TermID) {
				grade = CardGrade{own.Percent, d.bands.grade(own.Percent).Grade}
			}
		}
		s.Terms = append(s.Terms, grade)
	}
}

func sameID(a, b *uuid.UUID) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// subjectGrid collects the marks of a card's subjects.
type subjectGrid struct {
	card ReportCard
	list []CardSubject
	at   map[uuid.UUID]int
}

// mark is the place for a subject's marks in an exam; nil for an exam that is not on the card.
func (g *subjectGrid) mark(id uuid.UUID, name, kind string, exam uuid.UUID) *CardMark {
	i, met := g.at[id]
	if !met {
		i = len(g.list)
		g.at[id] = i
		s := CardSubject{SubjectID: id, Name: name, Type: kind, Exams: make([]CardMark, len(g.card.Exams))}
		for n, e := range g.card.Exams {
			s.Exams[n] = CardMark{ExamID: e.ExamID, State: "NONE"}
		}
		g.list = append(g.list, s)
	}
	for n := range g.list[i].Exams {
		if g.list[i].Exams[n].ExamID == exam {
			return &g.list[i].Exams[n]
		}
	}
	return nil
}

// add adds a result. Two papers of a subject in one exam are added up.
func (g *subjectGrid) add(l resultLine) {
	mark := g.mark(l.SubjectID, l.SubjectName, l.SubjectType, l.ExamID)
	if mark == nil {
		return
	}
	if l.Remark != "" {
		mark.Remark = l.Remark
	}
	switch {
	case l.IsExempt:
		if mark.State == "NONE" {
			mark.State = "EXEMPT"
		}
		return
	case l.IsAbsent && mark.State != "MARKED":
		mark.State = "ABSENT"
	case !l.IsAbsent:
		mark.State = "MARKED"
		mark.Grade = l.Grade
	}
	mark.MaxMarks += l.MaxMarks
	if l.MarksObtained != nil {
		mark.Obtained += *l.MarksObtained
	}
}
