package exam

import (
	"slices"

	"github.com/google/uuid"
)

// Standing is how a student did in all papers of an exam together.
type Standing struct {
	Obtained Marks    `json:"obtained"`
	MaxMarks Marks    `json:"maxMarks"`
	Percent  *float64 `json:"percent" doc:"None for one who is exempt from everything"`
	Grade    string   `json:"grade"`
	Rank     int      `json:"rank" doc:"In the class; equals share a rank, and the next is as far down as there are people above. 0 is unranked"`
	OutOf    int      `json:"outOf"`
	IsPass   bool     `json:"isPass" doc:"Every paper was passed"`
}

// tally is a student's papers of an exam added up by the database: co-scholastic
// subjects and exemptions do not count, absence counts as no marks.
type tally struct {
	StudentID uuid.UUID
	ExamID    uuid.UUID
	ClassID   uuid.UUID
	Obtained  Marks
	MaxMarks  Marks
	Failed    int
}

const tallySQL = `select r.student_id, p.exam_id, p.class_id,
		coalesce(sum(r.marks_obtained) filter (where u.type <> 'CO_SCHOLASTIC'), 0) as obtained,
		coalesce(sum(p.max_marks) filter (where not r.is_exempt and u.type <> 'CO_SCHOLASTIC'), 0) as max_marks,
		count(*) filter (where r.is_absent or r.marks_obtained < p.pass_marks) as failed
	from exam_paper p join exam_result r on r.paper_id = p.id join subject u on u.id = p.subject_id
	where r.student_id not in (select g.id from student g where g.deleted_at is not null) and `

// tallies are those a condition on papers p and results r holds for. An exam counts once
// for a student, also for one who changed class in the middle of it: in the class they
// sit in now if they sat papers there, or else where they sat the last one. Papers of the
// other class are shown and not added up.
func tallies(where string) string {
	return `select t.student_id, t.exam_id, t.class_id, t.obtained, t.max_marks, t.failed from (` + tallySQL + where + ` group by r.student_id, p.exam_id, p.class_id) t
		where not exists (select from enrolment n join exam x on x.academic_year_id = n.academic_year_id where x.id = t.exam_id and n.student_id = t.student_id and n.class_id <> t.class_id)
		or t.class_id = (select q.class_id from exam_result o join exam_paper q on q.id = o.paper_id join exam x on x.id = q.exam_id
			where o.student_id = t.student_id and q.exam_id = t.exam_id
			order by q.class_id = (select n.class_id from enrolment n where n.student_id = t.student_id and n.academic_year_id = x.academic_year_id order by n.start_date desc limit 1) desc,
				q.exam_date desc, q.start_time desc, q.id limit 1)`
}

// standings ranks the tallies of one exam, class by class.
func standings(tallies []tally, scales map[uuid.UUID]Bands) map[uuid.UUID]Standing {
	out := map[uuid.UUID]Standing{}
	byClass := map[uuid.UUID][]tally{}
	for _, t := range tallies {
		byClass[t.ClassID] = append(byClass[t.ClassID], t)
	}
	for class, list := range byClass {
		percents := map[uuid.UUID]*float64{}
		for _, t := range list {
			percents[t.StudentID] = percentOf(t.Obtained, t.MaxMarks)
		}
		ranks, outOf := ranked(percents)
		for _, t := range list {
			p := percents[t.StudentID]
			out[t.StudentID] = Standing{
				Obtained: t.Obtained, MaxMarks: t.MaxMarks, Percent: p, Grade: scales[class].grade(p).Grade,
				Rank: ranks[t.StudentID], OutOf: outOf, IsPass: t.Failed == 0,
			}
		}
	}
	return out
}

// ranked gives the best the first rank. Equals share one: 1, 2, 2, 4.
func ranked(percents map[uuid.UUID]*float64) (ranks map[uuid.UUID]int, outOf int) {
	var sorted []float64
	for _, p := range percents {
		if p != nil {
			sorted = append(sorted, *p)
		}
	}
	slices.SortFunc(sorted, func(a, b float64) int {
		if a > b {
			return -1
		}
		if a < b {
			return 1
		}
		return 0
	})
	ranks = map[uuid.UUID]int{}
	for id, p := range percents {
		if p != nil {
			ranks[id] = slices.Index(sorted, *p) + 1
		}
	}
	return ranks, len(sorted)
}

// weighted is the mean of parts by their weights; parts without a value do not count.
func weighted(parts []weighedPart) *float64 {
	var sum, weights float64
	for _, p := range parts {
		if p.percent != nil {
			sum, weights = sum+*p.percent*p.weight, weights+p.weight
		}
	}
	if weights == 0 {
		return nil
	}
	mean := rounded(sum / weights)
	return &mean
}

type weighedPart struct {
	percent *float64
	weight  float64
}
