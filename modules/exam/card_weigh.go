package exam

import "github.com/google/uuid"

// weigh makes the card of what was read: exams weigh in their term, terms in the year.
// Exams of no term are a term of their own, of weight 1.
func (d *cardData) weigh() ReportCard {
	card := ReportCard{Student: d.student, Exams: []CardExam{}, Terms: []CardTerm{}}
	if len(d.remarks) > 0 {
		card.Remark = &d.remarks[0]
	}
	scales := map[uuid.UUID]Bands{}
	for _, t := range d.tallies {
		scales[t.ClassID] = d.bands
	}
	stand, papers := standingsOf(d.student.ID, d.tallies, scales), byExam(d.lines)
	passed := true
	for _, e := range d.exams {
		if s, sat := stand[e.ID]; sat {
			passed = passed && s.IsPass
			card.Exams = append(card.Exams, CardExam{ExamID: e.ID, Name: e.Name, TermID: e.TermID, Weight: e.Weight, Standing: s, Results: papers[e.ID]})
		}
	}
	percents := map[uuid.UUID]*float64{}
	for student, exams := range d.byStudent() {
		terms := d.terms(exams)
		percents[student] = weighted(partsOf(terms))
		if student == d.student.ID {
			card.Terms = terms
		}
	}
	for i := range card.Terms {
		card.Terms[i].Grade = d.bands.grade(card.Terms[i].Percent).Grade
	}
	ranks, outOf := ranked(percents)
	overall := percents[d.student.ID]
	band := d.bands.grade(overall)
	card.Overall = Overall{Percent: overall, Grade: band.Grade, Rank: ranks[d.student.ID], OutOf: outOf, IsPass: passed && overall != nil}
	if band.Grade != "" {
		card.Overall.GradePoint = &band.GradePoint
	}
	return card
}

// byStudent is each classmate's percent in each exam.
func (d *cardData) byStudent() map[uuid.UUID]map[uuid.UUID]*float64 {
	out := map[uuid.UUID]map[uuid.UUID]*float64{}
	for _, t := range d.tallies {
		if out[t.StudentID] == nil {
			out[t.StudentID] = map[uuid.UUID]*float64{}
		}
		out[t.StudentID][t.ExamID] = percentOf(t.Obtained, t.MaxMarks)
	}
	return out
}

// terms weighs one student's exams within their terms, in the order of the exams.
func (d *cardData) terms(percents map[uuid.UUID]*float64) []CardTerm {
	var terms []CardTerm
	var parts [][]weighedPart
	at := map[uuid.UUID]int{}
	for _, e := range d.exams {
		p, took := percents[e.ID]
		if !took {
			continue
		}
		key, term := uuid.Nil, CardTerm{Weight: 1}
		if e.TermID != nil {
			key, term = *e.TermID, CardTerm{TermID: e.TermID, Name: *e.TermName, Weight: *e.TermWeight}
		}
		i, met := at[key]
		if !met {
			i = len(terms)
			at[key] = i
			terms, parts = append(terms, term), append(parts, nil)
		}
		parts[i] = append(parts[i], weighedPart{p, e.Weight})
	}
	for i := range terms {
		terms[i].Percent = weighted(parts[i])
	}
	return terms
}

func partsOf(terms []CardTerm) []weighedPart {
	parts := make([]weighedPart, len(terms))
	for i, t := range terms {
		parts[i] = weighedPart{t.Percent, t.Weight}
	}
	return parts
}
