package exam

import (
	"slices"

	"github.com/google/uuid"
)

// What became of an exam, or of a year. Only a year is passed with grace or leads to a
// compartment.
const (
	passed          = "PASSED"
	passedWithGrace = "PASSED_WITH_GRACE"
	compartment     = "COMPARTMENT"
	failed          = "FAILED"
	incomplete      = "INCOMPLETE"
)

// Standing is how a student did in all papers of an exam together. While a paper that
// counts has no result, there is no percentage, grade, rank or pass.
type Standing struct {
	Obtained Marks    `json:"obtained"`
	MaxMarks Marks    `json:"maxMarks"`
	Missing  int      `json:"missing" doc:"Papers that count and have no result: the student sat in the class on their day"`
	Percent  *float64 `json:"percent" doc:"None while results are missing, and for one who is exempt from everything"`
	Grade    string   `json:"grade"`
	Places
	Outcome string `json:"outcome" enum:"PASSED,FAILED,INCOMPLETE"`
	IsPass  bool   `json:"isPass" doc:"The outcome is PASSED: the total where the school goes by it, or else every paper that counts. Co-scholastic papers fail nobody"`
}

// Places are ranks among those who have a percentage and have not left the school.
type Places struct {
	Rank          int `json:"rank" doc:"In the class; equals share a rank. 0 is unranked"`
	OutOf         int `json:"outOf"`
	DivisionRank  int `json:"divisionRank" doc:"In the division; 0 is unranked"`
	DivisionOutOf int `json:"divisionOutOf"`
}

// tally is a student's papers of an exam added up by the database: co-scholastic
// subjects and exemptions do not count, absence counts as no marks.
type tally struct {
	StudentID  uuid.UUID
	ExamID     uuid.UUID
	ClassID    uuid.UUID
	Obtained   Marks
	MaxMarks   Marks
	PassMarks  Marks
	Failed     int
	Missing    int
	DivisionID uuid.UUID // where they sit, or sat last, in the class
	RollNumber *int
	HasLeft    bool
}

// percent is nil while results are missing.
func (t tally) percent() *float64 {
	if t.Missing > 0 {
		return nil
	}
	return percentOf(t.Obtained, t.MaxMarks)
}

const notDeleted = `r.student_id not in (select g.id from student g where g.deleted_at is not null)`

// tallies are those a condition on papers p and students r.student_id holds for. A student
// is to have a result in the papers of the class they sat in on the day whose subject they take. An exam counts
// once for a student, also for one who changed class in the middle of it: in the class
// they sit in now if they have results there, or else where they sat the last paper.
// Papers of the other class are shown and not added up.
func tallies(where string) string {
	return `select t.student_id, t.exam_id, t.class_id, t.obtained, t.max_marks, t.pass_marks, t.failed, t.missing, seat.division_id,
		seat.roll_number, seat.has_left
	from (select e.student_id, e.exam_id, e.class_id, sum(e.obtained) as obtained, sum(e.max_marks) as max_marks,
	sum(e.pass_marks) as pass_marks, sum(e.failed) as failed, sum(e.missing) as missing from (
			select r.student_id, p.exam_id, p.class_id, case when v.counts then coalesce(r.marks_obtained, 0) else 0 end as obtained,
				case when v.counts then p.max_marks else 0 end as max_marks, case when v.counts then p.pass_marks else 0 end as pass_marks,
				(v.counts and coalesce(r.marks_obtained, 0) < p.pass_marks)::int as failed, 0 as missing
			from exam_paper p join exam_result r on r.paper_id = p.id join subject u on u.id = p.subject_id,
				lateral (select not r.is_exempt and u.type <> 'CO_SCHOLASTIC' as counts) v
			where ` + notDeleted + ` and ` + where + `
			union all
			select r.student_id, p.exam_id, p.class_id, 0, 0, 0, 0, (u.type <> 'CO_SCHOLASTIC')::int
			from exam_paper p join ` + expected + ` join subject u on u.id = p.subject_id
			where ` + notDeleted + ` and ` + where +
		` and not exists (select from exam_result o where o.paper_id = p.id and o.student_id = r.student_id)
		) e group by e.student_id, e.exam_id, e.class_id) t
		join exam x on x.id = t.exam_id
		join lateral (select n.division_id, n.roll_number, n.outcome is not distinct from 'LEFT' and n.promotion_id is null as has_left
		from enrolment n
			where n.student_id = t.student_id and n.academic_year_id is not distinct from x.academic_year_id and n.class_id is not distinct
			from t.class_id
			order by n.start_date desc limit 1) seat on true
	where not exists (select from enrolment n where n.academic_year_id = x.academic_year_id and n.student_id = t.student_id
	and n.class_id <> t.class_id)
		or t.class_id = coalesce((select q.class_id from exam_result o join exam_paper q on q.id = o.paper_id
			where o.student_id = t.student_id and q.exam_id = t.exam_id
			order by q.class_id = (select n.class_id from enrolment n where n.student_id = t.student_id and n.academic_year_id = x.academic_year_id
			order by n.start_date desc limit 1) desc,
				q.exam_date desc, q.start_time desc, q.id limit 1),
			(select n.class_id from enrolment n where n.student_id = t.student_id and n.academic_year_id = x.academic_year_id
			order by n.start_date desc limit 1))`
}

// expected joins the enrolments r of those who sat in the class of paper p on its day and take its subject.
var expected = seated + ` and ` + takes

// takes holds for the enrolments r of those who take the subject of paper p.
var takes = takesOf("p")

// seated joins the enrolments r of those who sat in the class of paper p on its day.
const seated = `exam y on y.id = p.exam_id join enrolment r on r.class_id = p.class_id and r.academic_year_id = y.academic_year_id
	and r.start_date <= p.exam_date and (r.end_date is null or r.end_date >= p.exam_date)`

// standings ranks the tallies of one exam, class by class.
func standings(tallies []tally, scales map[uuid.UUID]Bands, rule passRule) map[uuid.UUID]Standing {
	out := map[uuid.UUID]Standing{}
	byClass := map[uuid.UUID][]tally{}
	for _, t := range tallies {
		byClass[t.ClassID] = append(byClass[t.ClassID], t)
	}
	for class, list := range byClass {
		candidates := make([]candidate, len(list))
		for i, t := range list {
			candidates[i] = candidate{t.StudentID, t.DivisionID, t.percent(), t.HasLeft}
		}
		places := rule.places(candidates)
		for _, t := range list {
			p, outcome := t.percent(), rule.exam(t)
			out[t.StudentID] = Standing{
				Obtained: t.Obtained, MaxMarks: t.MaxMarks, Missing: t.Missing, Percent: p, Grade: scales[class].grade(p).Grade,
				Places: places[t.StudentID], Outcome: outcome, IsPass: outcome == passed,
			}
		}
	}
	return out
}

// candidate is one who may be ranked.
type candidate struct {
	student, division uuid.UUID
	percent           *float64
	hasLeft           bool
}

// places ranks the candidates of a class, and those of each division among themselves.
func (p passRule) places(class []candidate) map[uuid.UUID]Places {
	class = slices.DeleteFunc(slices.Clone(class), func(c candidate) bool { return c.percent == nil || c.hasLeft })
	divisions := map[uuid.UUID][]candidate{}
	for _, c := range class {
		divisions[c.division] = append(divisions[c.division], c)
	}
	out := map[uuid.UUID]Places{}
	for student, rank := range p.ranks(class) {
		out[student] = Places{Rank: rank, OutOf: len(class)}
	}
	for _, division := range divisions {
		for student, rank := range p.ranks(division) {
			places := out[student]
			places.DivisionRank, places.DivisionOutOf = rank, len(division)
			out[student] = places
		}
	}
	return out
}

// ranks gives the best the first rank. Equals share one: 1, 2, 2, 4 or, where the school
// leaves no gap, 1, 2, 2, 3.
func (p passRule) ranks(among []candidate) map[uuid.UUID]int {
	percents := make([]float64, len(among))
	for i, c := range among {
		percents[i] = -*c.percent
	}
	slices.Sort(percents)
	if p.RankTies == "DENSE" {
		percents = slices.Compact(percents)
	}
	out := map[uuid.UUID]int{}
	for _, c := range among {
		out[c.student] = slices.Index(percents, -*c.percent) + 1
	}
	return out
}

// weighted is the mean of parts by their weights; parts without a value do not count, and
// one that is incomplete leaves the whole without a mean.
func weighted(parts []weighedPart) weighedPart {
	var sum, weights float64
	for _, p := range parts {
		if p.incomplete {
			return weighedPart{incomplete: true}
		}
		if p.percent != nil {
			sum, weights = sum+*p.percent*p.weight, weights+p.weight
		}
	}
	if weights == 0 {
		return weighedPart{}
	}
	mean := rounded(sum / weights)
	return weighedPart{percent: &mean}
}

type weighedPart struct {
	percent    *float64
	weight     float64
	incomplete bool
}
