package exam

import "github.com/google/uuid"

// weigh makes the card of what was read: exams weigh in their term, terms in the year.
// Exams of no term are a term of their own, of weight 1.
func (d *cardData) weigh() ReportCard {
	card := ReportCard{Student: d.student, Exams: []CardExam{}, Terms: []CardTerm{}}
	if len(d.remarks) > 0 {
		card.Remark = &d.remarks[0].CardRemark
	}
	if len(d.heads) > 0 {
		card.PrincipalRemark = &d.heads[0].CardRemark
	}
	scales := map[uuid.UUID]Bands{}
	for _, t := range d.tallies {
		scales[t.ClassID] = d.bands
	}
	stand, papers := standingsOf(d.student.ID, d.tallies, scales, d.rule), byExam(d.lines)
	for _, e := range d.exams {
		if s, sat := stand[e.ID]; sat {
			card.Exams = append(card.Exams, CardExam{ExamID: e.ID, Name: e.Name, TermID: e.TermID, Weight: e.Weight, Standing: s,
				Results: append([]PaperResult{}, papers[e.ID]...)})
		}
	}
	var class []candidate
	var own weighedPart
	for student, mate := range d.byStudent() {
		terms, year := d.year(mate.exams)
		if student == d.student.ID {
			card.Terms, own = terms, year
		}
		class = append(class, candidate{student, mate.division, year.percent, mate.hasLeft})
	}
	for i := range card.Terms {
		card.Terms[i].Grade = d.bands.grade(card.Terms[i].Percent).Grade
	}
	card.Subjects = d.subjects(card)
	card.scale = d.bands
	card.Overall = d.overall(own)
	card.Overall.Places = d.rule.places(class)[d.student.ID]
	return card
}

// overall is the student's year by its percentage and the school's rule.
func (d *cardData) overall(year weighedPart) Overall {
	band := d.bands.grade(year.percent)
	out := Overall{Percent: year.percent, Grade: band.Grade, Outcome: incomplete, FailedSubjects: []string{}}
	if band.Grade != "" {
		out.GradePoint = &band.GradePoint
	}
	if year.percent == nil {
		return out
	}
	if d.rule.PassRule == "TOTAL" {
		least := map[uuid.UUID]weighedPart{}
		for _, t := range d.own() {
			least[t.ExamID] = weighedPart{percent: percentOf(t.PassMarks, t.MaxMarks)}
		}
		_, byPapers := d.year(least)
		out.Outcome = d.rule.total(*year.percent, byPapers.percent)
	} else {
		var names []string
		out.Outcome, names = d.rule.year(d.shortfalls())
		out.FailedSubjects = append(out.FailedSubjects, names...)
	}
	out.IsPass = out.Outcome == passed || out.Outcome == passedWithGrace
	return out
}

// shortfalls are the subjects in which the student lacks marks: over the year or, where
// every exam counts by itself, in the worst of their papers.
func (d *cardData) shortfalls() []shortfall {
	type sums struct{ obtained, most, pass Marks }
	class := map[uuid.UUID]uuid.UUID{}
	for _, t := range d.own() {
		class[t.ExamID] = t.ClassID
	}
	bySubject := map[string]map[uuid.UUID]sums{}
	worst := map[string]float64{}
	for _, l := range d.lines {
		if l.SubjectType == "CO_SCHOLASTIC" || l.IsExempt || l.ClassID != class[l.ExamID] {
			continue
		}
		if bySubject[l.SubjectName] == nil {
			bySubject[l.SubjectName] = map[uuid.UUID]sums{}
		}
		var marks Marks
		if l.MarksObtained != nil {
			marks = *l.MarksObtained
		}
		s := bySubject[l.SubjectName][l.ExamID]
		bySubject[l.SubjectName][l.ExamID] = sums{s.obtained + marks, s.most + l.MaxMarks, s.pass + l.PassMarks}
		worst[l.SubjectName] = max(worst[l.SubjectName], float64(l.PassMarks-marks)*100/float64(l.MaxMarks))
	}
	var short []shortfall
	for subject, exams := range bySubject {
		lacks := worst[subject]
		if d.rule.PassRule == "SUBJECTS" {
			got, least := map[uuid.UUID]weighedPart{}, map[uuid.UUID]weighedPart{}
			for exam, s := range exams {
				got[exam], least[exam] = weighedPart{percent: percentOf(s.obtained, s.most)}, weighedPart{percent: percentOf(s.pass, s.most)}
			}
			_, year := d.year(got)
			_, byPapers := d.year(least)
			lacks = d.rule.least(byPapers.percent) - *year.percent
		}
		if lacks > 0 {
			short = append(short, shortfall{subject, rounded(lacks)})
		}
	}
	return short
}

// own are the student's own tallies.
func (d *cardData) own() []tally {
	var own []tally
	for _, t := range d.tallies {
		if t.StudentID == d.student.ID {
			own = append(own, t)
		}
	}
	return own
}

// classmate is one of the class with what they reached in each exam.
type classmate struct {
	exams    map[uuid.UUID]weighedPart
	division uuid.UUID
	hasLeft  bool
}

func (d *cardData) byStudent() map[uuid.UUID]classmate {
	out := map[uuid.UUID]classmate{}
	for _, t := range d.tallies {
		mate, met := out[t.StudentID]
		if !met {
			mate = classmate{exams: map[uuid.UUID]weighedPart{}}
		}
		mate.division, mate.hasLeft = t.DivisionID, t.HasLeft
		mate.exams[t.ExamID] = weighedPart{percent: t.percent(), incomplete: t.Missing > 0}
		out[t.StudentID] = mate
	}
	return out
}

// year weighs what was reached in exams within their terms, in the order of the exams, and
// the terms in the year.
func (d *cardData) year(exams map[uuid.UUID]weighedPart) ([]CardTerm, weighedPart) {
	terms := []CardTerm{}
	var parts [][]weighedPart
	at := map[uuid.UUID]int{}
	for _, e := range d.exams {
		part, took := exams[e.ID]
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
		part.weight = e.Weight
		parts[i] = append(parts[i], part)
	}
	means := make([]weighedPart, len(terms))
	for i := range terms {
		means[i] = weighted(parts[i])
		means[i].weight = terms[i].Weight
		terms[i].Percent = means[i].percent
	}
	return terms, weighted(means)
}
